"""Texts with keys in braces. Only keys: `{price}`, `{quote.price}`; a key that is not there stays as it is written."""

import re
from collections.abc import Mapping
from typing import Any

from pabal.engine.conditions import look_up

LONGEST = 3000
_KEY = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.]{0,199})\}")


def fill(template: str, values: Mapping[str, Any]) -> str:
    """No formats, no attributes, no indexes but by name: what a script answered cannot reach anything from here."""

    def put(found: re.Match[str]) -> str:
        value = look_up(values, found[1])
        return found[0] if value is None else _say(value)

    return _KEY.sub(put, template)[:LONGEST]


def _say(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,.10g}" if isinstance(value, float) else str(value)
