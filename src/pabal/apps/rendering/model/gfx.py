"""gfx_data: what a dashboard sends for one render, read into values. Everything that is wrong is said at once. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pabal.apps.rendering.model.compositions import MOST_SLOTS, read_field_name, single_key, slot_key
from pabal.apps.rendering.model.findings import find
from pabal.apps.rendering.model.texts import is_one_line, is_showable, text_of, whole_number
from pabal.platform.findings import FieldsRefused, Finding

MOST_FIELDS = 1_000
LONGEST_VALUE = 5_000
_PARTS = ("composition_name", "slots", "single_fields", "flags", "flag_fields", "actions")


@dataclass(frozen=True, slots=True)
class GfxSlot:
    number: int
    fields: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class LayerExpression:
    """An expression for one property of a layer, whatever the mapping says."""

    layer_name: str
    property: str
    expression: str


@dataclass(frozen=True, slots=True)
class Gfx:
    """`flags` are the pictures named in the data, by number; an empty one asks for no flag. `extra` names what has no
    place in the shape of gfx_data, so that the mapping report can tell of it."""

    composition_name: str = ""
    slots: tuple[GfxSlot, ...] = ()
    single_fields: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[int, str] = field(default_factory=dict)
    expressions: tuple[LayerExpression, ...] = ()
    extra: tuple[str, ...] = ()

    def values(self) -> dict[str, str]:
        """Every field by the key the mapping knows it by."""
        slots = {slot_key(slot.number, name): text for slot in self.slots for name, text in slot.fields.items()}
        return slots | {single_key(name): text for name, text in self.single_fields.items()}


def parse(data: Mapping[str, Any]) -> Gfx:
    """Raises FieldsRefused with every finding."""
    reader = _Reader([])
    gfx = reader.read(data)
    if reader.findings:
        raise FieldsRefused(reader.findings)
    return gfx


@dataclass(frozen=True, slots=True)
class _Reader:
    findings: list[Finding]

    def read(self, data: object) -> Gfx:
        whole = self._object(data, "gfx_data")
        slots = tuple(self._slots(whole.get("slots")))
        single = self._fields(whole.get("single_fields"), "single_fields")
        self._count(slots, single)
        name = self._text(whole.get("composition_name"), "composition_name")
        return Gfx(
            composition_name=name.strip(),
            slots=slots,
            single_fields=single,
            flags=self._flags(whole),
            expressions=tuple(self._expressions(whole.get("actions"))),
            extra=(*_others(whole, _PARTS, ""), *_in_slots(whole.get("slots"))),
        )

    def _slots(self, value: object) -> Iterator[GfxSlot]:
        slots = self._list(value, "slots")
        if len(slots) > MOST_SLOTS:
            self._find("too_many_slots", "slots", count=len(slots), most=MOST_SLOTS)
            return
        numbers: set[int] = set()
        for place, slot in enumerate(slots):
            where = f"slots/{place}"
            content = self._object(slot, where)
            number = self._slot_number(content.get("slot_number"), place + 1, where)
            if number in numbers:
                self._find("slot_twice", f"{where}/slot_number", number=number)
            numbers.add(number)
            yield GfxSlot(number, self._fields(content.get("fields"), f"{where}/fields"))

    def _slot_number(self, value: object, otherwise: int, where: str) -> int:
        """Its place in the list where it has no number: the seed counts them so."""
        number = otherwise if value is None else whole_number(value)
        if number is not None and 1 <= number <= MOST_SLOTS:
            return number
        self._find("bad_slot_number", f"{where}/slot_number", most=MOST_SLOTS)
        return otherwise

    def _fields(self, value: object, where: str) -> dict[str, str]:
        fields: dict[str, str] = {}
        for name, content in self._object(value, where).items():
            key = str(name).strip()
            if not key or not is_one_line(key):
                self._find("field_name_missing", where)
            elif key in fields:
                self._find("field_twice", f"{where}/{key}", name=key)
            else:
                fields[key] = self._text(content, f"{where}/{key}")
        return fields

    def _flags(self, whole: Mapping[str, Any]) -> dict[int, str]:
        """`flags` and `flag_fields` are two names of one thing (CB-12)."""
        flags = self._numbered(whole.get("flags"), "flags")
        for number, path in self._numbered(whole.get("flag_fields"), "flag_fields").items():
            if flags.setdefault(number, path) != path:
                self._find("flags_differ", "flag_fields", number=number)
        return flags

    def _numbered(self, value: object, where: str) -> dict[int, str]:
        """A list counts from one; an object names them "1" or "Flag 1"."""
        if not isinstance(value, Mapping):
            given = self._list(value, where)[:MOST_SLOTS]
            return {n: self._text(path, f"{where}/{n - 1}").strip() for n, path in enumerate(given, 1)}
        flags: dict[int, str] = {}
        for name, path in value.items():
            number = _flag_number(str(name))
            if number is None or number in flags:
                self._find("bad_slot_number", f"{where}/{name}", most=MOST_SLOTS)
            else:
                flags[number] = self._text(path, f"{where}/{name}").strip()
        return flags

    def _expressions(self, value: object) -> Iterator[LayerExpression]:
        """The seed's list. nexrender's own actions name modules it would load: those come from us alone."""
        for place, action in enumerate(self._list(value, "actions")):
            parameters = (
                action.get("params") if isinstance(action, Mapping) and action.get("type") == "expression" else None
            )
            found = _expression_in(parameters) if isinstance(parameters, Mapping) else None
            if found is None:
                self._find("bad_action", f"actions/{place}")
            else:
                yield found

    def _text(self, value: object, where: str) -> str:
        text = text_of(value)
        if text is None:
            self._find("value_not_text", where, name=where)
            return ""
        if not is_showable(text):
            self._find("bad_characters", where, name=where)
        elif len(text) > LONGEST_VALUE:
            self._find("value_too_long", where, name=where, length=len(text), most=LONGEST_VALUE)
        return text

    def _object(self, value: object, where: str) -> Mapping[str, Any]:
        if value is None or isinstance(value, Mapping):
            return value or {}
        self._find("gfx_not_object", where, name=where)
        return {}

    def _list(self, value: object, where: str) -> Sequence[Any]:
        if value is None or isinstance(value, list | tuple):
            return value or ()
        self._find("gfx_not_list", where, name=where)
        return ()

    def _count(self, slots: Sequence[GfxSlot], single: Mapping[str, str]) -> None:
        count = len(single) + sum(len(slot.fields) for slot in slots)
        if count > MOST_FIELDS:
            self._find("too_many_gfx_fields", "", count=count, most=MOST_FIELDS)

    def _find(self, code: str, where: str, **values: Any) -> None:
        place = where if where == "gfx_data" or not where else f"gfx_data/{where}"
        self.findings.append(find(code, place or "gfx_data", **values))


def _flag_number(name: str) -> int | None:
    read = read_field_name(name)
    number = read.number if read is not None and read.part == "flag" else whole_number(name)
    return number if number is not None and 1 <= number <= MOST_SLOTS else None


def _expression_in(parameters: Mapping[str, Any]) -> LayerExpression | None:
    layer, name, expression = (parameters.get(key) for key in ("layerName", "property", "value"))
    texts = [text for text in (layer, name, expression) if isinstance(text, str) and text.strip() and is_showable(text)]
    return LayerExpression(*texts) if len(texts) == 3 and len(texts[2]) <= LONGEST_VALUE else None


def _others(content: Mapping[str, Any], known: Sequence[str], where: str) -> Iterator[str]:
    yield from (f"{where}{name}" for name in content if name not in known)


def _in_slots(slots: object) -> Iterator[str]:
    for place, slot in enumerate(slots if isinstance(slots, list | tuple) else ()):
        if isinstance(slot, Mapping):
            yield from _others(slot, ("slot_number", "fields"), f"slots/{place}/")
