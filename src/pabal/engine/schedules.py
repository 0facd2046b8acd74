"""Schedules as rows: put, edit, pause, resume, trigger, skip one. The tick turns them into jobs."""

from collections.abc import Sequence
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.errors import Invalid, NotFound
from pabal.base.sql import load
from pabal.engine import occurrences
from pabal.engine.misfires import Misfire, Overlap
from pabal.engine.occurrences import Occurrence
from pabal.engine.recurrence import Timing
from pabal.engine.timetable import BadSchedule, NewSchedule, Schedule, check, from_row, to_columns

__all__ = ["BadSchedule", "Misfire", "NewSchedule", "Overlap", "Schedule"]

SQL = load(__file__)


class ScheduleNotFound(NotFound):
    """There is no such schedule."""


class NothingAhead(Invalid):
    """This schedule would never fire: all its moments are past, or outside its validity."""


class NotAMoment(Invalid):
    """Only a moment of the schedule that is still ahead can be skipped."""


class OutsideValidity(Invalid):
    """Nothing fires outside a schedule's validity, not even by hand."""


async def put(tx: Tx, new: NewSchedule) -> Schedule:
    """Its first moment is after now, whatever its validity says: what was before it existed is not made up for."""
    next_at = check(new).next_after(tx.now)
    if next_at is None:
        raise NothingAhead(new.name)
    schedule_id = await tx.value(SQL.insert_schedule, **to_columns(new), next_at=next_at)
    tx.hint("schedules", next_at)
    return await get(tx, schedule_id)


async def edit(tx: Tx, schedule_id: int, new: NewSchedule) -> Schedule:
    """From now on as given: `edit(tx, old.id, replace(old, zone="UTC"))`. What was due before is decided as it was."""
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
