"""Stops the open steps of runs, in the commit that stops the runs; whoever concludes them comes right after it."""

from collections.abc import Sequence
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import withdrawals
from pabal.engine.queue import NewJob, enqueue_many

SQL = load(__file__)
STRAND, CONCLUDE, STOP, LOSE = "workflow.strand", "workflow.conclude", "workflow.stop", "workflow.lose"
# Without these jobs a run would stay as it is for ever, so none of them is given up.
FOR_EVER = 32_000
# how a run that another one waits for tells its end
CHILD = "run:"


async def stop_open(tx: Tx, runs: Sequence[int]) -> None:
    """What waits ends here. What runs is told, and ends by itself or is cancelled; only then is the run over."""
    await tx.run(SQL.name_ending, runs=list(runs))
    rows = await tx.rows(SQL.cancel_open, runs=list(runs))
    running = await tx.rows(SQL.list_running, runs=list(runs))
    jobs = [row["job"] for row in (*rows, *running) if row["job"] is not None]
    await withdrawals.ask(tx, jobs, reason="the run was stopped")
    children = [row["signal"].removeprefix(CHILD) for row in rows if (row["signal"] or "").startswith(CHILD)]
    await enqueue_many(
        tx,
        [
            *(job_about(CONCLUDE, run) for run in runs),
            *(job_about(STOP, int(child), reason="the run that waited for it was stopped") for child in children),
        ],
    )


def job_about(kind: str, run: int, *, unit_id: int | None = None, **args: Any) -> NewJob:
    """The engine's own work on a run: it needs the run alone, in a commit of its own."""
    about = f"workflow_run:{run}"
    return NewJob(
        kind, {"run": run, **args}, about=about, unit_id=unit_id, max_failures=FOR_EVER, max_recoveries=FOR_EVER
    )
