"""What comes next: delayed jobs and timers up to a moment. Schedules have their own forecast."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)
# Timers do not say whose they are; of each machine so many are looked through for those of a scope.
LOOK = 2_000


@dataclass(frozen=True, slots=True)
class NextMoments:
    delayed_at: datetime | None
    schedule_at: datetime | None
    timer_at: datetime | None


@dataclass(frozen=True, slots=True)
class DelayedJob:
    at: datetime
    id: int
    kind: str
    about: str | None
    reason: str
    unit_id: int | None


@dataclass(frozen=True, slots=True)
class DueTimer:
    at: datetime
    machine: str
    subject: int
    event: str
    unit_id: int | None


async def read_next_moments(tx: Tx) -> NextMoments:
    [row] = await tx.rows(SQL.find_next_moments)
    return NextMoments(**row)


async def list_delayed(tx: Tx, until: datetime, *, most: int, units: Sequence[int] | None = None) -> list[DelayedJob]:
    given = None if units is None else list(units)
    return await tx.all(DelayedJob, SQL.list_delayed_until, units=given, until=until, most=most)


async def list_timers(tx: Tx, until: datetime, *, most: int, units: Sequence[int] | None = None) -> list[DueTimer]:
    """Of a scope only among the first 2,000 of each machine: enough for the next hour of most."""
    given = None if units is None else list(units)
    look = most if units is None else max(most, LOOK)
    return await tx.all(DueTimer, SQL.list_timers_until, units=given, until=until, look=look, most=most)
