"""Files: the file store, a folder or a bucket behind obstore. Content comes and goes in pieces, never all at once."""

import asyncio
import io
import os
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, S3Store

from pabal.base import disk
from pabal.base.settings import Settings
from pabal.engine import ids
from pabal.platform.storage.address import Address, Folder, find_address, read_address
from pabal.platform.storage.model import WHOLE, ContentMissing, Span, StoreFailed

if TYPE_CHECKING:  # obstore has these names for type checkers only; Buffer is in the standard library from 3.12
    from obstore import GetResult, ReadableFile
    from obstore.store import ClientConfig, RetryConfig, S3Config
    from typing_extensions import Buffer

PIECE = 256 * 1024
WRITE_AT_ONCE = 1024 * 1024
# of a multipart upload; S3 takes no smaller ones but the last, and 10,000 of them: 80 GB
PART = 8 * 1024 * 1024
# a store that does not answer is an answer, too
_CLIENT: "ClientConfig" = {"connect_timeout": "10s", "read_timeout": "30s", "timeout": "10m"}
_RETRY: "RetryConfig" = {"max_retries": 3, "retry_timeout": timedelta(seconds=30)}
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
    """What is put comes in under `incoming/` and stays under `kept/`. Content never changes; no name comes twice.

    `also` are stores that files still lie in while they are moved: they are read and tidied, never written.
    """

    def __init__(self, at: Path | Address, also: Sequence["Files"] = ()) -> None:
        self._at: Address = Folder(at) if isinstance(at, Path) else at
        self._root: Path | None = None
        if isinstance(self._at, Folder):
            self._root = self._at.root
            self._root.mkdir(parents=True, exist_ok=True)
        self._store: ObjectStore = _open_store(self._at)
        self.also = tuple(also)
        # of a bucket every object is asked for over the network, so that strays are looked for once a day
        self.searched_at: datetime | None = None

    @property
    def name(self) -> str:
        return self._at.name

    @property
    def is_remote(self) -> bool:
        return self._root is None

    async def put(self, key: str, chunks: AsyncIterator[bytes]) -> None:
        """All of it, or nothing that can be seen: whatever `chunks` raises, and when this is cancelled.

        Written by hand: `obstore.put_async` goes on reading `chunks` in a task of its own after a cancellation.
        """
        at_once = PART if self.is_remote else WRITE_AT_ONCE
        writer = obstore.open_writer_async(self._store, key, buffer_size=at_once, max_concurrency=1)
        async for chunk in chunks:
            with _Named():
                await writer.write(chunk)
        with _Named():
            # Without this the store forgets what came, and its temporary file with it.
            await writer.close()

    async def keep(self, incoming: str, key: str) -> None:
        """Moves what came in to where it stays, safe from a power cut: obstore asks the disk for nothing by itself."""
        with _Named():
            if self._root is None:
                await obstore.rename_async(self._store, incoming, key)
                return
            await asyncio.to_thread(_flush, self._root / incoming)
            await obstore.rename_async(self._store, incoming, key)
            await asyncio.to_thread(_flush_folders, self._root, key)

    async def open(self, key: str, span: Span = WHOLE) -> Content:
        """Of this store, or of one that is being emptied into it."""
        for other in self.also:
            try:
                return await self._open(key, span)
            except ContentMissing:
                try:
                    return await other.open(key, span)
                except ContentMissing:
                    continue
        return await self._open(key, span)

    async def _open(self, key: str, span: Span) -> Content:
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

    async def has(self, key: str) -> bool:
        """In this store itself."""
        try:
            with _Named(key):
                await obstore.head_async(self._store, key)
        except ContentMissing:
            return False
        return True

    def read_blocking(self, key: str) -> io.BufferedReader:
        """A file to seek in, for code that runs in a thread."""
        with _Named(key):
            return io.BufferedReader(_Seekable(obstore.open_reader(self._store, key, buffer_size=PIECE)), PIECE)

    async def sign_link(self, key: str, lifetime: timedelta) -> str | None:
        """An address that opens this object to whoever has it, for so long. A folder has none."""
        if self._root is not None:
            return None
        with _Named(key):
            return await obstore.sign_async(cast("S3Store", self._store), "GET", key, lifetime)

    async def delete(self, *keys: str) -> None:
        """What is not there is deleted already."""
        for key in keys:
            with _Named(), suppress(FileNotFoundError):
                await obstore.delete_async(self._store, key)
        for other in self.also:
            await other.delete(*keys)

    async def list_kept(self, at_once: int = 500) -> AsyncIterator[list[str]]:
        with _Named():
            async for batch in obstore.list(self._store, KEPT, chunk_size=at_once):
                yield [found["path"] for found in batch]

    async def list_incoming(self) -> list[str]:
        """With what a crash left under the store's own temporary names, which obstore does not list."""
        with _Named():
            if self._root is not None:
                return await asyncio.to_thread(_list_folder, self._root / INCOMING)
            found = await obstore.list(self._store, INCOMING).collect_async()
            return sorted(one["path"].removeprefix(f"{INCOMING}/") for one in found)

    async def delete_incoming(self, name: str) -> None:
        if self._root is None:
            await self.delete(f"{INCOMING}/{name}")
            return
        with _Named():
            await asyncio.to_thread((self._root / INCOMING / name).unlink, missing_ok=True)


def open_files_of(settings: Settings) -> Files:
    """Those of every server with these settings."""
    also = [Files(read_address(settings.storage_also))] if settings.storage_also else []
    return Files(find_address(settings.storage_url, settings.data_dir, os.environ), also)


def incoming_key(file_id: int, ending: str = "") -> str:
    return f"{INCOMING}/{ids.show('file', file_id)}{ending}"


def kept_key(file_id: int, ending: str = "") -> str:
    """Three letters of an id are three days: no folder grows for ever."""
    shown = ids.show("file", file_id)
    return f"{KEPT}/{shown.removeprefix('file_')[:3]}/{shown}{ending}"


def moving_key(key: str) -> str:
    """Where a copy of it is until it was compared; a stray is found there as among what comes in."""
    return f"{INCOMING}/{key.rpartition('/')[2]}"


def file_id_of(key: str) -> int | None:
    """Whose content this is; None for what is not ours."""
    found = _NAME.fullmatch(key.rpartition("/")[2])
    return None if found is None else ids.read("file", found[1])


def _open_store(at: Address) -> ObjectStore:
    if isinstance(at, Folder):
        return LocalStore(at.root)
    config: dict[str, Any] = {
        "endpoint": at.endpoint,
        "region": at.region,
        "access_key_id": at.key,
        "secret_access_key": at.secret,
        **({"session_token": at.token} if at.token else {}),
        "virtual_hosted_style_request": False,
    }
    client: ClientConfig = {**_CLIENT, "allow_http": at.endpoint.startswith("http://")}
    given = cast("S3Config", config)
    return S3Store(at.bucket, prefix=at.prefix or None, config=given, client_options=client, retry_config=_RETRY)


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
