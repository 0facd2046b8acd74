// The state at a moment: the slider moves the moment, and what the server says of it takes its place.
const form = document.querySelector("form[data-then]");
const slider = form?.querySelector("[data-slider]");
const zone = document.querySelector("meta[name=pabal-zone]")?.content;
const REST = 250;
let waiting = 0;

function show(minutes) {
  const parts = new Intl.DateTimeFormat("sv-SE", {
    timeZone: zone || undefined, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit",
  }).format(minutes * 60_000);
  return parts.replace(" ", "T");
}

async function look() {
  const url = new URL(location.href);
  url.searchParams.set("at", form.elements.at.value);
  url.searchParams.delete("cursor");
  const answer = await fetch(url, { headers: { "X-Fragment": "true", Accept: "text/html" } }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  document.getElementById("then").replaceChildren(...page.getElementById("then").childNodes);
  history.replaceState(null, "", url);
}

slider?.addEventListener("input", () => {
  form.elements.at.value = show(Number(slider.value));
  clearTimeout(waiting);
  waiting = setTimeout(look, REST);
});
