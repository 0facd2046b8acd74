"""A run taken back, a slice at a time from its end: what it made is removed, what it changed is as it was before."""

from collections.abc import Sequence

from pabal.apps.adgroups.legacy import flags, moving, runs
from pabal.apps.adgroups.legacy.model import Outcome, Run, RunState
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import about_of
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine import facts, subjects
from pabal.engine.facts import NewFact

SQL = load(__file__)
REMOVED = "removed"


async def undo_slice(tx: Tx, run: Run) -> bool:
    """The last rows of a run that is held; False: there are none, and all of it is taken back."""
    if run.checkpoint == 0:
        await tx.run(SQL.drop_things, id=run.id)
        await runs.move_run(tx, run, RunState.ROLLED_BACK)
        await facts.record(tx, "adgroups.migration_rolled_back", run.about, dict(run.counts), run.unit_id)
        return False
    low = max(run.checkpoint - moving.SLICE, 0)
    rows = await tx.rows(SQL.hold_rows, run_id=run.id, low=low, high=run.checkpoint)
    touched = [] if run.even_touched else [row for row in rows if not row["is_untouched"]]
    free = [row for row in rows if run.even_touched or row["is_untouched"]]
    removed = [row for row in free if row["outcome"] == Outcome.MADE]
    restored = [row for row in free if row["outcome"] == Outcome.CHANGED]
    await _remove(tx, run, removed)
    await _restore(tx, run, restored)
    ends = ((Outcome.REMOVED, removed), (Outcome.RESTORED, restored), (Outcome.KEPT, touched))
    for outcome, of in ends:
        if of:
            await tx.run(SQL.note_undone, run_id=run.id, ns=[row["n"] for row in of], outcome=outcome)
    await runs.advance(tx, run, checkpoint=low, done={outcome: len(of) for outcome, of in ends})
    return True


async def _remove(tx: Tx, run: Run, rows: Sequence[Row]) -> None:
    """With their history and timers, as if they had never come; that they were here stays among the facts."""
    ids = [row["id"] for row in rows]
    if not ids:
        return
    await flags.forget(tx, ids)
    await subjects.forget(tx, AD_GROUP, ids)
    await tx.run(SQL.delete_groups, ids=ids)
    await facts.record_many(tx, [_say_removed(run, row) for row in rows])


def _say_removed(run: Run, row: Row) -> NewFact:
    data = {"event": "rollback", "source": row["state"], "target": REMOVED, "cause": run.about}
    return NewFact(f"{AD_GROUP.name}.{REMOVED}", about_of(row["id"]), data, run.unit_id)


async def _restore(tx: Tx, run: Run, rows: Sequence[Row]) -> None:
    if rows:
        await tx.run(SQL.restore_groups, run_id=run.id, ns=[row["n"] for row in rows])
        await moving.follow_schedule(tx, [row["id"] for row in rows], run)
