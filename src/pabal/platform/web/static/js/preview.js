// The effect beside a form, made by the server from what is typed so far:  <form data-preview="/address">, and into
// <aside data-preview-into> goes what it answers.
const REST = 350;
const form = document.querySelector("form[data-preview]");
const into = document.querySelector("[data-preview-into]");
let waiting = 0;
let asking = null;

function typed() {
  const fields = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") fields.append(name, value);
  return fields;
}

async function look() {
  asking?.abort();
  const mine = (asking = new AbortController());
  into.setAttribute("aria-busy", "true");
  try {
    const headers = { "X-Fragment": "true", "X-CSRF-Token": form.elements.csrf_token.value, Accept: "text/html" };
    const answer = await fetch(form.dataset.preview, { method: "POST", body: typed(), headers, signal: mine.signal });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine === asking) into.replaceChildren(...page.body.childNodes);
  } catch {
    return;   // a newer question took its place, or the server is away: what is shown stays
  } finally {
    if (mine === asking) into.removeAttribute("aria-busy");
  }
}

function soon() {
  clearTimeout(waiting);
  waiting = setTimeout(look, REST);
}

if (form && into) {
  form.addEventListener("input", soon);
  form.addEventListener("change", soon);
}
