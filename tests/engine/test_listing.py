"""Lists show every job where it is, newest first; depths are capped; a shortened id means one job or none."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.errors import Invalid
from pabal.engine import ids, listing
from pabal.engine.ids import BadId
from pabal.engine.listing import BadPageSize, BadState, IdAmbiguous, JobLine, Page
from pabal.engine.listing.jobs import Wanted
from pabal.engine.outcome import Cancel, Done, Retry
from pabal.engine.queue import JobNotFound, NewJob
from tests.support.adgroup import Event, add_groups, create_table, say
from tests.support.work import OTHER, PLAIN, begin_life, enqueue, enqueue_many, lapse, settle, start

HOUR = timedelta(hours=1)


async def page(db: Database, limit: int = 50, cursor: str | None = None, **wanted: Any) -> Page[JobLine]:
    async with db.transaction() as tx:
        return await listing.list_jobs(tx, Wanted(**{"units": None, **wanted}), limit=limit, cursor=cursor)


async def jobs(db: Database, **wanted: Any) -> list[JobLine]:
    return (await page(db, **wanted)).items


async def found(db: Database, **wanted: Any) -> list[int]:
    return [job.id for job in await jobs(db, **wanted)]


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

    first = await page(db, limit=2)
    rest = await page(db, limit=3, cursor=first.cursor)

    assert [job.id for job in (*first.items, *rest.items)] == made[::-1]
    assert rest.cursor is None


@pytest.mark.parametrize("state", ["done", "failed", "running", "waiting", "delayed"])
async def test_a_filter_by_state_finds_the_job_in_it_and_the_row_says_so(db: Database, state: str) -> None:
    made = await one_of_each(db)

    [line] = await jobs(db, states=[state])

    assert (line.id, line.state) == (made[state], state)


async def test_several_states_are_one_list_newest_first(db: Database) -> None:
    made = await one_of_each(db)

    wanted = [made[state] for state in ("delayed", "waiting", "failed")]

    assert await found(db, states=["failed", "waiting", "delayed"]) == sorted(wanted, reverse=True)
    assert await found(db, states=["failed", "waiting", "delayed"], limit=2) == sorted(wanted, reverse=True)[:2]


async def test_a_list_of_all_says_of_each_where_it_is(db: Database) -> None:
    made = await one_of_each(db)

    states = {job.id: job.state for job in await jobs(db)}

    assert {state: states[job] for state, job in made.items()} == {state: state for state in made}


async def test_filters_by_kind_and_subject_combine_with_the_state(db: Database) -> None:
    wanted = await enqueue(db, OTHER, about="schedule:7")
    await enqueue(db, OTHER)
    await enqueue(db, PLAIN, about="schedule:7")

    assert await found(db, kind=OTHER, about="schedule:7") == [wanted]
    assert await found(db, kind=OTHER, about="schedule:7", states=["ready"]) == [wanted]
    assert await found(db, kind=OTHER, about="schedule:7", states=["delayed"]) == []


async def test_a_queue_is_a_kind_or_a_route(db: Database) -> None:
    routed, plain = await enqueue(db, route="bot:busan1"), await enqueue(db)

    assert await found(db, queue="bot:busan1") == [routed]
    assert await found(db, queue=PLAIN, states=["ready"]) == [routed, plain][::-1]
    assert await found(db, queue=PLAIN, kind=OTHER) == []


async def test_a_lane_is_listed_whoever_in_it_has_the_turn(db: Database) -> None:
    first, second = await enqueue(db, lane="l"), await enqueue(db, lane="l")
    await enqueue(db, lane="m")

    lines = await jobs(db, lane="l")

    assert [(job.id, job.lane_holder) for job in lines] == [(second, first), (first, None)]


async def test_what_a_server_runs_now_is_listed_by_its_id(db: Database) -> None:
    running = await start(db)
    await start(db)
    [line] = await jobs(db, states=["running"], limit=1)

    worker = next(job.worker for job in await jobs(db) if job.id == running.id)

    assert await found(db, worker=worker) == [running.id]
    assert await found(db, worker=worker, states=["ready"]) == []
    assert (line.host, line.token) == ("here", 1)


async def test_a_range_of_time_begins_with_its_moment_and_ends_before_it(db: Database) -> None:
    early = await enqueue(db)
    await clock.advance(db, HOUR)
    late = await enqueue(db)
    [at] = [job.created_at for job in await jobs(db) if job.id == late]

    assert await found(db, since=at) == [late]
    assert await found(db, until=at) == [early]
    assert await found(db, since=at - 2 * HOUR, until=at + HOUR) == [late, early]
    assert await found(db, until=datetime(9999, 12, 31, tzinfo=UTC), since=datetime(1, 1, 1, tzinfo=UTC)) == [
        late,
        early,
    ]


@pytest.mark.parametrize("states", [[], ["ready"]], ids=["any", "ready"])
async def test_a_scope_sees_its_units_only_however_many_they_are(db: Database, states: list[str]) -> None:
    ours, theirs, nobodys = [await enqueue(db, unit_id=unit) for unit in (7, 8, None)]
    many = list(range(1000, 1050))

    assert await found(db, units=None, states=states) == [nobodys, theirs, ours]
    assert await found(db, units=[7], states=states) == [ours]
    assert await found(db, units=[7, 8, *many], states=states) == [theirs, ours]
    assert await found(db, units=[7, *many], states=states, kind=PLAIN) == [ours]
    assert await found(db, units=[], states=states) == []


async def test_pages_of_a_scope_follow_one_another(db: Database) -> None:
    made = [await enqueue(db, unit_id=n % 3) for n in range(9)]
    ours = [job for n, job in enumerate(made) if n % 3]

    first = await page(db, units=[1, 2, *range(50, 70)], limit=4)
    rest = await page(db, units=[1, 2, *range(50, 70)], limit=4, cursor=first.cursor)

    assert [job.id for job in (*first.items, *rest.items)] == ours[::-1]


async def test_a_count_stops_at_the_cap(db: Database) -> None:
    await enqueue_many(db, *(NewJob(OTHER, unit_id=7) for _ in range(listing.CAP + 50)))
    await enqueue(db, unit_id=8)

    async with db.transaction() as tx:
        counts = [await listing.count_jobs(tx, Wanted(units)) for units in (None, [7], [8])]

    assert counts == [listing.CAP + 1, listing.CAP + 1, 1]


async def test_an_ended_job_shows_why_and_a_delayed_one_what_it_waits_for(db: Database) -> None:
    cancelled, retrying = await start(db), await start(db)
    await settle(db, cancelled, Cancel("not wanted"))
    await settle(db, retrying, Retry("no paper"))

    [ended] = await jobs(db, states=["cancelled"])
    [delayed] = await jobs(db, states=["delayed"])

    assert ended.error == "not wanted"
    assert (delayed.reason, delayed.failures, delayed.max_failures) == ("retry", 1, 5)


async def test_an_ended_job_tells_how_often_it_failed(db: Database) -> None:
    failed = await start(db, max_failures=1)
    await settle(db, failed, Retry("no paper"))

    [line] = await jobs(db, states=["failed"])

    assert (line.failures, line.max_failures, line.error) == (1, 1, "no paper")


async def test_an_unknown_state_is_refused(db: Database) -> None:
    with pytest.raises(BadState):
        await jobs(db, states=["sleeping"])


@pytest.mark.parametrize("cursor", ["job_zzzzzzzzzzzzz", "job_0", "!", ""])
async def test_a_cursor_that_is_none_is_refused(db: Database, cursor: str) -> None:
    with pytest.raises(Invalid):
        await page(db, cursor=cursor)


@pytest.mark.parametrize("limit", [0, -1, 1001])
async def test_a_page_has_at_least_one_row_and_at_most_a_thousand(db: Database, limit: int) -> None:
    with pytest.raises(BadPageSize):
        await page(db, limit=limit)


async def test_a_shortened_id_means_one_of_ones_own_units(db: Database) -> None:
    ours, _theirs = [await enqueue(db, unit_id=unit) for unit in (7, 8)]

    async with db.transaction() as tx:
        assert await listing.resolve_job(tx, ids.show("job", ours)[:8], [7]) == ours
        with pytest.raises(JobNotFound):
            await listing.resolve_job(tx, ids.show("job", ours), [8])


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


async def test_what_comes_next_is_of_the_scope(db: Database) -> None:
    await create_table(db)
    ours, _theirs = [await enqueue(db, delay=HOUR, unit_id=unit) for unit in (7, 8)]
    groups = [(await add_groups(db, unit_id=unit, starts_in=HOUR))[0] for unit in (7, 8)]
    for group in groups:
        await say(db, group, Event.COMPLETE_SETUP, Event.APPROVE)

    async with db.transaction() as tx:
        delayed = await listing.list_delayed(tx, tx.now + 2 * HOUR, most=10, units=[7])
        timers = await listing.list_timers(tx, tx.now + 2 * HOUR, most=10, units=[7])

    assert [(job.id, job.unit_id) for job in delayed] == [(ours, 7)]
    assert [(timer.subject, timer.unit_id) for timer in timers] == [(groups[0], 7)]


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


async def test_a_count_says_what_its_list_would_show(db: Database) -> None:
    await one_of_each(db)
    await enqueue(db, OTHER, unit_id=7)
    cases: list[dict[str, Any]] = [
        {},
        {"states": ["ready"]},
        {"states": ["running", "failed", "waiting"]},
        {"states": ["ready"], "units": [7]},
        {"units": [7]},
        {"kind": OTHER},
        {"states": ["ready"], "kind": OTHER},
        {"queue": OTHER, "kind": PLAIN},
    ]

    async with db.transaction() as tx:
        counts = [await listing.count_jobs(tx, Wanted(**{"units": None, **case})) for case in cases]
        capped = await listing.count_jobs(tx, Wanted(None, ["ready", "waiting", "running"]), cap=2)

    assert counts == [len(await jobs(db, **case)) for case in cases]
    assert capped == 3
