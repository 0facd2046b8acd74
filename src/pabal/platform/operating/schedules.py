"""Pausing, resuming, triggering and skipping: right, visibility, change and audit in one commit.

Where an app keeps the schedule for something of its own, the verb is the app's: there is one behaviour.
"""

from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.engine import forecasts, occurrences, schedules, why
from pabal.engine.occurrences import Occurrence
from pabal.engine.schedules import NothingAhead, Schedule, ScheduleNotFound
from pabal.platform import audit
from pabal.platform.actor import Actor
from pabal.platform.controls import Owners, ScheduleVerbs, require_any_owner, require_owner
from pabal.platform.operating.model import tried
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


async def pause_schedule(tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners, dry_run: bool = False) -> Schedule:
    """Nothing more is enqueued until it is resumed; what is enqueued already goes on."""
    before, verbs = await _open(tx, actor, schedule_id, owners)
    async with tried(tx, dry_run=dry_run):
        if verbs is not None:
            await verbs.pause(tx, actor, before)
        else:
            after = await schedules.pause(tx, schedule_id, actor=actor.name)
            await _note(tx, actor, "schedules.pause", after, before=_shown(before), after=_shown(after))
    return await schedules.get(tx, schedule_id)


async def resume_schedule(tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners, dry_run: bool = False) -> Schedule:
    """Goes on with the next moment; those that passed meanwhile are skipped."""
    before, verbs = await _open(tx, actor, schedule_id, owners)
    async with tried(tx, dry_run=dry_run):
        if verbs is not None:
            await verbs.resume(tx, actor, before)
        else:
            after = await schedules.resume(tx, schedule_id)
            await _note(tx, actor, "schedules.resume", after, before=_shown(before), after=_shown(after))
    return await schedules.get(tx, schedule_id)


async def trigger_schedule(tx: Tx, actor: Actor, schedule_id: int, *, owners: Owners) -> Occurrence:
    """One more occurrence, now."""
    schedule, verbs = await _open(tx, actor, schedule_id, owners)
    if verbs is not None:
        return await verbs.trigger(tx, actor, schedule)
    made = await schedules.trigger_now(tx, schedule_id, actor=actor.name)
    after = {"occurrence": why.show_occurrence(schedule_id, made.fire_at)}
    await _note(tx, actor, "schedules.trigger", schedule, after=after)
    return made


async def skip_occurrence(
    tx: Tx, actor: Actor, schedule_id: int, fire_at: datetime | None = None, *, owners: Owners
) -> datetime:
    """Decides in advance that this moment, or the next one, is skipped; answers which."""
    schedule, verbs = await _open(tx, actor, schedule_id, owners)
    if verbs is not None:
        return await verbs.skip(tx, actor, schedule, fire_at)
    moment = fire_at or await _next_moment(tx, schedule_id)
    await schedules.skip_one(tx, schedule_id, moment, actor=actor.name)
    after = {"occurrence": why.show_occurrence(schedule_id, moment)}
    await _note(tx, actor, "schedules.skip", schedule, after=after)
    return moment


async def keep_occurrence(tx: Tx, actor: Actor, schedule_id: int, fire_at: datetime, *, owners: Owners) -> None:
    """Takes a skip back while its moment is ahead."""
    schedule, verbs = await _open(tx, actor, schedule_id, owners)
    if verbs is not None:
        await verbs.keep(tx, actor, schedule, fire_at)
        return
    await schedules.keep_one(tx, schedule_id, fire_at)
    before = {"occurrence": why.show_occurrence(schedule_id, fire_at)}
    await _note(tx, actor, "schedules.keep", schedule, before=before)


async def _open(tx: Tx, actor: Actor, schedule_id: int, owners: Owners) -> tuple[Schedule, ScheduleVerbs | None]:
    """With the verbs of the app that keeps it, if one does."""
    require_any_owner(actor, owners, AREA)
    found = await get_schedule(tx, await visible_to(tx, actor), schedule_id)
    require_owner(actor, owners, found.kind, AREA)
    owner = owners.get(found.kind)
    return found, None if owner is None else owner.verbs


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
