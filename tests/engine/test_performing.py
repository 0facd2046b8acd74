"""A handler is told why it must stop: cancel, deadline, stall, lost lease, shutdown. What stopping counts follows."""

import asyncio
import threading
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine import performing, withdrawals, workers
from pabal.engine.kinds import Job, Kinds, Stop
from pabal.engine.outcome import Done, Outcome, Retry, Stopped
from pabal.engine.queue import NewJob
from pabal.engine.server import Server
from tests.support.servers import enqueue_via, lapse_life, serving, until, until_ended, until_in
from tests.support.work import BOT, advance, begin_life, counters, enqueue_many, hold_route, place, results

SLOW = "test.slow"
SHORT = timedelta(milliseconds=100)


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


class Waiting:
    """A coroutine that waits for ever, and notes why it was stopped."""

    def __init__(self, answer: Outcome | None = None) -> None:
        self.begun: list[Job] = []
        self.stops: list[Stop | None] = []
        self._answer = answer

    async def __call__(self, job: Job) -> Outcome | None:
        self.begun.append(job)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.stops.append(job.stop)
            if self._answer is None:
                raise
        return self._answer

    def kinds(self, **options: Any) -> Kinds:
        kinds = Kinds()

        @kinds.plain(SLOW, **options)
        async def wait(job: Job) -> Outcome | None:
            return await self(job)

        return kinds


async def cancel(server: Server, job_id: int) -> None:
    async with server.database.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [job_id], kinds=server.kinds)


async def test_a_cancelled_handler_is_told_so(db: Database, locks: Path) -> None:
    waiting = Waiting()

    async with serving(db, waiting.kinds(), locks) as server:
        job = await enqueue_via(server, SLOW)
        await until(lambda: waiting.begun)
        await cancel(server, job)
        ended = await until_ended(db, job)

    assert (waiting.stops, ended.result) == ([Stop.CANCEL], "cancelled")


async def test_a_handler_whose_deadline_passes_is_told_so_and_it_counts(db: Database, locks: Path) -> None:
    waiting = Waiting()

    async with serving(db, waiting.kinds(), locks) as server:
        job = await enqueue_via(server, SLOW, deadline=SHORT)
        found = await until_in(db, job, "delayed")

    assert waiting.stops == [Stop.DEADLINE]
    assert found.error == {"reason": "deadline of 0.1 s passed"}
    assert await counters(db, job) == (1, 0, 0)


async def test_a_handler_that_reports_nothing_for_too_long_is_told_so_and_it_counts(db: Database, locks: Path) -> None:
    waiting = Waiting()

    async with serving(db, waiting.kinds(stall=SHORT), locks) as server:
        job = await enqueue_via(server, SLOW)
        found = await until_in(db, job, "delayed")

    assert waiting.stops == [Stop.STALL]
    assert found.error == {"reason": "no report for 0.1 s"}
    assert await counters(db, job) == (1, 0, 0)


async def test_stalling_again_and_again_ends_the_job(db: Database, locks: Path) -> None:
    waiting = Waiting()

    async with serving(db, waiting.kinds(stall=SHORT), locks) as server:
        job = await enqueue_via(server, SLOW, max_failures=1)
        ended = await until_ended(db, job)

    assert (ended.result, ended.error) == ("failed", {"reason": "no report for 0.1 s"})


