"""The tick: takes schedules that are due, decides about each of their moments, and moves them on, in one commit."""

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Database, Tx
from pabal.base.errors import Invalid
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import schedules
from pabal.engine.occurrences import decide_due
from pabal.engine.recurrence.timing import find_zone
from pabal.engine.schedules import Schedule, from_row

SQL = load(__file__)
BATCH = 1000
LOOK_AGAIN = timedelta(milliseconds=10)

declare("ticks.taken", "Schedules taken, and how late the first was", amount="count", seconds=True, level=logging.DEBUG)
declare("ticks.broken", "Schedules paused because their rule cannot be read", level=logging.ERROR)


@dataclass(frozen=True, slots=True)
class Pace:
    """How long the ticks may rest when nothing wakes them, and how many schedules one takes at most."""

    rest: timedelta = timedelta(seconds=5)
    most: int = BATCH


class Ticks:
    """The tick's loop: its pace is asked for anew before each rest, so it may follow the hour and the settings."""

    def __init__(self, database: Database, pace: Callable[[Tx], Awaitable[Pace]] | None = None) -> None:
        self._database = database
        self._ask = pace
        self._pace = Pace()

    def rest_seconds(self) -> float:
        return self._pace.rest.total_seconds()

    async def run_once(self) -> int:
        return await tick_once(self._database, most=self._pace.most)

    async def next_due(self) -> tuple[datetime | None, datetime]:
        if self._ask is not None:
            async with self._database.transaction() as tx:
                self._pace = await self._ask(tx)
        return await next_due(self._database)


async def tick_once(database: Database, *, most: int = BATCH) -> int:
    async with database.transaction() as tx:
        taken = await tick(tx, most=most)
        if taken:
            kill_point("schedules.decided")
    if taken:
        kill_point("schedules.committed")
    return taken


async def tick(tx: Tx, *, most: int = BATCH) -> int:
    """Takes the due schedules, at most so many; answers how many. Every server may do it at once."""
    ids = [row["id"] for row in await tx.rows(SQL.lock_due, batch=most)]
    due = await _load(tx, ids) if ids else []
    if due:
        await decide_due(tx, due)
        emit("ticks.taken", count=len(due), seconds=(tx.now - (due[0].next_at or tx.now)).total_seconds())
    return len(ids)


async def next_due(database: Database) -> tuple[datetime | None, datetime]:
    async with database.transaction() as tx:
        moment: datetime | None = await tx.value(SQL.find_next_due)
        # What is due but was not taken, somebody holds: look again soon, but do not spin.
        return None if moment is None else max(moment, tx.now + LOOK_AGAIN), tx.now


async def _load(tx: Tx, ids: list[int]) -> list[Schedule]:
    due: list[Schedule] = []
    broken: dict[int, str] = {}
    for row in await tx.rows(schedules.SQL.load_schedules, ids=ids):
        try:
            schedule = from_row(row)
            find_zone(schedule.zone)
        except Invalid as error:
            # A zone that the tz database dropped, say: one such schedule must not stop the others.
            broken[row["id"]] = str(error)
        else:
            due.append(schedule)
    if broken:
        await tx.run(SQL.pause_broken, ids=list(broken), problems=list(broken.values()))
        for schedule_id, problem in broken.items():
            emit("ticks.broken", schedule=schedule_id, problem=problem)
    return sorted(due, key=lambda schedule: (schedule.next_at or tx.now, schedule.id))
