"""What a workflow may do here: send a schedule's message now."""

from typing import Annotated

from pydantic import BaseModel

from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.controls import AREA
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.workflows.step_kinds import Effect, StepCall
from pabal.platform.actor import Actor, Right
from pabal.platform.workflows import Destination, SliceStep


class SendInput(BaseModel):
    schedule: Annotated[int, Destination]


class SendOutput(BaseModel):
    job: str


async def _send(tx: Tx, actor: Actor, given: SendInput, call: StepCall) -> SendOutput:
    return SendOutput(job=ids.show("job", await schedules.send_now(tx, actor, given.schedule)))


STEPS = (
    SliceStep(
        name="messaging.send_now",
        version=1,
        title=("Send a scheduled message now", "예약 메시지 지금 보내기"),
        input=SendInput,
        output=SendOutput,
        area=AREA,
        right=Right.WRITE,
        run=_send,
        effects=(Effect.MESSAGES, Effect.NETWORK),
    ),
)
