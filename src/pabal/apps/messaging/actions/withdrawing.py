"""Takes back what a schedule has enqueued and nobody began. What has begun goes on to its own end."""

from pabal.apps.messaging.errors import ScheduleBusy
from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.store.schedules import list_begun, list_jobs_of_deliveries
from pabal.base.database import Tx
from pabal.engine import queue, withdrawals
from pabal.engine.kinds import Kinds
from pabal.platform.actor import Actor

# Nothing was begun, so no handler has anything to write about the end of these jobs.
_NOBODY = Kinds()


async def withdraw(tx: Tx, actor: Actor, schedule: Schedule) -> list[int]:
    """The schedule is locked, so a send that is being prepared either has its delivery already or will see the end."""
    waiting = await queue.find_open(tx, about=schedule.about)
    begun = await list_begun(tx, waiting)
    ours = [job_id for job_id in waiting if job_id not in begun and not await _is_running(tx, job_id)]
    return await _cancel(tx, actor, ours)


async def end_all(tx: Tx, actor: Actor, schedule: Schedule) -> None:
    """Before everything of it goes: also sends that began and wait to go on, and tests. Not while one is running."""
    waiting = {*await queue.find_open(tx, about=schedule.about), *await list_jobs_of_deliveries(tx, schedule.id)}
    for job_id in waiting:
        if await _is_running(tx, job_id):
            raise ScheduleBusy(schedule.about)
    await _cancel(tx, actor, sorted(waiting))


async def _is_running(tx: Tx, job_id: int) -> bool:
    place = await queue.find_place(tx, job_id)
    return place is not None and place.place == "lease"


async def _cancel(tx: Tx, actor: Actor, job_ids: list[int]) -> list[int]:
    if not job_ids:
        return []
    done = await withdrawals.cancel_jobs(tx, job_ids, kinds=_NOBODY, reason=f"cancelled by {actor.name}")
    return done.ended
