"""The one clock. Moments come from the database (`tx.now`); tests and demo move it by hand for all servers at once."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Database, Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Trip:
    """The clock is on its way: from where, to where, and how far it is. `engine.travel` takes the steps."""

    from_at: datetime
    to_at: datetime
    at: datetime


def elapsed() -> float:
    """Seconds on this machine's steady clock: for measuring and waiting, never for deciding what is due."""
    return time.monotonic()


def host_time() -> float:
    """Seconds since 1970 as this machine believes: only to compare with the database's, never to decide anything."""
    return time.time()


async def make_movable(database: Database) -> None:
    """Lets `advance` move this database's clock. For tests and demo; production never calls it."""
    async with database.transaction() as tx:
        await tx.script(SQL.make_movable.text)


async def advance(database: Database, by: timedelta) -> None:
    """Moves the clock forward in one jump and wakes every loop of every server."""
    async with database.transaction() as tx:
        await advance_in(tx, by)


async def advance_in(tx: Tx, by: timedelta) -> None:
    if by < timedelta(0):
        raise ValueError("the clock only moves forward")
    await tx.run(SQL.advance, by=by)


async def ask_trip(tx: Tx, to_at: datetime) -> None:
    """A demo's servers take the clock there through everything that lies between."""
    await tx.run(SQL.ask_trip, to_at=to_at)


async def end_trip(tx: Tx) -> None:
    """It stays where it is."""
    await tx.run(SQL.end_trip)


async def find_trip(tx: Tx) -> Trip | None:
    return await tx.one(Trip, SQL.find_trip)


async def hold_trip(tx: Tx) -> Trip | None:
    """None while another server has it in its hands."""
    return await tx.one(Trip, SQL.hold_trip)
