"""Compositions and which field goes into which layer (`aep_field_mapping`), with their rules. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pabal.apps.rendering.model.file_urls import extension_of, is_absolute, plain_path

Kind = Literal["text", "image", "expression"]
Part = Literal["slot", "single", "flag"]

KINDS: tuple[Kind, ...] = get_args(Kind)
OUTPUT_MODULE = "H.264 - Match Render Settings - 15 Mbps"
SOURCE_TEXT = "Source Text"
MOST_SLOTS = 100
_FIELD_NAME = re.compile(
    r"(?:slot\s+(?P<slot>\d{1,4})|(?P<single>single))\s*-\s*(?P<field>\S.*)|flag\s+(?P<flag>\d{1,4})", re.I
)


@dataclass(frozen=True, slots=True)
class Composition:
    """What is rendered and how the result must look.

    `template_src` is a path as the worker sees it, or a path below the folder of templates; so is `flag_path_template`,
    with {country} in it. `text_limits` are by field ("name", of every slot) or by key ("Slot 1 - name").
    """

    id: str
    name: str
    template_src: str
    output_module: str = OUTPUT_MODULE
    output_ext: str = "mp4"
    width: int = 1920
    height: int = 1080
    codec: str = "h264"
    duration_seconds: float | None = None
    duration_tolerance: float | None = None
    flag_path_template: str | None = None
    text_limits: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FieldMapping:
    """`field_name` is the composed key: "Slot 1 - name", "Single - pot", "Flag 1"."""

    composition_id: str
    field_name: str
    layer_name: str
    kind: Kind = "text"
    property: str = SOURCE_TEXT


@dataclass(frozen=True, slots=True)
class FieldName:
    part: Part
    number: int | None
    field: str

    @property
    def key(self) -> str:
        if self.part == "flag":
            return flag_key(self.number or 0)
        return slot_key(self.number, self.field) if self.number is not None else single_key(self.field)


def slot_key(number: int, field: str) -> str:
    return f"Slot {number} - {field}"


def single_key(field: str) -> str:
    return f"Single - {field}"


def flag_key(number: int) -> str:
    return f"Flag {number}"


def read_field_name(text: str) -> FieldName | None:
    """Lenient with blanks and the case of "slot"; the field itself is kept as written."""
    found = _FIELD_NAME.fullmatch(text.strip())
    if found is None:
        return None
    if found["single"]:
        return FieldName("single", None, found["field"])
    number = int(found["slot"] or found["flag"])
    if not 1 <= number <= MOST_SLOTS:
        return None
    return FieldName("slot", number, found["field"]) if found["slot"] else FieldName("flag", number, "")


def limit_of(composition: Composition, key: str) -> int | None:
    """The limit of this very field, else the one for all fields of its name."""
    name = read_field_name(key)
    return composition.text_limits.get(key, composition.text_limits.get(name.field) if name is not None else None)


def place_in(composition: Composition, folder: str) -> Composition:
    """The composition with whole paths: those that are not absolute stand below AEP_TEMPLATE_DIR."""
    flags = composition.flag_path_template
    return replace(
        composition,
        template_src=_below(folder, composition.template_src),
        flag_path_template=None if flags is None else _below(folder, flags),
    )


def is_template_path(text: str) -> bool:
    return plain_path(text) is not None and extension_of(text) in (".aep", ".aepx")


def is_flag_path_template(text: str) -> bool:
    """Only {country} is filled in, once."""
    rest = text.replace("{country}", "country", 1)
    return rest != text and "{" not in rest and "}" not in rest and plain_path(rest) is not None


def _below(folder: str, path: str) -> str:
    plain = plain_path(path) or path
    above = folder.replace("\\", "/").rstrip("/")
    return plain if is_absolute(plain) else f"{above}/{plain}"
