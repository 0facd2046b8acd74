"""The one clock. Moments come from the database (`tx.now`); tests and demo move it by hand for all servers at once."""

import time
from datetime import timedelta

from pabal.base.database import Database
from pabal.base.sql import load

SQL = load(__file__)


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
    """Moves the clock forward and wakes every loop of every server."""
    if by < timedelta(0):
        raise ValueError("the clock only moves forward")
    async with database.transaction() as tx:
        await tx.run(SQL.advance, by=by)
