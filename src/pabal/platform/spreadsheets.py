"""Cells that others typed, made safe for a spreadsheet: one rule for every file and every output that one may open."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def defuse(text: str) -> str:
    """What a spreadsheet would take for a formula gets an apostrophe in front. For texts: a number stays a number."""
    return f"'{text}" if text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
