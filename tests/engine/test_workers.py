"""A life beats or is buried; what it held goes on elsewhere, counted apart from failures (I5, I6)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import asyncpg
import pytest

from pabal.base.database import Database
from pabal.engine import workers
from pabal.engine.claims import return_unknown
from pabal.engine.kinds import Job
from pabal.engine.outcome import Done, Retry
from pabal.engine.queue import NewJob
from pabal.engine.slots import PATIENCE
from tests.support.work import (
    KINDS,
    PLAIN,
    SQL,
    advance,
    begin_life,
    cancel,
    claim,
    claim_one,
    counters,
    crash,
    enqueue,
    enqueue_many,
    lapse,
    leases,
    place,
    places,
    rescue,
    results,
    settle,
    stale,
    start,
    told,
)

MINUTE = timedelta(minutes=1)
SLEEPER = "a process that sleeps"


async def is_alive(db: Database, worker: int) -> bool:
    async with db.transaction() as tx:
        return await workers.beat(tx, worker)


async def test_a_beat_keeps_a_life_and_a_lapsed_one_is_not_brought_back(db: Database) -> None:
    worker = await begin_life(db)
    assert await is_alive(db, worker)

    await lapse(db, worker)

    assert not await is_alive(db, worker)
    assert await rescue(db) == 0
    assert not await is_alive(db, worker)


async def test_a_life_that_beats_is_left_alone(db: Database) -> None:
    job = await start(db)

    assert await rescue(db) == 0
    assert await places(db, job.id) == ["lease"]


async def test_the_moved_clock_kills_nobody(db: Database) -> None:
    job = await start(db)
    await advance(db, 3600)

    assert await rescue(db) == 0
    assert await places(db, job.id) == ["lease"]


async def test_the_jobs_of_a_dead_worker_go_on_counted_as_recoveries_not_failures(db: Database) -> None:
    dead = await begin_life(db)
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN)] * 3)]
    await claim(db, dead)
    await lapse(db, dead)

    assert await rescue(db) == 3

    assert await places(db, *made) == ["ready"] * 3
    assert [await counters(db, job_id) for job_id in made] == [(0, 1, 0)] * 3
    assert await results(db, made[0]) == [(1, "lost", False)]
    again = await claim(db, await begin_life(db))
    assert [(job.token, job.attempt) for job in again] == [(2, 1)] * 3


async def test_everybody_has_one_ttl_to_beat_after_a_restart_of_the_database(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await lapse(db, worker)

    rescued = await workers.rescue_once(db, KINDS, ttl=timedelta(days=10_000))

    assert rescued == 0
    assert await places(db, job.id) == ["lease"]


async def test_a_job_that_kills_its_worker_too_often_is_quarantined_and_given_up(db: Database) -> None:
    job_id = await enqueue(db, max_recoveries=2)
    for _ in range(3):
        worker = await begin_life(db)
        await claim_one(db, worker)
        await crash(db, worker)

    assert [result for _, result, _ in await results(db, job_id)] == ["lost", "lost", "quarantined"]
    assert await told(db, job_id) == ["quarantined"]
    assert ((await place(db, job_id)).error or {})["reason"] == "its worker died"
    assert await claim(db, await begin_life(db)) == []


async def test_a_key_is_free_after_quarantine(db: Database) -> None:
    await enqueue(db, key="k", max_recoveries=0)
    worker = await begin_life(db)
    await claim_one(db, worker)

    await crash(db, worker)

    assert (await enqueue_many(db, NewJob(PLAIN, key="k")))[0].is_new


async def test_lives_known_to_be_over_are_rescued_at_once(db: Database) -> None:
    job = await start(db)
    other = await start(db)
    [(_, dead), (_, alive)] = await leases(db)

    assert await workers.rescue_workers(db, KINDS, [dead, 12345]) == 1

    assert await places(db, job.id, other.id) == ["ready", "lease"]
    assert await is_alive(db, alive)


async def test_lives_are_listed_by_host_and_with_what_they_hold(db: Database) -> None:
    here, there = await begin_life(db, "here"), await begin_life(db, "there")
    await enqueue(db)
    await claim_one(db, here)
    await lapse(db, there)

    async with db.transaction() as tx:
        listed = await workers.list_workers(tx)
        [(life, meta)] = await workers.list_lives(tx, "here")

    assert [(one.id, one.is_alive, one.leases) for one in listed] == [(here, True, 1), (there, False, 0)]
    assert life == here
    assert meta["connections"].startswith("pabal "), "rescue finds a sleeping process's connections by this name"


async def test_a_goodbye_leaves_no_job_behind(db: Database) -> None:
    dead = await begin_life(db)
    made = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN)] * 2)]
    await claim(db, dead)
    await cancel(db, made[1])

    async with db.transaction() as tx:
        await workers.leave(tx, dead)
    await rescue(db)

    assert await places(db, *made) == ["ready", "ended"]
    assert await counters(db, made[0]) == (0, 0, 0)
    assert await leases(db) == []


async def test_a_goodbye_does_not_lose_a_lease_that_another_touches_right_now(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lease, id=job.id)
        async with db.transaction() as tx:
            await workers.leave(tx, worker)

    await rescue(db)

    assert await places(db, job.id) == ["ready"]


@asynccontextmanager
async def sleeper(db: Database, job: Job) -> AsyncIterator[asyncpg.Connection]:
    """A process that was stopped in the middle of a statement: it holds the lease's lock and says nothing."""
    connection = await asyncpg.connect(db.url, server_settings={"application_name": SLEEPER})
    try:
        await connection.execute("begin")
        await connection.execute(SQL.lock_lease.text, job.id)
        yield connection
    finally:
        connection.terminate()


