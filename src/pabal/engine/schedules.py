"""Schedules as rows: put, edit, pause, resume, trigger, skip one. The tick turns them into jobs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from pabal.base.database import Row, Tx
from pabal.base.errors import Invalid, NotFound
from pabal.base.sql import load
from pabal.engine import occurrences, queue, widths
from pabal.engine.misfires import LARGEST_MAX, Misfire, Overlap, Policy
from pabal.engine.occurrences import Occurrence
from pabal.engine.queue import NewJob, Priority
from pabal.engine.recurrence import Fold, Gap, Recurrence, Timing, Window, from_json, to_json

SQL = load(__file__)

RESERVED_ARGS = ("schedule_id", "fire_at")


class BadSchedule(Invalid, code="bad_schedule"):
    """This schedule cannot be kept as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSchedule:
    """When to enqueue which job.

    The job gets these args and two more: `schedule_id` and `fire_at`, the moment in ISO 8601. `expires_after` counts
    from the moment. `misfire_window`: older moments are never made up for (None: however old). `deadline` and
    `max_failures` are its jobs'.
    """

    name: str
    kind: str
    recurrence: Recurrence
    zone: str
    args: dict[str, Any] = field(default_factory=dict)
    about: str | None = None
    route: str | None = None
    label: str | None = None
    lane: str | None = None
    priority: Priority = Priority.NORMAL
    expires_after: timedelta | None = None
    deadline: timedelta | None = None
    max_failures: int = 5
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    misfire: Misfire = Misfire.LATEST
    misfire_window: timedelta | None = timedelta(minutes=5)
    misfire_max: int | None = None
    overlap: Overlap = Overlap.ALLOW
    dst_gap: Gap = "shift"
    dst_fold: Fold = "first"
    unit_id: int | None = None

    @property
    def window(self) -> Window:
        return Window(self.valid_from, self.valid_until)

    @property
    def timing(self) -> Timing:
        return Timing(self.recurrence, self.zone, self.window, self.dst_gap, self.dst_fold)

    @property
    def policy(self) -> Policy:
        return Policy(self.misfire, self.misfire_window, self.misfire_max, self.overlap, self.expires_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(NewSchedule):
    """`next_at` is its first moment without a decision, None when there is none ahead; `problem`: why we paused it."""

    id: int
    next_at: datetime | None
    paused_at: datetime | None
    paused_by: str | None
    problem: str | None
    created_at: datetime

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None

    def job_for(self, fire_at: datetime) -> NewJob:
        lane = self.lane
        if self.overlap in (Overlap.QUEUE, Overlap.CANCEL_PREVIOUS) and lane is None:
            lane = f"schedule:{self.id}"
        return NewJob(
            self.kind,
            {**self.args, "schedule_id": self.id, "fire_at": fire_at.isoformat()},
            lane=lane,
            route=self.route,
            label=self.label,
            about=self.about,
            priority=self.priority,
            expires_at=None if self.expires_after is None else fire_at + self.expires_after,
            deadline=self.deadline,
            max_failures=self.max_failures,
            unit_id=self.unit_id,
            cause=f"schedule:{self.id}",
        )


def check(new: NewSchedule) -> Timing:
    """Raises an Invalid that says what cannot be right; answers the timing, which is right then."""
    job = NewJob(new.kind, lane=new.lane, route=new.route, label=new.label)
    queue.check_job(replace(job, deadline=new.deadline, max_failures=new.max_failures))
    if not new.name.strip():
        raise BadSchedule("a schedule has a name")
    taken = [name for name in RESERVED_ARGS if name in new.args]
    if taken:
        raise BadSchedule(f"the engine itself gives the args {' and '.join(taken)}")
    if (new.misfire is Misfire.ALL) != (new.misfire_max is not None):
        raise BadSchedule("misfire_max belongs to the misfire policy all, which needs it")
    if new.misfire_max is not None and not 1 <= new.misfire_max <= LARGEST_MAX:
        raise BadSchedule(f"misfire_max is 1 to {LARGEST_MAX}, not {new.misfire_max}")
    for name in ("misfire_window", "expires_after"):
        span: timedelta | None = getattr(new, name)
        if span is not None and span <= timedelta(0):
            raise BadSchedule(f"{name} is longer than nothing")
    return new.timing


async def _check_lane(tx: Tx, new: NewSchedule) -> None:
    """Moments that must not overlap need a lane that lets one go at a time."""
    is_alone = new.overlap in (Overlap.QUEUE, Overlap.CANCEL_PREVIOUS)
    if is_alone and new.lane is not None and await widths.find(tx, new.lane.partition(":")[0]) is not None:
        raise BadSchedule(f"lane {new.lane} is shared, so that jobs of this schedule would overlap in it")


def from_row(row: Row) -> Schedule:
    values = dict(row)
    values["recurrence"] = _read_recurrence(values["recurrence"])
    values["priority"] = Priority(values["priority"])
    values["misfire"] = Misfire(values["misfire"])
    values["overlap"] = Overlap(values["overlap"])
    return Schedule(**values)


# Cached because a million schedules share some thousand times of day.
@lru_cache(maxsize=8192)
def _read_recurrence(text: str) -> Recurrence:
    return from_json(json.loads(text))


def to_columns(new: NewSchedule) -> dict[str, Any]:
    return {
        "unit_id": new.unit_id,
        "name": new.name,
        "kind": new.kind,
        "args": new.args,
        "about": new.about,
        "route": new.route,
        "label": new.label,
        "lane": new.lane,
        "priority": new.priority,
        "expires_after": new.expires_after,
        "deadline": new.deadline,
        "max_failures": new.max_failures,
        "recurrence": to_json(new.recurrence),
        "zone": new.zone,
        "valid_from": new.valid_from,
        "valid_until": new.valid_until,
        "misfire": new.misfire,
        "misfire_window": new.misfire_window,
        "misfire_max": new.misfire_max,
        "overlap": new.overlap,
        "dst_gap": new.dst_gap,
        "dst_fold": new.dst_fold,
    }


__all__ = ["BadSchedule", "Misfire", "NewSchedule", "Overlap", "Schedule"]


class ScheduleNotFound(NotFound, code="schedule_not_found"):
    """There is no such schedule."""


class NothingAhead(Invalid, code="nothing_ahead"):
    """This schedule would never fire: all its moments are past, or outside its validity."""


class NotAMoment(Invalid, code="not_a_moment"):
    """Only a moment of the schedule that is still ahead can be skipped."""


class OutsideValidity(Invalid, code="outside_validity"):
    """Nothing fires outside a schedule's validity, not even by hand."""


async def put(tx: Tx, new: NewSchedule) -> Schedule:
    """Its first moment is after now, whatever its validity says: what was before it existed is not made up for."""
    await _check_lane(tx, new)
    next_at = check(new).next_after(tx.now)
    if next_at is None:
        raise NothingAhead(new.name)
    schedule_id = await tx.value(SQL.insert_schedule, **to_columns(new), next_at=next_at)
    tx.hint("schedules", next_at)
    return await get(tx, schedule_id)


async def edit(tx: Tx, schedule_id: int, new: NewSchedule) -> Schedule:
    """From now on as given: `edit(tx, old.id, replace(old, zone="UTC"))`. What was due before is decided as it was."""
    await _check_lane(tx, new)
    timing = check(new)
    old = await _lock(tx, schedule_id)
    if old.problem is None:
        await occurrences.catch_up(tx, old, withheld="paused" if old.is_paused else None)
    await _drop_vain_asks(tx, schedule_id, timing)
    next_at = timing.next_after(tx.now)
    await tx.run(SQL.update_schedule, id=schedule_id, **to_columns(new), next_at=next_at)
    if next_at is not None:
        tx.hint("schedules", next_at)
    return await get(tx, schedule_id)


async def delete(tx: Tx, schedule_id: int) -> None:
    """Its jobs go on, its ledger stays. Moments that nobody had looked at yet are skipped."""
    schedule = await _lock(tx, schedule_id)
    if schedule.problem is None:
        await occurrences.catch_up(tx, schedule, withheld="paused" if schedule.is_paused else "deleted")
    await _drop_vain_asks(tx, schedule_id, None)
    await tx.run(SQL.delete_schedule, id=schedule_id)


async def find(tx: Tx, schedule_id: int) -> Schedule | None:
    rows = await tx.rows(SQL.load_schedules, ids=[schedule_id])
    return from_row(rows[0]) if rows else None


async def get(tx: Tx, schedule_id: int) -> Schedule:
    schedule = await find(tx, schedule_id)
    if schedule is None:
        raise ScheduleNotFound(f"schedule {schedule_id}")
    return schedule


async def list_schedules(
    tx: Tx,
    *,
    units: Sequence[int] | None = None,
    about: str | None = None,
    kind: str | None = None,
    after: int = 0,
    limit: int = 100,
) -> list[Schedule]:
    """In the order of ids; the next page is after the last one's id. `units` None means of any unit."""
    given = None if units is None else list(units)
    rows = await tx.rows(SQL.list_schedules, units=given, about=about, kind=kind, after=after, limit_rows=limit)
    return await load_many(tx, [row["id"] for row in rows])


async def load_many(tx: Tx, ids: Sequence[int]) -> list[Schedule]:
    """In the order given; those that are gone are left out."""
    found = {row["id"]: from_row(row) for row in await tx.rows(SQL.load_schedules, ids=list(ids))}
    return [found[each] for each in ids if each in found]


async def pause(tx: Tx, schedule_id: int, *, actor: str) -> Schedule:
    """After its commit nothing is enqueued; what is already keeps its place (withdraw it by its `about`)."""
    await _lock(tx, schedule_id)
    await tx.run(SQL.pause_schedule, id=schedule_id, actor=actor)
    return await get(tx, schedule_id)


async def resume(tx: Tx, schedule_id: int) -> Schedule:
    """Goes on with the next moment; all that had no decision by now are skipped, with the reason paused."""
    schedule = await _lock(tx, schedule_id)
    if not schedule.is_paused:
        return schedule
    await occurrences.catch_up(tx, schedule, withheld="paused")
    next_at = schedule.timing.next_after(tx.now)
    await tx.run(SQL.resume_schedule, id=schedule_id, next_at=next_at)
    if next_at is not None:
        tx.hint("schedules", next_at)
    return await get(tx, schedule_id)


async def trigger_now(tx: Tx, schedule_id: int, *, actor: str) -> Occurrence:
    """One more occurrence, now. A person's word beats pause and overlap=skip; in a lane it still waits for its turn."""
    schedule = await _lock(tx, schedule_id)
    window = schedule.window
    if (window.valid_from is not None and tx.now < window.valid_from) or (
        window.valid_until is not None and tx.now >= window.valid_until
    ):
        raise OutsideValidity(f"schedule {schedule_id}")
    return await occurrences.add_triggered(tx, schedule, actor=actor)


async def skip_one(tx: Tx, schedule_id: int, fire_at: datetime, *, actor: str) -> None:
    """Decides in advance that this moment is skipped."""
    schedule = await _lock(tx, schedule_id)
    if fire_at.tzinfo is None or fire_at <= tx.now or not _is_moment(schedule.timing, fire_at):
        raise NotAMoment(f"schedule {schedule_id} at {fire_at.isoformat()}")
    await occurrences.add_asked(tx, schedule_id, fire_at, actor=actor, unit_id=schedule.unit_id)


async def keep_one(tx: Tx, schedule_id: int, fire_at: datetime) -> None:
    """Takes a `skip_one` back while its moment is ahead."""
    await _lock(tx, schedule_id)
    if not await occurrences.drop_asked(tx, schedule_id, [fire_at]):
        raise NotAMoment(f"schedule {schedule_id} at {fire_at.isoformat()} is not skipped")


async def hold(tx: Tx, schedule_id: int) -> None:
    """Locks its row, if it is there: whoever changes it comes after."""
    await tx.value(SQL.lock_schedule, id=schedule_id)


async def _lock(tx: Tx, schedule_id: int) -> Schedule:
    """Waits for a tick that has it; a tick that comes later leaves it."""
    if await tx.value(SQL.lock_schedule, id=schedule_id) is None:
        raise ScheduleNotFound(f"schedule {schedule_id}")
    return await get(tx, schedule_id)


async def _drop_vain_asks(tx: Tx, schedule_id: int, timing: Timing | None) -> None:
    """Asks to skip a moment that will not be."""
    asked = (await occurrences.list_asked(tx, [schedule_id], after=tx.now)).get(schedule_id, [])
    vain = [moment for moment in asked if timing is None or not _is_moment(timing, moment)]
    if vain:
        await occurrences.drop_asked(tx, schedule_id, vain)


def _is_moment(timing: Timing, moment: datetime) -> bool:
    return timing.next_after(moment - datetime.resolution) == moment
