"""Runs, which the requirement calls rule_executions: rows of `rules.run`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from pabal.apps.rules.errors import NoSuchRun
from pabal.apps.rules.model.rules import Rule, RuleRunState, Run, RunReason, Trigger
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.engine.transitions import Noting
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEnd:
    """What is kept of a run besides its state."""

    reason: RunReason | None = None
    summary: str = ""
    log: str = field(default="", repr=False)
    exit_code: int | None = None
    commit: str | None = None
    dirty: Mapping[str, str] = field(default_factory=dict)
    artifact_path: str | None = None
    artifacts: Sequence[dict[str, Any]] = ()
    artifacts_until: datetime | None = None
    data: Any = field(default=None, repr=False)
    met: bool | None = None
    checks: Sequence[dict[str, Any]] = ()
    captured: Sequence[dict[str, Any]] = ()
    # what its script asked to be sent
    sends: Sequence[Mapping[str, Any]] = field(default=(), repr=False)
    tokens: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class DueRun:
    """A moment of a rule that an attempt stands for."""

    rule: Rule
    scheduled_at: datetime
    trigger: Trigger
    attempt: int
    work_id: int
    is_last: bool = False

    @property
    def key(self) -> tuple[int, datetime]:
        return self.rule.number, self.scheduled_at


@dataclass(frozen=True, slots=True)
class RunFilter:
    rule_id: UUID | None = None
    states: Sequence[str] | None = None
    reason: str | None = None
    with_dry: bool = True
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Missed:
    """Moments of one rule at which nothing was running."""

    rule_id: UUID
    name: str
    count: int
    last_at: datetime


@dataclass(frozen=True, slots=True)
class CleanedRun:
    """A run that has gone, or whose files have: how many."""

    id: int
    unit_id: int
    files: int


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What the cleaning of one day deleted."""

    cleaned_at: datetime
    runs: int
    files: int


@dataclass(frozen=True, slots=True)
class EarlierFile:
    """A file that an earlier run of the same rule made under the same name."""

    name: str
    file: int
    media_type: str
    run_id: UUID


@dataclass(frozen=True, slots=True)
class RunCounts:
    runs: int
    failures: int
    running: int


async def insert_run(  # long: what is known of a run before it begins
    tx: Tx,
    rule: Rule,
    *,
    trigger: Trigger,
    scheduled_at: datetime,
    work_id: int | None = None,
    reason: RunReason | None = None,
    requested_by: str | None = None,
) -> int | None:
    """None: the moment has one already."""
    made: int | None = await tx.value(
        SQL.insert_run,
        rule_id=rule.number,
        unit_id=rule.unit_id,
        trigger=trigger.value,
        is_dry=trigger is Trigger.DRY_RUN,
        scheduled_at=scheduled_at,
        reason=None if reason is None else reason.value,
        work_id=work_id,
        requested_by=requested_by,
        now=tx.now,
    )
    return made


async def insert_unrun(tx: Tx, rule: Rule, *, scheduled_at: datetime, reason: RunReason, count: int = 1) -> int | None:
    """A moment that had no run, and will have none. None: it has a row already."""
    made: int | None = await tx.value(
        SQL.insert_unrun,
        rule_id=rule.number,
        unit_id=rule.unit_id,
        scheduled_at=scheduled_at,
        reason=reason.value,
        count=count,
        now=tx.now,
    )
    return made


async def find_at(tx: Tx, rule_number: int, scheduled_at: datetime) -> int | None:
    found: int | None = await tx.value(SQL.find_at, rule_id=rule_number, scheduled_at=scheduled_at)
    return found


async def load_runs(tx: Tx, numbers: Sequence[int]) -> list[Run]:
    """In the order given, whoever asks."""
    found = {row["number"]: Run(**row) for row in await tx.rows(SQL.load_runs, numbers=list(numbers))}
    return [found[each] for each in numbers if each in found]


async def get_run(tx: Tx, scope: Scope, run_id: UUID) -> Run:
    return await get_numbered(tx, scope, await tx.value(SQL.find_number, id=run_id), run_id)


async def get_numbered(tx: Tx, scope: Scope, number: int | None, shown: object = "") -> Run:
    found = [] if number is None else await load_runs(tx, [number])
    if not found or not scope.holds(found[0].unit_id):
        raise NoSuchRun(str(shown or number))
    return found[0]


async def hold_run(tx: Tx, run_id: UUID) -> None:
    await tx.value(SQL.hold_number, id=run_id)


