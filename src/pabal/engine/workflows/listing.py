"""Workflows and runs for people: lists, a run with its steps, why a step waits, what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import Page, cut, one_more, read_cursor, show_cursor
from pabal.engine.workflows import checking, schema
from pabal.engine.workflows.definitions import read_stored
from pabal.engine.workflows.model import Workflow
from pabal.engine.workflows.runs import RunNotFound
from pabal.engine.workflows.step_kinds import StepKinds

SQL = load(__file__)
_LAST = 2**62


@dataclass(frozen=True, slots=True)
class WorkflowRow:
    """`open_runs` and `failed_runs` count those that are not over, and those that failed last."""

    id: int
    unit_id: int | None
    name: str
    title: str
    newest: int
    seen_by: str
    archived_at: datetime | None
    made_by: str
    made_at: datetime
    open_runs: int
    failed_runs: int


@dataclass(frozen=True, slots=True)
class VersionRow:
    id: int
    workflow_id: int
    number: int
    definition: dict[str, Any]
    made_by: str
    made_at: datetime


@dataclass(frozen=True, slots=True)
class RunRow:
    id: int
    unit_id: int | None
    workflow_id: int
    name: str
    number: int
    seen_by: str
    state: str
    version: int
    owner: str
    input: dict[str, Any]
    output: Any
    parent_id: int | None
    again_of: int | None
    cause: str | None
    reason: str | None
    compensates: bool
    opened: int
    ended: int
    started_at: datetime
    ends_by: datetime
    ended_at: datetime | None
    definition: dict[str, Any]

    @property
    def workflow(self) -> Workflow:
        return read_stored(self.definition)


@dataclass(frozen=True, slots=True)
class StepRow:
    """A step as it is now. `open_items`: of a fan-out, how many are not over."""

    name: str
    step: int
    item: int
    undo: bool
    state: str
    attempt: int
    failures: int
    open_items: int | None
    input: Any
    output: Any
    error: dict[str, Any] | None
    signal: str | None
    job: int | None
    opened_at: datetime
    started_at: datetime | None
    due_at: datetime | None
    ended_at: datetime | None
    ended_no: int | None

    @property
    def label(self) -> str:
        where = self.name if self.item < 0 else f"{self.name}[{self.item}]"
        return f"undo {where}" if self.undo else where


@dataclass(frozen=True, slots=True)
class NoteRow:
    id: int
    step: int | None
    item: int | None
    undo: bool | None
    what: str
    actor: str
    data: dict[str, Any]
    at: datetime


@dataclass(frozen=True, slots=True)
class Waiting:
    """Why a step is not over: `paused`, `slot` (a server is free soon), `running`, `moment`, `retry`, `event`,
    `workflow`, `signal`, `items`, `needs` (other steps first, named in `what`)."""

    why: str
    what: str = ""
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class RunVersion:
    """Which version of which workflow a run runs."""

    id: int
    workflow_id: int
    number: int


@dataclass(frozen=True, slots=True)
class WantedRuns:
    units: Sequence[int] | None
    workflow_id: int | None = None
    states: Sequence[str] = ()
    seen_by: Sequence[str] = ("viewer", "operator", "admin")


async def list_workflows(
    tx: Tx, units: Sequence[int] | None, *, seen_by: Sequence[str], with_archived: bool = False
) -> list[WorkflowRow]:
    """By name, in these units, for somebody with one of these roles."""
    given = {"units": None if units is None else list(units), "seen_by": list(seen_by), "archived": with_archived}
    return await tx.all(WorkflowRow, SQL.list_workflows, **given)


async def list_versions(tx: Tx, workflow_id: int) -> list[VersionRow]:
    """Newest first."""
    return await tx.all(VersionRow, SQL.list_versions, id=workflow_id)


async def list_runs(tx: Tx, wanted: WantedRuns, cursor: str | None = None, limit: int = 50) -> Page[RunRow]:
    """Newest first."""
    [before] = (_LAST,) if cursor is None else read_cursor(cursor, int)
    found = await tx.all(
        RunRow,
        SQL.list_runs,
        units=None if wanted.units is None else list(wanted.units),
        workflow=wanted.workflow_id,
        states=list(wanted.states) or None,
        seen_by=list(wanted.seen_by),
        before=before,
        most=one_more(limit),
    )
    return cut(found, limit, lambda one: show_cursor(one.id))


async def get_run(tx: Tx, run_id: int, *, units: Sequence[int] | None) -> RunRow:
    """Raises RunNotFound where it is not in these units."""
    found = await tx.one(RunRow, SQL.get_run, id=run_id, units=None if units is None else list(units))
    if found is None:
        raise RunNotFound(str(run_id))
    return found


async def find_versions(tx: Tx, runs: Sequence[int]) -> dict[int, RunVersion]:
    """By run; those that are gone are left out."""
    return {one.id: one for one in await tx.all(RunVersion, SQL.find_versions, runs=list(runs))}


async def list_steps(tx: Tx, run_id: int, *, most: int = 1000) -> list[StepRow]:
    """Every step that was opened, with the items of fan-outs; those that failed first among the items."""
    rows = await tx.rows(SQL.list_steps, run=run_id, most=most)
    names = await _names(tx, run_id)
    return [StepRow(names[row["step"]], **dict(row)) for row in rows]


async def list_notes(tx: Tx, run_id: int) -> list[NoteRow]:
    """What happened besides: failed attempts, what a person skipped, how steps were before a retry."""
    return await tx.all(NoteRow, SQL.list_notes, run=run_id)


def without_secrets(run: RunRow, value: Any) -> Any:
    """Something of this run, with the secrets of its input hidden: its output, why it failed, what was noted."""
    return _without(value, _secrets_of(run))


def hidden(run: RunRow, steps: Sequence[StepRow], kinds: StepKinds) -> tuple[Any, list[tuple[Any, Any]]]:
    """The run's input, and input and output of each step, with every secret hidden, for people."""
    flow = run.workflow
    shown = schema.hide(checking.input_schema(flow), run.input)
    values = _secrets_of(run)
    found = []
    for one in steps:
        step = flow.steps[one.step]
        kind = kinds.find(step.compensate.kind if one.undo and step.compensate else step.kind) if step.kind else None
        given = one.input if kind is None else schema.hide(kind.input, one.input)
        is_list = step.for_each is not None and one.item < 0
        output = one.output if kind is None else _hide_output(kind.output, one.output, is_list=is_list)
        found.append((_without(given, values), _without(output, values)))
    return shown, found


