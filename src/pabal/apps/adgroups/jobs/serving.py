"""The work of serving: refresh what changed, compare, write everything anew."""

from dataclasses import dataclass
from datetime import timedelta

from pabal.apps.adgroups.errors import ServingAway, ServingOvertaken
from pabal.apps.adgroups.serving import fencing, store
from pabal.apps.adgroups.serving.layout import Change
from pabal.apps.adgroups.serving.opening import open_link
from pabal.apps.adgroups.serving.plan import CHECK, REBUILD, REFRESH
from pabal.apps.adgroups.serving.rebuilding import rebuild
from pabal.apps.adgroups.serving.reconciling import AT_ONCE, ON_ITS_WAY, reconcile_once
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Done, Outcome, Retry, Snooze
from pabal.engine.retry import Backoff
from pabal.platform.services import Services

BACKOFF = Backoff(first=timedelta(seconds=1), most=timedelta(seconds=30))
NO_ADDRESS = "no PABAL_SERVING_URL"

declare("serving.refreshed", "Ad groups written for ad servers or taken away from them", amount="count", level=10)
declare("serving.away", "Tries to write for ad servers while their Redis did not answer", level=30)
declare("serving.overtaken", "Writes for ad servers that a newer one came before", level=10)


def add_kinds(kinds: Kinds, services: Services) -> None:
    serving = Serving(services)
    kinds.steps(REFRESH, Refresh(services.settings.serving_url), backoff=BACKOFF)
    kinds.plain(REBUILD, backoff=BACKOFF)(serving.rebuild)
    kinds.plain(CHECK)(serving.check)


@dataclass(frozen=True, slots=True)
class Refresh:
    """`adgroups.refresh_serving`: these ids as they are now. Done twice, the second time changes nothing."""

    url: str

    async def prepare(self, tx: Tx, job: Job) -> Change | Outcome:
        return await fencing.read_change(tx, job.args["ids"]) if self.url else Done(NO_ADDRESS)

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
