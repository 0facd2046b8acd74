"""Inside work: handlers that only write rows, in batches, whose effect happens exactly once."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import asyncpg
import pytest

from pabal.base.database import Database, Tx
from pabal.engine import delays, suspects
from pabal.engine.inside import InsideWork
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob
from pabal.engine.retry import fixed
from tests.support.servers import SQL, enqueue_in, notes, until
from tests.support.work import advance, begin_life, counters, crash, enqueue, enqueue_many, place, places, results

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


class Deadly(Counting):
    """A bad one takes the connection with it, so that nobody is told what became of the batch."""

    async def __call__(self, tx: Tx, jobs: Sequence[Job]) -> None:
        self.batches.append(len(jobs))
        for job in jobs:
            await enqueue_in(tx, f"effect:{job.id}")
        if any(job.args.get("bad") for job in jobs):
            await self.strike(tx)

    async def strike(self, tx: Tx) -> None:
        await tx.value(SQL.terminate_myself)


async def drain_deadly(work: InsideWork) -> int:
    """As its loop does: whatever a step raises, the next one follows. Answers how many raised."""
    raised = 0
    for _ in range(100):
        try:
            if not await work.run_once():
                return raised
        except Exception:  # noqa: BLE001 -- as the loop
            raised += 1
    raise AssertionError("it never came to an end")


async def list_suspects(db: Database) -> list[tuple[Any, ...]]:
    async with db.transaction() as tx:
        return [tuple(row) for row in await tx.rows(SQL.list_suspects)]


async def test_one_that_takes_its_connection_along_ends_in_quarantine_and_hurts_nobody_else(db: Database):
    handler = Deadly()
    made = [NewJob(COUNT, {"bad": n == 3}, max_recoveries=1) for n in range(8)]
    jobs = [answer.id for answer in await enqueue_many(db, *made)]
    bad = jobs.pop(3)

    raised = await drain_deadly(InsideWork(db, counting(handler)))

    ended = await place(db, bad)
    assert (ended.result, raised) == ("quarantined", 3), "once in the batch, where nothing is counted, and twice alone"
    assert ended.error is not None
    assert "its connection was lost" in ended.error["reason"]
    assert await results(db, bad) == [(1, "lost", False), (2, "quarantined", True)]
    assert [await results(db, job) for job in jobs] == [[(1, "done", True)]] * 7
    assert await effects(db, [*jobs, bad]) == [1] * 7 + [0]


async def test_one_that_stalls_is_counted_when_it_does_so_alone(db: Database):
    class Stalling(Deadly):
        is_stalled = False

        async def strike(self, tx: Tx) -> None:
            self.is_stalled = True
            await asyncio.Event().wait()

    handler = Stalling()
    work = InsideWork(db, counting(handler))
    made = [NewJob(COUNT, {"bad": n == 0}, max_recoveries=0) for n in range(4)]
    bad, *jobs = [answer.id for answer in await enqueue_many(db, *made)]

    for _ in range(2):
        handler.is_stalled = False
        step = asyncio.create_task(work.run_once())
        await until(lambda: handler.is_stalled)
        step.cancel()
        await asyncio.wait([step])
    await drain(work)

    ended = await place(db, bad)
    assert (ended.result, ended.error) == ("quarantined", {"reason": "it stalled"})
    assert await places(db, *jobs) == ["ended"] * 3


async def test_one_in_doubt_is_tried_by_one_server_at_a_time(db: Database):
    class Gated(Counting):
        has_begun = False
        go_on = asyncio.Event()

        async def __call__(self, tx: Tx, jobs: Sequence[Job]) -> None:
            self.has_begun = True
            await self.go_on.wait()

    jobs = [answer.id for answer in await enqueue_many(db, *[NewJob(COUNT, max_recoveries=0) for _ in range(2)])]
    await _doubt(db)
    handler = Gated()
    step = asyncio.create_task(InsideWork(db, counting(handler)).run_once())
    await until(lambda: handler.has_begun)

    beside = await InsideWork(db, counting(Counting())).run_once()
    handler.go_on.set()
    await step

    assert beside == 0, "it would count the marker of the other as a try that was lost"
    await drain(InsideWork(db, counting(Counting())))
    assert [await results(db, job) for job in jobs] == [[(1, "done", True)]] * 2


async def test_a_stop_of_the_server_is_no_stall(db: Database):
    class Slow(Deadly):
        has_begun = False

        async def strike(self, tx: Tx) -> None:
            self.has_begun = True
            await asyncio.Event().wait()

    handler = Slow()
    work = InsideWork(db, counting(handler))
    job = await enqueue(db, COUNT, args={"bad": True}, max_recoveries=0)
    await _doubt(db)
    step = asyncio.create_task(work.run_once())
    await until(lambda: handler.has_begun)

    work.is_stopping = True
    step.cancel()
    await asyncio.wait([step])
    handler.strike = _pass  # type: ignore[method-assign]
    await drain(InsideWork(db, counting(handler)))

    assert await results(db, job) == [(1, "done", True)]


async def test_a_stall_while_the_database_goes_away_is_nobodys_failure(db: Database):
    class Stalling(Deadly):
        is_stalled = False

        async def strike(self, tx: Tx) -> None:
            if not self.is_stalled:
                await tx.value(SQL.terminate_everybody)
                self.is_stalled = True
                await asyncio.Event().wait()

    handler = Stalling()
    work = InsideWork(db, counting(handler))
    job = await enqueue(db, COUNT, args={"bad": True}, max_recoveries=0)
    await _doubt(db)
    step = asyncio.create_task(work.run_once())
    await until(lambda: handler.is_stalled)

    step.cancel()
    await asyncio.wait([step])
    await drain_deadly(work)

    assert await results(db, job) == [(1, "done", True)]


async def test_a_marker_from_before_the_database_started_counts_nothing(db: Database):
    """Its server went with the database."""
    job = await enqueue(db, COUNT, max_recoveries=0)
    await _doubt(db)
    await suspects.mark(db, f"inside:{COUNT}", job, token=1)
    async with db.transaction() as tx:
        await tx.run(SQL.backdate_suspects)

    await drain(InsideWork(db, counting(Counting())))

    assert await results(db, job) == [(1, "done", True)]


async def test_a_database_that_goes_away_is_nobodys_failure(db: Database):
    class Outage(Deadly):
        left = 3

        async def strike(self, tx: Tx) -> None:
            self.left -= 1
            if self.left >= 0:
                await tx.value(SQL.terminate_everybody)
                await tx.value(SQL.terminate_myself)

    job = await enqueue(db, COUNT, args={"bad": True}, max_recoveries=0)
    await _doubt(db)

    raised = await drain_deadly(InsideWork(db, counting(Outage())))

    assert raised == 3
    assert await results(db, job) == [(1, "done", True)]


async def test_after_a_lost_life_its_queues_are_done_one_by_one_until_nothing_is_left_to_doubt(db: Database):
    handler = Counting()
    worker = await begin_life(db, meta={"alone": [f"inside:{COUNT}", "inside:test.unknown"]})
    await crash(db, worker)
    doubted = await list_suspects(db)
    await enqueue_many(db, *[NewJob(COUNT) for _ in range(5)])

    work = InsideWork(db, counting(handler))
    await drain(work)
    await enqueue_many(db, *[NewJob(COUNT) for _ in range(5)])
    await drain(work)

    reason = "its server died while it ran"
    assert doubted == [(f"inside:{COUNT}", 500, reason, None), ("inside:test.unknown", 500, reason, None)]
    assert handler.batches == [1, 1, 1, 1, 1, 5]
    assert await list_suspects(db) == [("inside:test.unknown", 500, reason, None)]


async def test_no_more_are_doubted_than_were_lost(db: Database):
    handler = Deadly()
    made = [NewJob(COUNT, {"bad": n == 0}, max_recoveries=0) for n in range(3)]
    await enqueue_many(db, *made)
    work = InsideWork(db, counting(handler))
    with pytest.raises(Exception, match=r"connection|terminat"):
        await work.run_once()
    [(_, doubts, _, _)] = await list_suspects(db)
    await enqueue_many(db, *[NewJob(COUNT) for _ in range(20)])

    await drain_deadly(work)

    assert doubts == 3
    assert handler.batches == [3, 1, 1, 1, 1, 19], "the bad one once more, and three that went well"


async def test_a_driver_that_is_out_of_step_is_no_failure_of_the_job(db: Database):
    class OutOfStep(Deadly):
        left = 1

        async def strike(self, tx: Tx) -> None:
            self.left -= 1
            if self.left >= 0:
                # what it says after a cut that it has not seen yet; found by the chaos run
                raise asyncpg.InternalClientError("cannot switch to state 15; another operation (2) is in progress")

    job = await enqueue(db, COUNT, args={"bad": True})

    raised = await drain_deadly(InsideWork(db, counting(OutOfStep())))

    assert raised == 1
    assert await results(db, job) == [(1, "done", True)]


async def test_a_kind_that_is_lost_keeps_no_other_from_its_turn(db: Database):
    kinds = counting(Deadly())
    kinds.inside("test.innocent")(Counting())
    await enqueue(db, COUNT, args={"bad": True})
    innocent = await enqueue(db, "test.innocent")

    with pytest.raises(Exception, match=r"connection|terminat"):
        await InsideWork(db, kinds).run_once()

    assert await places(db, innocent) == ["ended"]


async def _doubt(db: Database) -> None:
    await crash(db, await begin_life(db, meta={"alone": [f"inside:{COUNT}"]}))


async def _pass(tx: Tx) -> None:
    return None
