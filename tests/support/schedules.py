"""What tests of schedules share: a clock set to a moment, one-transaction steps, and the ledger as plain tuples."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import occurrences, schedules, ticks
from pabal.engine.occurrences import Occurrence
from pabal.engine.recurrence import Daily, Interval, Recurrence
from pabal.engine.schedules import NewSchedule, Schedule
from tests.support.work import PLAIN

SQL = load(__file__)
ACTOR = "user:1"
SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
START = datetime(2035, 6, 4, tzinfo=UTC)  # a Monday
NINE = Daily((time(9),))


def every(span: timedelta, first: datetime = START) -> Interval:
    return Interval(span, anchor=first)


def new(recurrence: Recurrence = NINE, **options: Any) -> NewSchedule:
    return NewSchedule(**({"name": "report", "kind": PLAIN, "recurrence": recurrence, "zone": "UTC"} | options))


async def go_to(db: Database, moment: datetime) -> None:
    """Moves the clock; it runs on from there, so what follows happens some milliseconds after the moment."""
    async with db.transaction() as tx:
        now = tx.now
    await clock.advance(db, moment - now)


async def put(db: Database, recurrence: Recurrence = NINE, **options: Any) -> Schedule:
    async with db.transaction() as tx:
        return await schedules.put(tx, new(recurrence, **options))


async def get(db: Database, schedule_id: int) -> Schedule:
    async with db.transaction() as tx:
        return await schedules.get(tx, schedule_id)


async def edit(db: Database, schedule_id: int, changed: NewSchedule) -> Schedule:
    async with db.transaction() as tx:
        return await schedules.edit(tx, schedule_id, changed)


async def pause(db: Database, schedule_id: int) -> Schedule:
    async with db.transaction() as tx:
        return await schedules.pause(tx, schedule_id, actor=ACTOR)


async def resume(db: Database, schedule_id: int) -> Schedule:
    async with db.transaction() as tx:
        return await schedules.resume(tx, schedule_id)


async def trigger(db: Database, schedule_id: int) -> Occurrence:
    async with db.transaction() as tx:
        return await schedules.trigger_now(tx, schedule_id, actor=ACTOR)


async def skip_one(db: Database, schedule_id: int, fire_at: datetime) -> None:
    async with db.transaction() as tx:
        await schedules.skip_one(tx, schedule_id, fire_at, actor=ACTOR)


async def tick(db: Database) -> int:
    """Until nothing is due."""
    taken = 0
    for _ in range(100):
        found = await ticks.tick_once(db)
        taken += found
        if not found:
            return taken
    raise AssertionError("a hundred ticks, and something is still due")


async def tick_at(db: Database, moment: datetime) -> None:
    await go_to(db, moment)
    await tick(db)


async def ledger(db: Database, schedule_id: int) -> list[Occurrence]:
    """Oldest first."""
    async with db.transaction() as tx:
        return (await occurrences.list_occurrences(tx, schedule_id, limit=100_000))[::-1]


async def decisions(db: Database, schedule_id: int) -> list[tuple[datetime, str, str]]:
    return [(one.fire_at, one.decision, one.reason) for one in await ledger(db, schedule_id)]


async def verdicts(db: Database, schedule_id: int) -> list[str]:
    """The ledger without its moments: `skipped late`."""
    return [f"{one.decision} {one.reason}" for one in await ledger(db, schedule_id)]


async def last(db: Database, schedule_id: int) -> Occurrence:
    return (await ledger(db, schedule_id))[-1]


async def assert_ledger_and_jobs_agree(db: Database) -> None:
    async with db.transaction() as tx:
        wrong = [dict(row) for row in await tx.rows(SQL.list_orphans)]
    assert wrong == [], "each enqueued occurrence has its one job, and ends exactly when the job does"
