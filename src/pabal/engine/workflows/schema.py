"""The part of JSON Schema that step kinds describe their inputs and outputs in, with two marks of our own.

`x-destination` marks an input that says where something goes: an address, a chat, a path, a command, a recipient.
`x-secret` marks what is never shown.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pabal.engine.workflows import values
from pabal.engine.workflows.mistakes import Path

Schema = Mapping[str, Any]
DESTINATION, SECRET = "x-destination", "x-secret"
# what stands in the place of a secret
HIDDEN = "•••"
# In words for people who write workflows.
_NAMES = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
ANYTHING: Schema = {}


class Fault(NamedTuple):
    code: str
    at: Path
    name: str
    wanted: str = ""


def variants(schema: Schema, root: Schema) -> Iterator[Schema]:
    """What a value may be, with references inside the schema followed."""
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        marks = {key: value for key, value in schema.items() if key.startswith("x-")}
        for one in variants(root.get("$defs", {}).get(name, ANYTHING), root):
            yield {**one, **marks}
    elif "anyOf" in schema:
        marks = {key: value for key, value in schema.items() if key.startswith("x-")}
        for inner in schema["anyOf"]:
            for one in variants(inner, root):
                yield {**one, **marks}
    else:
        yield schema


def find(schema: Schema, parts: list[str]) -> list[Schema] | None:
    """What stands at this path: some schemas, of which each may be; None where nothing can."""
    found = list(variants(schema, schema))
    for part in parts:
        found = [inner for one in found for inner in _inside(one, part, schema)]
    return found or None


def faults(schema: Schema, value: Any, at: Path = (), *, name: str = "input", is_data: bool = False) -> list[Fault]:
    """What of an input does not fit. References fit everywhere: their values are looked at when a step runs.

    The input itself is never one, whatever its names; of `is_data` nothing is: it is what somebody gave.
    """
    return _nearest([list(_faults_of(one, schema, value, at, name, is_data)) for one in variants(schema, schema)], at)


def marked(schema: Schema, mark: str, at: Path = ()) -> Iterator[Path]:
    """Where values are that carry this mark; `*` stands for every item of a list or value of a mapping."""
    yield from _marked(schema, schema, mark, at, 0)


def has_mark(path: Path, marks: set[Path]) -> bool:
    """Whether a value at this path, or something it is part of or that is part of it, is marked."""
    return any(_meets(path, mark) for mark in marks)


def hide(schema: Schema, value: Any, instead: str = HIDDEN) -> Any:
    """The value with every secret replaced."""
    return _hide(value, set(marked(schema, SECRET)), (), instead)


def shrinkage(old: Schema, new: Schema, *, is_input: bool) -> list[str]:
    """Why the new one is no growth of the old: a workflow that was right must stay right.

    An input may gain optional values and must keep those it had; an output may gain values and must keep those it had.
    """
    return list(_shrinkage(old, new, old, new, "", is_input))


def _inside(schema: Schema, part: str, root: Schema) -> Iterator[Schema]:
    kind = schema.get("type")
    if kind == "array" and part.isdigit():
        yield from variants(schema.get("items", ANYTHING), root)
    elif kind == "object" or "properties" in schema:
        known = schema.get("properties", {})
        more = schema.get("additionalProperties", not known)
        if part in known:
            yield from variants(known[part], root)
        elif more:
            yield from variants(more if isinstance(more, Mapping) else ANYTHING, root)
    elif kind is None:
        yield ANYTHING


def _faults(schema: Schema, root: Schema, value: Any, at: Path, name: str, is_data: bool) -> list[Fault]:
    if not is_data and values.is_reference(value):
        return []
    given = "" if not is_data and values.is_text(value) else value
    return _nearest([list(_faults_of(one, root, given, at, name, is_data)) for one in variants(schema, root)], at)


def _nearest(found: list[list[Fault]], at: Path) -> list[Fault]:
    """Of several possibilities the one that comes nearest."""
    if not found or not all(found):
        return []
    return min(found, key=lambda some: (some[0].code == "bad_value" and some[0].at == at, len(some)))


def _faults_of(schema: Schema, root: Schema, value: Any, at: Path, name: str, is_data: bool) -> Iterator[Fault]:
    kind = schema.get("type")
    if kind is not None and not _is_of(value, kind):
        yield Fault("bad_value", at, name, _NAMES.get(str(kind), str(kind)))
        return
    if "enum" in schema and value not in schema["enum"] and value != "":
        yield Fault("bad_value", at, name, f"one of {', '.join(map(str, schema['enum']))}")
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        yield Fault("bad_value", at, name, f"at most {schema['maxLength']} characters long")
    if _is_number(value):
        yield from _number_faults(schema, value, at, name)
    if isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _faults(schema.get("items", ANYTHING), root, inner, (*at, number), name, is_data)
    if isinstance(value, Mapping):
        yield from _object_faults(schema, root, value, at, is_data)


def _number_faults(schema: Schema, value: Any, at: Path, name: str) -> Iterator[Fault]:
    if value < schema.get("minimum", value):
        yield Fault("bad_value", at, name, f"at least {schema['minimum']}")
    if value > schema.get("maximum", value):
        yield Fault("bad_value", at, name, f"at most {schema['maximum']}")


def _object_faults(schema: Schema, root: Schema, value: Mapping[str, Any], at: Path, is_data: bool) -> Iterator[Fault]:
    known = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield Fault("missing_value", at, name)
    for name, inner in value.items():
        if name in known:
            yield from _faults(known[name], root, inner, (*at, name), name, is_data)
        elif known and not schema.get("additionalProperties", False):
            yield Fault("unknown_value", (*at, name), name)


def _is_of(value: Any, kind: str) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return _is_number(value)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, Mapping)
        case "null":
            return value is None
        case _:
            return True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _marked(schema: Schema, root: Schema, mark: str, at: Path, depth: int) -> Iterator[Path]:
    if schema.get(mark):
        yield at
        return
    if depth > 10:
        return
    for one in variants(schema, root):
        if one.get(mark):
            yield at
            return
        for name, inner in one.get("properties", {}).items():
            yield from _marked(inner, root, mark, (*at, name), depth + 1)
        for key in ("items", "additionalProperties"):
            if isinstance(one.get(key), Mapping):
                yield from _marked(one[key], root, mark, (*at, "*"), depth + 1)


def _meets(path: Path, mark: Path) -> bool:
    return all(wanted in ("*", part) for part, wanted in zip(path, mark, strict=False))


def _hide(value: Any, secrets: set[Path], at: Path, instead: str) -> Any:
    if any(len(one) == len(at) and _meets(at, one) for one in secrets):
        return None if value is None else instead
    if isinstance(value, Mapping):
        return {name: _hide(inner, secrets, (*at, name), instead) for name, inner in value.items()}
    if isinstance(value, list):
        return [_hide(inner, secrets, (*at, number), instead) for number, inner in enumerate(value)]
    return value


def _shrinkage(old: Schema, new: Schema, old_root: Schema, new_root: Schema, at: str, is_input: bool) -> Iterator[str]:
    before, after = list(variants(old, old_root)), list(variants(new, new_root))
    kinds_before, kinds_after = {one.get("type") for one in before}, {one.get("type") for one in after}
    narrower = kinds_before - kinds_after if is_input else kinds_after - kinds_before
    if narrower and None not in (kinds_after if is_input else kinds_before):
        yield f"{at or 'it'} changed its type"
        return
    fields_before, fields_after = _fields(before), _fields(after)
    yield from (f"{at}{name} is gone" for name in fields_before if name not in fields_after)
    needed_before, needed_after = _needed(before), _needed(after)
    if is_input:
        yield from (f"{at}{name} is required now" for name in needed_after if name not in needed_before)
    else:
        yield from (f"{at}{name} may be missing now" for name in needed_before if name not in needed_after)
    for name in fields_before.keys() & fields_after.keys():
        yield from _shrinkage(fields_before[name], fields_after[name], old_root, new_root, f"{at}{name}.", is_input)


def _fields(some: list[Schema]) -> dict[str, Schema]:
    return {name: inner for one in some for name, inner in one.get("properties", {}).items()}


def _needed(some: list[Schema]) -> list[str]:
    return [name for one in some for name in one.get("required", ())]
