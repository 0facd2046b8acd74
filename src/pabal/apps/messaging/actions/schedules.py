"""The verbs of a schedule: right, sight, change, fact and audit in one commit. The engine's schedule follows each."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pabal.apps.messaging import asking
from pabal.apps.messaging.actions import bulks, checking, timetables
from pabal.apps.messaging.actions.checking import AREA, survey
from pabal.apps.messaging.actions.timetables import end_all, withdraw
from pabal.apps.messaging.errors import (
    ScheduleChanged,
    ScheduleNotFound,
    ScheduleOver,
    ScheduleRefused,
)
from pabal.apps.messaging.machine import SCHEDULE, ScheduleEvent
from pabal.apps.messaging.model.checks import list_picture_ids
from pabal.apps.messaging.model.deliveries import about_of
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule, ScheduleState
from pabal.apps.messaging.store import schedules as store
from pabal.apps.messaging.store.audiences import put_audience
from pabal.base.database import Tx
from pabal.engine import facts, forecasts, queue
from pabal.engine import schedules as engine
from pabal.engine.occurrences import Occurrence
from pabal.engine.transitions import begin, transition
from pabal.platform import approvals, audit, storage
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import visible_to

_State, _Event = ScheduleState, ScheduleEvent


async def create(tx: Tx, actor: Actor, new: NewSchedule) -> Schedule:
    """It belongs to its room's unit, or to the one a superior names; who saved it is kept apart."""
    actor.require(Right.WRITE, AREA)
    found = await survey(tx, actor, new, None)
    if found.checked.problems:
        raise ScheduleRefused(found.checked.problems)
    made = await store.insert_schedule(tx, found.new, unit_id=found.unit_id, created_by=actor.name)
    await put_audience(tx, made, found.new.audience)
    await begin(tx, SCHEDULE, [made], actor=actor.name)
    schedule = await _load(tx, made)
    await checking.settle(tx, schedule.about, [], list_picture_ids(schedule.content))
    await timetables.put(tx, schedule)
    if not new.is_active:
        await _stop(tx, actor, await _load(tx, made))
    after = await _load(tx, made)
    await _note(tx, actor, "create_schedule", after, after=_shown(after))
    return after


async def edit(
    tx: Tx, actor: Actor, schedule_id: int, new: NewSchedule, *, expect_version: int | None = None
) -> Schedule:
    """What is due from now on is as given; what has begun goes on as it was. New moments reopen a completed one."""
    before = await _hold(tx, actor, schedule_id)
    if expect_version is not None and before.version != expect_version:
        raise ScheduleChanged(f"{before.about} is at {before.version}, not {expect_version}")
    return await _edit(tx, actor, before, new)


async def amend(tx: Tx, actor: Actor, schedule_id: int, merge: Callable[[Schedule], NewSchedule]) -> Schedule:
    """`edit`, to what `merge` makes of the schedule as it is under the lock: two who say different things of it lose
    nothing."""
    before = await _hold(tx, actor, schedule_id)
    return await _edit(tx, actor, before, merge(before))


async def activate(tx: Tx, actor: Actor, schedule_id: int, *, reason: str | None = None) -> Schedule:
    """Goes on with its next moment; without one it is completed. After errors it starts to count them anew."""
    return await _activate(tx, actor, await _hold(tx, actor, schedule_id), reason=reason)


async def deactivate(tx: Tx, actor: Actor, schedule_id: int, *, reason: str | None = None) -> Schedule:
    """Nothing more is sent; what waits is withdrawn, what has begun goes on. One that errors stopped stays so."""
    return await _deactivate(tx, actor, await _hold(tx, actor, schedule_id), reason=reason)


async def toggle(tx: Tx, actor: Actor, schedule_id: int) -> Schedule:
    before = await _hold(tx, actor, schedule_id)
    return await (_deactivate if before.is_active else _activate)(tx, actor, before)


async def delete(tx: Tx, actor: Actor, schedule_id: int, *, reason: str | None = None) -> None:
    """Nobody sees it any more and nothing of it is sent; its deliveries stay in the log."""
    await _remove(tx, actor, await _hold(tx, actor, schedule_id), reason=reason)


async def purge(tx: Tx, actor: Actor, schedule_id: int) -> None:
    """Also one that was deleted: the row and all its deliveries are gone for good."""
    actor.require(Right.MANAGE, AREA)
    await store.lock_schedule(tx, schedule_id)
    found = await store.find_schedule(tx, schedule_id)
    if found is None or not (await visible_to(tx, actor)).holds(found.unit_id):
        raise ScheduleNotFound(str(schedule_id))
    await end_all(tx, actor, found)
    if found.state != _State.DELETED:
        await _remove(tx, actor, found)
    deliveries = await store.list_delivery_ids(tx, schedule_id)
    await storage.release_all(tx, [about_of(each) for each in deliveries])
    await approvals.close(tx, asking.MISSED, deliveries, None, actor=actor.name)
    await store.delete_schedule(tx, schedule_id)
    await _note(tx, actor, "purge_schedule", found, before=_shown(found))


