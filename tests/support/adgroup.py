"""An ad group's machine, as tests need one: guards, a choice, timers, an effect that can be made to fail."""

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, Refusal, arms, choose, move
from pabal.engine.timers import Timer, list_timers
from pabal.engine.transitions import begin, transition

SQL = load(__file__)
ACTOR = "user:1"


class State(StrEnum):
    DRAFT = "draft"
    READY = "ready"
    APPROVED = "approved"
    RUNNING = "running"
    PAUSED = "paused"
    PENDING = "pending"
    EXPIRED = "expired"
    DELETED = "deleted"


class Event(StrEnum):
    COMPLETE_SETUP = "complete_setup"
    APPROVE = "approve"
    REJECT = "reject"
    START = "start"
    EXPIRE = "expire"
    DAILY_START = "daily_start"
    DAILY_END = "daily_end"
    PAUSE = "pause"
    RESUME = "resume"
    DELETE = "delete"


AIRED = (State.APPROVED, State.RUNNING, State.PAUSED, State.PENDING)
OPEN = tuple(state for state in State if state not in (State.EXPIRED, State.DELETED))


@dataclass(frozen=True)
class AdGroup:
    id: int
    unit_id: int | None
    state: str
    version: int
    has_creatives: bool
    start_at: datetime
    end_at: datetime
    day_from: time | None
    day_until: time | None
    note: str | None


def setup_is_complete(group: AdGroup, now: datetime) -> Refusal | None:
    return None if group.has_creatives else Refusal("no_creatives", {"creatives": 0})


def has_started(group: AdGroup, now: datetime) -> Refusal | None:
    if group.note == "throws":
        raise ZeroDivisionError("a guard with a mistake\0 in it")
    return None if now >= group.start_at else Refusal("too_early", {"now": now, "start_at": group.start_at})


def has_ended(group: AdGroup, now: datetime) -> Refusal | None:
    return None if now >= group.end_at else Refusal("not_yet_over", {"now": now, "end_at": group.end_at})


def is_not_over(group: AdGroup, now: datetime) -> Refusal | None:
    return None if now < group.end_at else Refusal("over", {"now": now, "end_at": group.end_at})


def is_inside_day(group: AdGroup, now: datetime) -> bool:
    return group.day_from is None or group.day_until is None or group.day_from <= now.time() < group.day_until


@arms(Event.START, Event.EXPIRE)
def start_and_expire(group: AdGroup, now: datetime) -> dict[str, datetime]:
    return {Event.START: group.start_at, Event.EXPIRE: group.end_at}


@arms(Event.DAILY_END, Event.EXPIRE)
def day_end_and_expire(group: AdGroup, now: datetime) -> dict[str, datetime | None]:
    return {Event.DAILY_END: next_at(group.day_until, now), Event.EXPIRE: group.end_at}


@arms(Event.DAILY_START, Event.EXPIRE)
def day_start_and_expire(group: AdGroup, now: datetime) -> dict[str, datetime | None]:
    return {Event.DAILY_START: next_at(group.day_from, now), Event.EXPIRE: group.end_at}


@arms(Event.EXPIRE)
def expire(group: AdGroup, now: datetime) -> dict[str, datetime]:
    return {Event.EXPIRE: group.end_at}


def next_at(clock: time | None, now: datetime) -> datetime | None:
    if clock is None:
        return None
    today = datetime.combine(now.date(), clock, UTC)
    return today if today > now else today + timedelta(days=1)


async def load_groups(tx: Tx, ids: list[int]) -> list[AdGroup]:
    return await tx.all(AdGroup, SQL.load_groups, ids=ids)


async def note_airing(tx: Tx, groups: list[AdGroup]) -> None:
    await tx.run(SQL.insert_airings, ids=[group.id for group in groups], state="running")
    if any(group.note == "doomed" for group in groups):
        await tx.run(SQL.poison_notes, ids=[group.id for group in groups])


def declare(**changes: Any) -> Machine:
    """The ad group's machine; tests of mistakes give other parts."""
    parts: dict[str, Any] = {
        "name": "adgroup",
        "table": "example.ad_group",
        "states": State,
        "initial": State.DRAFT,
        "final": (State.EXPIRED, State.DELETED),
        "moves": (
            move(Event.COMPLETE_SETUP, State.DRAFT, State.READY, guard=setup_is_complete),
            move(Event.APPROVE, State.READY, State.APPROVED, guard=is_not_over),
            move(Event.REJECT, State.READY, State.DRAFT),
            move(
                Event.EXPIRE,
                (State.APPROVED, State.RUNNING, State.PAUSED, State.PENDING),
                State.EXPIRED,
                guard=has_ended,
            ),
            move(Event.START, State.APPROVED, choose(is_inside_day, State.RUNNING, State.PENDING), guard=has_started),
            move(Event.DAILY_START, State.PENDING, State.RUNNING),
            move(Event.DAILY_END, State.RUNNING, State.PENDING),
            move(Event.PAUSE, (State.RUNNING, State.PENDING), State.PAUSED),
            move(Event.RESUME, State.PAUSED, choose(is_inside_day, State.RUNNING, State.PENDING), guard=is_not_over),
            move(Event.DELETE, OPEN, State.DELETED),
        ),
        "timers": {
            State.APPROVED: start_and_expire,
            State.RUNNING: day_end_and_expire,
            State.PAUSED: expire,
            State.PENDING: day_start_and_expire,
        },
        "effects": {State.RUNNING: note_airing},
        "loader": load_groups,
    }
    return Machine(**(parts | changes))


AD_GROUP = declare()


async def create_table(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.script(SQL.create_table.text)


async def add_groups(  # long: what an ad group is made of
    db: Database,
    count: int = 1,
    *,
    starts_in: timedelta = timedelta(hours=1),
    lasts: timedelta = timedelta(days=30),
    day: tuple[time, time] | None = None,
    unit_id: int | None = 7,
) -> list[int]:
    """New ad groups, begun, in draft."""
    async with db.transaction() as tx:
        start_at = tx.now + starts_in
        day_from, day_until = day or (None, None)
        values = {"start_at": start_at, "end_at": start_at + lasts, "day_from": day_from, "day_until": day_until}
        ids = [row["id"] for row in await tx.rows(SQL.insert_groups, count=count, unit_id=unit_id, **values)]
        await begin(tx, AD_GROUP, ids, actor=ACTOR)
    return ids


async def say(db: Database, group_id: int, *events: Event) -> None:
    for event in events:
        async with db.transaction() as tx:
            await transition(tx, AD_GROUP, group_id, event, actor=ACTOR)


async def get_group(db: Database, group_id: int) -> AdGroup:
    async with db.transaction() as tx:
        [group] = await load_groups(tx, [group_id])
    return group


async def set_note(db: Database, group_id: int, note: str | None) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.set_note, id=group_id, note=note)


async def timers_of(db: Database, group_id: int) -> dict[str, datetime | None]:
    async with db.transaction() as tx:
        timers: list[Timer] = await list_timers(tx, AD_GROUP, group_id)
    return {timer.event: timer.due_at for timer in timers}


async def until_somebody_waits(db: Database) -> None:
    """Returns when a transaction of this database waits for a lock."""
    async with asyncio.timeout(30):
        while not await _somebody_waits(db):
            await asyncio.sleep(0.01)


async def _somebody_waits(db: Database) -> bool:
    async with db.transaction() as tx:
        return bool(await tx.value(SQL.somebody_waits))
