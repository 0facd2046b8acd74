// Lines and bars with our own colours, in both themes. ECharts is loaded only by pages that have a chart.
//   <div data-chart data-points='{"series":[{"name","points":[[moment, value]],"kind":"line"}],"limit":{"value","label"},"unit":"ms"}'>
//   <div data-chart data-src="/health/points/latency" data-every="15">
const zone = document.querySelector("meta[name=pabal-zone]")?.content || undefined;
const korean = document.documentElement.lang === "ko";
const hour = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(korean ? "ko" : "en-GB", { timeZone: zone, day: "numeric", month: "short" });
const number = new Intl.NumberFormat(korean ? "ko" : "en", { maximumFractionDigits: 2 });
const charts = new Map();

function colours() {
  const probe = document.body.appendChild(document.createElement("i"));
  const read = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const found = {
    ink: read("--pb-ink-2"), quiet: read("--pb-ink-3"), line: read("--pb-line"), area: read("--pb-hover"), surface: read("--pb-surface"),
    fail: read("--st-fail"), ember: read("--pb-ember"), work: read("--st-work"), attn: read("--st-attn"), good: read("--st-good"),
    font: getComputedStyle(document.body).fontFamily,
  };
  probe.remove();
  return found;
}

const moments = (points) => points.map(([at, value]) => [typeof at === "string" ? Date.parse(at) : at, value]);

const pick = (one, index, paint) => paint[one.colour] ?? [paint.ink, paint.work, paint.attn, paint.good][index % 4];

function drawSeries(one, index, count, paint) {
  const points = moments(one.points);
  const colour = pick(one, index, paint);
  if (one.kind === "bar") return { type: "bar", name: one.name, data: points, itemStyle: { color: colour }, barMaxWidth: 4, silent: true };
  const last = points.at(-1);
  const data = points.map((point) => ({ value: point, symbol: point === last ? "circle" : "none" }));
  return {
    type: "line", name: one.name, data, symbolSize: 9, silent: true, animation: false, showSymbol: true,
    lineStyle: { color: colour, width: 1.75, type: index ? [6, 3] : "solid" }, itemStyle: { color: paint.ember, borderColor: paint.surface, borderWidth: 2 },
    areaStyle: count === 1 ? { color: paint.area, opacity: 1 } : undefined, connectNulls: false,
  };
}

// The limit is a dashed line with its word at the end.
function drawLimit(limit, span, paint) {
  const label = { show: true, align: "right", verticalAlign: "bottom", offset: [-6, -2], color: paint.fail, fontSize: 11, fontFamily: paint.font };
  return {
    type: "line", data: span.map((at) => [at, limit.value]), silent: true, symbol: "none",
    lineStyle: { color: paint.fail, type: [4, 4], width: 1.25 }, endLabel: { ...label, formatter: limit.label ?? number.format(limit.value) },
  };
}

// More than one series have their names above, each with its stroke.
function legend(box, paint) {
  box.legend ??= box.parentElement.insertBefore(Object.assign(document.createElement("div"), { className: "pb-legend" }), box);
  box.legend.hidden = box.data.series.length < 2;
  box.legend.replaceChildren(...box.data.series.map((one, index) => {
    const name = Object.assign(document.createElement("span"), { textContent: one.name });
    const stroke = Object.assign(document.createElement("i"), { className: "lk" });
    stroke.style.borderTop = `2px ${index && one.kind !== "bar" ? "dashed" : "solid"} ${pick(one, index, paint)}`;
    name.prepend(stroke);
    return name;
  }));
}

function options(data, paint) {
  const all = data.series.flatMap((one) => moments(one.points).map(([at]) => at));
  const span = [Math.min(...all), Math.max(...all)];
  const isLong = span[1] - span[0] > 36 * 3600_000;
  const series = data.series.map((one, index) => drawSeries(one, index, data.series.length, paint));
  if (data.limit && all.length) series.push(drawLimit(data.limit, span, paint));
  const label = { color: paint.quiet, fontSize: 11, fontFamily: paint.font, hideOverlap: true };
  return {
    animation: false,
    grid: { left: 44, right: 10, top: 14, bottom: 22 },
    xAxis: { type: "time", min: span[0], max: span[1], axisLine: { lineStyle: { color: paint.line } }, axisTick: { show: false }, splitLine: { show: false }, axisLabel: { ...label, formatter: (at) => (isLong ? day : hour).format(at) } },
    yAxis: { type: "value", min: 0, splitNumber: 3, splitLine: { lineStyle: { color: paint.line } }, axisLabel: { ...label, formatter: (value) => number.format(value) } },
    series,
  };
}

// Where the pointer is, in words.
function read(chart, box, at) {
  const tip = box.tip;
  const inside = chart.containPixel("grid", at);
  tip.hidden = !inside || !box.data;
  if (tip.hidden) return;
  const [x] = chart.convertFromPixel("grid", at);
  const said = box.data.series.map((one) => {
    const near = moments(one.points).reduce((best, point) => (Math.abs(point[0] - x) < Math.abs(best[0] - x) ? point : best), [Infinity, null]);
    return near[1] === null || near[1] === undefined ? "" : `${day.format(near[0])} ${hour.format(near[0])} · ${one.name ? `${one.name} ` : ""}${number.format(near[1])}${box.data.unit ? ` ${box.data.unit}` : ""}`;
  });
  tip.textContent = said.filter(Boolean).join("\n");
  const width = box.clientWidth;
  tip.style.left = `${Math.min(Math.max(at[0], 80), width - 80)}px`;
}

async function load(box) {
  if (!box.dataset.src) return JSON.parse(box.dataset.points || "null");
  const answer = await fetch(box.dataset.src, { headers: { Accept: "application/json" } });
  return answer.ok ? answer.json() : null;
}

async function draw(box) {
  try {
    box.data = (await load(box)) ?? box.data;
  } catch {
    return;   // the live mark tells about the connection; the last drawing stays
  }
  if (!box.data?.series) return;
  let chart = charts.get(box);
  if (!chart) {
    chart = echarts.init(box, null, { renderer: "svg" });
    charts.set(box, chart);
    box.tip = Object.assign(document.createElement("div"), { className: "pb-charttip", hidden: true });
    box.append(box.tip);
    chart.getZr().on("mousemove", (event) => read(chart, box, [event.offsetX, event.offsetY]));
    chart.getZr().on("globalout", () => { box.tip.hidden = true; });
  }
  paintChart(box, chart, colours());
}

function paintChart(box, chart, paint) {
  legend(box, paint);
  chart.setOption(options(box.data, paint), true);
}

const boxes = document.querySelectorAll("[data-chart]");
const grown = new ResizeObserver((entries) => entries.forEach(({ target }) => charts.get(target)?.resize()));
for (const box of boxes) {
  draw(box).then(() => grown.observe(box));
  if (box.dataset.every) setInterval(() => document.hidden || draw(box), Math.max(5, Number(box.dataset.every)) * 1000);
}
function repaint() {
  const paint = colours();
  for (const [box, chart] of charts) paintChart(box, chart, paint);
}
document.addEventListener("pabal:theme", repaint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
