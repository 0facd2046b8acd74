"""What a workflow may do here: send an event to an ad group."""

from typing import Annotated

from pydantic import BaseModel, Field

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.model.adgroups import AREA, Event
from pabal.base.database import Tx
from pabal.engine.workflows.step_kinds import StepCall
from pabal.platform.actor import Actor, Right
from pabal.platform.workflows import Destination, SliceStep


class EventInput(BaseModel):
    ad_group: Annotated[int, Destination]
    event: Event
    reason: str = Field(default="", max_length=500)


class EventOutput(BaseModel):
    ad_group: int
    state: str


async def _send(tx: Tx, actor: Actor, given: EventInput, call: StepCall) -> EventOutput:
    group = await events.send(tx, actor, given.ad_group, given.event, reason=given.reason or f"workflow:{call.run_id}")
    return EventOutput(ad_group=group.id, state=str(group.state))


STEPS = (
    SliceStep(
        name="adgroups.send_event",
        version=1,
        title=("Send an event to an ad group", "광고그룹에 이벤트 보내기"),
        input=EventInput,
        output=EventOutput,
        area=AREA,
        right=Right.WRITE,
        run=_send,
    ),
)
