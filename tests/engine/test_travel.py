"""A demo's clock that was moved has been everywhere between: each moment falls due in its turn, and none is late."""

from datetime import datetime, timedelta

import pytest

from pabal.base import clock
from pabal.base.clock import Trip
from pabal.base.database import Database
from pabal.engine import delays
from pabal.engine.recurrence import Once
from pabal.engine.transitions import transition_many
from pabal.engine.travel import Travel
from tests.support.adgroup import ACTOR, AD_GROUP, Event, add_groups, create_table
from tests.support.schedules import HOUR, MINUTE, START, decisions, every, go_to, pause, put, tick
from tests.support.work import BOT, PLAIN, begin_life, cancel, claim, claim_routed, enqueue, hold_route

STEPS = 500


@pytest.fixture
async def at_start(db: Database) -> Database:
    await go_to(db, START)
    return db


async def ask(db: Database, to_at: datetime) -> None:
    async with db.transaction() as tx:
        await clock.ask_trip(tx, to_at)


async def find_trip(db: Database) -> Trip | None:
    async with db.transaction() as tx:
        return await clock.find_trip(tx)


async def now(db: Database) -> datetime:
    async with db.transaction() as tx:
        return tx.now


async def arrive(db: Database, travel: Travel) -> list[datetime]:
    """As the loops of a server do it, one after the other. Where the clock stood."""
    stops = []
    for _ in range(STEPS):
        if await travel.run_once():
            stops.append(await now(db))
        await tick(db)
        await delays.promote_once(db)
        if await find_trip(db) is None:
            return stops
    raise AssertionError("it never arrived")


async def test_every_moment_on_the_way_is_on_time_and_in_order(at_start: Database) -> None:
    db = at_start
    often = await put(db, every(10 * MINUTE, START + 10 * MINUTE), misfire_window=MINUTE)
    between = await put(db, Once(START + 25 * MINUTE), misfire_window=MINUTE)

    await ask(db, START + HOUR)
    stops = await arrive(db, Travel(db, patience=0.0))

    expected = [10, 20, 25, 30, 40, 50, 60]
    assert [round((at - START) / MINUTE) for at in stops] == expected
    assert [(at, why) for at, _, why in await decisions(db, often.id)] == [
        (START + n * 10 * MINUTE, "on_time") for n in range(1, 7)
    ]
    assert [why for *_, why in await decisions(db, between.id)] == ["on_time"]
    assert START + HOUR <= await now(db) < START + HOUR + MINUTE


async def test_it_stops_also_for_work_that_waits_for_its_moment_and_for_work_that_would_expire(at_start: Database):
    db = at_start
    await enqueue(db, delay=5 * MINUTE)
    await enqueue(db, route=BOT, expires_at=START + 9 * MINUTE)

    await ask(db, START + HOUR)
    travel = Travel(db, patience=0.0)
    stops = await arrive(db, travel)

    assert [round((at - START) / MINUTE) for at in stops] == [5, 9, 60]


async def test_it_stops_for_a_timer_and_not_for_what_is_paused_or_over(at_start: Database):
    db = at_start
    await create_table(db)
    groups = await add_groups(db, starts_in=20 * MINUTE)
    async with db.transaction() as tx:
        await transition_many(tx, AD_GROUP, groups, Event.COMPLETE_SETUP, actor=ACTOR)
        await transition_many(tx, AD_GROUP, groups, Event.APPROVE, actor=ACTOR)
    await pause(db, (await put(db, Once(START + 5 * MINUTE))).id)
    await cancel(db, await enqueue(db, route=BOT, expires_at=START + 9 * MINUTE))

    await ask(db, START + HOUR)
    stops = await arrive(db, Travel(db, patience=0.0))

    assert [round((at - START) / MINUTE) for at in stops] == [20, 60]


async def test_the_clock_waits_until_a_due_moment_is_taken(at_start: Database) -> None:
    db = at_start
    await put(db, Once(START + MINUTE))
    travel = Travel(db)
    await ask(db, START + HOUR)
    await travel.run_once()

    moved = [await travel.run_once() for _ in range(3)]
    await tick(db)

    assert moved == [0, 0, 0]
    assert await now(db) < START + 2 * MINUTE


async def test_the_clock_waits_for_work_that_runs_but_not_for_ever(at_start: Database) -> None:
    db = at_start
    worker = await begin_life(db, meta={"kinds": [PLAIN]})
    await enqueue(db)
    waiting = Travel(db)
    await ask(db, START + HOUR)
    could_run = await waiting.run_once()
    await claim(db, worker, PLAIN)
    runs = await waiting.run_once()

    assert (could_run, runs) == (0, 0)
    assert await Travel(db, patience=0.0).run_once() == 1


async def test_what_goes_over_a_live_connection_is_waited_for_longer(at_start: Database) -> None:
    db = at_start
    worker = await begin_life(db)
    await hold_route(db, worker)
    await enqueue(db, route=BOT)
    await ask(db, START + HOUR)
    waits = Travel(db, patience=0.0)
    could_run = await waits.run_once()
    await claim_routed(db, worker, BOT)

    assert (could_run, await waits.run_once()) == (0, 0)
    assert await Travel(db, patience=0.0, live=0.0).run_once() == 1


async def test_work_for_a_bot_that_is_away_does_not_hold_the_clock(at_start: Database) -> None:
    db = at_start
    await begin_life(db, meta={"kinds": [PLAIN]})
    await enqueue(db, route=BOT)
    await ask(db, START + HOUR)

    assert await Travel(db).run_once() == 1


async def test_of_two_servers_one_takes_each_step(at_start: Database) -> None:
    db = at_start
    await ask(db, START + HOUR)

    async with db.transaction() as tx:
        await clock.hold_trip(tx)
        beside = await Travel(db).run_once()

    assert beside == 0
    assert await now(db) < START + MINUTE


async def test_asked_again_on_the_way_it_goes_on_from_where_it_began(at_start: Database) -> None:
    db = at_start
    await put(db, Once(START + MINUTE))
    await ask(db, START + HOUR)
    await Travel(db).run_once()

    await ask(db, START + 2 * HOUR)

    trip = await find_trip(db)
    assert trip is not None
    assert trip.from_at < START + MINUTE <= trip.at
    assert trip.to_at == START + 2 * HOUR


async def test_it_stays_where_it_is_when_somebody_says_so(at_start: Database) -> None:
    db = at_start
    await ask(db, START + HOUR)

    async with db.transaction() as tx:
        await clock.end_trip(tx)

    assert await Travel(db).run_once() == 0
    assert await now(db) < START + timedelta(minutes=1)


async def test_nobody_goes_back(at_start: Database) -> None:
    db = at_start

    await ask(db, START - HOUR)

    assert await find_trip(db) is None
