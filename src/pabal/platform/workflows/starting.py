"""Starts a workflow for somebody who is not there: for a rule's run, for an event. In the name of who is behind it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import load
from pabal.engine.workflows import checking, schema, writing
from pabal.engine.workflows.definitions import StoredWorkflow, WorkflowNotFound, find_named
from pabal.engine.workflows.model import DEEPEST
from pabal.engine.workflows.outside import list_decided
from pabal.engine.workflows.runs import Runs
from pabal.engine.workflows.step_kinds import StepKinds
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.workflows.actions import roles_below
from pabal.platform.workflows.questions import AREA
from pabal.platform.workflows.steps import find_actor_in

SQL = load(__file__)


class DestinationFromOutside(Invalid, code="workflow_destination_from_outside"):
    """This input of the workflow says where something goes, so it must not hold what was read from outside. Write the
    value out. A workflow that was saved by an older version is to be saved again first."""


class TooDeep(Conflict, code="workflow_too_deep"):
    """Workflows led to each other five deep: this one is not started, or it would never end."""


@dataclass(frozen=True, slots=True)
class StartFor:
    """`owner`: in whose name. `outside`: the inputs that hold words from outside. `cause`: what led to it, and `depth`
    how many workflows before it did."""

    owner: str
    input: Mapping[str, Any]
    cause: str
    outside: frozenset[str] = frozenset()
    depth: int = 0


async def find_workflow_for(tx: Tx, name: str, unit_id: int | None, wanted: StartFor) -> StoredWorkflow:
    """The workflow of this unit, if it can be started so. Raises with why not, before anything is written."""
    actor = await _find_starter(tx, unit_id, wanted)
    found = await find_named(tx, name, unit_id)
    if found is None or found.seen_by not in roles_below(actor):
        raise WorkflowNotFound(name[:100])
    await check_start(tx, found, wanted)
    return found


async def check_start(tx: Tx, workflow: StoredWorkflow, wanted: StartFor) -> None:
    refused = await list_decided(tx, workflow, wanted.outside)
    if refused:
        raise DestinationFromOutside(", ".join(refused))
    if wanted.depth > DEEPEST:
        raise TooDeep(workflow.name)
    writing.checked_input(workflow.workflow, wanted.input)


async def start_for(tx: Tx, workflow: StoredWorkflow, wanted: StartFor) -> int:
    """The run, begun in the caller's commit."""
    actor = await _find_starter(tx, workflow.unit_id, wanted)
    await check_start(tx, workflow, wanted)
    # Whoever runs a step looks for its kind. To begin, only items that share a job need theirs, and none of slices do.
    runs = Runs(StepKinds())
    run = await runs.start(tx, workflow, wanted.input, owner=wanted.owner, cause=wanted.cause, depth=wanted.depth)
    after = {"workflow": workflow.name, "version": workflow.number, "cause": wanted.cause}
    about = f"workflow_run:{run}"
    await audit.record(tx, actor, "workflows.start", about, unit_id=workflow.unit_id, after=after)
    return run


def show_input(workflow: StoredWorkflow, given: Mapping[str, Any]) -> Any:
    """With every secret hidden."""
    return schema.hide(checking.input_schema(workflow.workflow), dict(given))


async def find_depth_behind(tx: Tx, cause: str) -> int:
    """Of a run that is started by this: `workflow_run:7` itself, or what a run waits for, such as `rule_run:3`."""
    kind, _, number = cause.partition(":")
    run_id = int(number) if kind == "workflow_run" and number.isdigit() else None
    depth = await tx.value(SQL.find_depth, run=run_id, signal=cause)
    return 0 if depth is None else int(depth) + 1


async def _find_starter(tx: Tx, unit_id: int | None, wanted: StartFor) -> Actor:
    actor = await find_actor_in(tx, wanted.owner, unit_id)
    actor.require(Right.WRITE, AREA)
    return replace(actor, origin=wanted.cause)
