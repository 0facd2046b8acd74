// How many characters a text has, while it is typed. Counted as the server counts: a line break is one, an emoji too.
for (const area of document.querySelectorAll("textarea[data-count]")) {
  const told = document.getElementById(area.dataset.count);
  const rooms = area.form?.elements.room_id;
  const most = () => Number(rooms?.selectedOptions?.[0]?.dataset.most || area.dataset.most);

  const show = () => {
    const count = [...area.value.replaceAll("\r\n", "\n")].length;
    const limit = most();
    const state = count > limit ? "over" : count >= Number(area.dataset.warn) ? "long" : "fine";
    told.dataset.state = state;
    told.querySelector("[data-n]").textContent = count.toLocaleString();
    told.querySelector("[data-most]").textContent = limit.toLocaleString();
    for (const word of told.querySelectorAll("[data-when]")) word.hidden = word.dataset.when !== state;
    area.setAttribute("aria-invalid", String(state === "over"));
  };
  area.addEventListener("input", show);
  rooms?.addEventListener?.("change", show);
  show();
}
