"""One occurrence to many rooms: opened with the rooms of that moment, withdrawn or missed, what is missing sent."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import endings, opening
from pabal.apps.messaging.actions.endings import End, Ended
from pabal.apps.messaging.errors import NothingMissing
from pabal.apps.messaging.machine import DELIVERY, DeliveryEvent
from pabal.apps.messaging.model.bulks import Audience, BulkRoom, BulkSend, Target, choose_bots, list_turns
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.model.schedules import LatePolicy, Schedule
from pabal.apps.messaging.model.variables import fill, values_of
from pabal.apps.messaging.store import bulks as store
from pabal.apps.messaging.store import schedules, sending
from pabal.apps.messaging.store.audiences import list_audience_rooms
from pabal.apps.messaging.store.groups import find_group
from pabal.apps.messaging.store.sending import DeliveryToSend, Occurrence
from pabal.base.database import Tx
from pabal.engine import withdrawals
from pabal.engine.kinds import Kinds
from pabal.engine.transitions import begin, transition_all
from pabal.platform import audit, settings
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.settings import Values
from pabal.platform.tenants import visible_to

AREA = "messaging"
NEEDED = (own.CATCHUP_WINDOW, own.RETRY_HORIZON, own.TAKEOVER_AFTER)
_MISSING = (DeliveryState.MISSED, DeliveryState.FAILED, DeliveryState.PARTIAL)
# what is ended here is written here
_NOBODY = Kinds()


async def open_bulk(tx: Tx, occurrence: Occurrence, *, job_id: int | None) -> BulkSend | None:
    """With a delivery for each room, on its way. None: the schedule may not send any more."""
    opened = await _open(tx, occurrence, job_id=job_id, must_be_active=True)
    if opened is None:
        return None
    bulk, deliveries = opened
    await opening.dispatch_many(tx, deliveries, until=bulk.until)
    return bulk


async def miss(tx: Tx, occurrence: Occurrence, reason: str, detail: dict[str, Any]) -> bool:
    """Each of its rooms was missed. False: it does not go to many rooms."""
    schedule = await schedules.find_schedule(tx, occurrence.schedule_id)
    if schedule is None or schedule.audience is None:
        return False
    opened = await _open(tx, occurrence, job_id=None, must_be_active=False)
    if opened is not None:
        is_skipped = schedule.late_policy == LatePolicy.SKIP
        told = {**detail, "dismissed_by": "policy"} if is_skipped else detail
        end = End(DeliveryEvent.MISS, reason, told)
        await endings.end_all(tx, [Ended(one, end) for one in opened[1]])
    return True


async def withdraw(tx: Tx, actor: Actor, schedule_id: int, code: str) -> None:
    """The schedule is locked. Rooms whose turn has not come are not sent to; what has begun goes on.

    `code` says why. Somebody wanted it: nobody has to decide about it again.
    """
    waiting = await store.list_waiting(tx, schedule_id)
    if not waiting:
        return
    reason = f"cancelled by {actor.name}"
    done = await withdrawals.cancel_jobs(tx, list(waiting.values()), kinds=_NOBODY, reason=reason)
    ended = {job_id: delivery_id for delivery_id, job_id in waiting.items() if job_id in done.ended}
    found = await sending.find_deliveries(tx, list(ended.values()))
    end = End(DeliveryEvent.MISS, code, {"dismissed_by": actor.name, "said": reason})
    await endings.end_all(tx, [Ended(found[one], end, job_id) for job_id, one in ended.items()])


async def send_missing(tx: Tx, actor: Actor, bulk_id: int, *, resend_unknown: bool = False) -> BulkSend:
    """Every room that got nothing or not all of it. Those of which nobody knows only when that is said."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    bulk = await store.get_bulk(tx, scope, bulk_id)
    states = (*_MISSING, DeliveryState.UNKNOWN) if resend_unknown else _MISSING
    ids = await store.list_missing(tx, bulk_id, states)
    if not ids:
        raise NothingMissing(bulk.about)
    await transition_all(tx, DELIVERY, ids, DeliveryEvent.RESUME, actor=actor.name)
    for delivery_id in ids:
        if resend_unknown:
            await sending.plan_unknown(tx, delivery_id)
        await sending.reopen_delivery(tx, delivery_id, asked_by=actor.name)
    until = tx.now + (bulk.until - bulk.fire_at)
    await store.reopen_bulk(tx, bulk_id, until=until)
    found = await sending.find_deliveries(tx, ids)
    await opening.dispatch_many(tx, [found[one] for one in ids], until=until)
    said = {"rooms": len(ids), "resend_unknown": resend_unknown}
    await audit.record(tx, actor, "messaging.send_missing", bulk.about, unit_id=bulk.unit_id, after=said)
    return await store.get_bulk(tx, scope, bulk_id)


async def _open(
    tx: Tx, occurrence: Occurrence, *, job_id: int | None, must_be_active: bool
) -> tuple[BulkSend, list[DeliveryToSend]] | None:
    """The rooms are those of now, whatever becomes of the schedule afterwards."""
    await schedules.lock_schedule(tx, occurrence.schedule_id)
    schedule = await schedules.find_schedule(tx, occurrence.schedule_id)
    if schedule is None:
        return None
    values = await settings.values(tx, NEEDED)
    audience = schedule.audience or Audience((Target(schedule.room_id),))
    rooms = await list_audience_rooms(tx, audience, await find_group(tx, audience.group_id))
    until = audience.closes_at(occurrence.scheduled_at, late=late_of(schedule.late_policy, values))
    made = await store.insert_bulk(
        tx, occurrence, rooms=len(rooms), until=until, job_id=job_id, must_be_active=must_be_active
    )
    if made is None:
        return None
    ids = await _insert(tx, made, occurrence, schedule, audience, rooms, values)
    await begin(tx, DELIVERY, ids, actor=ENGINE.name)
    found = await sending.find_deliveries(tx, ids)
    await opening.plan(tx, [found[one] for one in ids])
    if not ids:
        await store.end_through(tx, [made])
    [bulk] = await store.load_bulks(tx, [made])
    return bulk, [found[one] for one in ids]


async def _insert(
    tx: Tx,
    bulk_id: int,
    occurrence: Occurrence,
    schedule: Schedule,
    audience: Audience,
    rooms: Sequence[BulkRoom],
    values: Values,
) -> list[int]:  # long: what a delivery to one of many rooms is made of
    takes_over = bool(values[own.TAKEOVER_AFTER])
    bots = choose_bots(rooms, schedule.bot_id, share=audience.share_bots, takes_over=takes_over)
    fire_at = occurrence.scheduled_at
    taken = await store.list_taken(tx, schedule.id, fire_at, fire_at + audience.spread + timedelta(seconds=1))
    turns = list_turns(fire_at, len(rooms), audience.spread, taken)
    at = fire_at.astimezone(ZoneInfo(schedule.when.zone))
    contents = []
    for room in rooms:
        filled = fill(schedule.content.text or "", values_of(room.name, room.unit_name, at, room.columns))
        contents.append(replace(schedule.content, text=filled or None).to_json())
    ids = [room.room_id for room in rooms]
    return await store.insert_deliveries(tx, bulk_id, list(zip(ids, bots, turns, contents, strict=True)))


def late_of(policy: LatePolicy, values: Values) -> timedelta:
    """How late a room of many may be. A policy about moments nobody was there for does not shorten it."""
    return values[own.RETRY_HORIZON] if policy is LatePolicy.SEND_LATE else values[own.CATCHUP_WINDOW]
