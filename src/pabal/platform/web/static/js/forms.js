// Forms post by themselves. Here: the CSRF header of htmx, no second press, the question before a danger, toasts.
const token = document.querySelector("meta[name=csrf-token]")?.content;

document.addEventListener("htmx:configRequest", (event) => {
  if (token) event.detail.headers["X-CSRF-Token"] = token;
});
for (const failure of ["htmx:sendError", "htmx:timeout", "htmx:responseError"]) {
  document.addEventListener(failure, () => {
    const toast = document.getElementById("toast-failed");
    if (toast) document.getElementById("toasts").append(toast.content.cloneNode(true));
  });
}

// A danger is asked about: data-confirm on the form or on the button that was pressed.
function ask(form, submitter) {
  const asked = submitter?.dataset.confirmTitle ? submitter.dataset : form.dataset;
  const dialog = document.getElementById("confirm");
  dialog.querySelector("[data-title]").textContent = asked.confirmTitle;
  dialog.querySelector("[data-text]").textContent = asked.confirm ?? "";
  const go = dialog.querySelector("[data-go]");
  go.textContent = asked.confirmGo || submitter?.textContent || go.textContent;
  go.classList.toggle("btn-danger", asked.confirmKind !== "plain");
  go.classList.toggle("btn-primary", asked.confirmKind === "plain");
  dialog.returnValue = "";
  dialog.addEventListener("close", () => {
    if (dialog.returnValue !== "go") return;
    form.dataset.confirmed = "";
    form.requestSubmit(submitter);
    delete form.dataset.confirmed;
  }, { once: true });
  dialog.showModal();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  const isAsked = form.dataset.confirmTitle || event.submitter?.dataset.confirmTitle;
  if (!isAsked || "confirmed" in form.dataset || !document.getElementById("confirm")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  ask(form, event.submitter);
}, true);

// One press, one request. The button is let go when the page comes back from the browser's memory, or after a while.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.getAttribute("method") !== "post") return;
  if (form.getAttribute("aria-busy") === "true") {
    event.preventDefault();
    return;
  }
  form.setAttribute("aria-busy", "true");
  setTimeout(() => form.removeAttribute("aria-busy"), 15000);
});
addEventListener("pageshow", () => {
  for (const form of document.querySelectorAll("form[aria-busy]")) form.removeAttribute("aria-busy");
});

document.addEventListener("change", (event) => {
  if (event.target.matches("[data-autosubmit]")) event.target.form.requestSubmit();
});

// Toasts of what went well leave by themselves, unless somebody is reading them.
function close(toast) {
  if (toast.matches(":hover, :focus-within")) setTimeout(close, 4000, toast);
  else toast.remove();
}
for (const toast of document.querySelectorAll("[data-toast][role=status]")) setTimeout(close, 8000, toast);
document.addEventListener("click", (event) => event.target.closest("[data-toast-close]")?.closest("[data-toast]").remove());

document.querySelector("[data-focus]")?.focus();
