"""The moved clock of a run: a minute every few seconds, and what is left to do at that moment."""

import asyncio
from datetime import timedelta

from chaos.history import History
from chaos.worker import AWAY
from pabal.base import clock
from pabal.base.clock import host_time
from pabal.base.database import Database
from pabal.base.sql import load

SQL = load(__file__)
MINUTE = timedelta(minutes=1)


class Minutes:
    def __init__(self, database: Database, history: History, *, pace: float) -> None:
        """`pace`: how many seconds a minute takes."""
        self._database, self._history, self._pace = database, history, pace

    async def jump(self, by: timedelta) -> None:
        await clock.advance(self._database, by)
        await self._note()

    async def turn_once(self) -> None:
        """To the beginning of the next minute, if the database is there; otherwise the same next time."""
        try:
            async with self._database.transaction() as tx:
                past = timedelta(seconds=tx.now.second, microseconds=tx.now.microsecond)
            await self.jump(MINUTE - past)
        except AWAY:
            self._history.write("not moved")
        await asyncio.sleep(self._pace)

    async def count_left(self) -> int | None:
        """None while the database does not answer."""
        try:
            async with self._database.transaction() as tx:
                left: int = await tx.value(SQL.count_left)
                return left
        except AWAY:
            return None

    async def _note(self) -> None:
        """So that the database's moments and the phones' can be compared."""
        async with self._database.transaction() as tx:
            [row] = await tx.rows(SQL.read_moment)
        self._history.write("moved", shift=row["shift"], host=host_time())
