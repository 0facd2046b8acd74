// Keeps a page fresh, and says so when it cannot. One stream of facts; parts whose topics match fetch themselves anew.
//   <section id="needs" data-live-src="" data-topics="job.*,alert.*" data-every="60">   "" is this page's own address
// What is on the page changes in place; rows of tables never jump: new ones wait under "Show 4 new".
const BEAT = 40_000;
const mark = document.querySelector(".pb-live");
const zone = document.querySelector("meta[name=pabal-zone]")?.content;
const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone || undefined, hour: "2-digit", minute: "2-digit", second: "2-digit" });
const sent = document.querySelector("meta[name=pabal-now]")?.content;
let ahead = sent ? Date.parse(sent) - Date.now() : 0;
let heard = Date.now();
let wasHeard = false;
let resume = "";
let listening = null;

// The mark

function show(state, seconds = 0) {
  if (!mark) return;
  const words = { on: mark.dataset.on, wait: mark.dataset.wait, retry: mark.dataset.retry.replace("{n}", seconds), stale: mark.dataset.stale };
  mark.dataset.live = state;
  const word = mark.querySelector("[data-live-word]");
  if (word.textContent !== words[state]) word.textContent = words[state];
  word.classList.toggle("not-phone", state === "on" || state === "wait");
  mark.querySelector("[data-live-reload]").hidden = state !== "stale";
  const time = mark.querySelector("[data-live-time]");
  if (time) time.hidden = state === "retry" || state === "stale";
}

function tick() {
  const text = mark?.querySelector("[data-live-time] time")?.firstChild;
  if (text && mark.dataset.live === "on") text.data = `${clock.format(Date.now() + ahead)} `;
  if (listening && Date.now() - heard > BEAT) listening.abort();
}

// The parts

const parts = () => [...document.querySelectorAll("[data-live-src][id]")];
const topics = (part) => (part.dataset.topics ?? "").split(",").map((name) => name.trim()).filter(Boolean);
const fits = (pattern, name) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name);
const dirty = new Set();
let flushing = false;

async function flush() {
  if (flushing || document.hidden) return;
  flushing = true;
  try {
    while (dirty.size && !document.hidden) {
      const byAddress = Map.groupBy ? Map.groupBy(dirty, address) : group(dirty);
      dirty.clear();
      await Promise.all([...byAddress].map(([url, some]) => refresh(url, some)));
      await new Promise((done) => setTimeout(done, 1000));
    }
  } finally {
    flushing = false;
  }
}

function address(part) {
  return new URL(part.dataset.liveSrc || location.href, location.href).href;
}

function group(some) {
  const found = new Map();
  for (const part of some) found.set(address(part), [...(found.get(address(part)) ?? []), part]);
  return found;
}

async function refresh(url, some) {
  let answer;
  try {
    answer = await fetch(url, { headers: { "X-Fragment": "true", Accept: "text/html" }, cache: "no-store" });
  } catch {
    return;   // the stream tells about the connection
  }
  if (answer.status === 401) return location.reload();
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of some) {
    const fresh = page.getElementById(part.id);
    if (fresh && part.isConnected) morph(part, fresh);
  }
  globalThis.htmx?.process(document.getElementById("main"));
}

function touch(name) {
  for (const part of parts()) if (topics(part).some((pattern) => fits(pattern, name))) dirty.add(part);
  flush();
}

function touchAll() {
  for (const part of parts()) dirty.add(part);
  flush();
}

// What is there becomes what came, with as little change as possible: focus, selection and scroll stay.

const KEPT = new Set(["open", "aria-selected", "data-open", "data-copied", "tabindex", "aria-busy"]);

function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) return old.replaceWith(fresh);
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  if (old.isEqualNode(fresh) || isInHand(old)) return;
  syncAttributes(old, fresh);
  if (old.matches("table[data-new]")) return morphTable(old, fresh);
  morphChildren(old, fresh);
}

function isInHand(element) {
  if (element.matches("[popover]:popover-open, dialog[open]")) return true;
  return element === document.activeElement && element.matches("input, textarea, select");
}

function syncAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes) if (!KEPT.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!KEPT.has(name) && !fresh.hasAttribute(name)) old.removeAttribute(name);
}

