// Press an id, a path or a block of code to copy it.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy], [data-copy-next]");
  if (!button) return;
  const text = button.dataset.copy ?? button.closest(".pb-code").querySelector("pre").textContent;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    getSelection().selectAllChildren(button.closest(".pb-code")?.querySelector("pre") ?? button);   // no permission: selected, so Ctrl+C does it
    return;
  }
  button.dataset.copied = "";
  const said = document.getElementById("copied");
  if (said) said.textContent = said.dataset.said;
  setTimeout(() => {
    delete button.dataset.copied;
    if (said) said.textContent = "";
  }, 1600);
});
