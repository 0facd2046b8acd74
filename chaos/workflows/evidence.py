"""What the checks look at: runs and steps as stored, their histories, and what the steps themselves wrote down."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chaos import history
from chaos.workflows.flows import EFFECT
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import transitions
from pabal.engine.workflows.definitions import read_stored
from pabal.engine.workflows.machine import WORKFLOW_RUN
from pabal.engine.workflows.model import Workflow

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Step:
    step: int
    item: int
    undo: bool
    state: str
    output: Any
    error: Any
    ended_no: int | None
    key: str


@dataclass(slots=True)
class Life:
    """A run: its workflow, where it is, what its history leads to, its steps."""

    id: int
    flow: Workflow
    state: str
    replayed: str | None
    compensates: bool
    input: dict[str, Any]
    opened: int
    ended: int
    steps: list[Step]
    # what a person skipped, and how often somebody asked to retry
    skipped: set[int] = field(default_factory=set)
    retries: int = 0
    # keys of steps that were done before a retry
    earlier: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Evidence:
    lives: list[Life] = field(default_factory=list)
    effects: Counter[str] = field(default_factory=Counter)
    did: Counter[str] = field(default_factory=Counter)
    waits: int = 0
    left: int | None = 0


async def gather(folder: Path, url: str, left: int | None) -> Evidence:
    did = Counter(line.data["key"] for line in history.read(folder / "history") if line.what == "did")
    database = await Database.open(url, size=2)
    evidence = Evidence(did=did, left=left)
    async with database.transaction() as tx:
        evidence.effects = Counter(row["key"] for row in await tx.rows(SQL.list_effects, name=EFFECT))
        evidence.waits = await tx.value(SQL.count_waits)
        for row in await tx.rows(SQL.list_runs):
            made = await transitions.history(tx, WORKFLOW_RUN, row["id"])
            flow = read_stored(row["definition"])
            life = Life(
                row["id"],
                flow,
                row["state"],
                transitions.replay(made),
                row["compensates"],
                row["input"],
                row["opened"],
                row["ended"],
                [_step(row["id"], flow, one) for one in await tx.rows(SQL.list_steps, run=row["id"])],
            )
            for note in await tx.rows(SQL.list_notes, run=row["id"]):
                _take_note(life, note)
            evidence.lives.append(life)
    await database.close()
    return evidence


def key_of(run: int, name: str, item: int, *, undo: bool, opened_at: float) -> str:
    """As StepCall has it, worked out again."""
    return f"{run}/{name}/{item}{'/undo' if undo else ''}/{opened_at:.6f}"


def _step(run: int, flow: Workflow, row: Any) -> Step:
    name = flow.steps[row["step"]].name
    key = key_of(run, name, row["item"], undo=row["undo"], opened_at=row["opened_at"].timestamp())
    values = (row["step"], row["item"], row["undo"], row["state"], row["output"], row["error"], row["ended_no"])
    return Step(*values, key)


def _take_note(life: Life, note: Any) -> None:
    if note["what"] == "skipped":
        life.skipped.add(note["step"])
    if note["what"] == "before_retry":
        life.retries += 1
        key = (note["data"].get("output") or {}) if isinstance(note["data"].get("output"), dict) else {}
        if "key" in key:
            life.earlier.add(key["key"])