async def test_every_report_puts_the_stall_limit_off(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[float] = []
    often = asyncio.Event()

    def just_reported() -> float:
        """The moment of the last report, however often the limit is looked at."""
        looked.append(0.0)
        if len(looked) > 3:
            often.set()
        return 0.0

    monkeypatch.setattr(performing, "elapsed", just_reported)
    kinds = Kinds()

    @kinds.plain(SLOW, stall=SHORT)
    async def render(job: Job) -> None:
        await often.wait()

    job = Job(1, 1, SLOW, {}, SLOW, None, None, None, 0, 0, 0, 5, 3, None, None)
    answer = await performing.run_within(performing.run_plain, job, kinds[SLOW])

    assert (answer, job.stop) == (Done(), None)


async def test_a_report_and_a_checkpoint_say_that_it_is_not_stuck(db: Database, locks: Path) -> None:
    kinds = Kinds()
    moved: list[bool] = []

    @kinds.plain(SLOW)
    async def render(job: Job) -> None:
        for say in (job.report, job.save):
            job.reported_at = -1.0
            await say({"percent": 40})
            moved.append(job.reported_at > 0)

    async with serving(db, kinds, locks) as server:
        await until_ended(db, await enqueue_via(server, SLOW))

    assert moved == [True, True]


async def test_a_handler_whose_life_lapsed_is_told_that_its_lease_is_lost(db: Database, locks: Path) -> None:
    waiting = Waiting()

    async with serving(db, waiting.kinds(), locks) as server:
        await enqueue_via(server, SLOW)
        await until(lambda: waiting.begun)
        await lapse_life(db, server)
        await until(lambda: waiting.stops)

    assert waiting.stops[0] == Stop.LEASE_LOST


async def test_a_handler_whose_route_moved_is_told_that_its_lease_is_lost(db: Database, locks: Path) -> None:
    waiting = Waiting()
    other = await begin_life(db)

    async with serving(db, waiting.kinds(), locks) as server:
        await hold_route(server.database, server.life.worker)
        job = await enqueue_via(server, SLOW, route=BOT)
        await until(lambda: waiting.begun)
        await hold_route(server.database, other)
        await until_in(db, job, "ready")

    assert waiting.stops == [Stop.LEASE_LOST]
    assert await counters(db, job) == (0, 0, 0)


async def test_a_handler_of_a_server_that_stops_hears_of_it_before_it_is_cancelled(db: Database, locks: Path) -> None:
    kinds = Kinds()
    begun, saved = asyncio.Event(), asyncio.Event()

    @kinds.plain(SLOW)
    async def render(job: Job) -> Outcome:
        begun.set()
        await until(lambda: job.stop is not None)
        await job.save({"frame": 12})
        saved.set()
        return Stopped()

    async with serving(db, kinds, locks, grace=timedelta(seconds=30)) as server:
        job = await enqueue_via(server, SLOW)
        await begun.wait()

    found = await place(db, job)
    assert saved.is_set()
    assert (found.place, found.checkpoint) == ("ready", {"frame": 12})
    assert await results(db, job) == [(1, "returned", False)]
    assert await counters(db, job) == (0, 0, 0)


async def test_a_handler_that_does_not_look_is_cancelled_when_the_server_stops(db: Database, locks: Path) -> None:
    waiting = Waiting()

    async with serving(db, waiting.kinds(), locks) as server:
        job = await enqueue_via(server, SLOW)
        await until(lambda: waiting.begun)

    assert waiting.stops == [Stop.SHUTDOWN]
    assert await counters(db, job) == (0, 0, 0)


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        ("deadline", (1, 0, 0)),
        ("stall", (1, 0, 0)),
        ("nobody", (1, 0, 0)),
    ],
)
async def test_what_stopping_counts_follows_from_why(
    db: Database, locks: Path, why: str, expected: tuple[int, int, int]
) -> None:
    kinds = Kinds()
    options = {"stall": SHORT} if why == "stall" else {}

    @kinds.plain(SLOW, **options)  # type: ignore[arg-type]  # as the case has them
    async def stop(job: Job) -> Outcome:
        if why != "nobody":
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                return Stopped()
        return Stopped()

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, SLOW, deadline=SHORT if why == "deadline" else None)
        await until_in(db, job, "delayed")

    assert await counters(db, job) == expected


async def test_a_handler_that_stopped_for_a_cancel_is_cancelled(db: Database, locks: Path) -> None:
    waiting = Waiting(Stopped())

    async with serving(db, waiting.kinds(), locks) as server:
        job = await enqueue_via(server, SLOW)
        await until(lambda: waiting.begun)
        await cancel(server, job)
        ended = await until_ended(db, job)

    assert ended.result == "cancelled"


async def test_what_was_finished_in_spite_of_a_deadline_is_done(db: Database, locks: Path) -> None:
    waiting = Waiting(Done("just in time"))

    async with serving(db, waiting.kinds(), locks) as server:
        job = await enqueue_via(server, SLOW, deadline=SHORT)
        ended = await until_ended(db, job)

    assert (ended.result, ended.error) == ("done", {"reason": "just in time"})


