"""The tables of runs and of their rows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pabal.apps.adgroups.errors import RunNotFound
from pabal.apps.adgroups.legacy.model import Mode, Outcome, Row, Run, RunState
from pabal.apps.adgroups.legacy.old_rows import Planned
from pabal.apps.adgroups.model.adgroups import State
from pabal.base.database import Row as Record
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope

SQL = load(__file__)
_COLUMNS = (
    *("run_id", "n", "legacy_id", "name", "campaign", "start_at", "end_at", "ready_at", "ready_confirmed_at"),
    *("deleted_at", "old_status", "zone", "dayparts", "creatives", "inventory", "calculated", "state", "marks"),
    *("refusal", "problem"),
)


class NewRun(NamedTuple):
    unit_id: int
    source: str
    file_id: int | None
    created_by: str


@dataclass(slots=True)
class Found:
    """What a dry run counted."""

    rows: int = 0
    states: Counter[str] = field(default_factory=Counter)
    marks: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)

    def count(self, planned: Sequence[Planned]) -> None:
        self.rows += len(planned)
        self.states.update(one.state for one in planned if one.state is not None)
        self.marks.update(mark for one in planned for mark in one.marks)
        self.refusals.update(one.refusal for one in planned if one.refusal is not None)


async def insert_run(tx: Tx, new: NewRun) -> int:
    made: int = await tx.value(SQL.insert_run, **new._asdict(), now=tx.now)
    return made


async def delete_run(tx: Tx, run_id: int) -> None:
    await tx.run(SQL.delete_run, id=run_id)


async def add_rows(tx: Tx, run_id: int, planned: Sequence[Planned]) -> None:
    await tx.copy("pabal.legacy_row", _COLUMNS, (_as_record(run_id, one) for one in planned))


async def end_plan(tx: Tx, run_id: int, found: Found) -> None:
    counted = {"states": dict(found.states), "marks": dict(found.marks), "refusals": dict(found.refusals)}
    await tx.run(SQL.end_plan, id=run_id, rows=found.rows, **counted)


async def get_run(tx: Tx, scope: Scope, run_id: int) -> Run:
    run = await find_run(tx, run_id)
    if not scope.holds(run.unit_id):
        raise RunNotFound(str(run_id))
    return run


async def find_run(tx: Tx, run_id: int) -> Run:
    """For the job of it."""
    rows = await tx.rows(SQL.find_run, id=run_id)
    if not rows:
        raise RunNotFound(str(run_id))
    return _read_run(rows[0])


async def hold_run(tx: Tx, run_id: int) -> Run | None:
    """Locked until the commit; None: somebody else holds it, or it is gone."""
    rows = await tx.rows(SQL.hold_run, id=run_id)
    return _read_run(rows[0]) if rows else None


async def list_runs(
    tx: Tx, scope: Scope, wanted: Filter | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Run]:
    """The newest first."""
    before = LAST if cursor is None else read_cursor(cursor, int)[0]
    rows = await tx.rows(SQL.list_runs, units=scope.listed, before_id=before, most=one_more(limit))
    return cut([_read_run(row) for row in rows], limit, lambda one: show_cursor(one.id))


async def list_rows(tx: Tx, run_id: int, only: str | None, cursor: str | None = None, limit: int = 50) -> Page[Row]:
    """In the order they were read. `only` is `suspicious`, `refused`, a mark, or a reason to refuse."""
    after = 0 if cursor is None else read_cursor(cursor, int)[0]
    listing = SQL.list_rows if only is None else SQL.list_noted_rows
    given = {} if only is None else {"only": only}
    rows = await tx.rows(listing, run_id=run_id, after=after, most=one_more(limit), **given)
    return cut([_read_row(row) for row in rows], limit, lambda one: show_cursor(one.n))


async def move_run(tx: Tx, run: Run, state: RunState, *, mode: Mode | None = None, even_touched: bool = False) -> None:
    await tx.run(
        SQL.move_run, id=run.id, state=state, mode=mode or run.mode, even_touched=even_touched, error=None, now=tx.now
    )


async def fail_run(tx: Tx, run: Run, error: str) -> None:
    """It stands still where it is; going back stays going back."""
    state = RunState.FAILED if run.state is RunState.RUNNING else run.state
    given = {"mode": run.mode, "even_touched": run.even_touched, "error": error.replace("\0", "")[:1000]}
    await tx.run(SQL.move_run, id=run.id, state=state, **given, now=tx.now)


async def advance(tx: Tx, run: Run, *, checkpoint: int, done: dict[str, int]) -> None:
    counts = dict(Counter(run.counts) + Counter(done))
    await tx.run(SQL.advance, id=run.id, checkpoint=checkpoint, counts=counts)


async def add_made(tx: Tx, run: Run, *, campaigns: list[int], inventories: list[int]) -> None:
    """What it made beside ad groups, so that going back can take it away."""
    if campaigns or inventories:
        await tx.run(SQL.add_made, id=run.id, campaigns=campaigns, inventories=inventories)


async def set_file(tx: Tx, run: Run, file_id: int) -> None:
    """The plan's while it is one, the report's afterwards."""
    is_plan = run.state is RunState.PLANNED
    await tx.run(SQL.set_plan_file if is_plan else SQL.set_report_file, id=run.id, file_id=file_id)


async def show_lines(tx: Tx, run_id: int, after: int, most: int) -> tuple[int, str] | None:
    """The next lines of the report, and where they end."""
    [row] = await tx.rows(SQL.show_lines, run_id=run_id, after=after, upto=after + most)
    return None if row["last"] is None else (row["last"], row["lines"])


def _as_record(run_id: int, one: Planned) -> tuple[Any, ...]:
    things = (one.creatives, one.inventory, one.calculated, one.state, one.marks, one.refusal, one.problem)
    if one.old is None:
        return (run_id, one.n, one.legacy_id, one.name, one.campaign, *(None,) * 8, *things)
    dates, old = one.old.dates, one.old
    moments = (dates.start_at, dates.end_at, dates.ready_at, dates.ready_confirmed_at, dates.deleted_at)
    how = (old.old_status, old.zone, old.dayparts)
    return (run_id, one.n, one.legacy_id, one.name, one.campaign, *moments, *how, *things)


def _read_run(row: Record) -> Run:
    values = dict(row)
    values["state"], values["mode"] = RunState(values["state"]), values["mode"] and Mode(values["mode"])
    return Run(**values)


def _read_row(row: Record) -> Row:
    values = dict(row)
    values["state"] = values["state"] and State(values["state"])
    values["outcome"] = values["outcome"] and Outcome(values["outcome"])
    return Row(**values)
