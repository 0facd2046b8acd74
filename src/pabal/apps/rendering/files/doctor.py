"""The path doctor: what each side calls a path, and whether this server can really read and write there."""

import asyncio
import os
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from pabal.apps.rendering.files.errors import NasUnavailable, naming_nas_faults
from pabal.apps.rendering.files.paths import PathMap
from pabal.apps.rendering.files.watching import run_watched
from pabal.base.errors import PabalError
from pabal.platform.findings import Finding, find_wrong

PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PathSeen:
    """A name is None where that side has none. Whether a path exists is what this server sees; None: it has no name
    here, or did not answer. A file is writable if another can be made beside it."""

    asked: str
    server: str | None
    worker: str | None
    unc: str | None
    exists: bool | None = None
    is_folder: bool = False
    is_mount: bool = False
    readable: bool = False
    writable: bool = False
    free_bytes: int | None = None
    problem: Finding | None = None


@dataclass(frozen=True, slots=True)
class _Look:
    exists: bool
    is_folder: bool = False
    is_mount: bool = False
    readable: bool = False
    writable: bool = False
    free_bytes: int | None = None


async def examine(paths: Sequence[str], known: PathMap, *, patience: float = PATIENCE_SECONDS) -> list[PathSeen]:
    """Side by side, in the order asked: one share that hangs keeps no other waiting."""
    return list(await asyncio.gather(*(_examine_one(path, known, patience) for path in paths)))


async def _examine_one(asked: str, known: PathMap, patience: float) -> PathSeen:
    worker, unc = (_call(side, asked) for side in (known.to_worker, known.to_unc))
    try:
        server = known.to_server(asked)
    except PabalError as error:
        return PathSeen(asked, None, worker, unc, problem=find_wrong(error, "path"))
    try:
        look = await run_watched(lambda _: _look_at(Path(server)), stall_seconds=patience, what=server)
    except NasUnavailable as error:
        return PathSeen(asked, server, worker, unc, problem=find_wrong(error, "path"))
    seen = (look.exists, look.is_folder, look.is_mount, look.readable, look.writable, look.free_bytes)
    return PathSeen(asked, server, worker, unc, *seen, problem=_judge(server, look))


def _look_at(path: Path) -> _Look:
    """Tried rather than asked: rights on a share are what its server says, not what the mode bits show here."""
    with naming_nas_faults(path):
        folder = path if path.is_dir() else path.parent
        writable = _succeeds(lambda: _try_writing(folder))
        free = shutil.disk_usage(folder).free if folder.is_dir() else None
        if not path.exists():
            return _Look(exists=False, writable=writable, free_bytes=free)
        readable = _succeeds(lambda: _try_reading(path))
        return _Look(True, path.is_dir(), path.is_mount(), readable, writable, free)


def _call(side: Callable[[str], str], asked: str) -> str | None:
    try:
        return side(asked)
    except PabalError:
        return None


def _judge(path: str, look: _Look) -> Finding | None:
    if not look.exists:
        return Finding("path_missing", "path", (f"{path} is not there.", f"{path}이(가) 없습니다."))
    if not look.readable:
        return Finding("path_unreadable", "path", (f"{path} cannot be read.", f"{path}을(를) 읽을 수 없습니다."))
    if not look.writable:
        text = (f"Nothing can be written at {path}.", f"{path}에 쓸 수 없습니다.")
        return Finding("path_read_only", "path", text)
    return None


def _succeeds(attempt: Callable[[], object]) -> bool:
    try:
        attempt()
    except OSError:
        return False
    return True


def _try_reading(path: Path) -> None:
    if path.is_dir():
        with os.scandir(path) as entries:
            next(entries, None)
    elif path.is_file():
        with path.open("rb") as opened:
            opened.read(1)


def _try_writing(folder: Path) -> None:
    trial = folder / f".pabal-trial-{token_hex(4)}"
    try:
        trial.write_bytes(b"pabal")
    finally:
        with suppress(OSError):
            trial.unlink(missing_ok=True)
