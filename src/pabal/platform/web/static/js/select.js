// Rows that are ticked: marked, counted, all at once. The bar itself shows by CSS.
// A box named "id" takes the place of form.id, so the attribute is asked.
function boxes(form) {
  return [...document.querySelectorAll(`[data-pick][form="${CSS.escape(form.getAttribute("id"))}"]`)];
}

function update() {
  for (const form of document.querySelectorAll("form[data-bulk]")) {
    const all = boxes(form).filter((box) => !box.matches("[data-every-row]"));
    const every = boxes(form).some((box) => box.matches("[data-every-row]") && box.checked);
    const picked = all.filter((box) => box.checked || every);
    for (const box of all) box.closest("tr")?.setAttribute("aria-selected", String(box.checked || every));
    const word = form.querySelector("[data-picked]");
    const count = every ? form.dataset.every : picked.length;
    word.textContent = word.dataset.picked.replace("{n}", count);
    const whole = all[0]?.closest("table")?.querySelector("[data-pick-all]");
    if (whole) {
      whole.checked = all.length > 0 && picked.length === all.length;
      whole.indeterminate = picked.length > 0 && !whole.checked;
    }
  }
}

document.addEventListener("change", (event) => {
  const whole = event.target.closest("[data-pick-all]");
  if (whole) for (const box of whole.closest("table").querySelectorAll("[data-pick]")) box.checked = whole.checked;
  if (whole || event.target.matches("[data-pick]")) update();
});
document.addEventListener("reset", () => setTimeout(update));
addEventListener("pageshow", update);
