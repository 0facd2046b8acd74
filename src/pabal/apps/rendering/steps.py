"""What a workflow may do here: ask for a render and wait for its film."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from pabal.apps.rendering.actions import requesting
from pabal.apps.rendering.actions.requesting import RenderRequest
from pabal.apps.rendering.machine import RENDER
from pabal.apps.rendering.model.renders import AREA, RenderState
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.workflows import signals
from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepCall, StepFailed
from pabal.platform.actor import Actor, Right
from pabal.platform.services import Services
from pabal.platform.workflows import SliceStep
from pabal.platform.workflows.steps import Run


class RenderInput(BaseModel):
    composition: str = Field(min_length=1, max_length=100)
    data: dict[str, Any]
    cue_item: str | None = Field(default=None, max_length=200)


class RenderOutput(BaseModel):
    render: str
    is_new: bool


def _request(services: Services) -> Run:
    async def request(tx: Tx, actor: Actor, given: RenderInput, call: StepCall) -> RenderOutput | AwaitSignal:
        wanted = RenderRequest(given.composition, given.data, given.cue_item)
        made = await requesting.request(tx, actor, services.vault, wanted, unit_id=call.unit_id)
        if made.render.state == RenderState.COMPLETED:
            return RenderOutput(render=str(made.render.id), is_new=False)
        return AwaitSignal(_signal(str(made.render.id)))

    return request


def _read(call: StepCall, data: Mapping[str, Any]) -> RenderOutput | StepFailed:
    if data["state"] != RenderState.COMPLETED:
        return StepFailed(f"the render ended as {data['state']}", "render_failed", is_final=True)
    return RenderOutput(render=data["render"], is_new=True)


async def tell_ends(tx: Tx, facts: list[Fact]) -> None:
    """A render that a workflow waits for has ended."""
    for fact in facts:
        number = fact.subject.partition(":")[2]
        await signals.send(tx, _signal(number), {"render": number, "state": fact.data["target"]})


def _signal(number: str) -> str:
    return f"render:{number}"


STEPS = (
    SliceStep(
        name="rendering.render",
        version=1,
        title=("Render a film", "영상 렌더"),
        input=RenderInput,
        output=RenderOutput,
        area=AREA,
        right=Right.WRITE,
        run_with=_request,
        effects=(Effect.FILES,),
        on_signal=_read,
    ),
)
ENDS = Subscriber(
    "rendering.workflow_steps",
    tuple(f"{RENDER.name}.{state}" for state in (RenderState.COMPLETED, RenderState.FAILED, RenderState.CANCELLED)),
    tell_ends,
)
