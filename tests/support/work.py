"""What tests of work share: kinds that do nothing, one-transaction steps, and barriers between connections."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from typing import Any, TypeVar

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import claims, delays, queue, routes, withdrawals, workers
from pabal.engine.claims import Settled, Wanted
from pabal.engine.endings import Lost, Returned
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Outcome
from pabal.engine.queue import Enqueued, NewJob, Place, Priority
from pabal.engine.retry import fixed
from pabal.engine.withdrawals import Cancelled

SQL = load(__file__)
T = TypeVar("T")

PLAIN = "test.plain"
OTHER = "test.other"
HOLDING = "test.holding"
SLEEPY = "test.sleepy"
TOLD = "test.told"
WAIT = timedelta(seconds=30)
BOT = "bot:busan1"


async def tell(tx: Tx, job: Job, reason: str) -> None:
    """What give_up writes here is a row like any other: it is there exactly when the end's commit is."""
    await queue.enqueue(tx, NewJob(TOLD, {"reason": reason}, about=f"job:{job.id}"))


async def do_nothing(job: Job) -> None:
    return None


def make_kinds() -> Kinds:
    kinds = Kinds()
    kinds.plain(PLAIN, give_up=tell, backoff=fixed(WAIT))(do_nothing)
    kinds.plain(OTHER)(do_nothing)
    kinds.plain(HOLDING, on_wait="hold", give_up=tell, backoff=fixed(WAIT))(do_nothing)
    kinds.plain(SLEEPY, max_snoozes=2, give_up=tell)(do_nothing)
    return kinds


KINDS = make_kinds()


async def enqueue(db: Database, kind: str = PLAIN, **options: Any) -> int:
    async with db.transaction() as tx:
        return (await queue.enqueue(tx, NewJob(kind, **options))).id


async def enqueue_many(db: Database, *jobs: NewJob) -> list[Enqueued]:
    async with db.transaction() as tx:
        return await queue.enqueue_many(tx, jobs)


async def begin_life(db: Database, host: str = "here", meta: dict[str, Any] | None = None) -> int:
    async with db.transaction() as tx:
        return await workers.insert_worker(tx, host=host, meta=meta or {})


def wanted(*kinds: str) -> list[Wanted]:
    return [Wanted(kind, priority) for priority in Priority for kind in kinds]


async def claim(db: Database, worker: int, *kinds: str, total: int = 100) -> list[Job]:
    async with db.transaction() as tx:
        return await claim_in(tx, worker, *kinds, total=total)


async def claim_in(tx: Tx, worker: int, *kinds: str, total: int = 100) -> list[Job]:
    if not await workers.hold_life(tx, worker):
        return []
    return [job for job, _, _ in await claims.claim(tx, worker, wanted(*(kinds or KINDS)), total=total)]


async def claim_one(db: Database, worker: int, *kinds: str) -> Job:
    [job] = await claim(db, worker, *kinds, total=1)
    return job


async def claim_routed(db: Database, worker: int, *names: str, total: int = 100) -> list[Job]:
    async with db.transaction() as tx:
        await workers.hold_life(tx, worker)
        return await claims.claim_routed(tx, worker, names or [BOT], kinds=list(KINDS), total=total)


async def start(db: Database, kind: str = PLAIN, **options: Any) -> Job:
    """A job that a worker of its own runs."""
    job_id = await enqueue(db, kind, **options)
    worker = await begin_life(db)
    [job] = [job for job in await claim(db, worker, kind) if job.id == job_id]
    return job


async def settle(db: Database, job: Job, outcome: Outcome | Returned | Lost, *, worker: int | None = None) -> Settled:
    async with db.transaction() as tx:
        return await claims.settle(tx, worker, [(job, outcome)], KINDS)


async def cancel(db: Database, *job_ids: int) -> Cancelled:
    async with db.transaction() as tx:
        return await withdrawals.cancel_jobs(tx, job_ids, kinds=KINDS)


async def expire(db: Database) -> int:
    return await withdrawals.expire_once(db, KINDS)


async def promote(db: Database) -> int:
    """What is due goes on."""
    return await delays.promote_once(db)


async def lapse(db: Database, worker: int, *, connections: str = "of another process") -> None:
    """The life of another process, so to speak: a test is one, and rescue may end the connections of the dead."""
    async with db.transaction() as tx:
        await tx.run(SQL.lapse, worker=worker, connections=connections)


async def rescue(db: Database) -> int:
    """With no grace after a restart of the database: a test's own cluster may be seconds old."""
    return await workers.rescue_once(db, KINDS, ttl=timedelta(hours=-1))


class Undone(Exception):
    """The caller changed its mind: its transaction rolls back."""


@asynccontextmanager
async def undone(db: Database) -> AsyncIterator[Tx]:
    """A transaction that rolls back at its end."""
    with suppress(Undone):
        async with db.transaction() as tx:
            yield tx
            raise Undone


async def crash(db: Database, worker: int) -> None:
    await lapse(db, worker)
    await rescue(db)


async def hold_route(db: Database, worker: int, route: str = BOT) -> routes.Route:
    async with db.transaction() as tx:
        return await routes.hold_route(tx, route, worker=worker)


async def place(db: Database, job_id: int) -> Place:
    async with db.transaction() as tx:
        return await queue.get_place(tx, job_id)


async def places(db: Database, *job_ids: int) -> list[str]:
    return [(await place(db, job_id)).place for job_id in job_ids]


async def counters(db: Database, job_id: int) -> tuple[int | None, int | None, int | None]:
    """Failures, recoveries, snoozes."""
    found = await place(db, job_id)
    return found.failures, found.recoveries, found.snoozes


async def results(db: Database, job_id: int) -> list[tuple[int, str, bool]]:
    async with db.transaction() as tx:
        return [(one.token, one.result, one.final) for one in await queue.list_attempts(tx, job_id)]


async def told(db: Database, job_id: int) -> list[str]:
    async with db.transaction() as tx:
        return [row["reason"] for row in await tx.rows(SQL.list_told, about=f"job:{job_id}")]


async def stale(db: Database) -> list[tuple[int, int, int | None, str]]:
    async with db.transaction() as tx:
        return [tuple(row) for row in await tx.rows(SQL.list_stale)]


async def leases(db: Database) -> list[tuple[int, int]]:
    async with db.transaction() as tx:
        return [(row["id"], row["worker"]) for row in await tx.rows(SQL.list_leases)]


async def holder(db: Database, lane: str) -> int | None:
    async with db.transaction() as tx:
        found: int | None = await tx.value(SQL.find_holder, lane=lane)
        return found


async def holders(db: Database, lane: str) -> list[int]:
    async with db.transaction() as tx:
        return list(await tx.value(SQL.list_lane_holders, lane=lane) or [])


async def advance(db: Database, seconds: float) -> None:
    await clock.advance(db, timedelta(seconds=seconds))


async def until_blocked(db: Database, task: "asyncio.Task[Any] | None" = None, *, count: int = 1) -> None:
    """Returns when so many transactions of this database wait for a lock."""
    async with asyncio.timeout(30):
        while task is None or not task.done():
            async with db.transaction() as tx:
                if await tx.value(SQL.count_waiting) >= count:
                    return
            await asyncio.sleep(0.005)


async def begin_blocked(db: Database, step: Coroutine[Any, Any, T], *, others: int = 0) -> asyncio.Task[T]:
    """Begins a step that has to wait for a lock, and returns when it does; whoever holds the lock then lets go."""
    task = asyncio.create_task(step)
    await until_blocked(db, task, count=1 + others)
    assert not task.done(), "it did not wait for anybody"
    return task
