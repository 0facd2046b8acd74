"""Rows of a run become ad groups, a slice at a time in one commit each; and the same way back, from its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pabal.apps.adgroups import asking
from pabal.apps.adgroups.legacy import flags, runs
from pabal.apps.adgroups.legacy.model import Outcome, Run, RunState
from pabal.apps.adgroups.legacy.old_rows import Old, decide
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import about_of
from pabal.apps.adgroups.model.calculator import Dates
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine import facts, subjects, timers
from pabal.engine.facts import NewFact
from pabal.engine.transitions import Because, begin_in
from pabal.platform import approvals

SQL = load(__file__)
SLICE = 2000
REASON = "migration"
REMOVED = "removed"


@dataclass(slots=True)
class _Slice:
    """Rows from `first` to `last`; those to be brought over, by their number, with the state they have now."""

    run: Run
    rows: Sequence[Row]
    states: dict[int, str] = field(default_factory=dict)

    @property
    def span(self) -> dict[str, int]:
        return {"run_id": self.run.id, "first": self.rows[0]["n"], "last": self.rows[-1]["n"]}


async def move_slice(tx: Tx, run: Run) -> bool:
    """The next rows of a run that is held; False: there are none, and it is done."""
    rows = await tx.rows(SQL.next_rows, run_id=run.id, after=run.checkpoint, upto=run.checkpoint + SLICE)
    if not rows:
        await runs.move_run(tx, run, RunState.DONE)
        await facts.record(tx, "adgroups.migrated", run.about, dict(run.counts), run.unit_id)
        return False
    part = _Slice(run, rows)
    # Decided again: between the dry run and now dates have passed.
    part.states = {row["n"]: decide(_read_old(row), tx.now).state for row in rows if row["refusal"] is None}
    await _make_things(tx, part)
    made = await _make_groups(tx, part)
    rest = sorted(part.states.keys() - made.keys())
    await _change_groups(tx, part, rest)
    await _note_rest(tx, part, rest)
    counts = {row["outcome"]: row["count"] for row in await tx.rows(SQL.count_outcomes, **part.span)}
    await runs.advance(tx, run, checkpoint=rows[-1]["n"], done=counts)
    if await flags.has_any(tx):
        await flags.place(tx, list(made.values()))
    return True


async def _make_things(tx: Tx, part: _Slice) -> None:
    """Campaigns and inventory that rows name and nobody has yet."""
    given = {**part.span, "unit_id": part.run.unit_id, "now": tx.now}
    campaigns = await tx.rows(SQL.make_campaigns, **given, created_by=part.run.created_by)
    inventories = await tx.rows(SQL.make_inventories, **given)
    await runs.add_made(
        tx, part.run, campaigns=[row["id"] for row in campaigns], inventories=[row["id"] for row in inventories]
    )


async def _make_groups(tx: Tx, part: _Slice) -> Mapping[int, int]:
    """By the number of the row, the ad group it became; not those that are here already."""
    given = {"run_id": part.run.id, "unit_id": part.run.unit_id, "now": tx.now}
    numbers, states = list(part.states), list(part.states.values())
    rows = await tx.rows(SQL.make_groups, **given, ns=numbers, states=states, created_by=part.run.created_by)
    n_of = {row["legacy_id"]: row["n"] for row in part.rows if row["refusal"] is None}
    made = {n_of[row["legacy_id"]]: row["id"] for row in rows}
    if not made:
        return made
    await tx.run(SQL.note_made, run_id=part.run.id, ns=list(made), ids=list(made.values()), now=tx.now)
    await _give_things(tx, part, made)
    begun = {ad_group_id: part.states[n] for n, ad_group_id in made.items()}
    await begin_in(tx, AD_GROUP, begun, Because(part.run.created_by, REASON, part.run.about))
    return made


async def _give_things(tx: Tx, part: _Slice, made: Mapping[int, int]) -> None:
    given = {"run_id": part.run.id, "unit_id": part.run.unit_id}
    of = [row["n"] for row in part.rows if row["has_creatives"] and row["n"] in made]
    if of:
        await tx.run(SQL.add_creatives, **given, ns=of, ids=[made[n] for n in of], now=tx.now)
    of = [row["n"] for row in part.rows if row["has_inventory"] and row["n"] in made]
    if of:
        await tx.run(SQL.add_inventories, **given, ns=of, ids=[made[n] for n in of])


async def _change_groups(tx: Tx, part: _Slice, numbers: list[int]) -> None:
    """Those that are here from before get the dates and hours the old system has now; their state only events move."""
    if not numbers:
        return
    given = {"run_id": part.run.id, "unit_id": part.run.unit_id, "ns": numbers, "now": tx.now}
    changed = [row["id"] for row in await tx.rows(SQL.change_groups, **given)]
    await follow_schedule(tx, changed, part.run)


async def follow_schedule(tx: Tx, ids: Sequence[int], run: Run) -> None:
    """After their dates changed, in its commit."""
    if ids:
        await timers.rearm(tx, AD_GROUP, ids)
        said = {"cause": run.about}
        await facts.record_many(tx, [NewFact("adgroups.rescheduled", about_of(one), said, run.unit_id) for one in ids])


async def _note_rest(tx: Tx, part: _Slice, numbers: list[int]) -> None:
    given = {"run_id": part.run.id, "unit_id": part.run.unit_id, "now": tx.now}
    if numbers:
        await tx.run(SQL.note_known, **given, ns=numbers)
    refused = [row["n"] for row in part.rows if row["refusal"] is not None]
    if refused:
        await tx.run(SQL.note_refused, run_id=part.run.id, ns=refused, outcome=Outcome.REFUSED, now=tx.now)


def _read_old(row: Row) -> Old:
    dates = Dates(row["start_at"], row["end_at"], row["ready_at"], row["ready_confirmed_at"], row["deleted_at"])
    return Old(dates, row["zone"], row["dayparts"], row["old_status"])


async def undo_slice(tx: Tx, run: Run) -> bool:
    """The last rows of a run that is held; False: there are none, and all of it is taken back."""
    if run.checkpoint == 0:
        await tx.run(SQL.drop_things, id=run.id)
        await runs.move_run(tx, run, RunState.ROLLED_BACK)
        await facts.record(tx, "adgroups.migration_rolled_back", run.about, dict(run.counts), run.unit_id)
        return False
    low = max(run.checkpoint - SLICE, 0)
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
    await approvals.close(tx, asking.READY, ids, None, actor=run.created_by)
    await subjects.forget(tx, AD_GROUP, ids)
    await tx.run(SQL.delete_groups, ids=ids)
    await facts.record_many(tx, [_say_removed(run, row) for row in rows])


def _say_removed(run: Run, row: Row) -> NewFact:
    data = {"event": "rollback", "source": row["state"], "target": REMOVED, "cause": run.about}
    return NewFact(f"{AD_GROUP.name}.{REMOVED}", about_of(row["id"]), data, run.unit_id)


async def _restore(tx: Tx, run: Run, rows: Sequence[Row]) -> None:
    if rows:
        await tx.run(SQL.restore_groups, run_id=run.id, ns=[row["n"] for row in rows])
        await follow_schedule(tx, [row["id"] for row in rows], run)
