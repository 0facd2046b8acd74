"""The work of ad groups: what ad servers read is refreshed, checked and rebuilt; old ad groups are brought over."""

from dataclasses import dataclass
from datetime import timedelta

from pabal.apps.adgroups.errors import RunBusy, RunNotFound, ServingAway, ServingOvertaken
from pabal.apps.adgroups.legacy import runs, shadow
from pabal.apps.adgroups.legacy.actions import MIGRATE, work
from pabal.apps.adgroups.serving import reconciler, store
from pabal.apps.adgroups.serving.actions import CHECK, REBUILD, REFRESH
from pabal.apps.adgroups.serving.gateway import open_link
from pabal.apps.adgroups.serving.layout import Change
from pabal.apps.adgroups.serving.reconciler import AT_ONCE, ON_ITS_WAY, rebuild, reconcile_once
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.kinds import Job, Kinds
from pabal.engine.loop import Loop
from pabal.engine.outcome import DONE, Cancel, Done, Outcome, Retry, Snooze
from pabal.engine.retry import Backoff
from pabal.platform.services import Services

BACKOFF = Backoff(first=timedelta(seconds=1), most=timedelta(seconds=30))
NO_ADDRESS = "no PABAL_SERVING_URL"
ELSEWHERE = timedelta(seconds=5)
# How often it looks whether a pass is due; how often one is, a setting says.
LOOK = 15.0
BREATH = 0.5

declare("serving.refreshed", "Ad groups written for ad servers or taken away from them", amount="count", level=10)
declare("serving.away", "Tries to write for ad servers while their Redis did not answer", level=30)
declare("serving.overtaken", "Writes for ad servers that a newer one came before", level=10)


def make_kinds(services: Services) -> Kinds:
    kinds = Kinds()
    serving = Serving(services)
    kinds.steps(REFRESH, Refresh(services.settings.serving_url), backoff=BACKOFF)
    kinds.plain(REBUILD, backoff=BACKOFF)(serving.rebuild)
    kinds.plain(CHECK)(serving.check)
    kinds.plain(MIGRATE, give_up=give_up)(Migrate(services).run)
    return kinds


def make_loops(services: Services) -> list[Loop]:
    comparing = Comparing(services.database)
    return [Loop("adgroups.compare", comparing.step, idle=lambda: comparing.rest)]


@dataclass(frozen=True, slots=True)
class Refresh:
    """`adgroups.refresh_serving`: these ids as they are now. Done twice, the second time changes nothing."""

    url: str

    async def prepare(self, tx: Tx, job: Job) -> Change | Outcome:
        return await reconciler.read_change(tx, job.args["ids"]) if self.url else Done(NO_ADDRESS)

    async def perform(self, job: Job, prepared: Change) -> ServingAway | ServingOvertaken | None:
        try:
            async with open_link(self.url) as link:
                await link.write(prepared)
        except (ServingAway, ServingOvertaken) as error:
            return error
        return None

    async def record(self, tx: Tx, prepared: Change, result: ServingAway | ServingOvertaken | None) -> Outcome:
        match result:
            case ServingAway():
                emit("serving.away", error=result.detail)
                await store.note_away(tx, result.detail)
                return Retry(result.detail)
            case ServingOvertaken():
                emit("serving.overtaken", later=result.later)
                await store.raise_fence(tx, result.later)
                return Snooze(tx.now, "overtaken")
        emit("serving.refreshed", count=len(prepared.wanted))
        await store.note_refreshed(tx)
        return DONE

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """The next check finds what is not there."""


class Serving:
    def __init__(self, services: Services) -> None:
        self._database, self._url = services.database, services.settings.serving_url

    async def rebuild(self, job: Job) -> Outcome:
        if not self._url:
            return Done(NO_ADDRESS)
        try:
            async with open_link(self._url) as link:
                done = await rebuild(self._database, link, report=job.report)
        except ServingAway as error:
            async with self._database.transaction() as tx:
                await store.note_away(tx, error.detail)
            return Retry(error.detail)
        return Done(f"{done.written} written, {done.removed} removed")

    async def check(self, job: Job) -> Outcome:
        """One that somebody asked for looks at everything; the others leave what is on its way."""
        if not self._url:
            return Done(NO_ADDRESS)
        by = job.args.get("by")
        grace = ON_ITS_WAY if by is None else AT_ONCE
        async with open_link(self._url) as link:
            check = await reconcile_once(self._database, link, grace=grace, asked_by=by or "engine", report=job.report)
        detail = f"{check.compared} compared, {check.found} differed, {check.mended} mended"
        return Done(detail if check.error is None else f"{detail}: {check.error}", partial=check.error is not None)


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


class Comparing:
    """The walk, with a rest after each slice: what starts at midnight goes first."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.rest = LOOK

    async def step(self) -> int:
        self.rest = BREATH if await shadow.compare_once(self._database) else LOOK
        return 0
