"""A rendered file comes to the NAS whole or not at all: written beside its place, read back, compared, then renamed."""

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from secrets import token_hex

from pabal.apps.rendering.files.errors import (
    CopyMismatch,
    NasUnavailable,
    SourceMissing,
    naming_nas_faults,
    naming_source_faults,
)
from pabal.apps.rendering.files.watching import Meter, Progress, run_watched

CHUNK = 4 * 1024 * 1024
STALL_SECONDS = 60.0
PART_ENDING = ".pabal-part"


@dataclass(frozen=True, slots=True)
class Copied:
    size: int
    sha256: str


async def copy_verified(  # long: two files, where they may be, and four ways to watch it
    source: Path,
    target: Path,
    *,
    root: Path | None = None,
    progress: Progress | None = None,
    chunk: int = CHUNK,
    stall_seconds: float = STALL_SECONDS,
) -> Copied:
    """Replaces what `target` was in one step. However this ends, it leaves no partial file it can still reach.

    `root` is the NAS folder, which is never made: were it not mounted, the file would go to the mount point's own disk.
    Folders below it are made; without `root`, only the last one. `progress(done, total)` counts every byte twice:
    written and read back.
    """

    def work(meter: Meter) -> Copied:
        return copy_blocking(source, target, root=root, chunk=chunk, meter=meter)

    return await run_watched(work, stall_seconds=stall_seconds, what=str(target), progress=progress)


def copy_blocking(source: Path, target: Path, *, root: Path | None, chunk: int, meter: Meter) -> Copied:
    with _reading(source) as reading:
        before = os.fstat(reading)
        meter.total = 2 * before.st_size
        with naming_nas_faults(target.parent):
            _make_folder(target.parent, root)
            _remove_leftovers(target)
        part = target.with_name(f"{_part_stem(target)}{token_hex(4)}{PART_ENDING}")
        try:
            written = _write(reading, source, part, chunk=chunk, meter=meter)
            _check_source(reading, source, before)
            _check_copy(part, written, chunk=chunk, meter=meter)
            with naming_nas_faults(target):
                _publish(part, target, before)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return written


@contextmanager
def _reading(source: Path) -> Iterator[int]:
    with naming_source_faults(source):
        # A pipe in its place would never open, were it waited for.
        opened = os.open(source, os.O_RDONLY | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(opened).st_mode):
            raise SourceMissing(f"{source}: not a file")
        yield opened
    finally:
        os.close(opened)


def _make_folder(folder: Path, root: Path | None) -> None:
    if root is None:
        folder.mkdir(exist_ok=True)
        return
    if not root.is_dir():
        raise NasUnavailable(f"{root}: not there")
    folder.mkdir(parents=True, exist_ok=True)


def _remove_leftovers(target: Path) -> None:
    """Of a copy whose process was killed. One that still runs, late, then finds nothing to rename."""
    for found in target.parent.glob(f"{_part_stem(target)}*{PART_ENDING}"):
        found.unlink(missing_ok=True)


def _part_stem(target: Path) -> str:
    """Short, whatever the name: the ending must fit into what file systems allow."""
    return f".{hashlib.sha256(target.name.encode()).hexdigest()[:16]}-"


def _write(reading: int, source: Path, part: Path, *, chunk: int, meter: Meter) -> Copied:
    with naming_nas_faults(part.parent):
        writing = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        poured = _pour(reading, writing, source, part, chunk=chunk, meter=meter)
        with naming_nas_faults(part.parent):
            os.fsync(writing)
            # What is read back shall come from the NAS, not from this machine's memory of it.
            _forget_pages(writing)
    finally:
        with naming_nas_faults(part.parent):
            os.close(writing)
    return poured


def _check_source(reading: int, source: Path, before: os.stat_result) -> None:
    after = os.fstat(reading)
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise CopyMismatch(f"{source} was still being written")


def _check_copy(part: Path, written: Copied, *, chunk: int, meter: Meter) -> None:
    with naming_nas_faults(part.parent):
        opened = os.open(part, os.O_RDONLY)
        try:
            found = _pour(opened, None, part, part, chunk=chunk, meter=meter)
        finally:
            os.close(opened)
    if found != written:
        raise CopyMismatch(f"sent {written.size} bytes, {written.sha256}; read {found.size} bytes, {found.sha256}")


def _publish(part: Path, target: Path, before: os.stat_result) -> None:
    # A share that belongs to somebody else may refuse this; what counts is there and whole.
    with suppress(PermissionError):
        os.utime(part, ns=(before.st_atime_ns, before.st_mtime_ns))
        part.chmod(stat.S_IMODE(before.st_mode))
    part.replace(target)
    _sync_folder(target.parent)


def _pour(reading: int, writing: int | None, source: Path, target: Path, *, chunk: int, meter: Meter) -> Copied:
    """Hashed in a second thread while the first reads and writes; two buffers, however large the file is."""
    digest, size = hashlib.sha256(), 0
    with ThreadPoolExecutor(1, thread_name_prefix="rendering-hash") as hasher:
        hashing = hasher.submit(digest.update, b"")
        for buffer in cycle((bytearray(chunk), bytearray(chunk))):
            read = _fill(reading, buffer, source, is_source=writing is not None)
            hashing.result()
            if not read:
                return Copied(size, digest.hexdigest())
            filled = memoryview(buffer)[:read]
            hashing = hasher.submit(digest.update, filled)
            if writing is not None:
                _drain(writing, filled, target)
            size += read
            meter.advance(read)
    raise AssertionError("a cycle has no end")


def _fill(reading: int, buffer: bytearray, path: Path, *, is_source: bool) -> int:
    with naming_source_faults(path) if is_source else naming_nas_faults(path):
        return os.readv(reading, [buffer])


def _drain(writing: int, filled: memoryview, path: Path) -> None:
    with naming_nas_faults(path.parent):
        while filled:
            filled = filled[os.write(writing, filled) :]
        # Begins to write them out, so that the disk works while the rest is read.
        _forget_pages(writing)


def _forget_pages(opened: int) -> None:
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(opened, 0, 0, os.POSIX_FADV_DONTNEED)


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    except OSError as error:
        # Shares have no such thing for folders; the rename went to the server at once.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EACCES, errno.EPERM):
            raise
    finally:
        os.close(opened)
