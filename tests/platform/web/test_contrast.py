"""Text can be read in both themes. Colours are tokens, so the pairs they make are counted here, without a browser.

What a page makes of them in the light is seen by the walk (tests/browser/test_pages.py), on every page.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pabal

CODE = Path(pabal.__file__).parent
SHEETS = sorted(path for path in CODE.rglob("static/*.css"))
TEXT, EDGE = 4.5, 3.0  # WCAG 2.2 AA: 1.4.3, 1.4.11
THEMES = ("light", "dark")
STATES = ("wait", "work", "good", "attn", "fail", "end")
GROUNDS = ("pb-paper", "pb-surface", "pb-sunken", "pb-raised", "pb-hover", "pb-chip")
PAIRS = [
    *((ink, ground) for ink in ("pb-ink", "pb-ink-2", "pb-ink-3") for ground in GROUNDS),
    *((f"st-{state}", ground) for state in STATES for ground in ("pb-paper", "pb-surface", "pb-raised")),
    *((f"st-{state}", f"st-{state}-tint") for state in STATES),
    ("pb-ember", "pb-paper"),
    ("pb-ember", "pb-surface"),
    ("pb-ink", "pb-ember-tint"),
    ("pb-on-ink", "pb-ink"),
]

_TOKEN = re.compile(r"--(?P<name>[\w-]+):\s*light-dark\((?P<light>#[0-9a-f]{6}), (?P<dark>#[0-9a-f]{6})\);")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"(?P<selector>[^{};]+)\{(?P<body>[^{}]*)\}")
_SET = re.compile(r"(?:^|;)\s*(?P<name>color|background)(?:-color)?:\s*(?P<value>[^;]+)")
_HEX = r"#(?:[0-9a-f]{6}|[0-9a-f]{3})"
_VALUE = re.compile(
    rf"var\(--(?P<token>[\w-]+)\)|light-dark\((?P<light>{_HEX}), (?P<dark>{_HEX})\)|(?P<one>{_HEX})", re.IGNORECASE
)
# a phone, pictures and the bar over a list are the same in both themes: the walk sees them in the light
_ALIKE = re.compile(r"\.(mg-gif|mg-none|pb-bulk|pb-thumb|pb-phone|pb-chat|pb-bub|pb-talk)")


def tokens() -> dict[str, dict[str, str]]:
    css = (CODE / "platform/web/static/pabal.css").read_text(encoding="utf-8")
    return {found["name"]: {theme: found[theme] for theme in THEMES} for found in _TOKEN.finditer(css)}


TOKENS = tokens()


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize(("ink", "ground"), PAIRS, ids=[" on ".join(pair) for pair in PAIRS])
def test_text_of_a_token_can_be_read_on_its_ground(ink: str, ground: str, theme: str) -> None:
    assert contrast(TOKENS[ink][theme], TOKENS[ground][theme]) >= TEXT


@pytest.mark.parametrize("theme", THEMES)
def test_the_edge_of_a_field_can_be_seen(theme: str) -> None:
    assert contrast(TOKENS["pb-line-3"][theme], TOKENS["pb-surface"][theme]) >= EDGE


@pytest.mark.parametrize("theme", THEMES)
def test_whatever_a_rule_writes_on_a_ground_of_its_own_can_be_read(theme: str) -> None:
    pairs = list(_list_pairs(theme))
    faint = [f"{where}: {ink} on {ground}" for where, ink, ground in pairs if contrast(ink, ground) < TEXT]

    assert len(pairs) > 10
    assert faint == []


def test_text_has_the_colour_of_a_token_or_stands_on_what_is_alike_in_both_themes() -> None:
    odd = [
        f"{where}: color {value}"
        for where, values in _list_rules()
        if (value := values.get("color")) and value.startswith("#") and not _ALIKE.search(where)
    ]

    assert odd == []


@pytest.mark.parametrize(
    ("ink", "ground", "ratio"),
    [("#000000", "#ffffff", 21.0), ("#777777", "#ffffff", 4.48), ("#ffffff", "#ffffff", 1.0)],
)
def test_contrast_is_that_of_wcag(ink: str, ground: str, ratio: float) -> None:
    assert contrast(ink, ground) == pytest.approx(ratio, abs=0.01)
    assert contrast(ground, ink) == contrast(ink, ground)


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[place : place + 2], 16) / 255) for place in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4


def _list_pairs(theme: str) -> Iterator[tuple[str, str, str]]:
    """Selector, colour of its text, colour of its ground: of rules that set both."""
    for where, values in _list_rules():
        ink, ground = _colour(values.get("color", ""), theme), _colour(values.get("background", ""), theme)
        if ink and ground:
            yield where, ink, ground


def _colour(value: str, theme: str) -> str | None:
    """Of a token, of a pair for both themes, or of one colour; of nothing that is partly transparent."""
    if found := _VALUE.fullmatch(value):
        if found["token"]:
            return TOKENS.get(found["token"], {}).get(theme)
        return _long(found[theme] or found["one"])
    return None


def _long(colour: str) -> str:
    return colour if len(colour) == 7 else "#" + "".join(2 * part for part in colour[1:])


def _list_rules() -> Iterator[tuple[str, dict[str, str]]]:
    for sheet in SHEETS:
        css = _COMMENT.sub("", sheet.read_text(encoding="utf-8"))
        for rule in _RULE.finditer(css):
            values = {one["name"]: one["value"].strip() for one in _SET.finditer(rule["body"])}
            yield f"{sheet.name} {' '.join(rule['selector'].split())}", values
