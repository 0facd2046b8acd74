"""Workflows and runs as their descriptions ask for them: found, listed with what people may see, and acted on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.engine.subjects import lock_and_load
from pabal.engine.workflows import definitions, listing, yaml_form
from pabal.engine.workflows.definitions import WorkflowNotFound
from pabal.engine.workflows.listing import RunRow, StepRow, Waiting, WantedRuns, WorkflowRow
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.mistakes import WorkflowRefused
from pabal.engine.workflows.model import FlowStep
from pabal.engine.workflows.runs import RunNotFound
from pabal.engine.workflows.step_kinds import StepKind
from pabal.platform.actor import Actor
from pabal.platform.approvals import name_actor
from pabal.platform.language.pairs import Pair, put
from pabal.platform.resources import Filter, Viewer
from pabal.platform.tenants import Scope, visible_to
from pabal.platform.workflows import Workflows, roles_below
from pabal.platform.workflows.reasons import tell_reason
from pabal.platform.workflows.wording import refuse
from pabal.resources.workflows import RunFilter, StepKindView, WorkflowFilter

# of a run, this many rows of steps are read; a wide fan-out has more items than anybody looks at
MOST_STEPS = 500


@dataclass(frozen=True, slots=True)
class WorkflowSeen:
    row: WorkflowRow
    yaml: str

    @property
    def id(self) -> int:
        return self.row.id


@dataclass(frozen=True, slots=True)
class StepSeen:
    """A step of a run: one that was not opened yet has no row. Secrets are hidden."""

    label: str
    kind: str
    row: StepRow | None
    waiting: Waiting | None
    input: Any = None
    output: Any = None
    error: Pair | None = None

    @property
    def error_code(self) -> str | None:
        return None if self.row is None or self.row.error is None else str(self.row.error.get("code", "step_failed"))


@dataclass(frozen=True, slots=True)
class RunSeen:
    """As people see it: secrets are hidden in all of it. `who` is its owner's name."""

    run: RunRow
    input: dict[str, Any]
    output: Any
    reason: Pair | None
    reason_code: str | None
    who: Pair
    steps: list[StepSeen]
    next: list[str]

    @property
    def id(self) -> int:
        return self.run.id


async def list_workflows(
    tx: Tx, scope: Scope, wanted: WorkflowFilter, *, workflows: Workflows, reader: Actor
) -> list[WorkflowSeen]:
    found = await listing.list_workflows(
        tx, scope.listed, seen_by=roles_below(reader), with_archived=bool(wanted.archived)
    )
    return [WorkflowSeen(row, "") for row in found]


async def get_workflow(tx: Tx, scope: Scope, workflow_id: int, *, workflows: Workflows, reader: Actor) -> WorkflowSeen:
    stored = await workflows.get(tx, reader, workflow_id)
    found = await listing.list_workflows(tx, scope.listed, seen_by=roles_below(reader), with_archived=True)
    row = next((one for one in found if one.id == workflow_id), None)
    if row is None:
        raise WorkflowNotFound(str(workflow_id))
    return WorkflowSeen(row, yaml_form.show_workflow(stored.workflow))


async def find_workflow(tx: Tx, scope: Scope, text: str, *, workflows: Workflows, reader: Actor) -> WorkflowSeen:
    """By its name, or by its number."""
    found = await listing.list_workflows(tx, scope.listed, seen_by=roles_below(reader), with_archived=True)
    named = [one for one in found if one.name == text or str(one.id) == text]
    if not named:
        raise WorkflowNotFound(text[:100])
    return await get_workflow(tx, scope, named[0].id, workflows=workflows, reader=reader)


async def find_workflow_id(tx: Tx, scope: Scope, text: str) -> int:
    found = await listing.list_workflows(tx, scope.listed, seen_by=("viewer", "operator", "admin"), with_archived=True)
    for one in found:
        if text in (one.name, str(one.id)):
            return one.id
    raise WorkflowNotFound(text[:100])


