"""Daily cleaning: runs past their time go, and deleted rules that have none left."""

from datetime import datetime, timedelta

from pabal.apps.rules import artifacts
from pabal.apps.rules import settings as own
from pabal.apps.rules.machine import RULE_RUN
from pabal.apps.rules.store import rules, runs
from pabal.base.database import Database
from pabal.base.telemetry import declare, emit
from pabal.engine import subjects
from pabal.platform import settings

AT_ONCE = 500
EVERY = timedelta(days=1)

declare("rules.cleaned", "Runs deleted because their time was over", amount="count")


class Cleaning:
    """Once a day by the database's clock, on each server; whatever another one deleted is not there any more."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next_at: datetime | None = None

    async def run_once(self) -> int:
        """How many went; more may be left while it is as many as go at once."""
        async with self._database.transaction() as tx:
            if self._next_at is not None and tx.now < self._next_at:
                return 0
            before = tx.now - await settings.value(tx, own.KEEP_RUNS)
            gone = await runs.delete_old(tx, before, most=AT_ONCE)
            await artifacts.release(tx, gone)
            await subjects.forget(tx, RULE_RUN, gone)
            await rules.delete_gone(tx, before, most=AT_ONCE)
            if len(gone) < AT_ONCE:
                self._next_at = tx.now + EVERY
        if gone:
            emit("rules.cleaned", count=len(gone))
        return len(gone)
