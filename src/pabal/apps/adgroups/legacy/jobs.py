"""The work of this room: a run that was started, resumed or is to be taken back; and the comparing loop."""

from datetime import timedelta

from pabal.apps.adgroups.errors import RunBusy, RunNotFound
from pabal.apps.adgroups.legacy import runs, shadow
from pabal.apps.adgroups.legacy.actions import MIGRATE, work
from pabal.base.database import Database, Tx
from pabal.engine.kinds import Job, Kinds
from pabal.engine.loop import Loop
from pabal.engine.outcome import Cancel, Done, Outcome, Snooze
from pabal.platform.services import Services

ELSEWHERE = timedelta(seconds=5)
# How often it looks whether a pass is due; how often one is, a setting says.
LOOK = 15.0
BREATH = 0.5


class Migrate:
    def __init__(self, services: Services) -> None:
        self._services = services

    async def run(self, job: Job) -> Outcome:
        """Killed anywhere and run again it goes on after the last commit."""
        try:
            run = await work(self._services, job.args["run_id"], job.report)
        except RunNotFound as error:
            return Cancel(str(error))
        except RunBusy:
            async with self._services.database.transaction() as tx:
                return Snooze(tx.now + ELSEWHERE, "somebody else is at it")
        return Done(f"{run.state}: {run.counts}")


async def give_up(tx: Tx, job: Job, reason: str) -> None:
    run = await runs.hold_run(tx, job.args["run_id"])
    if run is not None:
        await runs.fail_run(tx, run, reason)


def add_kinds(kinds: Kinds, services: Services) -> None:
    kinds.plain(MIGRATE, give_up=give_up)(Migrate(services).run)


class Comparing:
    """The walk, with a rest after each slice: what starts at midnight goes first."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.rest = LOOK

    async def step(self) -> int:
        self.rest = BREATH if await shadow.compare_once(self._database) else LOOK
        return 0


def make_loops(services: Services) -> list[Loop]:
    comparing = Comparing(services.database)
    return [Loop("adgroups.compare", comparing.step, idle=lambda: comparing.rest)]
