// Pictures of a message. Files that are dropped or chosen go up one after the other, each with its bar; cards change
// places by drag, by their buttons and by the arrow keys. Without this the same buttons post the form.
const token = document.querySelector("meta[name=csrf-token]")?.content ?? "";
const groups = [...document.querySelectorAll("[data-group]")];
let held = null;
let line = Promise.resolve();

const cards = (group) => [...group.querySelectorAll("[data-picture]")];
const adder = (group) => group.querySelector("[data-adder]");
const taken = (group) => group.querySelectorAll("[data-picture], [data-going]").length;
const show = (size) => (size < 104858 ? `${Math.ceil(size / 1024)} KB` : `${(size / 1048576).toFixed(1)} MB`);
const room = (group) => Number(group.dataset.most) - taken(group);

// What the cards say about themselves: their number, where they are sent, and which buttons lead somewhere.
function settle() {
  for (const group of groups) {
    const own = cards(group);
    own.forEach((card, index) => {
      card.querySelector(".n").textContent = index + 1;
      card.querySelector("input[type=hidden]").name = group.dataset.group;
      card.querySelector("[data-move=left]").disabled = index === 0;
      card.querySelector("[data-move=right]").disabled = index === own.length - 1;
    });
    const size = own.reduce((sum, card) => sum + Number(card.dataset.size), 0);
    const said = group.querySelector("[data-said]");
    said.textContent = said.dataset.said.replace("{n}", own.length).replace("{size}", show(size));
    adder(group).hidden = room(group) <= 0;
  }
}

function changed(form) {
  settle();
  form?.dispatchEvent(new Event("change", { bubbles: true }));
}

// Going up

function take(group, files) {
  for (const file of files) {
    if (room(group) <= 0) {
      refuse(group, file.name, group.dataset.full);
      continue;
    }
    if (file.size > Number(group.dataset.mb) * 1048576) {
      refuse(group, file.name, group.dataset.large.replace("{size}", show(file.size)));
      continue;
    }
    const going = group.querySelector("template[data-going-card]").content.firstElementChild.cloneNode(true);
    going.querySelector(".name").textContent = file.name;
    adder(group).before(going);
    line = line.then(() => send(group, file, going));
  }
  settle();
}

function send(group, file, going) {
  const bar = going.querySelector("progress");
  const request = new XMLHttpRequest();
  const body = new FormData();
  body.append("group", group.dataset.group);
  body.append("file", file);
  return new Promise((done) => {
    request.upload.addEventListener("progress", (event) => {
      if (event.lengthComputable) bar.value = event.loaded / event.total;
    });
    request.addEventListener("load", () => {
      const came = new DOMParser().parseFromString(request.responseText, "text/html").querySelector(".pb-thumb");
      if (came) going.replaceWith(came);
      else refuse(group, file.name, group.dataset.failed, going);
      done();
    });
    // a server that refuses a body before it has read it may end the connection first
    request.addEventListener("error", () => done(refuse(group, file.name, group.dataset.failed, going)));
    request.addEventListener("loadend", () => changed(group.closest("form")));
    request.open("POST", group.dataset.src);
    request.setRequestHeader("X-CSRF-Token", token);
    request.setRequestHeader("X-Fragment", "true");
    request.setRequestHeader("Accept", "text/html");
    request.send(body);
  });
}

function refuse(group, name, why, instead) {
  const bad = group.querySelector("template[data-bad-card]").content.firstElementChild.cloneNode(true);
  bad.querySelector(".name").textContent = name;
  bad.querySelector(".bad").textContent = why;
  if (instead) instead.replaceWith(bad);
  else adder(group).before(bad);
}

// Changing places

function move(card, where) {
  const group = card.closest("[data-group]");
  const own = cards(group);
  const index = own.indexOf(card);
  if (where === "left" && index > 0) own[index - 1].before(card);
  else if (where === "right" && index < own.length - 1) own[index + 1].after(card);
  else if (where === "other") cross(card, group);
  else if (where === "drop") remove(card, own[index + 1] ?? own[index - 1], group);
  else return;
  changed(group.closest("form"));
}

function cross(card, group) {
  const other = groups.find((one) => one !== group);
  if (room(other) > 0) adder(other).before(card);
  else refuse(other, card.querySelector(".name").textContent, other.dataset.full);
}

function remove(card, neighbour, group) {
  card.remove();
  (neighbour?.querySelector("[data-move=drop]") ?? group.querySelector("input[type=file]")).focus();
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-move]");
  if (!button) return;
  event.preventDefault();
  const card = button.closest("[data-picture]");
  if (!card) {
    button.closest(".pb-thumb").remove();
    return settle();
  }
  move(card, button.dataset.move);
  if (card.isConnected) (button.disabled ? card.querySelector("[data-move]:not(:disabled)") : button).focus();
});

document.addEventListener("keydown", (event) => {
  const card = event.target.closest?.("[data-picture]");
  const where = { ArrowLeft: "left", ArrowRight: "right" }[event.key];
  if (!card || !where) return;
  event.preventDefault();
  move(card, where);
  if (document.activeElement?.disabled ?? true) card.querySelector("[data-move]:not(:disabled)").focus();
  else event.target.focus();
});

document.addEventListener("change", (event) => {
  const group = event.target.closest?.("[data-group]");
  if (!group || event.target.type !== "file") return;
  take(group, event.target.files);
  event.target.value = "";
});

// By drag: a card from its place, or files from outside.

document.addEventListener("dragstart", (event) => {
  held = event.target.closest?.("[data-picture]");
  if (!held) return;
  event.dataTransfer.effectAllowed = "move";
  event.dataTransfer.setData("text/plain", held.querySelector(".name").textContent);
  held.setAttribute("data-held", "");
});

document.addEventListener("dragend", () => {
  held?.removeAttribute("data-held");
  for (const group of groups) group.removeAttribute("data-over");
  if (held) changed(held.closest("form"));
  held = null;
});

document.addEventListener("dragover", (event) => {
  const group = event.target.closest?.("[data-group]");
  const brings = event.dataTransfer.types.includes("Files");
  for (const one of groups) one.toggleAttribute("data-over", one === group && brings);
  if (!group || !(held || brings)) return;
  event.preventDefault();
  if (held) place(group, event);
});

function place(group, event) {
  const over = event.target.closest("[data-picture]");
  if (over === held) return;
  if (!over) {
    if (held.closest("[data-group]") !== group && room(group) > 0) adder(group).before(held);
    return;
  }
  if (held.closest("[data-group]") !== group && room(group) <= 0) return;
  const box = over.getBoundingClientRect();
  if (event.clientX > box.left + box.width / 2) over.after(held);
  else over.before(held);
}

document.addEventListener("drop", (event) => {
  const group = event.target.closest?.("[data-group]");
  if (!group) return;
  event.preventDefault();
  group.removeAttribute("data-over");
  if (!held) take(group, event.dataTransfer.files);
});

settle();
