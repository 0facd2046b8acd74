"""Small After Effects projects: what a worker looks for in one is there, and no After Effects could render them."""

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from pabal.apps.rendering.simulator.options import BadSimProject

_FOLDER, _COMPOSITION = 1, 4


def make_project(compositions: Iterable[str], *, folder: str = "Compositions") -> bytes:
    """An .aep whose compositions stand in a folder of the project, as they mostly do."""
    inside = b"".join(_item(_COMPOSITION, name) for name in compositions)
    whole = b"Egg!" + _list(b"Fold", _item(_FOLDER, folder, _list(b"Sfdr", inside)))
    return b"RIFX" + len(whole).to_bytes(4, "big") + whole


def write_projects(wanted: Iterable[tuple[Path, str]]) -> None:
    """Each file with its compositions. What somebody else made under that name stays."""
    names: dict[Path, list[str]] = defaultdict(list)
    for path, composition in wanted:
        names[path].append(composition)
    for path, held in names.items():
        content = make_project(held)
        if path.exists() and path.read_bytes() != content:
            raise BadSimProject(str(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _item(kind: int, name: str, more: bytes = b"") -> bytes:
    about = kind.to_bytes(2, "big") + bytes(18)
    return _list(b"Item", _chunk(b"idta", about) + _chunk(b"Utf8", name.encode()) + more)


def _list(form: bytes, content: bytes) -> bytes:
    return _chunk(b"LIST", form + content)


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + len(content).to_bytes(4, "big") + content + b"\0" * (len(content) % 2)