async def test_a_slot_serves_on_after_a_handler_that_swallowed_its_cancellation(db: Database, locks: Path) -> None:
    waiting = Waiting(Done())
    kinds = waiting.kinds()
    cancelling: list[int] = []

    @kinds.plain("test.quick")
    async def look(job: Job) -> None:
        task = asyncio.current_task()
        cancelling.append(task.cancelling() if task else -1)

    async with serving(db, kinds, locks, concurrency=1) as server:
        job = await enqueue_via(server, SLOW)
        await until(lambda: waiting.begun)
        await cancel(server, job)
        await until_ended(db, job)
        await until_ended(db, await enqueue_via(server, "test.quick"))

    assert cancelling == [0]


async def test_one_that_ignores_a_stall_is_shown_and_loses_its_lease(db: Database, locks: Path) -> None:
    kinds = Kinds()
    leave = asyncio.Event()

    @kinds.plain(SLOW, stall=SHORT)
    async def ignore(job: Job) -> None:
        while not leave.is_set():
            try:
                await leave.wait()
            except asyncio.CancelledError:
                continue

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, SLOW)

        async def is_told() -> bool:
            return (await place(db, job)).stop == "stall"

        try:
            await until(is_told)
            await advance(db, 11)
            await workers.take_overdue_once(db, kinds)
            found = await place(db, job)
        finally:
            # or nothing could end it, whatever goes wrong
            leave.set()
        await cancel(server, job)

    assert found.error == {"reason": "stalled and did not stop", "taken": True}
    assert found.failures == 1


def in_thread(function: Callable[[Job], Any], **options: Any) -> Kinds:
    kinds = Kinds()
    kinds.plain(SLOW, **options)(function)
    return kinds


async def test_a_thread_is_told_and_what_it_says_then_counts(db: Database, locks: Path) -> None:
    stops: list[Stop | None] = []

    def work(job: Job) -> Outcome:
        look = threading.Event()
        while job.stop is None:
            look.wait(0.005)
        stops.append(job.stop)
        return Done("just in time")

    async with serving(db, in_thread(work), locks) as server:
        job = await enqueue_via(server, SLOW, deadline=SHORT, max_failures=1)
        ended = await until_ended(db, job)

    assert (stops, ended.result) == ([Stop.DEADLINE], "done")


async def test_a_thread_reports_and_saves_without_a_loop(db: Database, locks: Path) -> None:
    saved: list[Any] = []

    def work(job: Job) -> Outcome | None:
        saved.append(job.reported)
        if job.failures:
            return None
        job.report({"percent": 40})
        job.save({"frame": 12}).result(30)
        return Retry("bad", timedelta(0))

    async with serving(db, in_thread(work), locks) as server:
        job = await enqueue_via(server, SLOW)
        await until_ended(db, job)

    assert saved == [None, {"progress": {"percent": 40}, "checkpoint": {"frame": 12}}]


async def test_a_thread_that_goes_on_keeps_nobody_waiting_for_ever(
    db: Database, locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(performing, "PATIENCE", 0.05)
    leave = threading.Event()

    def ignore(job: Job) -> None:
        leave.wait(30)

    async with serving(db, in_thread(ignore), locks) as server:
        job = await enqueue_via(server, SLOW, deadline=SHORT)
        found = await until_in(db, job, "delayed")
        leave.set()

    assert found.error == {"reason": "deadline of 0.1 s passed"}


async def test_as_many_threads_run_as_there_are_slots(db: Database, locks: Path) -> None:
    together = threading.Barrier(40)

    def meet(job: Job) -> None:
        together.wait(30)

    async with serving(db, in_thread(meet), locks, concurrency=40) as server:
        jobs = await enqueue_many(server.database, *[NewJob(SLOW, max_failures=1)] * 40)
        ends = [(await until_ended(db, job.id)).result for job in jobs]

    assert ends == ["done"] * 40


async def test_a_thread_that_goes_on_keeps_no_other_from_beginning(
    db: Database, locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(performing, "PATIENCE", 0.05)
    leave, begun = threading.Event(), threading.Semaphore(0)

    def ignore(job: Job) -> None:
        begun.release()
        leave.wait(30)

    async with serving(db, in_thread(ignore), locks, concurrency=1) as server:
        jobs = await enqueue_many(server.database, *[NewJob(SLOW, deadline=SHORT, max_failures=1)] * 3)
        ends = [(await until_ended(db, job.id)).result for job in jobs]
        leave.set()

    assert ends == ["failed"] * 3
    assert [begun.acquire(blocking=False) for _ in jobs] == [True] * 3
