"""Steps of the platform itself: tell people, publish an event, ask for an approval."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from pabal.base.database import Tx
from pabal.engine.workflows.step_kinds import Effect, StepCall
from pabal.platform import events, notifications
from pabal.platform.actor import Actor, Right
from pabal.platform.events import NewEvent
from pabal.platform.notifications import Level, Notice
from pabal.platform.workflows.questions import APPROVAL_STEP, AREA
from pabal.platform.workflows.steps import Destination, SliceStep


class NotifyInput(BaseModel):
    title: str = Field(min_length=1, max_length=200)
    text: str = Field(default="", max_length=3000)
    level: Literal["info", "attention", "failure"] = "info"


class NotifyOutput(BaseModel):
    notification: int


async def _notify(tx: Tx, actor: Actor, given: NotifyInput, call: StepCall) -> NotifyOutput:
    """To the console and the channels of the run's unit."""
    values = {"said_title": given.title, "said_text": given.text}
    made = await notifications.notify(
        tx,
        Notice(
            "workflows.notice",
            ("{said_title}", "{said_title}"),
            ("{said_text}", "{said_text}"),
            values=values,
            level=Level(given.level),
            unit_id=call.unit_id,
            about=f"workflow_run:{call.run_id}",
            link=f"/workflows/runs/{call.run_id}",
        ),
    )
    return NotifyOutput(notification=made)


class PublishInput(BaseModel):
    name: Annotated[str, Destination] = Field(min_length=1, max_length=100)
    key: str = Field(default="", max_length=200)
    data: dict[str, Any] = Field(default_factory=dict)


class PublishOutput(BaseModel):
    id: str


async def _publish(tx: Tx, actor: Actor, given: PublishInput, call: StepCall) -> PublishOutput:
    new = NewEvent(given.name, given.data, key=given.key, unit_id=call.unit_id)
    # it says where it comes from, so that workflows that start each other come to an end
    made = await events.publish(tx, actor, new, source=f"workflow_run:{call.run_id}")
    return PublishOutput(id=str(made.id))


OWN_STEPS = (
    SliceStep(
        name="platform.notify",
        version=1,
        title=("Tell people", "알림 보내기"),
        input=NotifyInput,
        output=NotifyOutput,
        area=AREA,
        right=Right.WRITE,
        run=_notify,
        effects=(Effect.MESSAGES,),
    ),
    SliceStep(
        name="platform.publish",
        version=1,
        title=("Publish an event", "이벤트 발행"),
        input=PublishInput,
        output=PublishOutput,
        area=events.AREA,
        right=Right.WRITE,
        run=_publish,
    ),
    APPROVAL_STEP,
)
