"""What a workflow may do here: run a rule, its script with it, and wait for the end of the run."""

import json
from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel

from pabal.apps.rules.actions import rules
from pabal.apps.rules.machine import RULE_RUN
from pabal.apps.rules.model.rules import AREA, RuleRunState, Run
from pabal.apps.rules.store import runs
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.workflows import signals
from pabal.engine.workflows.step_kinds import AwaitSignal, Effect, StepCall, StepFailed
from pabal.platform.actor import Actor, Right
from pabal.platform.workflows import Destination, SliceStep

LARGEST_DATA = 10_000


class RunInput(BaseModel):
    rule: Annotated[UUID, Destination]


class RunOutput(BaseModel):
    """`data` is what the rule's script or source answered, `met` whether its condition held."""

    run: UUID
    met: bool | None = None
    data: dict[str, Any] | None = None
    summary: str = ""


async def _run(tx: Tx, actor: Actor, given: RunInput, call: StepCall) -> AwaitSignal:
    made = await rules.run_now(tx, actor, given.rule)
    return AwaitSignal(_signal(made.number))


def _read(call: StepCall, data: Mapping[str, Any]) -> RunOutput | StepFailed:
    if data["state"] != RuleRunState.SUCCESS:
        return StepFailed(data["summary"] or "the rule's run failed", "rule_run_failed", is_final=True)
    return RunOutput.model_validate({name: data[name] for name in RunOutput.model_fields})


async def tell_ends(tx: Tx, facts: list[Fact]) -> None:
    """A run that a workflow waits for has ended."""
    numbers = {_signal(number): number for number in (int(fact.subject.partition(":")[2]) for fact in facts)}
    # most runs nobody waits for; whoever does has said so in the commit that asked for the run
    awaited = await signals.find_awaited(tx, list(numbers))
    found = await runs.load_runs(tx, [numbers[signal] for signal in awaited])
    await signals.send_many(tx, {_signal(run.number): _tell(run) for run in found})


def _tell(run: Run) -> dict[str, Any]:
    """What is larger stays with the run."""
    data = run.data if len(json.dumps(run.data, ensure_ascii=False)) <= LARGEST_DATA else None
    return {"run": str(run.id), "state": run.state.value, "met": run.met, "data": data, "summary": run.log_summary}


def _signal(number: int) -> str:
    return f"rule_run:{number}"


STEPS = (
    SliceStep(
        name="rules.run",
        version=1,
        title=("Run a rule", "룰 실행"),
        input=RunInput,
        output=RunOutput,
        area=AREA,
        right=Right.WRITE,
        run=_run,
        effects=(Effect.NETWORK, Effect.FILES, Effect.READS_OUTSIDE),
        on_signal=_read,
    ),
)
ENDS = Subscriber(
    "rules.workflow_steps",
    tuple(f"{RULE_RUN.name}.{state}" for state in (RuleRunState.SUCCESS, RuleRunState.FAILURE)),
    tell_ends,
)
