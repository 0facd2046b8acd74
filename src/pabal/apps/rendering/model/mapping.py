"""Fields of gfx_data into layers of a composition, and a report in which every field and every mapping occurs. Pure."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pabal.apps.rendering.model.compositions import (
    SOURCE_TEXT,
    Composition,
    FieldMapping,
    Kind,
    flag_key,
    limit_of,
    read_field_name,
    slot_key,
)
from pabal.apps.rendering.model.file_urls import is_absolute, plain_path
from pabal.apps.rendering.model.findings import find
from pabal.apps.rendering.model.gfx import Gfx
from pabal.apps.rendering.model.texts import length_of
from pabal.platform.findings import Finding

COUNTRY = "country"
_COUNTRY = re.compile(r"[^\\/:*?\"<>|$%{}.\x00-\x1f\x7f][^\\/:*?\"<>|$%{}\x00-\x1f\x7f]{0,79}")

FlagState = Literal["given", "derived", "empty", "missing", "unusable"]


@dataclass(frozen=True, slots=True)
class LayerAsset:
    """One layer's content: a text, the path of a picture, or an expression. `field` is the key it comes from."""

    kind: Kind
    layer_name: str
    value: str
    property: str = SOURCE_TEXT
    field: str = ""


@dataclass(frozen=True, slots=True)
class TooLong:
    field: str
    length: int
    limit: int


@dataclass(frozen=True, slots=True)
class FlagUse:
    """`value` is what the data says. Empty: nobody is in the slot, or the data asks for no flag."""

    number: int
    layer_name: str
    state: FlagState
    value: str = ""
    path: str | None = None


@dataclass(frozen=True, slots=True)
class UnusablePicture:
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class MappingReport:
    """Each mapping is used, empty (given without content) or unused (not in the data); each given field is used, empty
    or unmapped. The layers of texts that are empty or unused are sent as ""."""

    used: tuple[str, ...]
    unmapped: tuple[str, ...]
    unused: tuple[str, ...]
    empty: tuple[str, ...]
    too_long: tuple[TooLong, ...]
    flags: tuple[FlagUse, ...]
    pictures_unusable: tuple[UnusablePicture, ...]
    # those of `unused` and `empty` whose layer is not cleared: only a text can be sent empty
    kept: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Assigned:
    composition_name: str
    assets: tuple[LayerAsset, ...]
    report: MappingReport


def assign(gfx: Gfx, composition: Composition, mappings: Sequence[FieldMapping]) -> Assigned:
    rows = {row.field_name: row for row in mappings if row.composition_id == composition.id}
    flags = tuple(_flags(gfx, composition, rows))
    fields = [row for row in rows.values() if not _is_flag(row)]
    values = gfx.values()
    expressions = [LayerAsset("expression", one.layer_name, one.expression, one.property) for one in gfx.expressions]
    pictures = [
        LayerAsset("image", flag.layer_name, flag.path, field=flag_key(flag.number)) for flag in flags if flag.path
    ]
    assets = [asset for row in fields if (asset := _asset(row, values.get(row.field_name, ""))) is not None]
    report = _report(gfx, composition, rows, flags)
    return Assigned(gfx.composition_name, (*assets, *pictures, *expressions), report)


def warnings_of(report: MappingReport) -> list[Finding]:
    """What does not stop a render and must not go unsaid."""
    flags = {flag_key(flag.number): flag for flag in report.flags}
    unused = [name for name in report.unused if name not in flags]
    empty = [name for name in report.empty if name not in flags]
    return [
        *(find("field_unmapped", f"gfx_data/{name}", name=name) for name in report.unmapped),
        *(_left_out("mapping_unused", name, report) for name in unused),
        *(_left_out("field_empty", name, report) for name in empty),
        *(
            find("flag_empty", f"gfx_data/{name}", number=flag.number, layer=flag.layer_name)
            for name, flag in flags.items()
            if flag.state == "empty"
        ),
    ]