async def hold_workflow(tx: Tx, workflow_id: int) -> None:
    await definitions.lock_workflow(tx, workflow_id)


async def save_workflow(
    tx: Tx, actor: Actor, *, yaml: str, workflows: Workflows, reader: Actor, unit_id: int | None = None
) -> WorkflowSeen:
    try:
        saved = await workflows.save(tx, actor, yaml, unit_id=unit_id)
    except WorkflowRefused as error:
        raise refuse(error.mistakes) from error
    return await get_workflow(tx, await visible_to(tx, actor), saved.id, workflows=workflows, reader=reader)


async def archive_workflow(tx: Tx, actor: Actor, workflow_id: int, *, workflows: Workflows, reader: Actor) -> None:
    await workflows.archive(tx, actor, workflow_id)


async def start_run(
    tx: Tx,
    actor: Actor,
    workflow_id: int,
    *,
    workflows: Workflows,
    reader: Actor,
    input: Mapping[str, Any] | None = None,
) -> RunSeen:
    made = await workflows.start(tx, actor, workflow_id, input or {})
    return await _see(tx, actor, made, workflows)


async def list_runs(
    tx: Tx,
    scope: Scope,
    wanted: RunFilter,
    *,
    workflows: Workflows,
    reader: Actor,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[RunSeen]:
    states = (wanted.state,) if wanted.state else ()
    asked = WantedRuns(scope.listed, wanted.workflow_id, states, roles_below(reader))
    page = await listing.list_runs(tx, asked, cursor, limit)
    return Page([await see_run(tx, run, workflows, reader) for run in page.items], page.cursor)


async def get_run(tx: Tx, scope: Scope, run_id: int, *, workflows: Workflows, reader: Actor) -> RunSeen:
    return await see_run(tx, await workflows.get_run(tx, reader, run_id, scope), workflows, reader)


async def find_run(tx: Tx, scope: Scope, text: str, *, workflows: Workflows, reader: Actor) -> RunSeen:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise RunNotFound(text[:100])
    return await get_run(tx, scope, int(text), workflows=workflows, reader=reader)


async def hold_run(tx: Tx, run_id: int) -> None:
    await lock_and_load(tx, WORKFLOW_RUN, [run_id])


async def pause_run(
    tx: Tx, actor: Actor, run_id: int, *, workflows: Workflows, reader: Actor, reason: str | None = None
) -> RunSeen:
    await workflows.pause(tx, actor, run_id, reason)
    return await _see(tx, actor, run_id, workflows)


async def resume_run(tx: Tx, actor: Actor, run_id: int, *, workflows: Workflows, reader: Actor) -> RunSeen:
    await workflows.resume(tx, actor, run_id)
    return await _see(tx, actor, run_id, workflows)


async def cancel_run(
    tx: Tx,
    actor: Actor,
    run_id: int,
    *,
    reason: str,
    workflows: Workflows,
    reader: Actor,
    compensates: bool = True,
) -> RunSeen:
    await workflows.cancel(tx, actor, run_id, reason, compensates=compensates)
    return await _see(tx, actor, run_id, workflows)


async def retry_run(tx: Tx, actor: Actor, run_id: int, *, step: str, workflows: Workflows, reader: Actor) -> RunSeen:
    await workflows.retry_from(tx, actor, run_id, step)
    return await _see(tx, actor, run_id, workflows)


async def skip_step(
    tx: Tx, actor: Actor, run_id: int, *, step: str, reason: str, workflows: Workflows, reader: Actor
) -> RunSeen:
    await workflows.skip_step(tx, actor, run_id, step, reason)
    return await _see(tx, actor, run_id, workflows)


async def run_again(
    tx: Tx,
    actor: Actor,
    run_id: int,
    *,
    workflows: Workflows,
    reader: Actor,
    input: Mapping[str, Any] | None = None,
) -> RunSeen:
    return await _see(tx, actor, await workflows.again(tx, actor, run_id, input), workflows)


async def send_signal(
    tx: Tx,
    actor: Actor,
    run_id: int,
    *,
    event: str,
    workflows: Workflows,
    reader: Actor,
    data: Mapping[str, Any] | None = None,
) -> RunSeen:
    await workflows.signal(tx, actor, run_id, event, data or {})
    return await _see(tx, actor, run_id, workflows)


async def list_kinds(_tx: Tx, _scope: Scope, _wanted: Filter, *, workflows: Workflows) -> list[StepKind]:
    return sorted(workflows.kinds, key=lambda kind: kind.full_name)


def view_kind(kind: StepKind, viewer: Viewer) -> StepKindView:
    return StepKindView(
        name=kind.full_name,
        title=put(viewer.lang, kind.title),
        effects=sorted(kind.effects),
        input=dict(kind.input),
        output=dict(kind.output),
    )


async def see_run(tx: Tx, run: RunRow, workflows: Workflows, reader: Actor) -> RunSeen:
    """Its steps in the order of the workflow, those that are not opened yet among them."""
    rows = await listing.list_steps(tx, run.id, most=MOST_STEPS)
    shown, values = listing.hidden(run, rows, workflows.kinds)
    why = {name: _hide(run, one) for name, one in listing.explain(run, rows).items()}
    hidden = {id(row): pair for row, pair in zip(rows, values, strict=True)}
    steps = []
    for number, step in enumerate(run.workflow.steps):
        own = [row for row in rows if row.step == number]
        waiting = why.get(step.name)
        steps += _see_step(run, step, own, waiting, hidden)
    failed = next((one.error_code for one in steps if one.row is not None and one.row.state == "failed"), None)
    return RunSeen(
        run=run,
        input=shown,
        output=listing.without_secrets(run, run.output),
        reason=tell_run_reason(run),
        reason_code=failed if run.reason is not None else None,
        who=await name_actor(tx, reader, run.owner),
        steps=steps,
        next=listing.next_steps(run, rows),
    )


def tell_run_reason(run: RunRow) -> Pair | None:
    """A step is named as people know it."""
    if run.reason is None:
        return None
    english, korean = tell_reason(listing.without_secrets(run, run.reason))
    name, colon, _ = run.reason.partition(": ")
    step = next((one for one in run.workflow.steps if colon and one.name == name and one.title), None)
    if step is None:
        return english, korean
    return step.title + english.removeprefix(name), step.title + korean.removeprefix(name)


def _see_step(
    run: RunRow,
    step: FlowStep,
    rows: Sequence[StepRow],
    waiting: Waiting | None,
    hidden: Mapping[int, tuple[Any, Any]],
) -> list[StepSeen]:
    if not rows:
        return [StepSeen(step.name, _kind(step), None, waiting)]
    return [
        StepSeen(
            row.label,
            _kind(step, is_undo=row.undo),
            row,
            _explain_undo(row) if row.undo else waiting if row.item < 0 else None,
            *hidden[id(row)],
            _tell_error(run, row),
        )
        for row in rows
    ]


def _explain_undo(row: StepRow) -> Waiting | None:
    """Why a compensation is not over."""
    why = {"ready": "slot", "running": "running", "waiting": "signal", "retrying": "retry"}.get(row.state)
    return None if why is None else Waiting(why, until=row.due_at)


def _hide(run: RunRow, waiting: Waiting) -> Waiting:
    """The key of an event may be a secret; the number of what a kind asked for says nothing."""
    what = "" if waiting.why == "signal" else waiting.what
    return replace(waiting, what=listing.without_secrets(run, what))


def _tell_error(run: RunRow, row: StepRow) -> Pair | None:
    if row.error is None:
        return None
    return tell_reason(str(listing.without_secrets(run, row.error.get("reason", ""))))


def _kind(step: FlowStep, *, is_undo: bool = False) -> str:
    if is_undo and step.compensate is not None:
        return step.compensate.kind
    return step.kind or "wait"


async def _see(tx: Tx, actor: Actor, run_id: int, workflows: Workflows) -> RunSeen:
    return await see_run(tx, await workflows.get_run(tx, actor, run_id), workflows, actor)
