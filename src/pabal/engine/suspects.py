"""What a lost life or connection left in doubt is done one by one, behind a marker, until the bad one is found."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from pabal.base.database import Connection, ConnectionFailure, Database, DatabaseError, DatabaseUnavailable, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit

SQL = load(__file__)
AWAY = (DatabaseUnavailable, DatabaseError, *ConnectionFailure)
DIED = "its server died while it ran"
PAUSES = (0.02, 0.1, 0.5, 0.0)
# More than any batch that a dead server may have had in its hands is not doubted.
MOST = 500

declare("suspects.doubted", "Work that is done one by one because a batch of it was lost", labels=("name",), level=30)


@dataclass(frozen=True, slots=True)
class Suspect:
    """`tried` is the one that was being tried when it was last heard of; `is_lost` if that try counts."""

    doubts: int
    reason: str
    tried: int | None
    token: int | None
    tries: int
    is_lost: bool


async def suspect(tx: Tx, names: Sequence[str], reason: str, *, doubts: int = MOST) -> None:
    if names:
        await tx.run(SQL.suspect, names=sorted(set(names)), doubts=doubts, reason=reason)
        for name in names:
            emit("suspects.doubted", name=name, reason=reason)


async def suspect_if_there(database: Database, name: str, reason: str, *, doubts: int) -> None:
    """After a loss: if the database does not answer, it was no more than that."""
    try:
        async with database.transaction() as tx:
            await suspect(tx, [name], reason, doubts=doubts)
    except AWAY:
        return


async def lock_alone(tx: Tx, name: str) -> bool:
    return bool(await tx.value(SQL.lock_alone, name=name))


async def find_suspect(tx: Tx, name: str) -> Suspect | None:
    return await tx.one(Suspect, SQL.find_suspect, name=name)


async def mark(database: Database, name: str, tried: int, *, token: int | None = None, tries: int = 0) -> None:
    """In a commit of its own: whatever becomes of the try, this stays."""
    async with database.transaction() as tx:
        await tx.run(SQL.mark, name=name, tried=tried, token=token, tries=tries, reason=DIED)


async def leave(database: Database, name: str, tried: int, reason: str, *, counts: bool) -> None:
    """After a loss the marker stays, with its reason, and the next who looks counts it; or goes: nobody is to blame."""
    for pause in PAUSES:
        try:
            async with database.transaction() as tx:
                await (tx.run(SQL.explain, name=name, tried=tried, reason=reason) if counts else unmark(tx, name))
                return
        except AWAY:
            # The other connections may be gone too, and their pool may not know it yet.
            await asyncio.sleep(pause)


async def unmark(tx: Tx, name: str) -> None:
    """The try came to an end that is recorded, or does not count."""
    await tx.run(SQL.unmark, name=name)


async def clear_one(tx: Tx, name: str) -> None:
    await tx.run(SQL.clear_one, name=name)


async def clear(tx: Tx, name: str) -> None:
    await tx.run(SQL.clear, name=name)


class Witness:
    """A connection beside those that may be lost: as long as it answers, the database was there all the time.

    Asked for only after a first loss: in the good case there is none.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()

    async def stand(self) -> bool:
        """Whether it stands by from now on."""
        async with self._turn:
            if self._connection is None or self._connection.is_closed():
                try:
                    self._connection = await self._database.connect()
                except AWAY:
                    self._connection = None
            return self._connection is not None

    async def answers(self) -> bool:
        """Whether it still is the connection that stood by, and answers."""
        async with self._turn:
            try:
                if self._connection is None:
                    return False
                await self._connection.execute(SQL.probe.text)
            except AWAY:
                self._connection = None
            return self._connection is not None

    def close(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None


class Trial:
    """What becomes of a delivery that is lost without a word: its server dies, its connection is lost, it stalls.

    Its name is in doubt then: entries are handed over one by one, each behind a committed marker, and one that is lost
    `most` times is not tried again.
    """

    def __init__(self, database: Database, name: str, *, doubts: int, most: int) -> None:
        self._database = database
        self._name = name
        self._doubts = doubts
        self._most = most
        self._witness = Witness(database)
        self._tried: int | None = None
        self.suspect: Suspect | None = None
        # while something is being handed over
        self.tx: Tx | None = None

    async def begin(self, tx: Tx) -> None:
        self.suspect = await find_suspect(tx, self._name)
        await self._witness.stand()

    async def mark(self, entry: int, *, token: int | None = None) -> int:
        """How often it was lost before; when that is too often it is not marked, for it is not tried again."""
        known = self.suspect
        is_again = known is not None and known.is_lost and (known.tried, known.token) == (entry, token)
        lost = known.tries + 1 if known is not None and is_again else 0
        if lost < self._most:
            await mark(self._database, self._name, entry, token=token, tries=lost)
            self._tried = entry
        return lost

    async def end(self, tx: Tx, *, went_well: bool, is_last: bool) -> None:
        """In the commit of what was handed over, or put aside, or failed in words."""
        if self.suspect is None:
            return
        if is_last:
            await clear(tx, self._name)
        elif went_well:
            await clear_one(tx, self._name)
        else:
            await unmark(tx, self._name)

    @asynccontextmanager
    async def watching(self, is_stopping: Callable[[], bool]) -> AsyncIterator[None]:
        """Around a delivery. One that is cancelled was stalled, unless its server stops."""
        try:
            yield
        except asyncio.CancelledError:
            await (self._undo() if is_stopping() else self._lose("it stalled"))
            raise
        except Exception as error:
            if self.tx is not None and self.tx.is_lost_by(error):
                await self._lose(f"its connection was lost: {error!r}")
            raise
        finally:
            self._witness.close()

    async def _lose(self, reason: str) -> None:
        if self.tx is None:
            return
        if self._tried is None:
            await suspect_if_there(self._database, self._name, reason, doubts=self._doubts)
        else:
            counts = await self._witness.answers()
            await leave(self._database, self._name, self._tried, reason, counts=counts)

    async def _undo(self) -> None:
        """As if it had not been tried."""
        if self._tried is not None:
            await leave(self._database, self._name, self._tried, "", counts=False)
