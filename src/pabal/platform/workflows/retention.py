"""Daily cleaning: runs that ended long ago go, with what they asked people, and starts by events that are gone."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import subjects
from pabal.engine.workflows.retention import DeletedRun, delete_runs
from pabal.platform import approvals, settings
from pabal.platform.settings import Setting
from pabal.platform.tenants import Scope
from pabal.platform.workflows.questions import WORKFLOW_QUESTION

SQL = load(__file__)
EVERY = timedelta(days=1)
# how long it is known what was deleted on which day
NOTED = timedelta(days=90)

declare("workflows.cleaned", "Runs of workflows deleted because their time was over", amount="count")

KEEP_RUNS = Setting(
    key="workflows.keep_runs",
    default=timedelta(days=90),
    least=timedelta(days=1),
    most=timedelta(days=3650),
    label=("Keep runs for", "실행 기록 보관 기간"),
    help=(
        "Runs of workflows that ended longer ago are deleted once a day. What is open, or what an open run waited for, "
        "stays.",
        "끝난 지 이보다 오래된 워크플로우 실행은 하루에 한 번 지웁니다. 진행 중인 실행과 그 실행이 기다린 실행은 "
        "지우지 않습니다.",
    ),
    group=("Workflows", "워크플로우"),
)


@dataclass(frozen=True, slots=True)
class CleanedRuns:
    """What the newest cleaning that found something deleted."""

    cleaned_at: datetime
    runs: int


class RunCleaning:
    """Once a day by the database's clock, on each server; whatever another one deleted is not there any more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next_at: datetime | None = None

    async def run_once(self) -> int:
        """How many runs went; while there are some, more may be left."""
        async with self._database.transaction() as tx:
            if self._next_at is not None and tx.now < self._next_at:
                return 0
            gone = await delete_runs(tx, tx.now - await settings.value(tx, KEEP_RUNS))
            await _delete_questions(tx, [one.id for one in gone])
            await tx.run(SQL.forget_starts)
            await _note(tx, gone)
            await tx.run(SQL.forget_cleaned, before=tx.now - NOTED)
            if not gone:
                self._next_at = tx.now + EVERY
        if gone:
            emit("workflows.cleaned", count=len(gone))
        return len(gone)


async def find_cleaned(tx: Tx, scope: Scope, seen_by: Sequence[str]) -> CleanedRuns | None:
    found = await tx.all(CleanedRuns, SQL.find_cleaned, units=scope.listed, seen_by=list(seen_by))
    return found[0] if found else None


async def _note(tx: Tx, gone: Sequence[DeletedRun]) -> None:
    counts = Counter((one.unit_id, one.seen_by) for one in gone)
    units, roles = [unit for unit, _ in counts], [role for _, role in counts]
    await tx.run(SQL.note_cleaned, units=units, roles=roles, runs=list(counts.values()), now=tx.now)


async def _delete_questions(tx: Tx, runs: list[int]) -> None:
    rows = await tx.rows(SQL.delete_questions, runs=runs)
    asked = [row["id"] for row in rows if row["is_question"]]
    await subjects.forget(tx, WORKFLOW_QUESTION, asked)
    await subjects.forget(tx, approvals.APPROVAL, [row["id"] for row in rows if not row["is_question"]])
