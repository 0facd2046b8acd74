"""Texts with keys in braces. Only keys: `{price}`, `{quote.price}`; a key that is not there stays as it is written."""

import re
from collections.abc import Iterator, Mapping
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


def fill_value(value: Any, values: Mapping[str, Any]) -> Any:
    """In a value of any form. A text that is one key and nothing else is what the key names: a number stays one."""
    if isinstance(value, str):
        alone = _KEY.fullmatch(value)
        return fill(value, values) if alone is None else look_up(values, alone[1])
    if isinstance(value, Mapping):
        return {name: fill_value(one, values) for name, one in value.items()}
    return [fill_value(one, values) for one in value] if isinstance(value, list) else value


def list_keys(value: Any) -> Iterator[str]:
    """Every key that a value of any form names."""
    if isinstance(value, str):
        yield from _KEY.findall(value)
    elif isinstance(value, Mapping | list):
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from list_keys(one)


def _say(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,.10g}" if isinstance(value, float) else str(value)
