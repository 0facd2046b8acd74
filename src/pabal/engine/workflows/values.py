"""Values with references: `{from: steps.fetch.price}` stands for a value, `{text: "{input.name} …"}` for a sentence."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pabal.engine.conditions import look_up
from pabal.engine.workflows.mistakes import Path

PATH = re.compile(r"(?:input|steps|item|run|event)(?:\.[A-Za-z0-9_-]{1,100}){0,20}")
_HOLE = re.compile(r"\{((?:input|steps|item|run|event)(?:\.[A-Za-z0-9_-]{1,100}){0,20})\}")
LONGEST_TEXT = 20_000


class Reference(NamedTuple):
    """A path into the run's data, and where in the written value it stands."""

    path: str
    at: Path

    @property
    def parts(self) -> list[str]:
        return self.path.split(".")

    @property
    def step(self) -> str | None:
        parts = self.parts
        return parts[1] if parts[0] == "steps" and len(parts) > 1 else None


def is_reference(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"from"}


def is_text(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"text"} and isinstance(value["text"], str)


def references(value: Any, at: Path = ()) -> Iterator[Reference]:
    """Every path a value names, wherever in it."""
    if is_reference(value):
        yield Reference(str(value["from"]), (*at, "from"))
    elif is_text(value):
        yield from (Reference(found, (*at, "text")) for found in _HOLE.findall(value["text"]))
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from references(inner, (*at, name))
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from references(inner, (*at, number))


def of_condition(condition: Any, at: Path = ()) -> Iterator[Reference]:
    """The paths that a checked condition looks at."""
    for name in ("all", "any"):
        if name in condition:
            for number, inner in enumerate(condition[name]):
                yield from of_condition(inner, (*at, name, number))
            return
    yield Reference(condition["path"], (*at, "path"))
    if "value_from" in condition:
        yield Reference(condition["value_from"], (*at, "value_from"))


def resolve(value: Any, data: Mapping[str, Any]) -> Any:
    """The value with what its references stand for; a path that leads nowhere is null, and in a text nothing."""
    if is_reference(value):
        return look_up(data, value["from"])
    if is_text(value):
        return _HOLE.sub(lambda found: _say(look_up(data, found[1])), value["text"])[:LONGEST_TEXT]
    if isinstance(value, Mapping):
        return {name: resolve(inner, data) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [resolve(inner, data) for inner in value]
    return value


def resolve_each(written: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """An input or an output, by name: it is never a reference itself, also where its only name is `text` or `from`."""
    return {name: resolve(value, data) for name, value in written.items()}


def _say(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:,.10g}" if isinstance(value, float) else str(value)
