// The week painted: cells and the text fields below them say the same. The fields are what is sent.
const DAY = 24 * 60;
const WEEK = 7 * DAY;
const SPAN = /^(\d{1,2})(?::(\d{2}))?\s*[-–~]\s*(\d{1,2})(?::(\d{2}))?$/;
const grid = document.querySelector("[data-grid]");
const fields = [...document.querySelectorAll("[data-spans]")];
const cells = grid ? [...grid.querySelectorAll("button")] : [];

function readDay(text) {
  const spans = [];
  for (const part of text.split(/[,;\n]/).map((one) => one.trim()).filter(Boolean)) {
    const found = part.match(SPAN);
    if (!found) continue;
    const start = found[1] * 60 + Number(found[2] ?? 0);
    const end = found[3] * 60 + Number(found[4] ?? 0);
    if (start < DAY && end <= DAY) spans.push([start, ((end - start + DAY) % DAY) || DAY]);
  }
  return spans;
}

function readWeek() {
  const minutes = new Uint8Array(WEEK);
  fields.forEach((field, day) => {
    for (const [start, length] of readDay(field.value))
      for (let at = 0; at < length; at += 1) minutes[(day * DAY + start + at) % WEEK] = 1;
  });
  return minutes;
}

const clock = (minutes) => `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;

// From what is on: spans of the day they begin on. One that ends within a day of its beginning may reach into the next.
function writeWeek(minutes) {
  const days = fields.map(() => []);
  const first = minutes.findIndex((on, at) => on && !minutes[(at + WEEK - 1) % WEEK]);
  if (first < 0 && minutes[0]) days.forEach((day) => day.push("00:00-24:00"));
  for (let step = 0; first >= 0 && step < WEEK; step += 1) {
    const at = (first + step) % WEEK;
    if (!minutes[at]) continue;
    let length = 0;
    while (minutes[(at + length) % WEEK] && length < WEEK) length += 1;
    putRun(days, at, length);
    step += length - 1;
  }
  fields.forEach((field, day) => {
    const text = days[day].join(", ");
    if (readDay(field.value).length || field.value.trim() || text) field.value = text;
  });
}

function putRun(days, from, total) {
  let at = from;
  let left = total;
  while (left > 0) {
    const start = at % DAY;
    const fits = start + left <= DAY || (start > 0 && left <= DAY);
    const length = fits ? left : DAY - start;
    const end = start + length;
    days[Math.floor(at / DAY)].push(`${clock(start)}-${clock(end > DAY ? end - DAY : end)}`);
    at = (at + length) % WEEK;
    left -= length;
  }
}

function show() {
  const minutes = readWeek();
  for (const cell of cells) {
    const from = cell.dataset.day * DAY + cell.dataset.hour * 60;
    const on = minutes.subarray(from, from + 60).reduce((sum, one) => sum + one, 0);
    cell.setAttribute("aria-pressed", on === 60 ? "true" : on ? "mixed" : "false");
  }
}

function paint(cell, value) {
  const minutes = readWeek();
  const from = cell.dataset.day * DAY + cell.dataset.hour * 60;
  minutes.fill(value ? 1 : 0, from, from + 60);
  writeWeek(minutes);
  show();
}

function tell() {
  grid.dispatchEvent(new Event("change", { bubbles: true }));
}

const isOn = (cell) => cell.getAttribute("aria-pressed") === "true";

// Mouse and finger: the first cell says whether one paints or rubs out.
let brush = null;
grid?.addEventListener("pointerdown", (event) => {
  const cell = event.target.closest("button");
  if (!cell || event.button) return;
  event.preventDefault();
  focusOn(cell);
  brush = !isOn(cell);
  paint(cell, brush);
});
addEventListener("pointermove", (event) => {
  if (brush === null) return;
  const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest?.("[data-grid] button");
  if (cell && isOn(cell) !== brush) paint(cell, brush);
});
for (const end of ["pointerup", "pointercancel"])
  addEventListener(end, () => {
    if (brush !== null) tell();
    brush = null;
  });

// Keys: arrows move, Space and Enter turn over, Shift paints on the way.
const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -24], End: [0, 24] };

function focusOn(cell) {
  for (const one of cells) one.tabIndex = one === cell ? 0 : -1;
  cell.focus();
}

grid?.addEventListener("keydown", (event) => {
  const cell = event.target.closest("button");
  if (!cell) return;
  if (event.key === " " || event.key === "Enter") {
    event.preventDefault();
    paint(cell, !isOn(cell));
    tell();
  }
  const step = STEPS[event.key];
  if (!step) return;
  event.preventDefault();
  const day = Math.min(6, Math.max(0, Number(cell.dataset.day) + step[0]));
  const hour = Math.min(23, Math.max(0, Number(cell.dataset.hour) + step[1]));
  const next = cells[day * 24 + hour];
  focusOn(next);
  if (event.shiftKey) {
    paint(next, isOn(cell));
    tell();
  }
});

// Presets fill the fields here instead of asking the server, which would do the same.
document.addEventListener("click", (event) => {
  const preset = event.target.closest("[data-preset]");
  if (!preset || !fields.length) return;
  event.preventDefault();
  const days = preset.dataset.days.split(" ").filter(Boolean).map(Number);
  fields.forEach((field, day) => (field.value = days.includes(day) ? preset.dataset.preset : ""));
  show();
  tell();
});
for (const field of fields) field.addEventListener("input", show);