async def skip(tx: Tx, actor: Actor, schedule_id: int, at: datetime | None = None) -> datetime:
    """One moment, or the next, is not sent; answers which. When none is left ahead, it is completed."""
    schedule = await _hold(tx, actor, schedule_id)
    timetable_id = _timetable_of(schedule)
    moment = at or await _next_moment(tx, schedule)
    await engine.skip_one(tx, timetable_id, moment, actor=actor.name)
    after = await _load(tx, schedule_id)
    if after.is_active and after.next_send_at is None and not await queue.find_open(tx, about=after.about):
        await _move_on(tx, actor, schedule_id, _Event.COMPLETE, reason="every moment ahead is skipped")
    await _say(tx, actor, "skip", after, moment)
    return moment


async def keep(tx: Tx, actor: Actor, schedule_id: int, at: datetime) -> None:
    """Takes a skip back while its moment is ahead."""
    schedule = await _hold(tx, actor, schedule_id)
    await engine.keep_one(tx, _timetable_of(schedule), at)
    if schedule.state == _State.COMPLETED:
        await _move_on(tx, actor, schedule_id, _Event.REOPEN)
    await _say(tx, actor, "keep", await _load(tx, schedule_id), at)


async def send_now(tx: Tx, actor: Actor, schedule_id: int) -> int:
    """Answers the id of the job of `trigger`."""
    return (await trigger(tx, actor, schedule_id)).work_id or 0


async def trigger(tx: Tx, actor: Actor, schedule_id: int) -> Occurrence:
    """One more send, now, within the validity. It waits for the bot and the room's limits.

    A person's word: also of one that is inactive or completed.
    """
    schedule = await _hold(tx, actor, schedule_id)
    made = await engine.trigger_now(tx, _timetable_of(schedule), actor=actor.name)
    await _say(tx, actor, "send", schedule, made.fire_at)
    return made


async def _hold(tx: Tx, actor: Actor, schedule_id: int) -> Schedule:
    """Locked, so that two who change it come one after the other."""
    actor.require(Right.WRITE, AREA)
    await store.lock_schedule(tx, schedule_id)
    return await store.get_schedule(tx, await visible_to(tx, actor), schedule_id)


async def _load(tx: Tx, schedule_id: int) -> Schedule:
    [schedule] = await store.load_schedules(tx, [schedule_id])
    return schedule


async def _edit(tx: Tx, actor: Actor, before: Schedule, new: NewSchedule) -> Schedule:
    schedule_id = before.id
    found = await survey(tx, actor, new, before)
    if found.checked.problems:
        raise ScheduleRefused(found.checked.problems)
    await store.update_schedule(tx, schedule_id, found.new, unit_id=found.unit_id)
    await put_audience(tx, schedule_id, found.new.audience)
    await _move_on(tx, actor, schedule_id, _Event.EDIT)
    edited = await _load(tx, schedule_id)
    await checking.settle(tx, edited.about, list_picture_ids(before.content), list_picture_ids(edited.content))
    timetable = await timetables.edit(tx, edited)
    await _follow(tx, actor, edited, timetable, is_active=new.is_active)
    if _goes_elsewhere(before, edited):
        await _move(tx, actor, schedule_id)
    after = await _load(tx, schedule_id)
    await facts.record(tx, "messaging.schedule_edited", after.about, {"actor": actor.name}, after.unit_id)
    await _note(tx, actor, "edit_schedule", after, before=_shown(before), after=_shown(after))
    return after


async def _activate(tx: Tx, actor: Actor, before: Schedule, *, reason: str | None = None) -> Schedule:
    if before.is_active:
        return before
    if before.state == _State.COMPLETED:
        raise ScheduleOver(before.about)
    await _start(tx, actor, before, reason=reason)
    return await _changed(tx, actor, "activate_schedule", before)


async def _deactivate(tx: Tx, actor: Actor, before: Schedule, *, reason: str | None = None) -> Schedule:
    if before.state in (_State.INACTIVE, _State.ERROR):
        return before
    if before.state == _State.COMPLETED:
        raise ScheduleOver(before.about)
    await _stop(tx, actor, before, reason=reason)
    return await _changed(tx, actor, "deactivate_schedule", before)


async def _start(tx: Tx, actor: Actor, schedule: Schedule, *, reason: str | None = None) -> None:
    if schedule.timetable_id is not None:
        await engine.resume(tx, schedule.timetable_id)
    await store.clear_failures(tx, schedule.id)
    await _move_on(tx, actor, schedule.id, _Event.ACTIVATE, reason=reason)


async def _stop(tx: Tx, actor: Actor, schedule: Schedule, *, reason: str | None = None) -> None:
    if schedule.timetable_id is not None:
        await engine.pause(tx, schedule.timetable_id, actor=actor.name)
    await _move_on(tx, actor, schedule.id, _Event.DEACTIVATE, reason=reason)
    await withdraw(tx, actor, schedule)
    await bulks.withdraw(tx, actor, schedule.id, "paused")


