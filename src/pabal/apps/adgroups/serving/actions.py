"""What may be asked of serving (how it stands, to compare it, to write it again), as jobs and a schedule of checks."""

from dataclasses import dataclass

from pabal.apps.adgroups.errors import ServingOff
from pabal.apps.adgroups.model.adgroups import AREA
from pabal.apps.adgroups.serving import store
from pabal.apps.adgroups.serving.store import Check, Standing
from pabal.apps.adgroups.settings import CHECK_EVERY, as_interval
from pabal.base.database import Tx
from pabal.engine import queue, schedules
from pabal.engine.misfires import Overlap
from pabal.engine.queue import Enqueued, NewJob
from pabal.engine.schedules import NewSchedule
from pabal.platform import audit, settings
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import require_house

REFRESH = "adgroups.refresh_serving"
CHECK = "adgroups.check_serving"
REBUILD = "adgroups.rebuild_serving"
# Writing everything anew waits for its turn among the refreshes; a check hardly writes, and need not.
LANE = "adgroups.serving"
CHECKS = "adgroups.serving_checks"
ABOUT = "adgroups:serving"
# Redis may be away for days; whatever was to be written waits for it.
TRIES = 32_000


@dataclass(frozen=True, slots=True)
class Described:
    """`checks` newest first. Not wanted: no server has PABAL_SERVING_URL, and nothing is written."""

    standing: Standing
    checks: list[Check]

    @property
    def running(self) -> int:
        """How many ad servers should see."""
        return self.standing.running

    @property
    def last(self) -> Check | None:
        return self.checks[0] if self.checks else None


async def describe(tx: Tx, actor: Actor, *, checks: int = 20) -> Described:
    await require_house(tx, actor, Right.READ, AREA)
    return Described(await store.get_standing(tx), await store.list_checks(tx, checks))


async def check_now(tx: Tx, actor: Actor) -> Enqueued:
    """Compares and mends; the job reports how far it is. The one that was asked for already if it has not ended."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    await _require_wanted(tx)
    asked = await enqueue_check(tx, by=actor.name)
    if asked.is_new:
        await audit.record(tx, actor, "adgroups.check_serving", str(asked))
    return asked


async def rebuild_now(tx: Tx, actor: Actor) -> Enqueued:
    """Writes everything anew; nothing that runs is missing meanwhile."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    await _require_wanted(tx)
    asked = await enqueue_rebuild(tx, by=actor.name)
    if asked.is_new:
        await audit.record(tx, actor, "adgroups.rebuild_serving", str(asked))
    return asked


async def _require_wanted(tx: Tx) -> None:
    if not await store.is_wanted(tx):
        raise ServingOff


async def announce(tx: Tx, *, is_wanted: bool) -> None:
    """At every start of a server that runs work. When serving begins, everything is written once."""
    if await store.set_wanted(tx, is_wanted) and is_wanted:
        await enqueue_rebuild(tx, by="engine")
    await follow(tx)


async def follow(tx: Tx) -> None:
    """The schedule says what the setting says, and is there only while it is of use."""
    is_wanted = await store.hold_wanted(tx)
    known = await schedules.list_schedules(tx, about=ABOUT, kind=CHECK, limit=1)
    if not is_wanted:
        for one in known:
            await schedules.delete(tx, one.id)
        return
    wanted = NewSchedule(
        name="Check of what ad servers read",
        kind=CHECK,
        recurrence=as_interval(await settings.value(tx, CHECK_EVERY)),
        zone="UTC",
        about=ABOUT,
        lane=CHECKS,
        overlap=Overlap.SKIP,
    )
    if not known:
        await schedules.put(tx, wanted)
    elif known[0].recurrence != wanted.recurrence:
        await schedules.edit(tx, known[0].id, wanted)


async def enqueue_refresh(tx: Tx, ids: list[int]) -> None:
    await queue.enqueue(tx, NewJob(REFRESH, {"ids": ids}, lane=LANE, about=ABOUT, max_failures=TRIES))


async def enqueue_rebuild(tx: Tx, *, by: str) -> Enqueued:
    """The one that waits already, if there is one."""
    return await queue.enqueue(tx, NewJob(REBUILD, {"by": by}, key="now", lane=LANE, about=ABOUT, max_failures=TRIES))


async def enqueue_check(tx: Tx, *, by: str) -> Enqueued:
    return await queue.enqueue(tx, NewJob(CHECK, {"by": by}, key="now", lane=CHECKS, about=ABOUT))
