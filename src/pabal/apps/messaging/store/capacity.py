"""What bots were seen to take for their sends, and what else they have to do."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.messaging.model.capacity import Due, Measured
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)
# older sends say little about the phone of today
LOOK_BACK = timedelta(days=14)
# Of those that are due within the longest window; who has more knows that it is slow.
MOST_BULKS = 50


async def measure(tx: Tx, bots: Collection[int]) -> dict[int, Measured]:
    """Those that have sent something of late."""
    rows = await tx.rows(SQL.measure, bots=sorted(bots), since=tx.now - LOOK_BACK)
    return {row["bot_id"]: Measured(float(row["part"]), float(row["send"])) for row in rows}


async def list_bots(tx: Tx, units: Sequence[int] | None) -> list[int]:
    """Those of these units, whatever state they are in."""
    rows = await tx.rows(SQL.list_bots, units=None if units is None else list(units))
    return [row["id"] for row in rows]


async def count_open(tx: Tx, bots: Collection[int], *, until: datetime) -> dict[int, int]:
    """What waits for each now, of what is due until then."""
    rows = await tx.rows(SQL.count_open, bots=sorted(bots), until=until)
    return {row["bot_id"]: row["sends"] for row in rows}


async def list_due(
    tx: Tx, bots: Collection[int], *, since: datetime, until: datetime, but: int | None = None
) -> list[Due]:
    """Of other schedules that go to one room."""
    return await tx.all(Due, SQL.list_due, bots=sorted(bots), since=since, until=until, but_id=but)


@dataclass(frozen=True, slots=True)
class DueBulk:
    """Another schedule to many rooms, the bot it asks for, and its next moment."""

    schedule_id: int
    bot_id: int
    at: datetime


async def list_due_bulks(tx: Tx, *, since: datetime, until: datetime, but: int | None = None) -> list[DueBulk]:
    return await tx.all(DueBulk, SQL.list_due_bulks, since=since, until=until, but_id=but, most=MOST_BULKS)