async def _follow(tx: Tx, actor: Actor, schedule: Schedule, timetable: engine.Schedule, *, is_active: bool) -> None:
    """Brings the state in line with an edit."""
    if schedule.state == _State.COMPLETED and timetable.next_at is not None:
        if timetable.is_paused:
            await engine.resume(tx, timetable.id)
        await _move_on(tx, actor, schedule.id, _Event.REOPEN)
        schedule = await _load(tx, schedule.id)
    if schedule.is_active and not is_active:
        await _stop(tx, actor, schedule)
    elif schedule.state in (_State.INACTIVE, _State.ERROR) and is_active:
        await _start(tx, actor, schedule)


def _goes_elsewhere(before: Schedule, after: Schedule) -> bool:
    """By another bot, or to many rooms instead of one. A bulk chooses its bots when its moment comes."""
    if before.audience is None and after.audience is None:
        return before.bot_id != after.bot_id
    return before.audience is None or after.audience is None


async def _move(tx: Tx, actor: Actor, schedule_id: int) -> None:
    """What waits for the bot it had goes out by the new one, now: a job cannot change its route."""
    schedule = await _load(tx, schedule_id)
    ended = await withdraw(tx, actor, schedule)
    window = schedule.when.timing.window
    is_valid = window.valid_from is not None and window.valid_until is not None
    if ended and schedule.is_active and is_valid and schedule.when.valid_from <= tx.now <= schedule.when.valid_until:
        await engine.trigger_now(tx, _timetable_of(schedule), actor=actor.name)


async def _remove(tx: Tx, actor: Actor, schedule: Schedule, *, reason: str | None = None) -> None:
    if schedule.timetable_id is not None:
        await engine.delete(tx, schedule.timetable_id)
    await _move_on(tx, actor, schedule.id, _Event.DELETE, reason=reason)
    await store.note_change(tx, schedule.id, is_deleted=True)
    await withdraw(tx, actor, schedule)
    await bulks.withdraw(tx, actor, schedule.id, "cancelled")
    await checking.settle(tx, schedule.about, list_picture_ids(schedule.content), [])
    await _note(tx, actor, "delete_schedule", schedule, before=_shown(schedule))


async def _move_on(tx: Tx, actor: Actor, schedule_id: int, event: ScheduleEvent, *, reason: str | None = None) -> None:
    await transition(tx, SCHEDULE, schedule_id, event, actor=actor.name, reason=reason)
    await store.note_change(tx, schedule_id)


async def _changed(tx: Tx, actor: Actor, action: str, before: Schedule) -> Schedule:
    after = await _load(tx, before.id)
    await _note(tx, actor, action, after, before=_shown(before), after=_shown(after))
    return after


def _timetable_of(schedule: Schedule) -> int:
    if schedule.timetable_id is None:
        raise ScheduleOver(schedule.about)
    return schedule.timetable_id


async def _next_moment(tx: Tx, schedule: Schedule) -> datetime:
    rows = await forecasts.preview(tx, _timetable_of(schedule), 1)
    ahead = [one.moment for one in rows if one.excluded in (None, "paused")]
    if not ahead:
        raise ScheduleOver(schedule.about)
    return ahead[0]


async def _say(tx: Tx, actor: Actor, verb: str, schedule: Schedule, at: datetime) -> None:
    """Of one moment: what no machine says."""
    said = {"skip": "skipped", "keep": "kept", "send": "sent_now"}[verb]
    data = {"actor": actor.name, "at": at.isoformat()}
    await facts.record(tx, f"messaging.schedule_{said}", schedule.about, data, schedule.unit_id)
    action = "send_schedule_now" if verb == "send" else f"{verb}_schedule"
    await _note(tx, actor, action, schedule, after={"at": at.isoformat()})


async def _note(
    tx: Tx,
    actor: Actor,
    action: str,
    schedule: Schedule,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    about, unit_id = schedule.about, schedule.unit_id
    await audit.record(tx, actor, f"messaging.{action}", about, unit_id=unit_id, before=before, after=after)


def _shown(schedule: Schedule) -> dict[str, Any]:
    """For the audit, in the words of the form."""
    content, when = schedule.content, schedule.when
    named = {name: [picture.name for picture in getattr(content, name)] for name in ("images_1", "images_2")}
    return {
        "title": schedule.title,
        "description": schedule.description,
        "state": schedule.state,
        "unit_id": schedule.unit_id,
        "room": schedule.room_name,
        "bot": schedule.bot_name,
        **({} if schedule.audience is None else {"audience": asdict(schedule.audience)}),
        **content.to_json(),
        **named,
        "schedule_type": when.schedule_type,
        "schedule_date": when.schedule_date and when.schedule_date.isoformat(),
        "schedule_time": when.schedule_time.isoformat(),
        "schedule_weekdays": [day.name for day in when.schedule_weekdays],
        **({"more_times": [one.isoformat() for one in when.more_times]} if when.more_times else {}),
        **({"every_weeks": when.every_weeks} if when.every_weeks > 1 else {}),
        "zone": when.zone,
        "valid_from": when.valid_from.isoformat(),
        "valid_until": when.valid_until.isoformat(),
        "late_policy": schedule.late_policy,
    }
