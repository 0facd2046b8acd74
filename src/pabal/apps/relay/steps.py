"""What a workflow may do here: ask an OpenClaw instance something, and wait for its answer."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, Field

from pabal.apps.relay.actions.questions import Question, ask, signal_of, withdraw_question
from pabal.apps.relay.model.messages import AREA
from pabal.base.database import Tx
from pabal.engine.workflows.model import read_duration
from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepCall, StepFailed
from pabal.platform.actor import Actor, Right
from pabal.platform.workflows import Destination, SliceStep

LONGEST_WAIT = timedelta(days=1)


class AskInput(BaseModel):
    account: Annotated[UUID, Destination]
    text: str = Field(min_length=1, max_length=10_000)
    within: str = Field(default="10m", max_length=20, description="How long it waits, such as 90s or 2h; 1d at most.")


class AskOutput(BaseModel):
    """`text` is all texts of the answer, `outputs` its bubbles as the instance sent them."""

    text: str
    outputs: list[dict[str, Any]] = Field(default_factory=list)


async def _ask(tx: Tx, actor: Actor, given: AskInput, call: StepCall) -> AwaitSignal | StepFailed:
    within = read_duration(given.within)
    if within is None or not timedelta(0) < within <= LONGEST_WAIT:
        return StepFailed(
            f"within is a duration such as 90s or 2h, not {given.within}", "bad_step_input", is_final=True
        )
    until = tx.now + within
    question = Question(given.text, f"workflow_run:{call.run_id}", call.key, until)
    return AwaitSignal(signal_of(await ask(tx, actor, given.account, question)), until)


def _read(call: StepCall, data: Mapping[str, Any]) -> AskOutput:
    return AskOutput.model_validate(dict(data))


async def _withdraw(tx: Tx, actor: Actor, call: StepCall) -> None:
    await withdraw_question(tx, call.key)


STEPS = (
    SliceStep(
        name="relay.ask",
        version=1,
        title=("Ask an OpenClaw instance", "OpenClaw 인스턴스에 질문"),
        input=AskInput,
        output=AskOutput,
        area=AREA,
        right=Right.WRITE,
        run=_ask,
        effects=(Effect.NETWORK, Effect.READS_OUTSIDE),
        on_signal=_read,
        release=_withdraw,
    ),
)
