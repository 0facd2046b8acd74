"""What waits for a moment goes on when the moment comes, not before."""

from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import delays
from pabal.engine.outcome import Retry
from pabal.engine.queue import NewJob
from tests.support.work import (
    PLAIN,
    advance,
    begin_life,
    claim,
    counters,
    enqueue,
    enqueue_many,
    places,
    promote,
    settle,
    start,
)

HOUR = timedelta(hours=1)


async def test_nothing_goes_on_before_its_moment(db: Database) -> None:
    job_id = await enqueue(db, delay=HOUR)
    await advance(db, 3500)

    assert await promote(db) == 0
    assert await places(db, job_id) == ["delayed"]
    await advance(db, 101)

    assert await promote(db) == 1
    assert await places(db, job_id) == ["ready"]


async def test_what_is_due_first_goes_on_first_a_slice_at_a_time(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pabal.engine.delays.SLICE", 2)
    later, soon, middle = [await enqueue(db, delay=timedelta(seconds=seconds)) for seconds in (30, 10, 20)]
    await advance(db, 60)

    counts = [await promote(db)]
    first = await places(db, soon, middle, later)
    counts += [await promote(db), await promote(db)]

    assert counts == [2, 1, 0]
    assert first == ["ready", "ready", "delayed"]
    assert [job.id for job in await claim(db, await begin_life(db))] == [soon, middle, later]


async def test_counters_and_token_travel_with_the_job(db: Database) -> None:
    job = await start(db)
    await settle(db, job, Retry("bad"))
    await advance(db, 31)

    await promote(db)

    [again] = await claim(db, await begin_life(db))
    assert (again.id, again.token, again.failures) == (job.id, 2, 1)
    assert await counters(db, job.id) == (1, 0, 0)


async def test_several_due_jobs_of_one_lane_go_one_at_a_time_in_order(db: Database) -> None:
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, lane="l", delay=HOUR)] * 3)]
    await advance(db, 3601)

    await promote(db)

    assert await places(db, *made) == ["ready", "waiting", "waiting"]


async def test_the_next_moment_is_known_so_that_nobody_polls_for_it(db: Database) -> None:
    assert (await delays.next_due(db))[0] is None
    async with db.transaction() as tx:
        now = tx.now
    await enqueue(db, run_at=now + 2 * HOUR)
    await enqueue(db, run_at=now + HOUR)

    due, read_at = await delays.next_due(db)

    assert due == now + HOUR
    assert read_at > now
