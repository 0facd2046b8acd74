"""Files: the file store, a local folder behind obstore. Content comes and goes in pieces, never whole in memory."""

import asyncio
import io
import os
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from pabal.base import disk
from pabal.engine import ids
from pabal.platform.storage.model import WHOLE, ContentMissing, Span, StoreFailed

if TYPE_CHECKING:  # obstore has these names for type checkers only; Buffer is in the standard library from 3.12
    from obstore import GetResult, ReadableFile
    from typing_extensions import Buffer

PIECE = 256 * 1024
WRITE_AT_ONCE = 1024 * 1024
INCOMING = "incoming"
KEPT = "kept"
# the store's own temporary name ends in # and a number
_NAME = re.compile(r"(file_[0-9a-z]{13})(\.webp)?(#\d+)?")


@dataclass(frozen=True, slots=True)
class Content:
    """`size` is the whole object's; `chunks` give the bytes from `start` up to but not including `end`."""

    size: int
    start: int
    end: int
    chunks: AsyncIterator[bytes]


class Files:
    """What is put comes in under `incoming/` and stays under `kept/`. Content never changes; no name comes twice."""

    def __init__(self, root: Path) -> None:
        root.mkdir(parents=True, exist_ok=True)
        self._root = root
        self._store: ObjectStore = LocalStore(root)

    async def put(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """All of it, or nothing that can be seen: whatever `chunks` raises, and when this is cancelled.

        Written by hand: `obstore.put_async` goes on reading `chunks` in a task of its own after a cancellation.
        """
        writer = obstore.open_writer_async(self._store, key, buffer_size=WRITE_AT_ONCE, max_concurrency=1)
        async for chunk in chunks:
            with _Named():
                await writer.write(chunk)
        with _Named():
            # Without this the store forgets what came, and its temporary file with it.
            await writer.close()

    async def keep(self, incoming: str, key: str) -> None:
        """Moves what came in to where it stays, safe from a power cut: obstore asks the disk for nothing by itself."""
        with _Named():
            await asyncio.to_thread(_flush, self._root / incoming)
            await obstore.rename_async(self._store, incoming, key)
            await asyncio.to_thread(_flush_folders, self._root, key)

    async def open(self, key: str, span: Span = WHOLE) -> Content:
        with _Named(key):
            found = await obstore.get_async(self._store, key)
            size = found.meta["size"]
            start, end = span.within(size)
            if (start, end) == (0, size):
                return Content(size, start, end, _pieces(found))
            if start == end:
                return Content(size, start, end, _nothing())
            part = await obstore.get_async(self._store, key, options={"range": (start, end)})
            return Content(size, start, end, _pieces(part))

    def read_blocking(self, key: str) -> io.BufferedReader:
        """A file to seek in, for code that runs in a thread."""
        with _Named(key):
            return io.BufferedReader(_Seekable(obstore.open_reader(self._store, key, buffer_size=PIECE)), PIECE)

    async def delete(self, *keys: str) -> None:
        """What is not there is deleted already."""
        for key in keys:
            with _Named(), suppress(FileNotFoundError):
                await obstore.delete_async(self._store, key)

    async def list_kept(self, at_once: int = 500) -> AsyncIterator[list[str]]:
        with _Named():
            async for batch in obstore.list(self._store, KEPT, chunk_size=at_once):
                yield [found["path"] for found in batch]

    async def list_incoming(self) -> list[str]:
        """With what a crash left under the store's own temporary names, which obstore does not list."""
        with _Named():
            return await asyncio.to_thread(_list_folder, self._root / INCOMING)

    async def delete_incoming(self, name: str) -> None:
        with _Named():
            await asyncio.to_thread((self._root / INCOMING / name).unlink, missing_ok=True)


def incoming_key(file_id: int, ending: str = "") -> str:
    return f"{INCOMING}/{ids.show('file', file_id)}{ending}"


def kept_key(file_id: int, ending: str = "") -> str:
    """Three letters of an id are three days: no folder grows for ever."""
    shown = ids.show("file", file_id)
    return f"{KEPT}/{shown.removeprefix('file_')[:3]}/{shown}{ending}"


def file_id_of(key: str) -> int | None:
    """Whose content this is; None for what is not ours."""
    found = _NAME.fullmatch(key.rpartition("/")[2])
    return None if found is None else ids.read("file", found[1])


class _Named:
    """Names a failure of the store; what callers' own code raises passes through."""

    def __init__(self, key: str = "") -> None:
        self._key = key

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if isinstance(error, FileNotFoundError) and self._key:
            raise ContentMissing(self._key) from error
        if not isinstance(error, (BaseError, OSError)):
            return
        if disk.is_full(error) or disk.says_full(str(error)):
            raise disk.name_full("files", error) from error
        raise StoreFailed(str(error).partition("\n")[0]) from error


class _Seekable(io.RawIOBase):
    """obstore's reader as Python's own file."""

    def __init__(self, inner: "ReadableFile") -> None:
        self._inner = inner

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: "Buffer") -> int:
        into = memoryview(buffer)
        with _Named():
            data = self._inner.read(len(into))
        into[: len(data)] = memoryview(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return self._inner.seek(offset, whence)

    def tell(self) -> int:
        return self._inner.tell()


async def _pieces(found: "GetResult") -> AsyncIterator[bytes]:
    with _Named():
        async for piece in found.stream(min_chunk_size=PIECE):
            yield bytes(piece)


async def _nothing() -> AsyncIterator[bytes]:
    return
    yield b""  # what makes this a generator


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _flush_folders(root: Path, key: str) -> None:
    """The folder of the name, and those above it, which may be new."""
    for folder in (root / key).parents:
        _flush(folder)
        if folder == root:
            return


def _list_folder(folder: Path) -> list[str]:
    return sorted(entry.name for entry in os.scandir(folder)) if folder.is_dir() else []
