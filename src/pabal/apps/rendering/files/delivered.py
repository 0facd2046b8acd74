"""A delivered render, read in ranges for a player that seeks. Named by us, below the NAS folder, and a plain file."""

import os
import stat
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from pabal.apps.rendering.files.errors import OutsideFolder, RenderedFileMissing, naming_nas_faults
from pabal.apps.rendering.files.paths import place_below
from pabal.apps.rendering.files.watching import Meter, run_watched
from pabal.platform.storage import Content, Span
from pabal.platform.storage.model import WHOLE

PIECE = 256 * 1024
STALL_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Delivered:
    """`tag` changes with the file, for If-Range: a player must not join parts of two renders."""

    path: Path
    size: int
    tag: str

    def read(self, span: Span = WHOLE) -> Content:
        """Its chunks come as they are asked for; a file that was replaced or cut meanwhile ends them with an error."""
        start, end = span.within(self.size)
        return Content(self.size, start, end, _pieces(self, start, end))


async def find_delivered(root: Path, relative: str) -> Delivered:
    """`relative` is the output path of the render's row, never what a visitor sent."""
    return await run_watched(lambda _: _find(root, relative), stall_seconds=STALL_SECONDS, what=str(root))


def _find(root: Path, relative: str) -> Delivered:
    with naming_nas_faults(root):
        place = place_below(root, relative)
        try:
            opened = _open(place)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise RenderedFileMissing(relative) from error
        try:
            return Delivered(place, os.fstat(opened).st_size, _tag(opened))
        finally:
            os.close(opened)


def _open(path: Path) -> int:
    """The path holds no link any more; one that came since is not followed."""
    opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise OutsideFolder(f"{path}: not a file")
    return opened


def _tag(opened: int) -> str:
    facts = os.fstat(opened)
    return f"{facts.st_ino:x}-{facts.st_size:x}-{facts.st_mtime_ns:x}"


async def _pieces(delivered: Delivered, start: int, end: int) -> AsyncIterator[bytes]:
    """Opened for each piece: a player that pauses for an hour holds nothing on the NAS."""
    while start < end:
        at, count = start, min(PIECE, end - start)

        def read(_: Meter, at: int = at, count: int = count) -> bytes:
            return _read_piece(delivered, at, count)

        piece = await run_watched(read, stall_seconds=STALL_SECONDS, what=str(delivered.path))
        start += len(piece)
        yield piece


def _read_piece(delivered: Delivered, at: int, count: int) -> bytes:
    with naming_nas_faults(delivered.path):
        opened = _open(delivered.path)
        try:
            piece = os.pread(opened, count, at)
            if not piece or _tag(opened) != delivered.tag:
                raise RenderedFileMissing(f"{delivered.path.name} was replaced")
            return piece
        finally:
            os.close(opened)
