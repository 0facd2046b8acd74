"""Everything the checks look at: runs with their steps and histories, what steps left, and what processes saw."""

from collections import Counter
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from chaos import history
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.transitions import Transition
from pabal.engine.workflows.definitions import read_stored
from pabal.engine.workflows.model import FlowStep, Workflow

SQL = load(__file__)
PLAIN = -1


@dataclass(frozen=True, slots=True)
class StepRow:
    run_id: int
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
    opened_at: datetime
    due_at: datetime | None
    ended_at: datetime | None
    ended_no: int | None


@dataclass(frozen=True, slots=True)
class Note:
    run_id: int
    step: int
    item: int
    undo: bool
    what: str
    data: dict[str, Any]


@dataclass(slots=True)
class Run:
    id: int
    definition: dict[str, Any]
    state: str
    version: int
    input: dict[str, Any]
    output: Any
    parent_id: int | None
    depth: int
    compensates: bool
    reason: str | None
    opened: int
    ended: int
    flow: Workflow = field(init=False)
    steps: list[StepRow] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    transitions: list[Transition] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.flow = read_stored(self.definition)

    @property
    def plain(self) -> dict[int, StepRow]:
        """The steps themselves, without items and compensations."""
        return {row.step: row for row in self.steps if row.item == PLAIN and not row.undo}

    @property
    def was_retried(self) -> bool:
        return any(note.what == "before_retry" for note in self.notes)

    def declared(self, row: StepRow | Note) -> FlowStep:
        return self.flow.steps[row.step]

    def kind_of(self, row: StepRow | Note) -> str:
        """What ran, without its version; nothing for a wait and for a fan-out as a whole."""
        step = self.declared(row)
        if row.undo:
            return "" if step.compensate is None else step.compensate.kind.partition("@")[0]
        return "" if step.for_each is not None and row.item == PLAIN else step.kind.partition("@")[0]

    def key_of(self, row: StepRow | Note) -> str:
        """As its kind is given it."""
        at = row.opened_at if isinstance(row, StepRow) else datetime.fromisoformat(row.data["opened_at"])
        undo = "/undo" if row.undo else ""
        return f"{self.id}/{self.declared(row).name}/{row.item}{undo}/{at.timestamp():.6f}"

    def was_skipped_by_hand(self, row: StepRow) -> bool:
        return any(note.what == "skipped" and note.step == row.step for note in self.notes)


@dataclass(slots=True)
class Evidence:
    runs: list[Run] = field(default_factory=list)
    # what steps left in their commits: key, what, name
    effects: list[tuple[str, str, str]] = field(default_factory=list)
    # by their own processes: (key, attempt) of those that began, and the names that ended attempts gave
    began: Counter[tuple[str, int]] = field(default_factory=Counter)
    given: dict[str, set[str]] = field(default_factory=dict)
    # runs whose start was answered; names of signals that were sent, or may have been
    started: set[int] = field(default_factory=set)
    sent: dict[str, set[str]] = field(default_factory=dict)
    verbs: Counter[str] = field(default_factory=Counter)
    open_jobs: int = 0
    waits: int = 0
    kept: int = 0
    # how often PostgreSQL had to choose who gives way: over rows of workflows, and over the engine's leases
    deadlocks: int = 0
    other_deadlocks: int = 0


async def gather(folder: Path, url: str) -> Evidence:
    evidence = Evidence()
    read_history(history.read(folder / "history"), evidence)
    read_logs([path.read_text(errors="replace") for path in (folder / "log").glob("*.log")], evidence)
    database = await Database.open(url, size=1)
    try:
        async with database.transaction() as tx:
            await _read_tables(tx, evidence)
    finally:
        await database.close()
    return evidence


def read_history(lines: list[history.Line], evidence: Evidence) -> None:
    for line in lines:
        data = line.data
        match line.what:
            case "step began":
                evidence.began[data["key"], data["attempt"]] += 1
            case "step ended":
                evidence.given.setdefault(data["key"], set()).add(data["n"])
            case "run started":
                evidence.started.add(data["run"])
            case "sending":
                evidence.sent.setdefault(data["signal"], set()).add(data["n"])
            case "verb":
                evidence.verbs[data["verb"]] += 1


def read_logs(logs: list[str], evidence: Evidence) -> None:
    for text in logs:
        for told in text.split("ERROR:  deadlock detected")[1:]:
            # who waited for whom, with their statements, stands before the hint
            is_ours = "pabal.workflow_" in told.partition("HINT:")[0]
            evidence.deadlocks += is_ours
            evidence.other_deadlocks += not is_ours


async def _read_tables(tx: Tx, evidence: Evidence) -> None:
    evidence.runs = await tx.all(Run, SQL.list_runs)
    by_id = {run.id: run for run in evidence.runs}
    for row in await tx.all(StepRow, SQL.list_steps):
        by_id[row.run_id].steps.append(row)
    for note in await tx.all(Note, SQL.list_notes):
        by_id[note.run_id].notes.append(note)
    for one in await tx.all(Transition, SQL.list_transitions):
        by_id[one.subject].transitions.append(one)
    evidence.effects = [(row["key"], row["what"], row["n"]) for row in await tx.rows(SQL.list_effects)]
    evidence.open_jobs = await tx.value(SQL.count_jobs)
    evidence.waits, evidence.kept = await tx.value(SQL.count_waits), await tx.value(SQL.count_signals)
