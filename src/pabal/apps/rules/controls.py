"""What people may do to rules, their runs and their schedules through the doors all apps share: these verbs."""

from datetime import datetime
from uuid import UUID

from pabal.apps.rules.actions import rules
from pabal.apps.rules.machine import RULE, RULE_RUN, RuleEvent, RunEvent
from pabal.apps.rules.model.rules import AREA, RUN
from pabal.base.database import Tx
from pabal.engine.occurrences import Occurrence
from pabal.engine.schedules import Schedule
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, KindControls, MachineControls, NotByHand, ScheduleVerbs


async def _pause(tx: Tx, actor: Actor, number: int, _event: str, reason: str | None) -> None:
    await rules.pause_rule(tx, actor, await rules.find_id(tx, number), reason=reason)


async def _resume(tx: Tx, actor: Actor, number: int, _event: str, reason: str | None) -> None:
    await rules.resume_rule(tx, actor, await rules.find_id(tx, number), reason=reason)


async def _delete(tx: Tx, actor: Actor, number: int, _event: str, reason: str | None) -> None:
    await rules.delete_rule(tx, actor, await rules.find_id(tx, number), reason=reason)


CONTROLS = (
    MachineControls(
        RULE,
        AREA,
        {
            RuleEvent.PAUSE: ByHand(Right.WRITE, _pause),
            RuleEvent.RESUME: ByHand(Right.WRITE, _resume),
            RuleEvent.DELETE: ByHand(Right.WRITE, _delete),
        },
    ),
    # how a run ends is for the run to say; stopping one is a verb of its own
    MachineControls(
        RULE_RUN, AREA, {event: NotByHand("POST /api/v1/rule-executions/{id}/cancel") for event in RunEvent}
    ),
)


async def _rule_of(tx: Tx, timetable: Schedule) -> UUID:
    return await rules.find_id(tx, int(timetable.args["rule"]))


async def _stop(tx: Tx, actor: Actor, timetable: Schedule) -> None:
    await rules.pause_rule(tx, actor, await _rule_of(tx, timetable))


async def _go_on(tx: Tx, actor: Actor, timetable: Schedule) -> None:
    await rules.resume_rule(tx, actor, await _rule_of(tx, timetable))


async def _trigger(tx: Tx, actor: Actor, timetable: Schedule) -> Occurrence:
    return await rules.trigger(tx, actor, await _rule_of(tx, timetable))


async def _skip(tx: Tx, actor: Actor, timetable: Schedule, at: datetime | None) -> datetime:
    return await rules.skip(tx, actor, await _rule_of(tx, timetable), at)


async def _keep(tx: Tx, actor: Actor, timetable: Schedule, at: datetime) -> None:
    await rules.keep(tx, actor, await _rule_of(tx, timetable), at)


KIND_CONTROLS = (KindControls(RUN, AREA, verbs=ScheduleVerbs(_stop, _go_on, _trigger, _skip, _keep)),)
