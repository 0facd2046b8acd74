"""A measured value as a person reads it: no more digits than tell something, and its unit in their language."""

from pabal.platform.language.pairs import Lang, Pair, put

_UNITS: dict[str, Pair] = {"": ("", ""), "%": ("%", "%"), "s": (" s", "초")}


def show_value(value: float, unit: str, lang: Lang) -> str:
    """412초, 96.4%, 0.25 ms, 1,250"""
    return _digits(value) + put(lang, _UNITS.get(unit, (f" {unit}", f" {unit}")))


def _digits(value: float) -> str:
    if 0 < abs(value) < 1:
        return f"{value:.2g}" if abs(value) >= 0.001 else "0"
    said = f"{value:,.{0 if abs(value) >= 100 else 1}f}"
    return said.removesuffix(".0")
