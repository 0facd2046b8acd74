// The chosen theme shows at once and the server keeps it: the next page comes with it, so nothing flashes.
const root = document.documentElement;

function isDark() {
  return root.dataset.bsTheme ? root.dataset.bsTheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function paint(theme) {
  if (theme === "system") delete root.dataset.bsTheme;
  else root.dataset.bsTheme = theme;
  for (const button of document.querySelectorAll("[data-theme-form] [aria-pressed]")) {
    button.setAttribute("aria-pressed", String(button.value === theme));
  }
  document.dispatchEvent(new CustomEvent("pabal:theme"));
}

document.addEventListener("submit", (event) => {
  const form = event.target.closest("[data-theme-form]");
  if (!form || !event.submitter) return;
  event.preventDefault();
  const theme = event.submitter.hasAttribute("data-theme-toggle") ? (isDark() ? "light" : "dark") : event.submitter.value;
  paint(theme);
  const body = new URLSearchParams(new FormData(form));
  body.set("theme", theme);
  fetch(form.action, { method: "POST", body, redirect: "manual" }).catch(() => form.submit());
});
