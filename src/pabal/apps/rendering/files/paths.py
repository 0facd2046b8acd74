"""One file, three names: as this server, the worker and the NAS call it. And names no file system can misread. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from string import Formatter

from pabal.apps.rendering.files.errors import BadOutputTemplate, BadPathVariable, OutsideFolder, PathNotMapped

OUTPUT_TEMPLATE = "{broadcast_date}/{composition_name}_{id}.mp4"
FIELDS = frozenset({"broadcast_date", "composition_name", "id"})
# File systems allow 255 bytes. The composition's part is cut first, so that the id always remains whole.
LONGEST_SEGMENT = 200
LONGEST_COMPOSITION = 100
LONGEST_ID = 60
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|[\\/]{2}[^\\/]")
_DRIVE = re.compile(r"[A-Za-z]:")
_FORBIDDEN = re.compile(r'[<>:"/\\|?*]')
# What Windows takes for a device whatever its ending is. It reads a superscript digit as a digit, too.
_DEVICE = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9¹²³])", re.IGNORECASE)
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_VARIABLE = re.compile(r"[a-z][a-z0-9_]{0,39}")


@dataclass(frozen=True, slots=True)
class PathVariable:
    """One folder as each side calls it; empty where a side cannot reach it."""

    name: str
    server: str
    worker: str
    unc: str = ""


@dataclass(frozen=True, slots=True)
class PathMap:
    """Translates in both directions: a path may be given as any side calls it, or begin with {name}.

    A path no variable covers stays as it is if it is written in the style of the side that asks.
    """

    variables: tuple[PathVariable, ...] = ()

    def to_server(self, path: str) -> str:
        return self._translate(path, "server")

    def to_worker(self, path: str) -> str:
        return self._translate(path, "worker")

    def to_unc(self, path: str) -> str:
        """As people copy it into a Windows file dialogue."""
        return self._translate(path, "unc")

    def _translate(self, path: str, side: str) -> str:
        plain = _strip_scheme(path)
        if ".." in _split(plain):
            raise OutsideFolder(path)
        for variable, rest in self._matches(plain):
            if base := str(getattr(variable, side)):
                return _join(base, rest)
        if not plain.startswith("{") and self._is_own(plain, side):
            return plain
        raise PathNotMapped(f"{path}, for {side}")

    def _matches(self, path: str) -> Iterator[tuple[PathVariable, Sequence[str]]]:
        """The deepest folder first: a variable inside another one's folder is the more exact."""
        found = []
        for variable in self.variables:
            for base in ("{" + variable.name + "}", variable.server, variable.worker, variable.unc):
                rest = _below(base, path) if base else None
                if rest is not None:
                    found.append((len(rest), variable, rest))
        for _, variable, rest in sorted(found, key=lambda one: one[0]):
            yield variable, rest

    def _is_own(self, path: str, side: str) -> bool:
        if side == "unc":
            return path.startswith("\\\\")
        return is_windows(path) == (side == "worker" and self.worker_is_windows)

    @property
    def worker_is_windows(self) -> bool:
        return any(is_windows(variable.worker + "/") for variable in self.variables)


