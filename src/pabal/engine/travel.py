"""The demo's clock on its way: moment by moment through everything that falls due, so that nothing is missed or jumped.

Every server of a demo does it: each looks, and whoever has the clock in its hands takes the next step. What is due is
waited for, and work that runs too, each piece for a while only: a bot that hangs must not hold the clock for ever.
"""

from datetime import datetime, timedelta

from pabal.base import clock
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.sql import load

SQL = load(__file__)
# how often it is looked whether everything is done, on the way and at rest
LOOK, REST = 0.02, 5.0
# So long one piece of work, or one moment that nobody takes, is waited for; longer what goes over a live connection,
# because what is at its other end does not follow this clock.
PATIENCE, LIVE = 10.0, 60.0
# A moment is over when the clock is past it: the database keeps microseconds.
PAST = timedelta(microseconds=1)


class Travel:
    def __init__(self, database: Database, *, patience: float = PATIENCE, live: float = LIVE) -> None:
        self._database = database
        self._patience, self._live = patience, live
        # since when each thing is waited for
        self._since: dict[str, float] = {}
        self._is_on_the_way = False

    def rest_seconds(self) -> float:
        return LOOK if self._is_on_the_way else REST

    async def run_once(self) -> int:
        """One step, if there is a trip and nothing is left to do where the clock stands. Answers whether it moved."""
        async with self._database.transaction() as tx:
            self._is_on_the_way = await clock.find_trip(tx) is not None
            trip = await clock.hold_trip(tx) if self._is_on_the_way else None
            if trip is None or await self._must_wait(tx):
                return 0
            if trip.at >= trip.to_at:
                await clock.end_trip(tx)
                return 0
            at = await find_next(tx) or trip.to_at
            await clock.advance_in(tx, max(min(at, trip.to_at) - trip.at, PAST))
        return 1

    async def _must_wait(self, tx: Tx) -> bool:
        now = elapsed()
        open_things = {row["thing"]: row["is_live"] for row in await tx.rows(SQL.list_open)}
        self._since = {thing: self._since.get(thing, now) for thing in open_things}
        patience = {True: self._live, False: self._patience}
        return any(now - self._since[thing] < patience[is_live] for thing, is_live in open_things.items())


async def find_next(tx: Tx) -> datetime | None:
    """The next moment at which anything falls due."""
    moment: datetime | None = await tx.value(SQL.find_next)
    return moment
