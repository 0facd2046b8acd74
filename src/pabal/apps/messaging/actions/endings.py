"""The end of a delivery: its state and reason, and in the same commit what it means for its schedule and its bot."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bot_health
from pabal.apps.messaging.machine import DELIVERY, SCHEDULE, DeliveryEvent, ScheduleEvent
from pabal.apps.messaging.model.deliveries import DeliveryPart, PartState
from pabal.apps.messaging.model.schedules import ScheduleState, ScheduleType
from pabal.apps.messaging.store import errands
from pabal.apps.messaging.store.errands import Errand, Noted
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import schedules
from pabal.engine.transitions import transition
from pabal.platform import settings
from pabal.platform.actor import ENGINE

# what says something about the bot, and not about the room, the files or ourselves
_BLAMES_BOT = ("deadline", "bot_error")
_SENT = (DeliveryEvent.SEND, DeliveryEvent.CUT, DeliveryEvent.LOSE)

declare("deliveries.ended", "Deliveries that came to their end", labels=("end", "reason"))


@dataclass(frozen=True, slots=True)
class End:
    event: DeliveryEvent
    reason: str | None = None
    detail: dict[str, Any] = field(default_factory=dict)


def judge(parts: Sequence[DeliveryPart]) -> DeliveryEvent:
    """What the parts alone say, none of them being written any more."""
    states = {part.state for part in parts}
    if states == {PartState.WRITTEN}:
        return DeliveryEvent.SEND
    if not states & {PartState.WRITTEN, PartState.UNKNOWN}:
        return DeliveryEvent.FAIL
    return DeliveryEvent.CUT if PartState.PLANNED in states else DeliveryEvent.LOSE


async def end(tx: Tx, errand: Errand, ending: End, *, job_id: int | None = None) -> None:
    """`job_id` is the job that ends with it; it may still look open."""
    await transition(tx, DELIVERY, errand.id, ending.event, actor=ENGINE.name, reason=ending.reason)
    await errands.end_errand(tx, errand.id, reason=ending.reason, detail=ending.detail)
    emit("deliveries.ended", end=ending.event.value, reason=ending.reason or "", delivery=errand.id)
    await _note_bot(tx, errand, ending)
    if not errand.is_test:
        await _note_schedule(tx, errand, ending, job_id)


async def _note_bot(tx: Tx, errand: Errand, ending: End) -> None:
    if ending.event is DeliveryEvent.SEND:
        await bot_health.note_success(tx, errand.bot_id)
    elif ending.reason in _BLAMES_BOT:
        await bot_health.note_failure(tx, errand.bot_id)


async def _note_schedule(tx: Tx, errand: Errand, ending: End, job_id: int | None) -> None:
    is_failed = ending.event is DeliveryEvent.FAIL
    noted = await errands.note_end(tx, errand.schedule_id, is_sent=ending.event in _SENT, is_failed=is_failed)
    if noted is None or noted.state != ScheduleState.ACTIVE:
        return
    if is_failed and await _is_too_much(tx, noted):
        await _stop(tx, errand, noted, ending.reason)
    elif not await errands.has_more(tx, errand.schedule_id, noted.timetable_id, delivery_id=errand.id, job_id=job_id):
        await transition(tx, SCHEDULE, errand.schedule_id, ScheduleEvent.COMPLETE, actor=ENGINE.name)


async def _is_too_much(tx: Tx, noted: Noted) -> bool:
    """A schedule that sends once has no other chance."""
    return noted.schedule_type == ScheduleType.ONCE or noted.failures >= await settings.value(tx, own.ERROR_AFTER)


async def _stop(tx: Tx, errand: Errand, noted: Noted, reason: str | None) -> None:
    await transition(tx, SCHEDULE, errand.schedule_id, ScheduleEvent.FAIL, actor=ENGINE.name, reason=reason)
    if noted.timetable_id is not None:
        await schedules.pause(tx, noted.timetable_id, actor=ENGINE.name)
