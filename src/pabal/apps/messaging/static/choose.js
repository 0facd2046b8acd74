// Where a message goes: the kind of room decides which rooms are offered, and the room which bots.
const form = document.querySelector("form[data-where]");
const rooms = form?.elements.room_id;
const bots = form?.elements.bot_id;

function offer(options, fits) {
  for (const option of options) {
    if (!option.value) continue;
    option.hidden = option.disabled = !fits(option);
    if (option.disabled && option.selected) option.selected = false;
  }
}

function narrow() {
  const kind = form.querySelector("[name=room_type]:checked")?.value;
  offer(rooms.options, (option) => !kind || option.dataset.type === kind);
  const own = rooms.selectedOptions[0]?.dataset.bots?.split(" ");
  offer(bots.options, (option) => !own || own.includes(option.value));
}

if (rooms?.options && bots?.options) {
  form.addEventListener("change", (event) => {
    if (event.target.name === "room_type" || event.target === rooms) narrow();
  });
  narrow();
}