def explain(run: RunRow, steps: Sequence[StepRow]) -> dict[str, Waiting]:
    """For each step of the workflow that is not over: why."""
    flow = run.workflow
    rows = {one.name: one for one in steps if one.item < 0 and not one.undo}
    found: dict[str, Waiting] = {}
    for step in flow.steps:
        row = rows.get(step.name)
        if row is None:
            open_needs = [need for need in step.needs if need not in rows or rows[need].ended_at is None]
            if run.ended_at is None and run.state in ("running", "paused"):
                found[step.name] = Waiting("needs", ", ".join(open_needs))
        elif row.ended_at is None:
            found[step.name] = _why(run, row)
    return found


def next_steps(run: RunRow, steps: Sequence[StepRow]) -> list[str]:
    """What begins as soon as one of the open steps is over."""
    if run.state not in ("running", "paused"):
        return []
    flow = run.workflow
    opened = {one.step for one in steps if one.item < 0 and not one.undo}
    return [
        step.name
        for number, step in enumerate(flow.steps)
        if number not in opened and all(need in opened for need in flow.needed[number])
    ]


def _why(run: RunRow, row: StepRow) -> Waiting:
    if row.open_items is not None:
        return Waiting("items", str(row.open_items), row.due_at)
    match row.state:
        case "retrying":
            return Waiting("retry", (row.error or {}).get("reason", ""), None)
        case "waiting" if row.signal is None:
            return Waiting("moment", "", row.due_at)
        case "waiting":
            kind, _, what = str(row.signal).partition(":")
            return Waiting({"event": "event", "run": "workflow"}.get(kind, "signal"), what, row.due_at)
        case "ready":
            return Waiting("paused" if run.state == "paused" and row.job is None else "slot")
        case _:
            return Waiting("running", "", row.due_at)


def _hide_output(given: schema.Schema, output: Any, *, is_list: bool) -> Any:
    if is_list and isinstance(output, list):
        return [schema.hide(given, one) for one in output]
    return schema.hide(given, output)


def _secrets_of(run: RunRow) -> list[Any]:
    names = [name for name, one in run.workflow.input.items() if one.secret]
    return [run.input[name] for name in names if run.input.get(name) not in (None, "")]


def _without(value: Any, secrets: Sequence[Any]) -> Any:
    """A secret of the run's input is hidden wherever a step was given it, or gave it back."""
    if isinstance(value, dict):
        return {name: _without(inner, secrets) for name, inner in value.items()}
    if isinstance(value, list):
        return [_without(inner, secrets) for inner in value]
    if isinstance(value, str):
        for secret in secrets:
            if isinstance(secret, str):
                value = value.replace(secret, schema.HIDDEN)
        return value
    return schema.HIDDEN if value is not None and not isinstance(value, bool) and value in secrets else value


async def _names(tx: Tx, run_id: int) -> dict[int, str]:
    data = await tx.value(SQL.find_definition, run=run_id)
    return {number: step["name"] for number, step in enumerate((data or {}).get("steps", ()))}
