"""The pace of a bot is that of its newest sends, and what is long past says nothing about it."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging.model.bulks import Audience
from pabal.apps.messaging.model.capacity import Hourly, Measured, add_up
from pabal.apps.messaging.store import capacity
from pabal.apps.messaging.store.audiences import put_audience
from pabal.base import clock
from pabal.base.database import Database
from tests.apps.messaging.history import add_deliveries, add_parts, ended
from tests.support.messaging import World, add_schedule, make_world

MICROSECOND, MINUTE = timedelta(microseconds=1), timedelta(minutes=1)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


async def send(world: World, schedule_id: int, count: int, *, seconds: int) -> None:
    """Of two parts each."""
    async with world.db.transaction() as tx:
        rows = [ended("sent", tx.now + n * MICROSECOND, took_ms=seconds * 1000) for n in range(count)]
    for delivery_id in await add_deliveries(world.db, schedule_id, rows):
        await add_parts(world.db, delivery_id, "written", "written")


async def measure(world: World) -> Measured | None:
    async with world.db.transaction() as tx:
        return (await capacity.measure(tx, [world.bot_id])).get(world.bot_id)


async def test_a_bots_pace_is_that_of_its_newest_hundred_sends(world: World):
    await send(world, await add_schedule(world), 1, seconds=104)

    await send(world, await add_schedule(world), 99, seconds=4)
    with_the_slow_one = await measure(world)
    await send(world, await add_schedule(world), 1, seconds=4)

    assert with_the_slow_one == Measured(part=2.5, send=5.0)
    assert await measure(world) == Measured(part=2.0, send=4.0)


async def test_what_a_bot_sent_more_than_two_weeks_ago_says_nothing_about_its_pace(world: World):
    await send(world, await add_schedule(world), 1, seconds=4)

    await clock.advance(world.db, 14 * DAY - HOUR)
    before = await measure(world)
    await clock.advance(world.db, 2 * HOUR)

    assert before == Measured(part=2.0, send=4.0)
    assert await measure(world) is None


async def test_of_the_notices_that_are_due_before_the_fifty_nearest_to_the_moment_count(world: World):
    async with world.db.transaction() as tx:
        begin = tx.now
    ids = [await add_schedule(world, at=begin + n * MINUTE) for n in range(1, 52)]
    async with world.db.transaction() as tx:
        for one in ids:
            await put_audience(tx, one, Audience())
        found = await capacity.list_due_bulks(tx, since=begin, until=begin + HOUR)

    assert [one.schedule_id for one in found] == ids[:0:-1]


def test_bots_add_up_each_at_its_own_pace_and_who_was_not_measured_is_only_counted():
    seen = {1: Measured(part=1.0, send=4.0), 2: Measured(part=5.0, send=10.0), 9: Measured(part=1.0, send=1.0)}

    assert add_up([1, 2, 3], seen) == Hourly(sends=900 + 360, bots=3, unmeasured=1)
