"""Words from outside that one workflow hands to another: they must not decide where something goes there either.

Asked when a workflow is saved, so that its writer is told, and again when the other one is started: it may have another
version by then.
"""

from collections.abc import Collection
from typing import Any

from pabal.base.database import Tx
from pabal.engine.workflows import checking
from pabal.engine.workflows.definitions import StoredWorkflow, find_named
from pabal.engine.workflows.mistakes import Mistake, WorkflowRefused
from pabal.engine.workflows.model import DEEPEST, Workflow
from pabal.engine.workflows.step_kinds import StepKinds

_NO_KINDS = StepKinds()


async def list_decided(tx: Tx, found: StoredWorkflow, outside: Collection[str], depth: int = 0) -> list[str]:
    """Those of these inputs that decide where something goes: in this workflow, or in one that it starts."""
    flow = found.workflow
    # one that was saved by an older version does not say
    known = flow.input if found.destinations is None else found.destinations
    return [name for name in sorted(outside) if name in known or await _passes_on(tx, found, name, depth)]


async def refuse_in_others(tx: Tx, workflow: Workflow, kinds: StepKinds, unit_id: int | None) -> None:
    """Raises WorkflowRefused where it hands what it read outside to another one as a destination."""
    mistakes: list[Mistake] = []
    for name, (*at, _, _) in checking.list_workflows(workflow).items():
        other = await find_named(tx, name, unit_id)
        if other is None or name == workflow.name:
            continue
        number: Any = at[-1]
        given = checking.list_from_outside(workflow, kinds, number)
        mistakes += [
            Mistake("destination_from_outside", (*at, "input", one), {"name": one, "source": given[one]})
            for one in await list_decided(tx, other, given)
        ]
    if mistakes:
        raise WorkflowRefused(mistakes)


async def _passes_on(tx: Tx, found: StoredWorkflow, name: str, depth: int) -> bool:
    flow = found.workflow
    for number, step in enumerate(flow.steps):
        if step.wait is None or not step.wait.workflow or depth >= DEEPEST:
            continue
        # without kinds: only this input is from outside here, and what a step makes of it
        given = checking.list_from_outside(flow, _NO_KINDS, number, frozenset({name}))
        held = [one for one, source in given.items() if source == f"input.{name}"]
        other = await find_named(tx, step.wait.workflow, found.unit_id) if held else None
        if other is not None and await list_decided(tx, other, held, depth + 1):
            return True
    return False
