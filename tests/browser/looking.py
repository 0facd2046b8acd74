"""What can be said of any page: it fits its window, speaks one language, and can be used by everybody."""

from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page

AXE = Path(__file__).parents[2] / "build/browser/axe.min.js"
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_BAD = ("serious", "critical")

# What reaches out of the window, unless it stands in a part that may be scrolled by itself.
_OVERFLOW = """() => {
  const wide = [];
  const width = document.documentElement.clientWidth;
  const whole = document.documentElement.scrollWidth;
  if (whole > width) wide.push(`page ${whole} > ${width}`);
  for (const one of document.body.querySelectorAll("*")) {
    const box = one.getBoundingClientRect();
    if (!box.width || !box.height || box.right <= width + 1) continue;
    if (!one.checkVisibility({ visibilityProperty: true })) continue;
    let above = one;
    while (above && above !== document.body) {
      const style = getComputedStyle(above);
      if (style.overflowX !== "visible" || style.position === "fixed") break;
      above = above.parentElement;
    }
    if (above === document.body) wide.push(`${one.tagName}.${one.className} to ${Math.round(box.right)}`);
  }
  return wide.slice(0, 5);
}"""

_WIDE_TABLES = """() => [...document.querySelectorAll(".pb-tablewrap")]
  .filter((wrap) => wrap.scrollWidth > wrap.clientWidth + 1)
  .map((wrap) => `${wrap.innerText.slice(0, 60)}: ${wrap.scrollWidth} > ${wrap.clientWidth}`)"""

# Words of the page itself that are two English words in a row, and code words that leaked through a template.
_FOREIGN = r"""() => {
  const found = [];
  const named = "h1, h2, h3, th, label, legend, summary, button, .btn, .pb-stat-label, .pb-nav-item";
  for (const one of document.querySelectorAll(named)) {
    if (one.closest("[lang=en], [translate=no], code, pre, .pb-id, [data-copy]")) continue;
    const text = one.innerText ?? "";
    if (/[A-Za-z]{3,} [A-Za-z]{2,}/.test(text) && !/[가-힣]/.test(text)) found.push(text);
  }
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { data, parentElement } = words.currentNode;
    const leaked = /\b(undefined|None|NaN)\b|\[object \w+\]/.test(data);
    if (leaked && !parentElement.closest("code, pre, script, template")) found.push(data);
  }
  return found;
}"""

_AXE = """async ([tags, rules, apart]) => {
  const only = rules ? { type: "rule", values: rules } : { type: "tag", values: tags };
  // the rows after the first are of the same kind, and the page about every endpoint is long
  const exclude = [["tbody tr:nth-child(n+9)"], ["article:nth-of-type(n+9)"], ...apart.map((one) => [one])];
  const colours = rules ? {} : { "color-contrast": { enabled: false } };
  const wanted = { runOnly: only, rules: colours, resultTypes: ["violations"], preload: false };
  const { violations } = await axe.run({ include: [["html"]], exclude }, wanted);
  const told = ({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`;
  return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 4).map(told) }));
}"""

