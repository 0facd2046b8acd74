"""Lists show every job where it is, newest first; depths are capped; a shortened id means one job or none."""

from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import ids, listing
from pabal.engine.ids import BadId
from pabal.engine.listing import BadState, IdAmbiguous, Listed, Wanted
from pabal.engine.outcome import Cancel, Done, Retry
from pabal.engine.queue import JobNotFound, NewJob
from tests.support.adgroup import Event, add_groups, create_table, say
from tests.support.work import OTHER, PLAIN, begin_life, enqueue, enqueue_many, lapse, settle, start

HOUR = timedelta(hours=1)


async def jobs(db: Database, **wanted: object) -> list[Listed]:
    async with db.transaction() as tx:
        return await listing.list_jobs(tx, Wanted(**wanted))  # type: ignore[arg-type]  # the tests name its fields


async def one_of_each(db: Database) -> dict[str, int]:
    """A job in each state, by the state's name."""
    done, failed, running = await start(db), await start(db, max_failures=1), await start(db)
    await settle(db, done, Done())
    await settle(db, failed, Retry("no paper"))
    await enqueue(db, lane="l")
    waiting = await enqueue(db, lane="l")
    delayed = await enqueue(db, delay=HOUR)
    ready = await enqueue(db, OTHER)
    found = {"done": done.id, "failed": failed.id, "running": running.id}
    return {**found, "waiting": waiting, "delayed": delayed, "ready": ready}


async def test_the_newest_come_first_and_pages_follow_one_another(db: Database) -> None:
    made = [await enqueue(db) for _ in range(5)]

    first = await jobs(db, most=2)
    rest = await jobs(db, most=10, before=first[-1].id)

    assert [job.id for job in (*first, *rest)] == made[::-1]


@pytest.mark.parametrize("state", ["done", "failed", "running", "waiting", "delayed"])
async def test_a_filter_by_state_finds_the_job_in_it_and_the_row_says_so(db: Database, state: str) -> None:
    made = await one_of_each(db)

    [found] = await jobs(db, state=state)

    assert (found.id, found.state) == (made[state], state)


async def test_a_list_of_all_says_of_each_where_it_is(db: Database) -> None:
    made = await one_of_each(db)

    found = {job.id: job.state for job in await jobs(db)}

    assert {state: found[job] for state, job in made.items()} == {state: state for state in made}


async def test_filters_by_kind_and_subject_combine_with_the_state(db: Database) -> None:
    wanted = await enqueue(db, OTHER, about="schedule:7")
    await enqueue(db, OTHER)
    await enqueue(db, PLAIN, about="schedule:7")

    assert [job.id for job in await jobs(db, kind=OTHER, about="schedule:7")] == [wanted]
    assert [job.id for job in await jobs(db, kind=OTHER, about="schedule:7", state="ready")] == [wanted]
    assert await jobs(db, kind=OTHER, about="schedule:7", state="delayed") == []


async def test_an_ended_job_shows_why_and_a_delayed_one_what_it_waits_for(db: Database) -> None:
    cancelled, retrying = await start(db), await start(db)
    await settle(db, cancelled, Cancel("not wanted"))
    await settle(db, retrying, Retry("no paper"))

    [ended] = await jobs(db, state="cancelled")
    [delayed] = await jobs(db, state="delayed")

    assert ended.error == "not wanted"
    assert (delayed.reason, delayed.failures) == ("retry", 1)


async def test_an_unknown_state_is_refused(db: Database) -> None:
    with pytest.raises(BadState):
        await jobs(db, state="sleeping")


async def test_an_id_may_be_shortened_while_it_is_unique(db: Database) -> None:
    made = [await enqueue(db) for _ in range(2)]
    whole = ids.show("job", made[0])

    async with db.transaction() as tx:
        assert await listing.resolve_job(tx, whole) == made[0]
        assert await listing.resolve_job(tx, whole.removeprefix("job_")) == made[0]
        with pytest.raises(IdAmbiguous):
            await listing.resolve_job(tx, whole[:8])
        with pytest.raises(JobNotFound):
            await listing.resolve_job(tx, "job_zzzz")
        with pytest.raises(BadId):
            await listing.resolve_job(tx, "job_not an id")


async def test_depths_are_counted_up_to_a_cap(db: Database) -> None:
    await one_of_each(db)
    await enqueue_many(db, *(NewJob(OTHER) for _ in range(listing.CAP + 50)))

    async with db.transaction() as tx:
        depths = await listing.read_depths(tx)
        queues = {queue.queue: queue.ready for queue in await listing.list_queues(tx)}

    assert (depths.delayed, depths.waiting, depths.running) == (1, 1, 1)
    assert depths.ready == listing.CAP + 1
    assert (queues[PLAIN], queues[OTHER]) == (1, listing.CAP + 1)


async def test_each_queue_tells_how_long_its_oldest_has_been_ready_whatever_its_priority(db: Database) -> None:
    first = await enqueue(db, priority=3)
    await enqueue(db, priority=0)

    async with db.transaction() as tx:
        [queue] = await listing.list_queues(tx)

    [oldest] = [job for job in await jobs(db) if job.id == first]
    assert queue.oldest_at == oldest.created_at


async def test_what_comes_next_is_listed_up_to_a_moment(db: Database) -> None:
    soon = await enqueue(db, delay=HOUR, about="schedule:7")
    await enqueue(db, delay=3 * HOUR)

    async with db.transaction() as tx:
        coming = await listing.list_delayed(tx, tx.now + 2 * HOUR, most=10)
        moments = await listing.read_next_moments(tx)

    assert [(job.id, job.about, job.reason) for job in coming] == [(soon, "schedule:7", "asked")]
    assert moments.delayed_at == coming[0].at
    assert (moments.schedule_at, moments.timer_at) == (None, None)


async def test_timers_are_listed_soonest_first_up_to_a_moment(db: Database) -> None:
    await create_table(db)
    later, sooner = [(await add_groups(db, starts_in=hours * HOUR))[0] for hours in (2, 1)]
    for group in (later, sooner):
        await say(db, group, Event.COMPLETE_SETUP, Event.APPROVE)

    async with db.transaction() as tx:
        coming = await listing.list_timers(tx, tx.now + 3 * HOUR, most=10)

    assert [(timer.machine, timer.subject, timer.event) for timer in coming] == [
        ("adgroup", sooner, "start"),
        ("adgroup", later, "start"),
    ]


async def test_a_server_that_stopped_beating_is_listed_as_silent(db: Database) -> None:
    alive, silent = await begin_life(db), await begin_life(db)
    await lapse(db, silent)

    async with db.transaction() as tx:
        found = {server.id: server for server in await listing.list_servers(tx)}

    assert found[alive].is_alive
    assert not found[silent].is_alive
    assert found[silent].heard_seconds > found[alive].heard_seconds
