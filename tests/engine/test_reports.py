"""What an attempt reported is handed to the next one (I26), shown to people, and told as a fact now and then."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine import claims, housekeeping, ids, listing, queue, reports, workers
from pabal.engine.claims import LeaseLost
from pabal.engine.endings import Lost, Returned
from pabal.engine.housekeeping import Retention
from pabal.engine.kinds import Job, Kinds, Report
from pabal.engine.listing import JobLine
from pabal.engine.listing.facts import Wanted
from pabal.engine.outcome import DONE, DataTooLarge, Done, Outcome, Retry, Snooze
from pabal.engine.retry import fixed
from pabal.testing import Parts, drain
from tests.support.servers import SQL as SERVERS
from tests.support.servers import serving, until, until_ended
from tests.support.work import (
    KINDS,
    PLAIN,
    SQL,
    advance,
    begin_life,
    cancel,
    claim_one,
    counters,
    crash,
    enqueue,
    place,
    promote,
    settle,
    start,
    undone,
)

SLOW = "test.slow"
AT_ONCE = fixed(timedelta(0))
NOON = datetime(2035, 6, 4, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


async def write(db: Database, job: Job, progress: Any = None, checkpoint: Any = None) -> set[tuple[int, int]]:
    async with db.transaction() as tx:
        return await reports.write(tx, None, [(job, Report(progress, checkpoint))])


async def again(db: Database, job: Job) -> Job:
    """The next attempt, by another server."""
    await promote(db)
    next_one = await claim_one(db, await begin_life(db))
    assert next_one.id == job.id
    assert next_one.token > job.token
    return next_one


async def line(db: Database, job_id: int) -> JobLine:
    async with db.transaction() as tx:
        [found] = await listing.show_jobs(tx, [job_id])
    return found


async def count_reports(db: Database) -> int:
    async with db.transaction() as tx:
        return len(await tx.rows(SQL.list_reports))


async def retried(db: Database, job: Job) -> None:
    await settle(db, job, Retry("bad", timedelta(0)))


async def snoozed(db: Database, job: Job) -> None:
    async with db.transaction() as tx:
        until_now = tx.now
    await settle(db, job, Snooze(until_now))


async def returned(db: Database, job: Job) -> None:
    await settle(db, job, Returned("shutdown"))


async def lost(db: Database, job: Job) -> None:
    await settle(db, job, Lost("its connection was lost"))


async def killed(db: Database, job: Job) -> None:
    [worker] = [one.id for one in await list_workers(db) if one.leases]
    await crash(db, worker)


async def ignored_its_deadline(db: Database, job: Job) -> None:
    await advance(db, 7200)
    await workers.take_overdue_once(db, KINDS)


async def list_workers(db: Database) -> list[workers.Worker]:
    async with db.transaction() as tx:
        return await workers.list_workers(tx)


WAYS: list[Callable[[Database, Job], Awaitable[None]]] = [
    retried,
    snoozed,
    returned,
    lost,
    killed,
    ignored_its_deadline,
]


@pytest.mark.parametrize("way", WAYS)
async def test_what_an_attempt_reported_is_known_to_the_next_however_it_ended(db: Database, way: Any) -> None:
    job = await start(db, deadline=timedelta(hours=1))
    await write(db, job, {"percent": 40}, {"frame": 12})

    await way(db, job)
    next_one = await again(db, job)

    assert (next_one.progress, next_one.checkpoint) == ({"percent": 40}, {"frame": 12})


async def test_an_attempt_that_reported_nothing_hands_on_what_it_was_given(db: Database) -> None:
    job = await start(db)
    await write(db, job, checkpoint={"frame": 12})
    await retried(db, job)
    second = await again(db, job)
    await retried(db, second)

    assert (await again(db, second)).checkpoint == {"frame": 12}


async def test_one_that_is_handed_back_before_it_began_hands_on_what_it_was_given_and_was_told_nothing(
    db: Database,
) -> None:
    job = await start(db)
    await write(db, job, {"percent": 40}, {"frame": 12})
    await retried(db, job)
    second = await again(db, job)

    await settle(db, second, Returned("not begun in time", keeps_turn=True))
    waiting = await line(db, job.id)
    third = await again(db, second)

    assert (waiting.progress, waiting.stop) == ({"percent": 40}, None)
    assert (third.reported, third.ready_at) == (second.reported, second.ready_at)
    assert third.checkpoint == {"frame": 12}
    assert await counters(db, job.id) == (1, 0, 0)


async def test_what_a_later_report_does_not_give_stays_as_it_was(db: Database) -> None:
    job = await start(db)
    await write(db, job, {"percent": 40}, {"frame": 12})
    await write(db, job, checkpoint={"frame": 15})
    between = (await place(db, job.id)).progress
    await write(db, job, {"percent": 50})
    await retried(db, job)

    assert between == {"percent": 40}
    assert (await again(db, job)).reported == {"progress": {"percent": 50}, "checkpoint": {"frame": 15}}


async def test_a_first_attempt_knows_of_nothing(db: Database) -> None:
    job = await start(db)

    assert (job.progress, job.checkpoint, job.reported) == (None, None, None)


async def test_what_was_reported_last_is_kept_with_the_end_of_the_attempt(db: Database) -> None:
    job = await start(db)
    job.keep(Report({"percent": 90}, {"frame": 30}))

    await retried(db, job)

    assert (await again(db, job)).reported == {"progress": {"percent": 90}, "checkpoint": {"frame": 30}}


async def test_an_attempt_that_lost_its_job_reports_nothing(db: Database) -> None:
    worker = await begin_life(db)
    job_id = await enqueue(db)
    zombie = await claim_one(db, worker)
    await crash(db, worker)
    current = await claim_one(db, await begin_life(db))
    await write(db, current, {"percent": 1}, {"frame": 1})

    kept = await write(db, zombie, {"percent": 99}, {"frame": 99})
    zombie.keep(Report(checkpoint={"frame": 99}))
    await settle(db, zombie, Retry("late"))

    assert kept == set()
    found = await place(db, job_id)
    assert (found.progress, found.checkpoint) == ({"percent": 1}, {"frame": 1})


async def test_a_report_that_is_rolled_back_was_never_made(db: Database) -> None:
    job = await start(db)
    async with undone(db) as tx:
        await reports.write(tx, None, [(job, Report({"percent": 40}))])

    assert (await place(db, job.id)).progress is None


@pytest.mark.parametrize("end", ["done", "done with a word", "failed", "cancelled", "lost", "killed", "taken away"])
async def test_reports_go_with_the_job(db: Database, end: str) -> None:
    job = await start(db, max_failures=1, max_recoveries=0, deadline=timedelta(hours=1))
    await write(db, job, {"percent": 40}, {"frame": 12})
    # as the server that takes it away sees it, or as one that only knows of the attempt
    match end:
        case "done":
            await settle(db, job, DONE)
        case "done with a word":
            await settle(db, job, Done("rendered"))
        case "failed":
            await retried(db, job)
        case "cancelled":
            await settle(db, job, Returned("shutdown"))
            await cancel(db, job.id)
        case "lost":
            await lost(db, job)
        case "killed":
            await killed(db, job)
        case "taken away":
            await ignored_its_deadline(db, job)

    assert (await place(db, job.id)).place == "ended"
    assert await count_reports(db) == 0


async def test_a_report_left_by_an_older_server_is_swept_up_and_no_other(db: Database) -> None:
    over, running = await start(db), await start(db)
    await write(db, over, {"percent": 40})
    await write(db, running, {"percent": 50})
    over.has_reported = False
    await settle(db, over, DONE)
    assert await count_reports(db) == 2

    await housekeeping.forget(db, Retention())

    assert await count_reports(db) == 1
    assert (await place(db, running.id)).progress == {"percent": 50}


@pytest.mark.parametrize(
    ("progress", "percent"),
    [
        ({"percent": 40}, 40.0),
        ({"percent": 2.5, "step": "encoding"}, 2.5),
        ({"percent": 101}, None),
        ({"percent": -1}, None),
        ({"percent": "40"}, None),
        ({"percent": True}, None),
        ({"step": "encoding"}, None),
        (None, None),
    ],
)
def test_a_percent_is_a_number_from_0_to_100(progress: dict[str, Any] | None, percent: float | None) -> None:
    assert reports.percent_of(progress) == percent


def test_an_estimate_goes_on_as_since_the_first_report() -> None:
    assert reports.estimate(NOON + 4 * MINUTE, 60.0, NOON, 40.0) == NOON + 12 * MINUTE
    assert reports.estimate(NOON + 4 * MINUTE, 100.0, NOON, 40.0) == NOON + 4 * MINUTE
    assert reports.estimate(NOON + 4 * MINUTE, 40.0, NOON, 40.0) is None
    assert reports.estimate(NOON + 4 * MINUTE, 30.0, NOON, 40.0) is None
    assert reports.estimate(NOON, 60.0, NOON, 40.0) is None


async def test_the_estimate_of_a_job_counts_from_the_attempt_that_runs(db: Database) -> None:
    job = await start(db)
    await write(db, job, {"percent": 10})
    await advance(db, 3600)
    await write(db, job, {"percent": 40}, {"frame": 12})
    first = await line(db, job.id)
    await retried(db, job)
    waiting = await line(db, job.id)
    second = await again(db, job)
    await write(db, second, {"percent": 40})
    just_begun = await line(db, job.id)
    await advance(db, 60)
    await write(db, second, {"percent": 70})
    now = await line(db, job.id)

    assert first.estimated_at is not None
    assert first.reported_at is not None
    assert timedelta(minutes=119) < first.estimated_at - first.reported_at < timedelta(minutes=121)
    assert (waiting.estimated_at, waiting.progress) == (None, {"percent": 40})
    assert just_begun.estimated_at is None
    assert now.estimated_at is not None
    assert now.reported_at is not None
    assert timedelta(seconds=59) < now.estimated_at - now.reported_at < timedelta(seconds=61)


def kinds_of(handler: Callable[[Job], Any], **options: Any) -> Kinds:
    kinds = Kinds()
    kinds.plain(SLOW, **options)(handler)
    return kinds


async def test_a_saved_checkpoint_is_committed_when_the_handler_goes_on(db: Database, locks: Path) -> None:
    saved: asyncio.Queue[dict[str, Any] | None] = asyncio.Queue()

    async def render(job: Job) -> None:
        await job.save({"frame": 12})
        await saved.put((await place(db, job.id)).checkpoint)

    async with serving(db, kinds_of(render), locks) as server:
        job = await enqueue(server.database, SLOW)
        await until_ended(db, job)

    assert saved.get_nowait() == {"frame": 12}


async def test_a_handler_goes_on_where_the_one_before_stopped(db: Database, locks: Path) -> None:
    begun: list[Any] = []

    async def render(job: Job) -> Outcome | None:
        begun.append(job.checkpoint)
        if job.failures == 2:
            return None
        await job.report({"percent": 10 * job.attempt})
        await job.save({"frame": 10 * job.attempt})
        raise ValueError("out of memory")

    async with serving(db, kinds_of(render, backoff=AT_ONCE), locks) as server:
        job = await enqueue(server.database, SLOW)
        ended = await until_ended(db, job)

    assert ended.result == "done"
    assert begun == [None, {"frame": 10}, {"frame": 20}]
    assert await count_reports(db) == 0


async def test_the_last_report_before_a_failure_is_not_lost(db: Database, locks: Path) -> None:
    """It is written twice a second at most, and this handler is quicker than that."""
    begun: list[Any] = []

    async def render(job: Job) -> Outcome | None:
        begun.append(job.progress)
        if job.failures == 1:
            return None
        for percent in range(50):
            await job.report({"percent": percent})
        return Retry("bad")

    async with serving(db, kinds_of(render, backoff=AT_ONCE), locks) as server:
        job = await enqueue(server.database, SLOW)
        await until_ended(db, job)

    assert begun == [None, {"percent": 49}]


async def test_a_checkpoint_that_came_too_late_is_an_error_of_whoever_saves_it(db: Database, locks: Path) -> None:
    """In a thread; a coroutine is cancelled where it waits."""
    caught: list[Exception] = []
    begun, go_on = threading.Event(), threading.Event()
    other = await begin_life(db)

    def render(job: Job) -> None:
        begun.set()
        go_on.wait(30)
        try:
            job.save({"frame": 12}).result(30)
        except LeaseLost as error:
            caught.append(error)
            raise

    async with serving(db, kinds_of(render), locks) as server:
        job = await enqueue(server.database, SLOW)
        await until(begun.is_set)
        async with db.transaction() as tx:
            await tx.run(SERVERS.give_leases, worker=server.life.worker, other=other)
        go_on.set()
        await until(lambda: caught)

    assert (await place(db, job)).checkpoint is None


@pytest.mark.parametrize("saves", [False, True])
async def test_what_is_too_large_is_refused_where_it_is_reported(db: Database, saves: bool) -> None:
    job = await start(db)
    large = {"text": "x" * 8_200}

    with pytest.raises(DataTooLarge):
        job.save(large) if saves else job.report(large)


async def told(db: Database) -> list[dict[str, Any]]:
    async with db.transaction() as tx:
        page = await listing.list_facts(tx, Wanted(units=None, names=("job.progressed",)))
    return [fact.data for fact in reversed(page.items)]


async def run_reporting(db: Database, locks: Path, times: int) -> int:
    """A handler that saves so often, each in a commit of its own."""

    async def render(job: Job) -> None:
        for number in range(times):
            await job.report({"percent": number})
            await job.save({"frame": number})

    async with serving(db, kinds_of(render), locks) as server:
        job = await enqueue(server.database, SLOW, about="render:7")
        await until_ended(db, job)
    return job


async def test_progress_becomes_a_fact(db: Database, locks: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reports, "TELL_EVERY", 0.0)

    job = await run_reporting(db, locks, 3)

    assert await told(db) == [
        {"job": ids.show("job", job), "kind": SLOW, "about": "render:7", "progress": {"percent": number}}
        for number in range(3)
    ]


async def test_progress_becomes_a_fact_no_more_often_than_it_may(
    db: Database, locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reports, "TELL_EVERY", 3600.0)

    await run_reporting(db, locks, 5)

    assert await told(db) == []


async def test_reports_are_kept_by_whoever_drains_in_a_test(db: Database) -> None:
    begun: list[Any] = []

    async def render(job: Job) -> Outcome | None:
        begun.append(job.checkpoint)
        await job.report({"percent": 50})
        await job.save({"frame": 12})
        return None if job.failures else Retry("bad", timedelta(0))

    async with db.transaction() as tx:
        await queue.enqueue(tx, queue.NewJob(SLOW))

    await drain(Parts(db, kinds_of(render)))

    assert begun == [None, {"frame": 12}]


async def test_a_report_waits_for_nobody_when_it_is_written_with_an_end(db: Database) -> None:
    """The exchange settles five hundred at a time: one that somebody holds is left for the next."""
    held, free = await start(db), await start(db, PLAIN)
    for job in (held, free):
        job.keep(Report(checkpoint={"frame": 12}))

    async with db.transaction() as other:
        await other.rows(SQL.lock_lease, id=held.id)
        async with asyncio.timeout(30), db.transaction() as tx:
            settled = await claims.settle(tx, None, [(held, Retry("bad")), (free, Retry("bad"))], KINDS)

    assert [job.id for job, _ in settled.busy] == [held.id]
    assert (await place(db, free.id)).checkpoint == {"frame": 12}
    assert (await place(db, held.id)).checkpoint is None