async def list_runs(
    tx: Tx, scope: Scope, wanted: RunFilter | None = None, *, cursor: str | None = None, limit: int = 50
) -> Page[Run]:
    """The newest first."""
    asked = wanted or RunFilter()
    rows = await tx.rows(
        SQL.list_runs,
        units=scope.listed,
        rule_id=asked.rule_id,
        states=list(asked.states) if asked.states else None,
        reason=asked.reason,
        with_dry=asked.with_dry,
        since=asked.since,
        until=asked.until,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    page = paging.cut([row["id"] for row in rows], limit, paging.show_cursor)
    return Page(await load_runs(tx, page.items), page.cursor)


async def begin_due(tx: Tx, due: Sequence[DueRun]) -> tuple[list[Run | None], list[int]]:
    """The run of each, in the order given, and which of them are new; None: somebody else has just begun it."""
    known = await find_due(tx, due) if due else {}
    await _begin_attempts(tx, [(known[one.key], one) for one in due if one.key in known])
    again = {(one.rule_number, one.scheduled_at): one for one in await load_runs(tx, list(known.values()))}
    new = [one for one in due if one.key not in known]
    made = await _insert_due(tx, new) if new else {}
    return [(again | made).get(one.key) for one in due], sorted(one.number for one in made.values())


async def find_due(tx: Tx, due: Sequence[DueRun]) -> dict[tuple[int, datetime], int]:
    """Those that have a run already: its number."""
    rule_ids, moments = [one.rule.number for one in due], [one.scheduled_at for one in due]
    rows = await tx.rows(SQL.find_due, rule_ids=rule_ids, moments=moments)
    return {(row["rule_id"], row["scheduled_at"]): row["id"] for row in rows}


async def draft_runs(tx: Tx, due: Sequence[DueRun]) -> list[Run]:
    """As they will be when they are inserted, if they are."""
    numbers = [row["id"] for row in await tx.rows(SQL.new_numbers, count=len(due))] if due else []
    return [_draft(one, number, uuid4(), tx.now) for one, number in zip(due, numbers, strict=True)]


def _draft(due: DueRun, number: int, uid: UUID, now: datetime) -> Run:
    rule = due.rule
    return Run(
        id=uid,
        number=number,
        rule_id=rule.id,
        rule_number=rule.number,
        rule_name=rule.name,
        unit_id=rule.unit_id,
        state=RuleRunState.RUNNING,
        version=1,
        trigger=due.trigger,
        is_dry=due.trigger is Trigger.DRY_RUN,
        scheduled_at=due.scheduled_at,
        executed_at=now,
        attempt=due.attempt,
        work_id=due.work_id,
    )


async def _insert_due(tx: Tx, new: Sequence[DueRun]) -> dict[tuple[int, datetime], Run]:
    by_key = {one.key: one for one in new}
    rows = await tx.rows(
        SQL.insert_due,
        rule_ids=[one.rule.number for one in new],
        unit_ids=[one.rule.unit_id for one in new],
        triggers=[one.trigger.value for one in new],
        moments=[one.scheduled_at for one in new],
        attempts=[one.attempt for one in new],
        work_ids=[one.work_id for one in new],
        now=tx.now,
    )
    made = {(row["rule_id"], row["scheduled_at"]): row for row in rows}
    return {key: _draft(by_key[key], row["id"], row["uid"], tx.now) for key, row in made.items()}


async def _begin_attempts(tx: Tx, known: Sequence[tuple[int, DueRun]]) -> None:
    if known:
        attempts, work_ids = [one.attempt for _, one in known], [one.work_id for _, one in known]
        ids = [number for number, _ in known]
        await tx.run(SQL.begin_attempts, ids=ids, attempts=attempts, work_ids=work_ids, now=tx.now)


async def note_waiting(tx: Tx, number: int) -> None:
    """It will begin again, when a limit allows it."""
    await tx.run(SQL.note_waiting, id=number, reason=RunReason.WAITING.value)


def noting_ends(tx: Tx, ended: Sequence[RunEnd]) -> Noting:
    """What is kept of those that their machine moves, in the statement that moves them."""
    return Noting(SQL.ended, {"ends": [_show_end(one) for one in ended], "now": tx.now})


async def insert_ended(tx: Tx, ended: Sequence[tuple[Run, RuleRunState, RunEnd]]) -> None:
    """Drafts that have ended: each is written once. Their machine begins in that state, in the same commit."""
    await tx.run(SQL.insert_ended, ends=[_show_ended(*one) for one in ended], now=tx.now)


def _show_ended(run: Run, state: RuleRunState, ended: RunEnd) -> dict[str, Any]:
    """Without what only scripts and language models leave: log, files, commit, tokens."""
    return {
        "id": run.number,
        "uid": str(run.id),
        "rule_id": run.rule_number,
        "unit_id": run.unit_id,
        "state": state.value,
        "trigger": run.trigger.value,
        "scheduled_at": run.scheduled_at.isoformat(),
        "attempt": run.attempt,
        "work_id": run.work_id,
        "reason": None if ended.reason is None else ended.reason.value,
        "summary": ended.summary,
        "data": ended.data,
        "met": ended.met,
        "checks": list(ended.checks),
        "captured": list(ended.captured),
    }


def _show_end(ended: RunEnd) -> dict[str, Any]:
    until = ended.artifacts_until
    return {
        "reason": None if ended.reason is None else ended.reason.value,
        "exit_code": ended.exit_code,
        "commit": ended.commit,
        "dirty": dict(ended.dirty),
        "summary": ended.summary,
        "log": ended.log,
        "artifact_path": ended.artifact_path,
        "artifacts": list(ended.artifacts),
        "artifacts_until": None if until is None else until.isoformat(),
        "data": ended.data,
        "met": ended.met,
        "checks": list(ended.checks),
        "captured": list(ended.captured),
        "tokens": ended.tokens,
        "cost": ended.cost,
    }


async def note_failed_attempt(tx: Tx, number: int, ended: RunEnd) -> None:
    """It is tried again."""
    await tx.run(
        SQL.note_failed_attempt,
        id=number,
        reason=RunReason.RETRYING.value,
        summary=ended.summary,
        log=ended.log,
        tokens=ended.tokens,
        cost=ended.cost,
    )


async def note_log(tx: Tx, run: Run, log: str) -> None:
    """While it runs; of an attempt that is no longer the newest nothing is written."""
    await tx.run(SQL.note_log, id=run.number, attempt=run.attempt, log=log)


async def list_open_ids(tx: Tx) -> list[str]:
    return [str(row["uid"]) for row in await tx.rows(SQL.list_open_ids)]


async def delete_old(tx: Tx, before: datetime, *, most: int) -> list[CleanedRun]:
    return await tx.all(CleanedRun, SQL.delete_old, before=before, now=tx.now, most=most)


async def drop_artifacts(tx: Tx, *, most: int) -> list[CleanedRun]:
    """Files whose time is over; their runs stay."""
    return await tx.all(CleanedRun, SQL.drop_artifacts, now=tx.now, most=most)


async def note_cleaned(tx: Tx, by_unit: Mapping[int, tuple[int, int]]) -> None:
    """Of each unit how many runs and how many files went."""
    counts = list(by_unit.values())
    runs, files = [one[0] for one in counts], [one[1] for one in counts]
    await tx.run(SQL.note_cleaned, units=list(by_unit), runs=runs, files=files, now=tx.now)


async def forget_cleaned(tx: Tx, before: datetime) -> None:
    await tx.run(SQL.forget_cleaned, before=before)


async def find_cleaned(tx: Tx, scope: Scope) -> Cleaned | None:
    found = await tx.all(Cleaned, SQL.find_cleaned, units=scope.listed)
    return found[0] if found else None


async def list_before(tx: Tx, run: Run) -> dict[str, EarlierFile]:
    names = [one["name"] for one in run.artifacts]
    rows = await tx.all(EarlierFile, SQL.list_before, rule_id=run.rule_number, id=run.number, names=names)
    return {one.name: one for one in rows}


async def count_since(tx: Tx, scope: Scope, since: datetime) -> RunCounts:
    [row] = await tx.rows(SQL.count_since, units=scope.listed, since=since)
    return RunCounts(**row)


async def list_missed(tx: Tx, scope: Scope, since: datetime) -> list[Missed]:
    return await tx.all(Missed, SQL.list_missed, units=scope.listed, since=since)


async def load_last(tx: Tx, rule_numbers: Sequence[int]) -> dict[int, Run]:
    """The newest run of each rule that has one, dry runs aside."""
    rows = await tx.rows(SQL.list_last, rule_ids=list(rule_numbers))
    return {one.rule_number: one for one in await load_runs(tx, [row["id"] for row in rows])}


async def count_failing(tx: Tx) -> dict[int, float]:
    """For each unit the active rules whose last run failed."""
    return {row["unit_id"]: row["count"] for row in await tx.rows(SQL.count_failing)}
