"""Moving files from store to store: copied, compared, and only then does the row point to the new place.

May be killed at any moment and begun again: what was moved stays moved, what was half copied is copied anew.
"""

import hashlib
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from pabal.base.database import Database
from pabal.base.telemetry import declare, emit
from pabal.platform.storage import store
from pabal.platform.storage.gateway import INCOMING, Files, file_id_of, moving_key
from pabal.platform.storage.model import ContentMissing, File, MoveFailed, SameStore
from pabal.platform.storage.store import Kept

AT_ONCE = 50

declare("storage.moved", "Files moved to another store", level=10)


@dataclass(frozen=True, slots=True)
class Moved:
    """`missing` are listed, but their content is in no store."""

    files: int = 0
    bytes: int = 0
    missing: tuple[str, ...] = ()
    tidied: int = 0


@dataclass(frozen=True, slots=True)
class _Seen:
    size: int
    sha256: str


def foresee(kept: Sequence[Kept], target: str) -> Moved:
    """What a move would have to bring there, as the rows say."""
    elsewhere = [one for one in kept if one.store != target]
    return Moved(sum(one.files for one in elsewhere), sum(one.bytes for one in elsewhere))


class Mover:
    """From wherever files are now (`source`, with all its stores) to `target`."""

    def __init__(self, database: Database, source: Files, target: Files) -> None:
        self._database, self._source, self._target = database, source, target

    async def run(self) -> Moved:
        await self._check_apart()
        done, missing = Moved(), []
        async for file in self._list():
            try:
                await self.move(file)
            except ContentMissing:
                missing.append(file.shown_id)
                continue
            done = Moved(done.files + 1, done.bytes + file.size)
            emit("storage.moved", about=file.shown_id, size=file.size)
        return Moved(done.files, done.bytes, tuple(missing), await self.tidy())

    async def _check_apart(self) -> None:
        """Names may differ and lead to one place: then what was just copied would be what is deleted."""
        probe = f"{INCOMING}/probe-{secrets.token_hex(8)}"
        await self._target.put(probe, _once(b"is this the same store?"))
        try:
            for old in self._olds():
                if await old.has(probe):
                    raise SameStore(f"{old.name} and {self._target.name}")
        finally:
            await self._target.delete(probe)

    async def move(self, file: File) -> None:
        for key in (file.thumbnail_key, file.key):
            if key is not None:
                await self._copy(key, _Seen(file.size, file.sha256) if key == file.key else None)
        async with self._database.transaction() as tx:
            is_there = await store.point_to(tx, file.id, self._target.name)
        if is_there:
            await self._clear(*(key for key in (file.thumbnail_key, file.key) if key is not None))

    async def tidy(self) -> int:
        """What a killed move left behind in the old stores, although its row points to the new one already."""
        gone = 0
        for old in self._olds():
            async for keys in old.list_kept():
                owners = {key: owner for key in keys if (owner := file_id_of(key)) is not None}
                async with self._database.transaction() as tx:
                    moved = await store.list_moved(tx, sorted(set(owners.values())), self._target.name)
                left = [key for key, owner in owners.items() if owner in moved]
                await old.delete(*left)
                gone += len(left)
        return gone

    async def _list(self) -> AsyncIterator[File]:
        after = 0
        while True:
            async with self._database.transaction() as tx:
                found = await store.list_to_move(tx, self._target.name, after=after, limit=AT_ONCE)
            for file in found:
                yield file
            if len(found) < AT_ONCE:
                return
            after = found[-1].id

    async def _copy(self, key: str, expected: _Seen | None) -> None:
        """Under another name until it is seen to be the same, read back from where it is now."""
        sent = _Counted((await self._source.open(key)).chunks)
        draft = moving_key(key)
        await self._target.put(draft, sent.chunks())
        came = _Counted((await self._target.open(draft)).chunks)
        async for _ in came.chunks():
            pass
        if came.seen != sent.seen or came.seen != (expected or sent.seen):
            await self._target.delete(draft)
            raise MoveFailed(f"{key}: {came.seen.size} bytes of {(expected or sent.seen).size}")
        await self._target.keep(draft, key)

    async def _clear(self, *keys: str) -> None:
        for old in self._olds():
            await old.delete(*keys)

    def _olds(self) -> list[Files]:
        return [one for one in (self._source, *self._source.also) if one.name != self._target.name]


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


class _Counted:
    """Passes pieces on and remembers how much and what it was."""

    def __init__(self, pieces: AsyncIterator[bytes]) -> None:
        self._pieces = pieces
        self._size = 0
        self._digest = hashlib.sha256()

    async def chunks(self) -> AsyncIterator[bytes]:
        async for piece in self._pieces:
            self._size += len(piece)
            self._digest.update(piece)
            yield piece

    @property
    def seen(self) -> _Seen:
        return _Seen(self._size, self._digest.hexdigest())