function morphChildren(old, fresh) {
  const known = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  let at = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    const same = wanted.id ? known.get(wanted.id) : at && !at.id && at.nodeName === wanted.nodeName ? at : null;
    if (!same) old.insertBefore(wanted, at);
    else {
      if (same === at) at = at.nextSibling;
      else old.insertBefore(same, at);
      morph(same, wanted);
    }
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function morphTable(table, fresh) {
  const body = table.tBodies[0];
  const came = fresh.tBodies[0];
  const wanted = new Map([...came.rows].filter((row) => row.id).map((row) => [row.id, row]));
  for (const row of body.rows) {
    const now = row.id && wanted.get(row.id);
    if (now) morph(row, now.cloneNode(true));
    else if (row.id) leave(row, table.dataset.gone);
  }
  const added = [...wanted.keys()].filter((id) => !document.getElementById(id)).length;
  offer(table, added, () => morphChildren(body, came));
}

function leave(row, word) {
  const state = row.querySelector("[data-cell=state] .st");
  if (!state || "gone" in row.dataset) return;
  row.dataset.gone = "";
  state.className = "st st-end";
  state.textContent = word;
}

function offer(table, added, take) {
  const wrap = table.closest(".pb-tablewrap") ?? table;
  wrap.previousElementSibling?.matches(".pb-newrows") && wrap.previousElementSibling.remove();
  if (!added) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "pb-newrows" });
  button.textContent = table.dataset.new.replace("{n}", added);
  button.addEventListener("click", () => {
    button.remove();
    take();
  });
  wrap.before(button);
}

// The stream

async function listen(names) {
  listening = new AbortController();
  const headers = { Accept: "text/event-stream", ...(resume && { "Last-Event-ID": resume }) };
  const url = `/api/v1/events?topics=${encodeURIComponent(names.join(","))}`;
  const answer = await fetch(url, { headers, cache: "no-store", signal: listening.signal });
  if (answer.status === 401) location.reload();
  if (answer.status === 400) resume = "";
  if (!answer.ok) throw new Error(`events ${answer.status}`);
  heard = Date.now();
  show("on");
  if (wasHeard) touchAll();   // whatever came in between
  wasHeard = true;
  let rest = "";
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard = Date.now();
    const messages = (rest + value).split("\n\n");
    rest = messages.pop();
    messages.forEach(take);
  }
}

function take(message) {
  const field = (name) => message.match(new RegExp(`^${name}: ?(.*)$`, "m"))?.[1] ?? "";
  resume = field("id") || resume;
  const name = field("event");
  if (name === "heartbeat") setClock(JSON.parse(field("data")).now);
  else if (name && name !== "closed") touch(name);
}

function setClock(now) {
  if (!now) return;
  ahead = Date.parse(now) - Date.now();
  document.dispatchEvent(new CustomEvent("pabal:clock", { detail: Date.parse(now) }));
}

const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

async function untilSeen() {
  while (document.hidden) await new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

async function countDown(seconds) {
  for (let left = seconds; left > 0; left -= 1) {
    show(Date.now() - heard > BEAT ? "stale" : "retry", left);
    await pause(1);
  }
}

async function run(names) {
  let failures = 0;
  for (;;) {
    await untilSeen();
    const began = Date.now();
    try {
      await listen(names);
    } catch {
      // said by the mark: it counts down to the next try
    }
    listening = null;
    failures = Date.now() - began > 10_000 ? 1 : failures + 1;
    if (!document.hidden) await countDown(Math.min(30, 2 ** failures));
  }
}

// A page nobody looks at lets its stream go (a browser has few connections) and catches up when it is seen again.
let leaving;
document.addEventListener("visibilitychange", () => {
  clearTimeout(leaving);
  if (document.hidden) leaving = setTimeout(() => listening?.abort(), 5000);
  else if (dirty.size) flush();
});
mark?.querySelector("[data-live-reload]").addEventListener("click", () => location.reload());

for (const part of document.querySelectorAll("[data-live-src][data-every]")) {
  const timer = setInterval(() => {
    if (!part.dataset.every) return clearInterval(timer);   // what it waited for is over
    dirty.add(part);
    flush();
  }, Math.max(1, Number(part.dataset.every)) * 1000);
}
const wanted = [...new Set([...(mark?.dataset.topics ?? "").split(","), ...parts().flatMap(topics)].map((name) => name.trim()).filter(Boolean))];
if (wanted.length) {
  show("wait");
  setInterval(tick, 1000);
  run(wanted);
}
