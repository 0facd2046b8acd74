// Rings that count down to the moment an answer is too late, by the server's clock (which a demo may have moved).
//   <span class="pb-ring" data-until="2026-07-03T00:12:27Z" data-life="55" data-said="{n} s left"><span data-seconds>19</span></span>
const sent = document.querySelector("meta[name=pabal-now]")?.content;
let ahead = sent ? Date.parse(sent) - Date.now() : 0;

function count() {
  if (document.hidden) return;
  const now = Date.now() + ahead;
  for (const ring of document.querySelectorAll(".pb-ring[data-until]")) show(ring, now);
}

function show(ring, now) {
  const left = Math.max(0, Math.round((Date.parse(ring.dataset.until) - now) / 1000));
  const word = ring.querySelector("[data-seconds]");
  if (word.textContent === String(left)) return;
  word.textContent = left;
  ring.style.setProperty("--p", Math.min(100, Math.round((left / Math.max(1, Number(ring.dataset.life))) * 100)));
  ring.dataset.left = left <= 10 ? "out" : left <= 20 ? "low" : "ok";
  ring.setAttribute("aria-label", ring.dataset.said.replace("{n}", left));
}

document.addEventListener("pabal:clock", (event) => {
  ahead = event.detail - Date.now();
  count();
});
document.addEventListener("visibilitychange", count);
setInterval(count, 500);
count();
