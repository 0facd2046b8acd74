"""Inside work: handlers that only write rows, in batches, whose effect happens exactly once."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import delays
from pabal.engine.inside import InsideWork
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob
from pabal.engine.retry import fixed
from tests.support.servers import SQL, enqueue_in, notes
from tests.support.work import advance, counters, enqueue, enqueue_many, place, places, results

COUNT = "test.count"
SOON = timedelta(seconds=1)


class Counting:
    """Leaves one row per job, then fails if a job of the batch is bad; the sizes of the batches are kept."""

    def __init__(self) -> None:
        self.batches: list[int] = []

    async def __call__(self, tx: Tx, jobs: Sequence[Job]) -> None:
        self.batches.append(len(jobs))
        for job in jobs:
            await enqueue_in(tx, f"effect:{job.id}")
        if any(job.args.get("bad") for job in jobs):
            raise ValueError("a bad one")


def counting(handler: Any, **options: Any) -> Kinds:
    kinds = Kinds()
    kinds.inside(COUNT, **{"backoff": fixed(SOON), **options})(handler)
    return kinds


async def drain(work: InsideWork) -> None:
    while await work.run_once():
        pass


async def effects(db: Database, jobs: Sequence[int]) -> list[int]:
    return [await notes(db, f"effect:{job}") for job in jobs]


async def enqueue_with_bad(db: Database, number: int, bad: int) -> list[int]:
    made = [NewJob(COUNT, {"bad": n == bad}, max_failures=2) for n in range(number)]
    return [answer.id for answer in await enqueue_many(db, *made)]


async def test_a_batch_is_handled_and_ended_in_one_transaction(db: Database):
    handler = Counting()
    jobs = [answer.id for answer in await enqueue_many(db, *[NewJob(COUNT) for _ in range(20)])]

    await drain(InsideWork(db, counting(handler)))

    assert handler.batches == [20]
    assert await places(db, *jobs) == ["ended"] * 20
    assert await effects(db, jobs) == [1] * 20


async def test_the_batch_is_no_larger_than_the_kind_wants(db: Database):
    handler = Counting()
    await enqueue_many(db, *[NewJob(COUNT) for _ in range(5)])

    await drain(InsideWork(db, counting(handler, batch=2)))

    assert handler.batches == [2, 2, 1]


@pytest.mark.parametrize("bad", [0, 7, 15])
async def test_halving_isolates_the_bad_one(db: Database, bad: int):
    jobs = await enqueue_with_bad(db, 16, bad)
    bad_job = jobs.pop(bad)

    await drain(InsideWork(db, counting(Counting())))

    assert await places(db, *jobs) == ["ended"] * 15
    assert await effects(db, jobs) == [1] * 15
    assert (await place(db, bad_job)).place == "delayed"
    assert await counters(db, bad_job) == (1, 0, 0)
    assert await effects(db, [bad_job]) == [0]


async def test_a_bad_one_fails_for_good_like_any_other(db: Database):
    work = InsideWork(db, counting(Counting()))
    [job] = await enqueue_with_bad(db, 1, 0)

    await drain(work)
    await advance(db, 2)
    await delays.promote_once(db)
    await drain(work)

    ended = await place(db, job)
    assert ended.result == "failed"
    assert ended.error == {"reason": "ValueError: a bad one"}
    assert await effects(db, [job]) == [0]


async def test_after_the_bad_one_the_batches_grow_again(db: Database):
    handler = Counting()
    work = InsideWork(db, counting(handler))
    await enqueue_with_bad(db, 8, 0)
    await drain(work)
    handler.batches.clear()

    await enqueue_many(db, *[NewJob(COUNT) for _ in range(50)])
    await drain(work)

    assert max(handler.batches) > 8


async def test_a_connection_lost_in_the_middle_undoes_the_batch_and_counts_nothing(db: Database):
    class CutOff(Counting):
        async def __call__(self, tx: Tx, jobs: Sequence[Job]) -> None:
            await super().__call__(tx, jobs)
            if len(self.batches) == 1:
                await tx.value(SQL.terminate_myself)

    work = InsideWork(db, counting(CutOff()))
    [job] = [answer.id for answer in await enqueue_many(db, NewJob(COUNT))]

    with pytest.raises(Exception, match=r"connection|terminat"):
        await work.run_once()
    after_the_cut = await counters(db, job), await effects(db, [job])
    await drain(work)

    assert after_the_cut == ((0, 0, 0), [0])
    assert await results(db, job) == [(1, "done", True)]
    assert await effects(db, [job]) == [1]


async def test_two_servers_share_the_work_and_nothing_happens_twice(db: Database):
    jobs = [answer.id for answer in await enqueue_many(db, *[NewJob(COUNT) for _ in range(40)])]
    handlers = [Counting(), Counting()]

    await asyncio.gather(*(drain(InsideWork(db, counting(handler, batch=5))) for handler in handlers))

    assert sum(sum(handler.batches) for handler in handlers) == 40
    assert await effects(db, jobs) == [1] * 40


async def test_inside_work_of_a_lane_frees_it_for_the_next(db: Database):
    work = InsideWork(db, counting(Counting()))
    first = await enqueue(db, COUNT, lane="row:7")
    second = await enqueue(db, COUNT, lane="row:7")

    before = await places(db, first, second)
    await drain(work)

    assert before == ["ready", "waiting"]
    assert await places(db, first, second) == ["ended", "ended"]


async def test_urgent_jobs_go_first(db: Database):
    handled: list[int] = []

    async def note(tx: Tx, jobs: Sequence[Job]) -> None:
        handled.extend(job.id for job in jobs)

    normal = await enqueue(db, COUNT)
    urgent = await enqueue(db, COUNT, priority=0)

    await drain(InsideWork(db, counting(note)))

    assert handled == [urgent, normal]
