"""The pace of a bot is that of its newest sends, and what is long past says nothing about it."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging.model.capacity import Hourly, Measured, add_up
from pabal.apps.messaging.store import capacity
from pabal.base import clock
from pabal.base.database import Database
from tests.apps.messaging.history import add_deliveries, add_parts, ended
from tests.support.messaging import World, add_schedule, make_world

MICROSECOND, HOUR, DAY = timedelta(microseconds=1), timedelta(hours=1), timedelta(days=1)


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


def test_bots_add_up_each_at_its_own_pace_and_who_was_not_measured_is_only_counted():
    seen = {1: Measured(part=1.0, send=4.0), 2: Measured(part=5.0, send=10.0), 9: Measured(part=1.0, send=1.0)}

    assert add_up([1, 2, 3], seen) == Hourly(sends=900 + 360, bots=3, unmeasured=1)
