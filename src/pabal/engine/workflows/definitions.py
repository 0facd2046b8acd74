"""Workflows and their versions as rows. A version never changes; a run keeps the one it began with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.base.sql import load
from pabal.engine.workflows import checking, forms, schema
from pabal.engine.workflows.mistakes import Mistake, WorkflowRefused
from pabal.engine.workflows.model import Workflow
from pabal.engine.workflows.step_kinds import StepKinds

SQL = load(__file__)
MOST_KEPT = 1000


class WorkflowNotFound(NotFound, code="workflow_not_found"):
    """There is no such workflow, or it is not yours to see."""


class StepKindMissing(Conflict, code="step_kind_missing"):
    """Runs that are not over need a kind of step that this server does not have. Start it with the app that has it, or
    end those runs first."""


class SchemaShrank(Invalid, code="schema_shrank"):
    """A kind of step takes or gives less than it did under the same version. Give it a new version; keep the old."""


@dataclass(frozen=True, slots=True)
class StoredWorkflow:
    """A workflow with one of its versions."""

    id: int
    unit_id: int | None
    name: str
    newest: int
    seen_by: str
    created_at: datetime
    archived_at: datetime | None
    definition_id: int
    number: int
    definition: dict[str, Any]
    # the inputs that decide where something goes; None: nobody asked when it was saved
    destinations: list[str] | None
    made_by: str
    made_at: datetime

    @property
    def workflow(self) -> Workflow:
        return read_stored(self.definition)


async def save_workflow(
    tx: Tx, workflow: Workflow, *, unit_id: int | None, by: str, destinations: Sequence[str] | None = None
) -> StoredWorkflow:
    """As a new version, or as nothing where it says what the newest says. Raises WorkflowRefused for a workflow that
    starts another one that is not there."""
    await _check_others(tx, workflow, unit_id)
    data = forms.as_data(workflow)
    workflow_id = await tx.value(SQL.hold_workflow, unit_id=unit_id, name=workflow.name, seen_by=workflow.seen_by.value)
    newest = await find_workflow(tx, workflow_id)
    known = None if destinations is None else list(destinations)
    if newest is None or newest.archived_at is not None or (newest.definition, newest.destinations) != (data, known):
        await tx.run(
            SQL.insert_version,
            id=workflow_id,
            definition=data,
            kinds=sorted(checking.list_kinds(workflow)),
            destinations=known,
            by=by,
            seen_by=workflow.seen_by,
            starts_on=None if workflow.start is None else workflow.start.event,
        )
    found = await find_workflow(tx, workflow_id)
    assert found is not None  # noqa: S101 -- written above # nosec B101
    return found


async def find_workflow(tx: Tx, workflow_id: int, number: int | None = None) -> StoredWorkflow | None:
    """With its newest version, or with this one."""
    return await tx.one(StoredWorkflow, SQL.find_workflow, id=workflow_id, number=number)


async def get_workflow(tx: Tx, workflow_id: int, number: int | None = None) -> StoredWorkflow:
    found = await find_workflow(tx, workflow_id, number)
    if found is None:
        raise WorkflowNotFound(str(workflow_id))
    return found


async def find_named(tx: Tx, name: str, unit_id: int | None) -> StoredWorkflow | None:
    """The workflow of this name in this unit, unless it was put away."""
    return await tx.one(StoredWorkflow, SQL.find_named, name=name, unit_id=unit_id)


async def list_started_by(tx: Tx, events: Sequence[str], units: Sequence[int]) -> list[StoredWorkflow]:
    """Those of these units, and of none, whose newest version says that one of these events starts it."""
    return await tx.all(StoredWorkflow, SQL.list_started_by, events=list(events), units=list(units))


async def lock_workflow(tx: Tx, workflow_id: int) -> None:
    await tx.run(SQL.lock_workflow, id=workflow_id)


async def archive_workflow(tx: Tx, workflow_id: int) -> None:
    """Nothing starts it any more; its runs go on."""
    await tx.run(SQL.archive_workflow, id=workflow_id)


def read_stored(data: dict[str, Any]) -> Workflow:
    """What was checked when it was saved."""
    workflow, mistakes = forms.read(data)
    if workflow is None:
        raise WorkflowRefused(mistakes)
    return workflow


class Flows:
    """Versions this process has read; they never change."""

    def __init__(self) -> None:
        self._known: dict[int, Workflow] = {}

    async def load(self, tx: Tx, definitions: Iterable[int]) -> dict[int, Workflow]:
        wanted = set(definitions)
        missing = sorted(wanted - self._known.keys())
        if missing:
            if len(self._known) > MOST_KEPT:
                self._known.clear()
            wanted |= set(missing)
            rows = await tx.rows(SQL.load_definitions, ids=sorted(wanted - self._known.keys()))
            self._known |= {row["id"]: read_stored(row["definition"]) for row in rows}
        return self._known


async def check_kinds(tx: Tx, kinds: StepKinds) -> None:
    """When a server starts: refuses to go on where a schema shrank or an open run needs what is not here."""
    stored = {(row["name"], row["version"]): row for row in await tx.rows(SQL.list_kinds)}
    for kind in kinds:
        row = stored.get((kind.name, kind.version))
        if row is not None:
            lost = schema.shrinkage(row["input"], kind.input, is_input=True)
            lost += schema.shrinkage(row["output"], kind.output, is_input=False)
            if lost:
                raise SchemaShrank(f"{kind.full_name}: {', '.join(lost)}")
        given = {"input": dict(kind.input), "output": dict(kind.output), "effects": sorted(kind.effects)}
        await tx.run(SQL.keep_kind, name=kind.name, version=kind.version, **given)
    needed = await tx.rows(SQL.list_needed_kinds)
    missing = [f"{row['kind']} ({row['runs']} runs of {row['name']})" for row in needed if not kinds.find(row["kind"])]
    if missing:
        raise StepKindMissing(", ".join(missing))


async def _check_others(tx: Tx, workflow: Workflow, unit_id: int | None) -> None:
    others = checking.list_workflows(workflow)
    known: Sequence[str] = [row["name"] for row in await tx.rows(SQL.list_names, unit_id=unit_id)] if others else []
    wrong = [
        Mistake("unknown_workflow", at, {"name": name})
        for name, at in others.items()
        if name not in known and name != workflow.name
    ]
    if wrong:
        raise WorkflowRefused(wrong)