def read_variables(text: str) -> PathMap:
    """One a line: `output = /mnt/output | D:/output | \\\\NAS\\output`. A missing side is one that cannot reach it."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    variables = tuple(_read_variable(line) for line in lines)
    names = [variable.name for variable in variables]
    if len(set(names)) != len(names):
        raise BadPathVariable("two variables have the same name")
    return PathMap(variables)


def is_windows(path: str) -> bool:
    return _WINDOWS.match(path) is not None


def output_path(template: str, *, render_id: int | str, composition_name: str, broadcast_date: date) -> str:
    """Where a render goes below the NAS folder, with / between safe parts: nothing in a name can lead out of it."""
    check_template(template)
    return _fill(template, str(render_id), composition_name, broadcast_date)


def check_template(template: str) -> None:
    """Tried with the longest values there can be, so that no render is the first to find out."""
    _check_fields(template)
    segments = template.split("/")
    if any(not one.strip(" .") or _FORBIDDEN.search(one) for one in segments):
        raise BadOutputTemplate(f"{template}: an empty part, or a character Windows refuses in a name")
    longest = "9" * LONGEST_ID
    if longest not in _fill(template, longest, "가" * LONGEST_COMPOSITION, date(2026, 12, 31)).rpartition("/")[2]:
        raise BadOutputTemplate(f"{template}: {{id}} does not fit into the last part")


def safe_name(name: str, longest: int = LONGEST_SEGMENT) -> str:
    """One part of a path, the same on Linux, Windows and SMB: Korean stays, blanks become _; cut to `longest` bytes."""
    seen = "".join(sign for sign in name if unicodedata.category(sign) not in _UNSEEN)
    joined = re.sub(r"\s+", "_", _FORBIDDEN.sub("_", unicodedata.normalize("NFC", seen)).strip())
    plain = _cut(joined.strip("."), longest - 1).rstrip(".") or "unnamed"
    return f"_{plain}" if _DEVICE.fullmatch(plain.partition(".")[0]) else plain


def place_below(root: Path, relative: str) -> Path:
    """Where `relative` is, with every link followed: never outside `root`. Asks the file system, so not on the loop."""
    if is_windows(relative) or relative.startswith(("/", "\\")) or ".." in _split(relative) or "\0" in relative:
        raise OutsideFolder(relative)
    base = root.resolve()
    place = (base / relative).resolve()
    if place == base or not place.is_relative_to(base):
        raise OutsideFolder(relative)
    return place


def _read_variable(line: str) -> PathVariable:
    name, equals, sides = line.partition("=")
    values = [side.strip().rstrip("/\\") for side in sides.split("|")]
    if not equals or not _VARIABLE.fullmatch(name.strip()) or not 2 <= len(values) <= 3 or not any(values):
        raise BadPathVariable(line)
    server, worker, unc = (*values, "")[:3]
    if server and not server.startswith("/"):
        raise BadPathVariable(f"{line}: the server's path must begin with /")
    if worker and not (_DRIVE.match(worker) or worker.startswith(("/", "\\\\"))):
        raise BadPathVariable(f"{line}: the worker's path must begin with a drive, with / or with \\\\")
    if unc and not unc.startswith("\\\\"):
        raise BadPathVariable(f"{line}: the NAS path must begin with \\\\")
    if any(".." in _split(value) for value in values):
        raise BadPathVariable(line)
    return PathVariable(name.strip(), server, worker, unc)


def _strip_scheme(path: str) -> str:
    """nexrender writes file:///D:/x and file://D:/x alike."""
    if not path.startswith("file://"):
        return path
    plain = path.removeprefix("file://")
    return plain.removeprefix("/") if _DRIVE.match(plain.removeprefix("/")) else plain


def _split(path: str) -> list[str]:
    return [part for part in re.split(r"[\\/]", path) if part not in ("", ".")]


def _below(base: str, path: str) -> Sequence[str] | None:
    """The parts of `path` below `base`, by whole parts: D:/out is no folder of D:/output. Windows knows no case."""
    ignores_case = is_windows(base + "/")
    if ignores_case != is_windows(path + "/"):
        return None
    if not ignores_case and base.startswith("/") != path.startswith("/"):
        return None
    parts = _split(path) if ignores_case or base.startswith("{") else _split_posix(path)
    wanted = _split(base) if ignores_case else _split_posix(base)
    return parts[len(wanted) :] if _same(parts[: len(wanted)], wanted, ignores_case=ignores_case) else None


def _split_posix(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _same(parts: Iterable[str], others: Iterable[str], *, ignores_case: bool) -> bool:
    fold = str.casefold if ignores_case else str
    return [fold(one) for one in parts] == [fold(one) for one in others]


def _join(base: str, rest: Sequence[str]) -> str:
    separator = "\\" if "\\" in base else "/"
    # D: alone would be whatever folder of D: was used last
    return separator.join((base, *rest)) if rest or not _DRIVE.fullmatch(base) else f"{base}/"


def _check_fields(template: str) -> None:
    try:
        found = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(template)]
    except ValueError as error:
        raise BadOutputTemplate(f"{template}: {error}") from error
    used = {name for name, _, _ in found if name is not None}
    if "id" not in used or used - FIELDS or any(spec or conversion for _, spec, conversion in found):
        raise BadOutputTemplate(f"{template}: known are {', '.join(sorted(FIELDS))}")


def _fill(template: str, render_id: str, composition_name: str, broadcast_date: date) -> str:
    values = {
        "id": safe_name(render_id, LONGEST_ID + 1),
        "composition_name": safe_name(composition_name, LONGEST_COMPOSITION),
        "broadcast_date": broadcast_date.isoformat(),
    }
    return "/".join(safe_name(one) for one in template.format_map(values).split("/"))


def _cut(text: str, longest: int) -> str:
    """By bytes, never inside a character."""
    return text.encode()[:longest].decode(errors="ignore")
