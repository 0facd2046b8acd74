"""What will happen: the next moments of one schedule, with a reason beside those that will not fire; and of all."""

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import occurrences, recurrence, schedules
from pabal.engine.recurrence import Upcoming
from pabal.engine.schedules import Schedule

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Forecast:
    """One moment ahead; `is_skipped`: somebody asked to skip it."""

    moment: datetime
    schedule: Schedule
    is_skipped: bool


async def preview(tx: Tx, schedule_id: int, count: int) -> list[Upcoming]:
    """The next `count` that will fire, or would if it were not paused; between them, with why, those that will not."""
    schedule = await schedules.get(tx, schedule_id)
    asked = await occurrences.list_asked(tx, [schedule_id], after=tx.now)
    return recurrence.preview(
        schedule.timing, tx.now, count, skipped=asked.get(schedule_id, []), paused=schedule.is_paused
    )


async def list_upcoming(
    tx: Tx, *, until: datetime | None = None, units: Sequence[int] | None = None, limit: int = 100
) -> list[Forecast]:
    """The next moments of all schedules that are not paused, soonest first."""
    given = None if units is None else list(units)
    rows = await tx.rows(SQL.list_next, units=given, until=until, limit_rows=limit)
    found = await schedules.load_many(tx, [row["id"] for row in rows])
    asked = await occurrences.list_asked(tx, [schedule.id for schedule in found], after=tx.now)
    lines = [_moments_of(schedule, asked.get(schedule.id, []), until) for schedule in found]
    return list(islice(heapq.merge(*lines, key=lambda one: (one.moment, one.schedule.id)), limit))


def _moments_of(schedule: Schedule, asked: Sequence[datetime], until: datetime | None) -> Iterator[Forecast]:
    first = schedule.next_at
    if first is None:
        return
    for moment in chain([first], occurrences.moments_after(schedule.timing, first)):
        if until is not None and moment > until:
            return
        yield Forecast(moment, schedule, moment in asked)
