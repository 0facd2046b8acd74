"""Deletes runs that ended long ago, with their steps, notes and history. Facts and jobs have times of their own."""

from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import subjects
from pabal.engine.workflows.machine import WORKFLOW_RUN

SQL = load(__file__)
MOST_RUNS = 500
# a fan-out has thousands of them
MOST_STEPS = 20_000


@dataclass(frozen=True, slots=True)
class DeletedRun:
    id: int
    unit_id: int | None
    seen_by: str


async def delete_runs(tx: Tx, before: datetime, *, most: int = MOST_RUNS) -> list[DeletedRun]:
    """Some of those that ended before this moment. Nobody waits for any of them; none is open."""
    gone = await tx.all(DeletedRun, SQL.delete_runs, before=before, most_runs=most, most_steps=MOST_STEPS)
    await subjects.forget(tx, WORKFLOW_RUN, [one.id for one in gone])
    return gone
