"""What a person says about a delivery: to the test room, send the rest, send it now, nobody needs it any more."""

from pabal.apps.messaging import asking
from pabal.apps.messaging.actions.opening import dispatch, fill_in, plan
from pabal.apps.messaging.errors import BotNotInRoom, DeliveryNotFound, NotATestRoom, NothingToResume, NotOver
from pabal.apps.messaging.machine import DELIVERY, DeliveryEvent
from pabal.apps.messaging.model.deliveries import Delivery, DeliveryState, PartState
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.store import sending
from pabal.apps.messaging.store.bulks import reopen_bulk
from pabal.apps.messaging.store.deliveries import get_delivery
from pabal.apps.messaging.store.rooms import get_room
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.apps.messaging.store.sending import DeliveryToSend
from pabal.base.database import Tx
from pabal.engine.transitions import begin, transition
from pabal.platform import approvals, audit
from pabal.platform.actor import Actor, Right
from pabal.platform.approvals import Verdict
from pabal.platform.tenants import Scope, visible_to

AREA = "messaging"
_OVER = (DeliveryState.PARTIAL, DeliveryState.FAILED, DeliveryState.UNKNOWN, DeliveryState.MISSED)


async def send_test(tx: Tx, actor: Actor, schedule_id: int, room_id: int) -> Delivery:
    """The same content to a test room, by the schedule's own bot if it is in there, otherwise by one that is."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    schedule = await get_schedule(tx, scope, schedule_id)
    room = await get_room(tx, scope, room_id)
    if room.room_type is not RoomType.TEST:
        raise NotATestRoom(room.name)
    bot_id = await sending.find_bot_in(tx, room.id, wanted=schedule.bot_id)
    if bot_id is None:
        raise BotNotInRoom(room.name)
    made = await sending.insert_test(tx, schedule.id, room_id=room.id, bot_id=bot_id, asked_by=actor.name)
    await begin(tx, DELIVERY, [made], actor=actor.name)
    delivery = (await fill_in(tx, {made: await _get(tx, made)}))[made]
    await plan(tx, [delivery])
    await dispatch(tx, delivery)
    return await _told(tx, actor, scope, "messaging.send_test", made, {"schedule": schedule.id, "room": room.id})


async def resume(
    tx: Tx, actor: Actor, delivery_id: int, *, resend_unknown: bool = False, reason: str | None = None
) -> Delivery:
    """Only what was not written. A part of which nobody knows is sent again only when that is said."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    delivery = await get_delivery(tx, scope, delivery_id)
    wanted = {PartState.PLANNED, PartState.UNKNOWN} if resend_unknown else {PartState.PLANNED}
    if delivery.state in _OVER and not any(part.state in wanted for part in delivery.parts):
        raise NothingToResume(delivery.about)
    await transition(tx, DELIVERY, delivery_id, DeliveryEvent.RESUME, actor=actor.name, reason=reason)
    await approvals.settle(tx, asking.MISSED, [delivery_id])
    if resend_unknown:
        await sending.plan_unknown(tx, delivery_id)
    await sending.reopen_delivery(tx, delivery_id, asked_by=actor.name)
    reopened = await _get(tx, delivery_id)
    if reopened.bulk_id is not None:
        await reopen_bulk(tx, reopened.bulk_id, until=tx.now)
    await dispatch(tx, reopened)
    said = {"from": delivery.state, "resend_unknown": resend_unknown}
    return await _told(tx, actor, scope, "messaging.resume", delivery_id, said)


async def dismiss(tx: Tx, actor: Actor, delivery_id: int, *, reason: str | None = None) -> None:
    """It stays as it is, and waits for nobody."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    delivery = await get_delivery(tx, scope, delivery_id)
    if delivery.state not in _OVER:
        raise NotOver(delivery.about)
    await sending.dismiss_delivery(tx, delivery_id, by=actor.name)
    await approvals.close(tx, asking.MISSED, [delivery_id], Verdict.REJECT, actor=actor.name, reason=reason)
    await _told(tx, actor, scope, "messaging.dismiss", delivery_id, {"state": delivery.state})


async def _told(tx: Tx, actor: Actor, scope: Scope, action: str, delivery_id: int, said: dict[str, object]) -> Delivery:
    # long: six things an entry needs
    delivery = await get_delivery(tx, scope, delivery_id)
    await audit.record(tx, actor, action, delivery.about, unit_id=delivery.unit_id, after=said)
    return delivery


async def _get(tx: Tx, delivery_id: int) -> DeliveryToSend:
    found = await sending.find_delivery(tx, delivery_id)
    if found is None:
        raise DeliveryNotFound(str(delivery_id))
    return found