# In the light and in the dark: text that stands out too little from the ground behind it. axe asks for each of its
# texts what lies above what, which takes as long as all its other rules; a ground nearly always belongs to what
# surrounds the text. What stands on a picture or a gradient is left out, and so is what cannot be used.
_FAINT = r"""() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const read = (colour) => {
    if (!known.has(colour)) {
      brush.clearRect(0, 0, 1, 1);
      brush.fillStyle = colour;
      brush.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = brush.getImageData(0, 0, 1, 1).data;
      known.set(colour, [r, g, b, a / 255]);
    }
    return known.get(colour);
  };
  const over = ([r, g, b, a], below) => [...[r, g, b].map((one, n) => one * a + below[n] * (1 - a)), 1];
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const grounds = new Map();
  const ground = (one) => {
    if (!one) return [255, 255, 255, 1];
    if (!grounds.has(one)) {
      const { backgroundColor, backgroundImage } = getComputedStyle(one);
      const colour = read(backgroundColor);
      const below = colour[3] === 1 ? colour : ground(one.parentElement);
      grounds.set(one, backgroundImage === "none" ? below && over(colour, below) : null);
    }
    return grounds.get(one);
  };
  const fade = (one) => (one ? Number(getComputedStyle(one).opacity) * fade(one.parentElement) : 1);
  const unused = "svg, canvas, option, script, template, :disabled, [aria-disabled=true], label:has(:disabled)";
  // as in front of axe
  const alike = "tbody tr:nth-child(n+9), article:nth-of-type(n+9)";
  const list = (theme) => {
    grounds.clear();
    const seen = new Set();
    const faint = new Set();
    const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (words.nextNode()) {
      const one = words.currentNode.parentElement;
      if (!words.currentNode.data.trim() || seen.has(one)) continue;
      seen.add(one);
      if (one.closest(`${unused}, ${alike}`) || one.offsetWidth < 2) continue;
      if (!one.checkVisibility({ visibilityProperty: true })) continue;
      const behind = ground(one);
      if (!behind) continue;
      const { color, fontSize, fontWeight } = getComputedStyle(one);
      const ink = read(color);
      const shown = over([...ink.slice(0, 3), ink[3] * fade(one)], behind);
      const [high, low] = [light(shown), light(behind)].sort((a, b) => b - a);
      const large = parseFloat(fontSize) >= (fontWeight >= 700 ? 18.66 : 24);
      const ratio = (high + 0.05) / (low + 0.05);
      if (ratio >= (large ? 3 : 4.5)) continue;
      const where = `${theme} ${one.tagName}.${one.className} ${one.innerText.slice(0, 20)}`;
      faint.add(`${where}: ${color} on ${behind.slice(0, 3).map(Math.round)} = ${ratio.toFixed(2)}`);
    }
    return [...faint];
  };
  const moving = () => document.getAnimations()
    .filter((one) => one.playState !== "finished" && Number.isFinite(one.effect.getComputedTiming().endTime));
  const root = document.documentElement;
  const before = root.dataset.bsTheme;
  const found = [];
  for (const theme of ["light", "dark"]) {
    root.dataset.bsTheme = theme;
    // one that ends may let what inherits from it begin
    for (let some = moving(); some.length; some = moving()) for (const one of some) one.finish();
    found.push(...list(theme));
  }
  if (before === undefined) delete root.dataset.bsTheme;
  else root.dataset.bsTheme = before;
  return found.slice(0, 8);
}"""

# Colours on their way are neither the old nor the new ones.
_SETTLE = """async () => {
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  for (const one of document.getAnimations()) if (Number.isFinite(one.effect.getComputedTiming().endTime)) one.finish();
}"""


async def list_overflow(page: Page) -> list[str]:
    await page.evaluate(_SETTLE)
    found: list[str] = await page.evaluate(_OVERFLOW)
    return found


async def list_wide_tables(page: Page) -> list[str]:
    """At a desk a table fits; one that must be scrolled there has squeezed its other columns already."""
    found: list[str] = await page.evaluate(_WIDE_TABLES)
    return found


async def list_foreign_words(page: Page) -> list[str]:
    """On a Korean page."""
    found: list[str] = await page.evaluate(_FOREIGN)
    return found


async def list_faint(page: Page) -> list[str]:
    """Text that cannot be read, in both themes."""
    found: list[str] = await page.evaluate(_FAINT)
    return found


async def bring_axe(context: BrowserContext) -> None:
    """Into each page of it, which is cheaper than sending it to each anew."""
    await context.add_init_script(AXE.read_text(encoding="utf-8"))


async def list_barriers(
    page: Page, *, rules: list[str] | None = None, apart: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """axe-core's serious and critical findings, of WCAG 2.2 AA without its colours or of these rules, apart from what
    these selectors find.
    """
    if not await page.evaluate("() => Boolean(globalThis.axe)"):
        # by the debugger, not by a script of the page, which its policy forbids
        await page.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
    await page.evaluate(_SETTLE)
    found: list[dict[str, Any]] = await page.evaluate(_AXE, [TAGS, rules, list(apart)])
    return [one for one in found if one["impact"] in _BAD]
