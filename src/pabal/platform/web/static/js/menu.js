// Menus are popovers and open without this. Here: their place where CSS cannot anchor them, and buttons that open dialogs.
const canAnchor = CSS.supports("position-area: bottom");

function place(menu, button) {
  const at = button.getBoundingClientRect();
  const box = menu.getBoundingClientRect();
  const left = at.left + box.width > innerWidth - 8 ? at.right - box.width : at.left;
  const top = at.bottom + box.height > innerHeight - 8 ? at.top - box.height - 4 : at.bottom + 4;
  menu.style.margin = "0";
  menu.style.inset = `${Math.max(8, top)}px auto auto ${Math.max(8, left)}px`;
}

document.addEventListener("toggle", (event) => {
  const menu = event.target;
  if (canAnchor || event.newState !== "open" || !menu.matches?.(".pb-menu[popover]")) return;
  const button = document.querySelector(`[popovertarget="${CSS.escape(menu.id)}"]`);
  if (button) place(menu, button);
}, true);

document.addEventListener("click", (event) => {
  const opener = event.target.closest("[data-dialog]");
  if (!opener) return;
  const dialog = document.getElementById(opener.dataset.dialog);
  opener.closest("[popover]")?.hidePopover();
  // a browser that knows commands opens it by itself, and complains about the second to do so
  if (dialog && !dialog.open && !("command" in HTMLButtonElement.prototype)) dialog.showModal();
});

// A press on the dark around a dialog closes it, as Esc does.
document.addEventListener("pointerdown", (event) => {
  const dialog = event.target;
  if (!(dialog instanceof HTMLDialogElement)) return;
  const box = dialog.getBoundingClientRect();
  const inside = event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
  if (!inside) dialog.close();
});