def _asset(row: FieldMapping, value: str) -> LayerAsset | None:
    """Only a text can be sent empty; a picture and an expression are left out instead."""
    if row.kind == "text":
        return LayerAsset("text", row.layer_name, value if value.strip() else "", row.property, row.field_name)
    content = _picture(value) if row.kind == "image" else value.strip()
    return LayerAsset(row.kind, row.layer_name, content, row.property, row.field_name) if content else None


def _flags(gfx: Gfx, composition: Composition, rows: Mapping[str, FieldMapping]) -> Iterator[FlagUse]:
    """Named in the data, else from the country of the slot where the composition says where its flags are."""
    slots = {slot.number: slot.fields for slot in gfx.slots}
    mapped = {name.number for row in rows.values() if (name := read_field_name(row.field_name)) and name.part == "flag"}
    derived = set(slots) if composition.flag_path_template else set()
    for number in sorted({*gfx.flags, *derived, *(number for number in mapped if number)}):
        row = rows.get(flag_key(number))
        layer = row.layer_name if row is not None else flag_key(number)
        yield _flag(number, layer, gfx.flags.get(number), slots.get(number, {}), composition.flag_path_template)


def _flag(number: int, layer: str, given: str | None, fields: Mapping[str, str], template: str | None) -> FlagUse:
    if given == "":
        return FlagUse(number, layer, "empty")
    if given is not None and (path := _picture(given)):
        return FlagUse(number, layer, "given", given, path)
    country = given if given is not None else fields.get(COUNTRY, "").strip() if template else ""
    if not country:
        is_taken = any(text.strip() for text in fields.values())
        return FlagUse(number, layer, "missing" if is_taken else "empty")
    path = template.replace("{country}", country) if template and _COUNTRY.fullmatch(country) else None
    return FlagUse(number, layer, "derived" if path else "unusable", country, path)


def _report(
    gfx: Gfx, composition: Composition, rows: Mapping[str, FieldMapping], flags: Sequence[FlagUse]
) -> MappingReport:
    values = gfx.values()
    countries = {
        slot_key(flag.number, COUNTRY) for flag in flags if flag.state == "derived" and flag.number not in gfx.flags
    }
    given = (*values, *(flag_key(number) for number in gfx.flags))
    filled = {key for key, text in values.items() if text.strip()}
    filled |= {flag_key(flag.number) for flag in flags if flag.value}
    known = {*rows, *countries, *(flag_key(flag.number) for flag in flags)}
    silent = [key for key in rows if key not in filled]
    told = [key for key in dict.fromkeys((*rows, *given)) if key in known]
    return MappingReport(
        used=tuple(key for key in told if key in filled),
        unmapped=(*(key for key in values if key not in known), *gfx.extra),
        unused=tuple(key for key in silent if key not in given),
        empty=tuple(key for key in told if key in given and key not in filled),
        too_long=tuple(_too_long(composition, rows, values)),
        flags=tuple(flags),
        pictures_unusable=tuple(_pictures_unusable(rows, values)),
        kept=tuple(key for key in silent if rows[key].kind != "text"),
    )


def _too_long(
    composition: Composition, rows: Mapping[str, FieldMapping], values: Mapping[str, str]
) -> Iterator[TooLong]:
    for key, row in rows.items():
        limit = limit_of(composition, key)
        length = length_of(values.get(key, ""))
        if row.kind == "text" and limit is not None and length > limit:
            yield TooLong(key, length, limit)


def _pictures_unusable(rows: Mapping[str, FieldMapping], values: Mapping[str, str]) -> Iterator[UnusablePicture]:
    for key, row in rows.items():
        value = values.get(key, "").strip()
        if row.kind == "image" and value and _picture(value) is None:
            yield UnusablePicture(key, value)


def _picture(value: str) -> str | None:
    path = plain_path(value)
    return path if path is not None and is_absolute(path) else None


def _is_flag(row: FieldMapping) -> bool:
    name = read_field_name(row.field_name)
    return name is not None and name.part == "flag"


def _left_out(code: str, name: str, report: MappingReport) -> Finding:
    """Only the layer of a text is cleared."""
    return find("picture_unused" if name in report.kept else code, f"gfx_data/{name}", name=name)
