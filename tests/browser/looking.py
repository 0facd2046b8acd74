"""What can be said of any page: it fits its window, speaks one language, and can be used by everybody."""

from pathlib import Path
from typing import Any

from playwright.async_api import Page

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

_AXE = """async ([tags, rules]) => {
  const only = rules ? { type: "rule", values: rules } : { type: "tag", values: tags };
  // the rows after the first are of the same kind, and the page about every endpoint is long
  const exclude = [["tbody tr:nth-child(n+9)"], ["article:nth-of-type(n+9)"]];
  const wanted = { runOnly: only, resultTypes: ["violations"] };
  const { violations } = await axe.run({ include: [["html"]], exclude }, wanted);
  const told = ({ target, failureSummary }) => `${target.join(" ")}: ${failureSummary}`;
  return violations.map(({ id, impact, nodes }) => ({ id, impact, where: nodes.slice(0, 4).map(told) }));
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


async def list_barriers(page: Page, *, rules: list[str] | None = None) -> list[dict[str, Any]]:
    """axe-core's serious and critical findings, of WCAG 2.2 AA or of these rules."""
    if not await page.evaluate("() => Boolean(globalThis.axe)"):
        # by the debugger, not by a script of the page, which its policy forbids
        await page.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
    await page.evaluate(_SETTLE)
    found: list[dict[str, Any]] = await page.evaluate(_AXE, [TAGS, rules])
    return [one for one in found if one["impact"] in _BAD]
