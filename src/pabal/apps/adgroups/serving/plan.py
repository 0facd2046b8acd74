"""Whether anything is served, and the schedule of its checks: there while a server has the address, else not."""

from pabal.apps.adgroups.serving import store
from pabal.apps.adgroups.settings.serving import CHECK_EVERY, as_interval
from pabal.base.database import Tx
from pabal.engine import queue, schedules
from pabal.engine.misfires import Overlap
from pabal.engine.queue import Enqueued, NewJob
from pabal.engine.schedules import NewSchedule
from pabal.platform import settings

REFRESH = "adgroups.refresh_serving"
CHECK = "adgroups.check_serving"
REBUILD = "adgroups.rebuild_serving"
# Writing everything anew waits for its turn among the refreshes; a check hardly writes, and need not.
LANE = "adgroups.serving"
CHECKS = "adgroups.serving_checks"
ABOUT = "adgroups:serving"
# Redis may be away for days; whatever was to be written waits for it.
TRIES = 32_000


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
