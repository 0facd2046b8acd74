"""Daily cleaning: files past their time go, then runs past theirs, and deleted rules that have none left."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

from pabal.apps.rules import artifacts
from pabal.apps.rules import settings as own
from pabal.apps.rules.machine import RULE_RUN
from pabal.apps.rules.plans import store as plans
from pabal.apps.rules.plans.machine import PLAN
from pabal.apps.rules.store import rules, runs
from pabal.apps.rules.store.runs import CleanedRun
from pabal.base.database import Database
from pabal.base.telemetry import declare, emit
from pabal.engine import subjects
from pabal.platform import settings

AT_ONCE = 500
EVERY = timedelta(days=1)
# how long it is known what was deleted on which day
NOTED = timedelta(days=90)

declare("rules.cleaned", "Runs deleted because their time was over", amount="count")
declare("rules.files_cleaned", "Files of runs deleted because their time was over", amount="count")


class Cleaning:
    """Once a day by the database's clock, on each server; whatever another one deleted is not there any more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next_at: datetime | None = None

    async def run_once(self) -> int:
        """How many runs went or lost their files; more may be left while it is as many as go at once."""
        async with self._database.transaction() as tx:
            if self._next_at is not None and tx.now < self._next_at:
                return 0
            before = tx.now - await settings.value(tx, own.KEEP_RUNS)
            emptied = await runs.drop_artifacts(tx, most=AT_ONCE)
            gone = await runs.delete_old(tx, before, most=AT_ONCE)
            numbers = [one.id for one in gone]
            await artifacts.release(tx, [one.id for one in emptied] + numbers)
            await subjects.forget(tx, RULE_RUN, numbers)
            await subjects.forget(tx, PLAN, await plans.delete_old(tx, before, most=AT_ONCE))
            await rules.delete_gone(tx, before, most=AT_ONCE)
            await runs.note_cleaned(tx, _count(gone, emptied))
            await runs.forget_cleaned(tx, tx.now - NOTED)
            if max(len(gone), len(emptied)) < AT_ONCE:
                self._next_at = tx.now + EVERY
        _tell(gone, emptied)
        return len(gone) + len(emptied)


def _count(gone: Sequence[CleanedRun], emptied: Sequence[CleanedRun]) -> dict[int, tuple[int, int]]:
    """Of each unit the runs and the files."""
    runs_of = Counter(one.unit_id for one in gone)
    files_of: Counter[int] = Counter()
    for one in (*gone, *emptied):
        files_of[one.unit_id] += one.files
    return {unit: (runs_of[unit], files_of[unit]) for unit in runs_of | files_of}


def _tell(gone: Sequence[CleanedRun], emptied: Sequence[CleanedRun]) -> None:
    if gone:
        emit("rules.cleaned", count=len(gone))
    files = sum(one.files for one in (*gone, *emptied))
    if files:
        emit("rules.files_cleaned", count=files)
