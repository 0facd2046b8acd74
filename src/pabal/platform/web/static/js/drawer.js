// A link with data-drawer shows its page in the drawer. Without this, or with Ctrl, it is a link like any other.
const drawer = document.getElementById("drawer");
const body = drawer?.querySelector("[data-drawer-body]");
let latest = 0;

async function fetchMain(href) {
  const answer = await fetch(href, { headers: { "X-Fragment": "true", Accept: "text/html" } });
  if (answer.status === 401) location.assign(href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  return [...(page.getElementById("main") ?? page.body).childNodes];
}

function say(text, href) {
  const note = document.createElement("p");
  note.className = "dim";
  note.textContent = text;
  if (href) {
    const link = Object.assign(document.createElement("a"), { className: "link", href, textContent: href });
    note.append(document.createElement("br"), link);
  }
  body.replaceChildren(note);
}

async function open(link) {
  const mine = ++latest;
  say(body.dataset.waiting);
  for (const row of document.querySelectorAll("[data-open]")) row.removeAttribute("data-open");
  link.closest("tr, .pb-list > li")?.setAttribute("data-open", "");
  if (!drawer.open) drawer.showModal();
  try {
    const parts = await fetchMain(link.href);
    if (mine === latest) body.replaceChildren(...parts);
  } catch {
    if (mine === latest) say(body.dataset.failed, link.href);
  }
  drawer.setAttribute("aria-label", body.querySelector("h1, h2")?.textContent ?? link.textContent);
  globalThis.htmx?.process(body);
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-drawer]");
  if (!link || !drawer || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  open(link);
});
drawer?.addEventListener("close", () => {
  latest += 1;
  for (const row of document.querySelectorAll("[data-open]")) row.removeAttribute("data-open");
});