async def test_a_process_that_sleeps_with_its_locks_cannot_keep_its_jobs(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    async with sleeper(db, job):
        await lapse(db, worker, connections=SLEEPER)

        assert await rescue(db) == 1

    assert await places(db, job.id) == ["ready"]


async def test_the_connections_of_a_process_that_began_a_new_life_are_left_alone(db: Database) -> None:
    job, other = await start(db), await start(db)
    [(_, old), (_, new)] = await leases(db)
    async with db.transaction() as tx:
        await tx.run(SQL.name_connections, worker=new, connections=SLEEPER)
    async with sleeper(db, other) as connection:
        await lapse(db, old, connections=SLEEPER)

        assert await rescue(db) == 1

        await connection.execute("rollback")
    assert await places(db, job.id, other.id) == ["ready", "lease"]


async def test_a_kind_that_is_not_ours_is_not_quarantined_by_us_without_its_give_up(db: Database) -> None:
    job_id = await enqueue(db, "newer.kind", max_recoveries=0)
    worker = await begin_life(db)
    await claim_one(db, worker, "newer.kind")

    await crash(db, worker)

    assert await places(db, job_id) == ["ready"]


async def overdue(db: Database) -> int:
    return await workers.take_overdue_once(db, KINDS)


async def test_an_attempt_that_ignores_its_deadline_is_taken_away_and_counted_as_a_failure(db: Database) -> None:
    job = await start(db, deadline=MINUTE)
    await advance(db, 65)
    assert await overdue(db) == 0
    await advance(db, 10)

    assert await overdue(db) == 1

    assert await counters(db, job.id) == (1, 0, 0)
    assert await results(db, job.id) == [(1, "retry", False)]
    assert await places(db, job.id) == ["ready"]


async def test_the_deadline_of_a_dead_servers_attempt_is_no_failure_of_its_job(db: Database) -> None:
    job = await start(db, deadline=MINUTE)
    [(_, worker)] = await leases(db)
    await lapse(db, worker)
    await advance(db, 75)

    assert await overdue(db) == 0
    await rescue(db)

    assert await counters(db, job.id) == (0, 1, 0)
    assert await results(db, job.id) == [(1, "lost", False)]


async def test_a_deadline_leaves_the_second_in_which_an_attempt_may_begin(db: Database) -> None:
    job = await start(db, deadline=MINUTE)

    async with db.transaction() as tx:
        assert await tx.value(SQL.find_time_to_run, id=job.id) == MINUTE + timedelta(seconds=PATIENCE)


async def test_the_last_deadline_allowed_ends_the_job(db: Database) -> None:
    job = await start(db, deadline=MINUTE, max_failures=1)
    await advance(db, 75)

    await overdue(db)

    assert await results(db, job.id) == [(1, "failed", True)]
    assert await told(db, job.id) == ["failed"]


async def test_an_attempt_that_ignores_a_cancel_is_taken_away_after_the_grace(db: Database) -> None:
    job = await start(db)
    await cancel(db, job.id)
    await advance(db, 5)
    assert await overdue(db) == 0
    await advance(db, 6)

    assert await overdue(db) == 1

    assert await results(db, job.id) == [(1, "cancelled", True)]
    assert await told(db, job.id) == ["cancelled"]


@pytest.mark.parametrize("how", ["deadline", "cancel", "quarantine"])
async def test_the_late_result_of_what_was_taken_away_changes_nothing_and_is_recorded(db: Database, how: str) -> None:
    job = await start(db, deadline=MINUTE, max_recoveries=0)
    [(_, worker)] = await leases(db)
    if how == "quarantine":
        await crash(db, worker)
    else:
        if how == "cancel":
            await cancel(db, job.id)
        await advance(db, 75)
        await overdue(db)
    before = await results(db, job.id)

    settled = await settle(db, job, Done(), worker=worker)

    assert settled.stale == [job]
    assert await results(db, job.id) == before
    assert await stale(db) == [(job.id, 1, worker, "done")]


async def test_taking_away_frees_the_lane_only_when_the_job_ended(db: Database) -> None:
    first = await enqueue(db, lane="l", deadline=MINUTE)
    second = await enqueue(db, lane="l")
    await claim_one(db, await begin_life(db))
    await advance(db, 75)
    await overdue(db)
    kept = await places(db, first, second)
    await claim_one(db, await begin_life(db))
    await cancel(db, first)
    await advance(db, 75)

    await overdue(db)

    assert kept == ["ready", "waiting"]
    assert await places(db, first, second) == ["ended", "ready"]


async def test_a_life_that_lapsed_may_still_say_how_its_attempt_ended_before_it_is_rescued(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await lapse(db, worker)

    settled = await settle(db, job, Retry("bad"), worker=worker)

    assert settled.count == 1
    assert await rescue(db) == 0
    async with db.transaction() as tx:
        assert await return_unknown(tx, worker, set) == 0
