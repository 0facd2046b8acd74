"""Paths as a Windows render machine writes them, on the machine the simulator runs on."""

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pabal.apps.rendering.simulator.options import LocalFolder


class NoSuchDrive(Exception):
    """A path of a machine whose folders were not named."""


def find_local(path: str, folders: Sequence[LocalFolder]) -> Path:
    """The longest prefix counts; letters' case does not, as on Windows. An absolute path of this machine is itself."""
    plain = _normalise(path)
    for one in sorted(folders, key=lambda one: len(one.prefix), reverse=True):
        prefix = _normalise(one.prefix).rstrip("/")
        if plain.lower() == prefix.lower() or plain.lower().startswith(prefix.lower() + "/"):
            return one.folder / plain[len(prefix) :].lstrip("/")
    found = Path(path)
    if found.is_absolute():
        return found
    raise NoSuchDrive(path)


def find_source(src: str, folders: Sequence[LocalFolder]) -> Path | None:
    """The file behind `file:///d:/templates/x.aep`; None: it comes from somewhere else."""
    address = urlsplit(src)
    if address.scheme != "file":
        return None
    path = unquote(address.path)
    # /d:/x is d:/x, and //server/share/x has its server where an address has its host
    if len(path) > 2 and path[2] == ":":
        path = path[1:]
    return find_local(f"//{address.netloc}{path}" if address.netloc else path, folders)


def _normalise(path: str) -> str:
    return path.replace("\\", "/")
