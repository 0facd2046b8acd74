"""What people may do to messaging's machines, jobs and timetables through the doors all apps share: these verbs."""

from datetime import datetime

from pabal.apps.messaging.actions import bots, deliveries, schedules
from pabal.apps.messaging.jobs.archive import ARCHIVE
from pabal.apps.messaging.machine import DELIVERY, DEVICE, SCHEDULE, DeliveryEvent, DeviceEvent, ScheduleEvent
from pabal.apps.messaging.model.bulks import BULK
from pabal.apps.messaging.model.deliveries import SEND
from pabal.base.database import Tx
from pabal.engine.occurrences import Occurrence
from pabal.engine.schedules import Schedule
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, KindControls, MachineControls, NotByHand, ScheduleVerbs

AREA = "messaging"


async def _activate(tx: Tx, actor: Actor, schedule_id: int, _event: str, reason: str | None) -> None:
    await schedules.activate(tx, actor, schedule_id, reason=reason)


async def _deactivate(tx: Tx, actor: Actor, schedule_id: int, _event: str, reason: str | None) -> None:
    await schedules.deactivate(tx, actor, schedule_id, reason=reason)


async def _delete(tx: Tx, actor: Actor, schedule_id: int, _event: str, reason: str | None) -> None:
    await schedules.delete(tx, actor, schedule_id, reason=reason)


async def _resume(tx: Tx, actor: Actor, delivery_id: int, _event: str, reason: str | None) -> None:
    await deliveries.resume(tx, actor, delivery_id, reason=reason)


async def _decide(tx: Tx, actor: Actor, device_id: int, event: str, reason: str | None) -> None:
    await bots.decide(tx, actor, device_id, DeviceEvent(event), reason=reason)


CONTROLS = (
    MachineControls(
        SCHEDULE,
        AREA,
        {
            ScheduleEvent.EDIT: NotByHand("PUT /api/v1/messages/schedules/{id}"),
            ScheduleEvent.DEACTIVATE: ByHand(Right.WRITE, _deactivate),
            ScheduleEvent.ACTIVATE: ByHand(Right.WRITE, _activate),
            ScheduleEvent.COMPLETE: NotByHand(),
            ScheduleEvent.FAIL: NotByHand(),
            ScheduleEvent.REOPEN: NotByHand("PUT /api/v1/messages/schedules/{id}"),
            ScheduleEvent.DELETE: ByHand(Right.WRITE, _delete),
        },
    ),
    MachineControls(
        DELIVERY,
        AREA,
        {
            **{event: NotByHand() for event in DeliveryEvent if event is not DeliveryEvent.RESUME},
            DeliveryEvent.RESUME: ByHand(Right.WRITE, _resume),
        },
    ),
    MachineControls(DEVICE, AREA, {event: ByHand(Right.MANAGE, _decide) for event in DeviceEvent}),
)


def _owner_of(timetable: Schedule) -> int:
    """The message schedule that the engine's schedule is kept for."""
    return int(timetable.args["message_schedule"])


async def _pause(tx: Tx, actor: Actor, timetable: Schedule) -> None:
    await schedules.deactivate(tx, actor, _owner_of(timetable))


async def _go_on(tx: Tx, actor: Actor, timetable: Schedule) -> None:
    await schedules.activate(tx, actor, _owner_of(timetable))


async def _trigger(tx: Tx, actor: Actor, timetable: Schedule) -> Occurrence:
    return await schedules.trigger(tx, actor, _owner_of(timetable))


async def _skip(tx: Tx, actor: Actor, timetable: Schedule, at: datetime | None) -> datetime:
    return await schedules.skip(tx, actor, _owner_of(timetable), at)


async def _keep(tx: Tx, actor: Actor, timetable: Schedule, at: datetime) -> None:
    await schedules.keep(tx, actor, _owner_of(timetable), at)


_VERBS = ScheduleVerbs(_pause, _go_on, _trigger, _skip, _keep)
KIND_CONTROLS = (
    KindControls(SEND, AREA, verbs=_VERBS, absences=bots.list_absences),
    KindControls(BULK, AREA, verbs=_VERBS),
    KindControls(ARCHIVE, AREA),
)
