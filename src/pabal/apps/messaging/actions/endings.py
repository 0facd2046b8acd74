"""The end of a delivery: its state and reason, and in the same commit what it means for its schedule and its bot."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bots
from pabal.apps.messaging.asking import ask_missed
from pabal.apps.messaging.machine import DELIVERY, SCHEDULE, DeliveryEvent, ScheduleEvent
from pabal.apps.messaging.model.bulks import BulkSend
from pabal.apps.messaging.model.deliveries import DeliveryPart, DeliveryState, PartState
from pabal.apps.messaging.model.schedules import ScheduleState, ScheduleType
from pabal.apps.messaging.store import bulks as bulk_store
from pabal.apps.messaging.store import sending
from pabal.apps.messaging.store.sending import DeliveryToSend, Noted
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import schedules
from pabal.engine.transitions import transition, transition_all
from pabal.platform import settings
from pabal.platform.actor import ENGINE

# what says something about the bot, and not about the room, the files or ourselves
_BLAMES_BOT = ("deadline", "bot_error", "no_receipt")
_SENT = (DeliveryEvent.SEND, DeliveryEvent.CUT, DeliveryEvent.LOSE)

declare("bulks.ended", "Sends to many rooms whose last room came to its end")
declare("deliveries.ended", "Deliveries that came to their end", labels=("end", "reason"))


@dataclass(frozen=True, slots=True)
class End:
    event: DeliveryEvent
    reason: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)


def judge(parts: Sequence[DeliveryPart]) -> DeliveryEvent:
    """What the parts alone say, of none of them being open any more what became of it."""
    if parts and all(part.is_out for part in parts):
        return DeliveryEvent.SEND
    if not any(part.is_out or part.state is PartState.UNKNOWN for part in parts):
        return DeliveryEvent.FAIL
    is_left = any(part.state is PartState.PLANNED for part in parts)
    return DeliveryEvent.CUT if is_left else DeliveryEvent.LOSE


class Ended(NamedTuple):
    """`job_id` is the job that ends with it; it may still look open."""

    delivery: DeliveryToSend
    end: End
    job_id: int | None = None


async def end(tx: Tx, delivery: DeliveryToSend, ending: End, *, job_id: int | None = None) -> None:
    await end_all(tx, [Ended(delivery, ending, job_id)])


async def end_all(tx: Tx, ended: Sequence[Ended]) -> None:
    """No delivery twice, please."""
    await _move(tx, ended)
    await sending.end_deliveries(tx, {one.delivery.id: (one.end.reason, one.end.detail) for one in ended})
    missed = [one.delivery.id for one in ended if one.end.event is DeliveryEvent.MISS]
    if missed:
        await ask_missed(tx, missed)
    for one in ended:
        emit("deliveries.ended", end=one.end.event.value, reason=one.end.reason or "", delivery=one.delivery.id)
    await _note_bots(tx, ended)
    counted = [one for one in ended if not one.delivery.is_test]
    await _note_schedules(tx, [one for one in counted if one.delivery.bulk_id is None])
    await _note_bulks(tx, [one for one in counted if one.delivery.bulk_id is not None])


async def _move(tx: Tx, ended: Sequence[Ended]) -> None:
    alike: dict[tuple[DeliveryEvent, str | None], list[int]] = {}
    for one in ended:
        alike.setdefault((one.end.event, one.end.reason), []).append(one.delivery.id)
    for (event, reason), ids in alike.items():
        await transition_all(tx, DELIVERY, ids, event, actor=ENGINE.name, reason=reason)


async def _note_bots(tx: Tx, ended: Sequence[Ended]) -> None:
    await bots.note_success(tx, {one.delivery.bot_id for one in ended if one.end.event is DeliveryEvent.SEND})
    for one in ended:
        if one.end.event is not DeliveryEvent.SEND and one.end.reason in _BLAMES_BOT:
            await bots.note_failure(tx, one.delivery.bot_id)


async def _note_schedules(tx: Tx, ended: Sequence[Ended]) -> None:
    sent = Counter(one.delivery.schedule_id for one in ended if one.end.event in _SENT)
    failed = Counter(one.delivery.schedule_id for one in ended if one.end.event is DeliveryEvent.FAIL)
    # a missed one is no failure, but it may have been the last
    touched = {one.delivery.schedule_id: 0 for one in ended}
    noted = await sending.note_ends(tx, {**touched, **sent}, failed) if touched else []
    active = {one.id: one for one in noted if one.state == ScheduleState.ACTIVE}
    for one in ended:
        is_failed = one.end.event is DeliveryEvent.FAIL and one.delivery.schedule_id in active
        if is_failed and await _is_too_much(tx, active[one.delivery.schedule_id]):
            await _stop(tx, active.pop(one.delivery.schedule_id), one.end.reason)
    await _complete(tx, active, [one.job_id for one in ended if one.job_id is not None])


async def _note_bulks(tx: Tx, ended: Sequence[Ended]) -> None:
    """What went out counts as it does; whether the schedule failed is judged when the last room has ended."""
    if not ended:
        return
    touched = {one.delivery.schedule_id: 0 for one in ended}
    sent = Counter(one.delivery.schedule_id for one in ended if one.end.event in _SENT)
    await sending.note_ends(tx, {**touched, **sent}, {})
    for bulk in await bulk_store.end_through(tx, [one.delivery.bulk_id for one in ended if one.delivery.bulk_id]):
        emit("bulks.ended", rooms=bulk.rooms, sent=bulk.sent, bulk=bulk.id, schedule=bulk.schedule_id)
        await _judge_bulk(tx, bulk)


async def _judge_bulk(tx: Tx, bulk: BulkSend) -> None:
    """Failed is one of which nothing arrived anywhere; one room that could not be reached stops nobody."""
    out = bulk.count(DeliveryState.SENT, DeliveryState.PARTIAL, DeliveryState.UNKNOWN)
    if out or not bulk.count(DeliveryState.FAILED):
        return
    [noted] = await sending.note_ends(tx, {}, {bulk.schedule_id: 1})
    if noted.state == ScheduleState.ACTIVE and await _is_too_much(tx, noted):
        await _stop(tx, noted, "bulk_failed")


async def complete_after(tx: Tx, schedule_id: int, *, job_id: int) -> None:
    """This job was the last thing under way of a schedule, perhaps."""
    noted = await sending.note_ends(tx, {schedule_id: 0}, {})
    await _complete(tx, {one.id: one for one in noted if one.state == ScheduleState.ACTIVE}, [job_id])


async def _complete(tx: Tx, active: Mapping[int, Noted], jobs: Sequence[int]) -> None:
    timetables = {one.id: one.timetable_id for one in active.values() if not one.goes_on}
    through = await sending.list_through(tx, timetables, jobs=jobs) if timetables else []
    if through:
        await transition_all(tx, SCHEDULE, through, ScheduleEvent.COMPLETE, actor=ENGINE.name)


async def _is_too_much(tx: Tx, noted: Noted) -> bool:
    """A schedule that sends once has no other chance."""
    return noted.schedule_type == ScheduleType.ONCE or noted.failures >= await settings.value(tx, own.ERROR_AFTER)


async def _stop(tx: Tx, noted: Noted, reason: str | None) -> None:
    await transition(tx, SCHEDULE, noted.id, ScheduleEvent.FAIL, actor=ENGINE.name, reason=reason)
    if noted.timetable_id is not None:
        await schedules.pause(tx, noted.timetable_id, actor=ENGINE.name)
