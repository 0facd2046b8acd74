"""Pausing, resuming, triggering and skipping: right, visibility, change and audit in one commit."""

from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.engine import forecasts, occurrences, schedules, why
from pabal.engine.occurrences import Occurrence
from pabal.engine.schedules import NothingAhead, Schedule, ScheduleNotFound
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to

AREA = "schedules"


async def get_schedule(tx: Tx, scope: Scope, schedule_id: int) -> Schedule:
    found = await schedules.find(tx, schedule_id)
    if found is None or not scope.holds(found.unit_id):
        raise ScheduleNotFound(why.show_schedule(schedule_id))
    return found


async def get_occurrence(tx: Tx, scope: Scope, schedule_id: int, fire_at: datetime) -> Occurrence:
    """Also of a schedule that was deleted."""
    found = await occurrences.find_occurrence(tx, schedule_id, fire_at)
    if found is None or not scope.holds(found.unit_id):
        raise occurrences.OccurrenceNotFound(why.show_occurrence(schedule_id, fire_at))
    return found


async def pause_schedule(tx: Tx, actor: Actor, schedule_id: int, *, dry_run: bool = False) -> Schedule:
    """Nothing more is enqueued until it is resumed; what is enqueued already goes on."""
    before = await _open(tx, actor, schedule_id)
    if dry_run:
        return before
    after = await schedules.pause(tx, schedule_id, actor=actor.name)
    await _note(tx, actor, "schedules.pause", after, before=_shown(before), after=_shown(after))
    return after


async def resume_schedule(tx: Tx, actor: Actor, schedule_id: int, *, dry_run: bool = False) -> Schedule:
    """Goes on with the next moment; those that passed meanwhile are skipped."""
    before = await _open(tx, actor, schedule_id)
    if dry_run:
        return before
    after = await schedules.resume(tx, schedule_id)
    await _note(tx, actor, "schedules.resume", after, before=_shown(before), after=_shown(after))
    return after


async def trigger_schedule(tx: Tx, actor: Actor, schedule_id: int) -> Occurrence:
    """One more occurrence, now."""
    schedule = await _open(tx, actor, schedule_id)
    made = await schedules.trigger_now(tx, schedule_id, actor=actor.name)
    after = {"occurrence": why.show_occurrence(schedule_id, made.fire_at)}
    await _note(tx, actor, "schedules.trigger", schedule, after=after)
    return made


async def skip_occurrence(tx: Tx, actor: Actor, schedule_id: int, fire_at: datetime | None = None) -> datetime:
    """Decides in advance that this moment, or the next one, is skipped; answers which."""
    schedule = await _open(tx, actor, schedule_id)
    moment = fire_at or await _next_moment(tx, schedule_id)
    await schedules.skip_one(tx, schedule_id, moment, actor=actor.name)
    after = {"occurrence": why.show_occurrence(schedule_id, moment)}
    await _note(tx, actor, "schedules.skip", schedule, after=after)
    return moment


async def keep_occurrence(tx: Tx, actor: Actor, schedule_id: int, fire_at: datetime) -> None:
    """Takes a skip back while its moment is ahead."""
    schedule = await _open(tx, actor, schedule_id)
    await schedules.keep_one(tx, schedule_id, fire_at)
    before = {"occurrence": why.show_occurrence(schedule_id, fire_at)}
    await _note(tx, actor, "schedules.keep", schedule, before=before)


async def _open(tx: Tx, actor: Actor, schedule_id: int) -> Schedule:
    actor.require(Right.WRITE, AREA)
    return await get_schedule(tx, await visible_to(tx, actor), schedule_id)


async def _next_moment(tx: Tx, schedule_id: int) -> datetime:
    """The first that will fire: one that is skipped already is not skipped twice."""
    ahead = [one.moment for one in await forecasts.preview(tx, schedule_id, 1) if one.excluded in (None, "paused")]
    if not ahead:
        raise NothingAhead(why.show_schedule(schedule_id))
    return ahead[0]


def _shown(schedule: Schedule) -> dict[str, Any]:
    return {"paused": schedule.is_paused, "next_at": schedule.next_at and schedule.next_at.isoformat()}


async def _note(
    tx: Tx,
    actor: Actor,
    action: str,
    schedule: Schedule,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    about = why.show_schedule(schedule.id)
    await audit.record(tx, actor, action, about, unit_id=schedule.unit_id, before=before, after=after)
