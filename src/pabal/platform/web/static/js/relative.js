// "in 8 min" goes on counting, by the server's clock (which a demo may have moved), in the words the server uses.
const korean = document.documentElement.lang === "ko";
const units = [[86400, "d", "일"], [3600, "h", "시간"], [60, "min", "분"], [1, "s", "초"]];
const sent = document.querySelector("meta[name=pabal-now]")?.content;
let ahead = sent ? Date.parse(sent) - Date.now() : 0;

function tell(distance) {
  const seconds = Math.floor(Math.abs(distance) / 1000);
  if (seconds < 1) return korean ? "지금" : "now";
  const [size, en, ko] = units.find(([least]) => seconds >= least);
  const span = korean ? `${Math.floor(seconds / size)}${ko}` : `${Math.floor(seconds / size)} ${en}`;
  if (korean) return `${span} ${distance > 0 ? "후" : "전"}`;
  return distance > 0 ? `in ${span}` : `${span} ago`;
}

function count() {
  if (document.hidden) return;
  const now = Date.now() + ahead;
  for (const word of document.querySelectorAll("time[datetime] [data-relative]")) {
    const text = tell(Date.parse(word.closest("time").dateTime) - now);
    if (word.textContent !== text) word.textContent = text;
  }
}

document.addEventListener("pabal:clock", (event) => {
  ahead = event.detail - Date.now();
  count();
});
document.addEventListener("visibilitychange", count);
setInterval(count, 5000);
