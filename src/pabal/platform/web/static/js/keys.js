// Keys: see the dialog #keys-help. Never in fields, never while Korean is being composed, and never when switched off.
const help = document.getElementById("keys-help");
const store = "pabal-keys";
let leading = 0;

function isOn() {
  try { return localStorage.getItem(store) !== "off"; } catch { return true; }
}

function rows() {
  return [...document.querySelectorAll("main tbody tr, main .pb-needs > li, main [data-row]")].filter((row) => row.offsetParent);
}

function here() {
  return document.activeElement?.closest("main tbody tr, main .pb-needs > li, main [data-row]");
}

function move(step) {
  const all = rows();
  const at = all.indexOf(here());
  const row = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)];
  if (!row) return;
  const target = row.querySelector("a.title, a[href]:not([data-drawer])") ?? row.querySelector("a, button") ?? row;
  if (target === row) row.tabIndex = -1;
  target.focus();
  row.scrollIntoView({ block: "nearest" });
}

function press(selector) {
  const target = here()?.querySelector(selector) ?? document.querySelector(`main ${selector}`);
  target?.click();
  return Boolean(target);
}

function go(letter) {
  const link = document.querySelector(`[data-goto="${CSS.escape(letter)}"]`);
  if (link) link.click();
  return Boolean(link);
}

const does = {
  "/": () => { const field = document.querySelector("[data-search]"); field?.focus(); field?.select(); return Boolean(field); },
  "?": () => { if (help && !help.open) help.showModal(); return true; },
  j: () => { move(1); return true; },
  k: () => { move(-1); return true; },
  x: () => { const box = here()?.querySelector("[data-pick]"); box?.click(); return Boolean(box); },
  w: () => { const link = here()?.querySelector("a[data-drawer]"); link?.click(); return Boolean(link); },
};

function isWriting(event) {
  const field = event.target.closest?.("input, textarea, select, [contenteditable]");
  return event.isComposing || event.keyCode === 229 || (field && !field.matches("[type=checkbox], [type=radio]"));
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && event.target.matches?.("[data-search]")) event.target.blur();
  if (event.ctrlKey || event.metaKey || event.altKey || isWriting(event) || !isOn()) return;
  if (document.querySelector("dialog[open]")) return;
  const led = Date.now() - leading < 1500;
  leading = 0;
  if (led && go(event.key)) return event.preventDefault();
  if (event.key === "g") leading = Date.now();
  else if (does[event.key]?.() ?? (/^[a-z]$/.test(event.key) && press(`[data-key="${event.key}"]`))) event.preventDefault();
});

const choice = help?.querySelector("[data-keys-on]");
if (choice) {
  choice.checked = isOn();
  choice.addEventListener("change", () => {
    try { localStorage.setItem(store, choice.checked ? "on" : "off"); } catch { choice.checked = true; }
  });
}
