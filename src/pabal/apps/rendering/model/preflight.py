"""Whether a render can succeed, judged from what was looked at: everything that is wrong at once. Pure."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from unicodedata import normalize

from pabal.apps.rendering.model.compositions import Composition, flag_key
from pabal.apps.rendering.model.findings import find
from pabal.apps.rendering.model.mapping import Assigned, MappingReport
from pabal.platform.findings import Finding

LEAST_FREE_BYTES = 2 * 1024**3
# nobody but an administrator can help, and trying again does not
FOR_ADMINISTRATORS = frozenset(
    {"template_missing", "template_unreadable", "template_damaged", "composition_not_in_template"}
)
MOST_NAMED = 8


class FileState(StrEnum):
    READABLE = "readable"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    DAMAGED = "damaged"  # can be read, and is not what its name promises
    UNSEEN = "unseen"  # not to be seen from this machine: nothing is concluded from it


@dataclass(frozen=True, slots=True)
class Observed:
    """What was looked at; None is not known. `pictures` is by path, as `pictures_of` names them; absent is not seen.
    `template_compositions` are in Unicode's NFC."""

    template: FileState = FileState.UNSEEN
    template_compositions: frozenset[str] | None = None
    pictures: Mapping[str, FileState] = field(default_factory=dict)
    free_bytes: int | None = None
    nas_writable: bool | None = None
    nas_free_bytes: int | None = None
    needed_bytes: int = LEAST_FREE_BYTES


def pictures_of(assigned: Assigned) -> tuple[str, ...]:
    """The files to look for."""
    return tuple(dict.fromkeys(asset.value for asset in assigned.assets if asset.kind == "image"))


def judge(assigned: Assigned, composition: Composition, seen: Observed) -> list[Finding]:
    """An empty list: it can be rendered."""
    return [
        *_template(composition, seen),
        *_data(assigned, composition),
        *_flags(assigned.report),
        *_pictures(assigned, seen),
        *_space(seen),
    ]


def _template(composition: Composition, seen: Observed) -> Iterator[Finding]:
    path = composition.template_src
    if seen.template == FileState.MISSING:
        yield find("template_missing", "template_src", path=path)
    elif seen.template == FileState.UNREADABLE:
        yield find("template_unreadable", "template_src", path=path)
    elif seen.template == FileState.DAMAGED:
        yield find("template_damaged", "template_src", path=path)
    elif (known := seen.template_compositions) is not None and normalize("NFC", composition.name) not in known:
        named = {"path": path, "name": composition.name, "known": _name_some(known)}
        yield find("composition_not_in_template", "composition_id", **named)


def _name_some(known: frozenset[str]) -> str:
    shown = sorted(known)[:MOST_NAMED]
    return ", ".join([*shown, *(["…"] if len(known) > len(shown) else [])]) or "-"


def _data(assigned: Assigned, composition: Composition) -> Iterator[Finding]:
    report = assigned.report
    given = assigned.composition_name
    if given and given != composition.name:
        yield find("composition_differs", "composition_id", given=given, name=composition.name)
    if report.unmapped and not (report.used or report.empty):
        code = "nothing_mapped" if report.unused else "mapping_missing"
        yield find(code, "composition_id", name=composition.name)
    for one in report.too_long:
        yield find("text_too_long", f"gfx_data/{one.field}", name=one.field, length=one.length, most=one.limit)
    for picture in report.pictures_unusable:
        yield find("picture_unusable", f"gfx_data/{picture.field}", name=picture.field, value=picture.value)


def _flags(report: MappingReport) -> Iterator[Finding]:
    for flag in report.flags:
        where = f"gfx_data/{flag_key(flag.number)}"
        if flag.state == "missing":
            yield find("flag_missing", where, number=flag.number, layer=flag.layer_name)
        elif flag.state == "unusable":
            yield find("flag_unusable", where, number=flag.number, value=flag.value)


def _pictures(assigned: Assigned, seen: Observed) -> Iterator[Finding]:
    codes = {FileState.MISSING: "picture_missing", FileState.UNREADABLE: "picture_unreadable"}
    for asset in assigned.assets:
        code = codes.get(seen.pictures.get(asset.value, FileState.UNSEEN)) if asset.kind == "image" else None
        if code is not None:
            yield find(code, f"gfx_data/{asset.field}", path=asset.value, layer=asset.layer_name)


def _space(seen: Observed) -> Iterator[Finding]:
    if seen.free_bytes is not None and seen.free_bytes < seen.needed_bytes:
        yield find("disk_low", "disk", free=_size(seen.free_bytes), needed=_size(seen.needed_bytes))
    if seen.nas_writable is False:
        yield find("nas_unwritable", "nas")
    elif seen.nas_free_bytes is not None and seen.nas_free_bytes < seen.needed_bytes:
        yield find("nas_low", "nas", free=_size(seen.nas_free_bytes), needed=_size(seen.needed_bytes))


def _size(count: int) -> str:
    return f"{count / 1024**3:.1f} GB" if count >= 1024**3 // 10 else f"{count // 1024**2} MB"
