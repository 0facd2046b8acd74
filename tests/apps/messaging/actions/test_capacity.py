"""How long the bots need is said before: from what they were seen to take, and what else they have to do then."""

from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import checking, groups, schedules
from pabal.apps.messaging.actions.checking import Checked
from pabal.apps.messaging.actions.reports import read_capacity
from pabal.apps.messaging.model.bulks import Audience, NewGroup
from pabal.apps.messaging.model.capacity import Hourly
from pabal.apps.messaging.model.schedules import Schedule
from pabal.base.database import Database
from pabal.platform.actor import Actor
from pabal.platform.tenants import Scope
from tests.apps.messaging.bulking import make_rooms, picked, run_bulk, save
from tests.apps.messaging.history import add_deliveries, add_parts, ended
from tests.support.botline import Desk, send_now, set_value
from tests.support.messaging import SQL, World, add_bot, add_room, add_schedule, make_world
from tests.support.people import person

SECOND, MINUTE = timedelta(seconds=1), timedelta(minutes=1)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    for setting in (own.IMAGE_GAP_MS, own.MIN_GAP_SECONDS, own.MESSAGES_PER_MINUTE):
        await set_value(db, setting, 0)
    return world


@pytest.fixture
def manager(world: World) -> Actor:
    return person(world.tree.haeundae)


async def look(world: World, actor: Actor, schedule: Schedule, *, again: bool = True, **changed: Any) -> Checked:
    """As its form shows it; not `again`: as one that is not saved yet."""
    async with world.db.transaction() as tx:
        new = replace(schedule.as_new(), **changed)
        return await checking.check(tx, actor, new, schedule_id=schedule.id if again else None)


async def busy(world: World, actor: Actor, schedule: Schedule, **said: Any) -> timedelta:
    expected = (await look(world, actor, schedule, **said)).estimate
    assert expected is not None
    return expected.busy


async def test_what_else_is_due_comes_first_but_not_itself_nor_what_is_paused_or_later(world: World, manager: Actor):
    schedule = await save(world, manager, picked(await make_rooms(world, 2)))

    alone = await busy(world, manager, schedule)
    await add_schedule(world, title="같은 시각")
    async with world.db.transaction() as tx:
        later = tx.now + timedelta(minutes=30)
    await add_schedule(world, title="나중", at=later)
    with_one = await busy(world, manager, schedule)
    other = await save(world, manager, picked([world.room_id]))
    single = await add_schedule(world, title="멈춘 것")
    async with world.db.transaction() as tx:
        await schedules.deactivate(tx, manager, other.id)
        await schedules.deactivate(tx, manager, single)

    assert (alone, with_one) == (timedelta(0), SECOND)
    assert await busy(world, manager, schedule) == SECOND


async def test_another_notice_to_many_rooms_is_as_many_sends_as_this_bot_has_rooms_of_it(world: World, manager: Actor):
    other_bot, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    rooms = await make_rooms(world, 3)
    elsewhere = await add_room(world.db, world.tree.haeundae, "18700001", "둘째의 방", bots=[other_bot])
    schedule = await save(world, manager, picked([world.room_id]))
    await save(world, manager, picked([elsewhere, *rooms]))

    assert await busy(world, manager, schedule) == 3 * SECOND


async def test_ten_other_notices_are_counted_with_as_many_statements_as_two(world: World, manager: Actor):
    rooms = await make_rooms(world, 2)
    schedule = await save(world, manager, picked([world.room_id]))
    async with world.db.transaction() as tx:
        near = await groups.save(tx, manager, NewGroup("가까운 곳", room_type="production"))
    asked = []
    for count in (2, 2, 10):
        for n in range(count):
            await save(world, manager, Audience(group_id=near.id) if n % 2 else picked(rooms))
        counted: list[object] = []
        async with world.db.transaction() as tx:
            with tx._connection.query_logger(counted.append):
                await checking.check(tx, manager, schedule.as_new(), schedule_id=schedule.id)
        asked.append(len(counted))

    # the first is asked what it looks like, too
    assert asked[1] >= asked[2]
    # seven to two rooms, seven to those and one more
    assert await busy(world, manager, schedule) == 35 * SECOND


async def test_what_is_under_way_at_that_moment_comes_first(world: World, manager: Actor):
    await take(world, seconds=40)
    schedule = await save(world, manager, picked([world.room_id]))
    await send_now(world.db, (await save(world, manager, picked(await make_rooms(world, 2)))).id)
    await run_bulk(world.db)
    await send_now(world.db, await add_schedule(world, at=await in_(world, timedelta(days=1))))

    # three wait now, and two more rooms fall due with the notice, a minute ahead at most
    assert await busy(world, manager, schedule) >= 5 * 40 * SECOND - MINUTE


async def test_what_is_through_by_then_is_not_in_the_way(world: World, manager: Actor):
    schedule = await save(world, manager, picked([world.room_id]))
    await add_schedule(world, at=await in_(world, MINUTE / 2))
    at_a_quick_pace = await busy(world, manager, schedule)
    await take(world, seconds=40)

    assert (at_a_quick_pace, await busy(world, manager, schedule)) == (timedelta(0), 10 * SECOND)


async def test_a_notice_that_is_spread_is_in_the_way_of_others_room_by_room(world: World, manager: Actor):
    schedule = await save(world, manager, picked([world.room_id]))
    await save(world, manager, picked(await make_rooms(world, 3), spread_minutes=30))

    assert await busy(world, manager, schedule) == SECOND


async def test_of_what_is_under_way_the_rooms_whose_turn_comes_later_are_not_in_the_way(world: World, manager: Actor):
    await take(world, seconds=40)
    schedule = await save(world, manager, picked([world.room_id]))
    spread = await save(world, manager, picked(await make_rooms(world, 3), spread_minutes=60))
    await send_now(world.db, spread.id)
    await run_bulk(world.db)

    # its first room is through by then; the first room of its own daily moment is due together with the notice
    assert await busy(world, manager, schedule) == 40 * SECOND


async def test_what_was_due_half_an_hour_before_and_still_lasts_comes_first(world: World, manager: Actor):
    await take(world, seconds=1000)
    schedule = await save(world, manager, picked([world.room_id]))
    await save(world, manager, picked(await make_rooms(world, 3)))
    at = datetime.combine(schedule.when.valid_from, schedule.when.schedule_time) + 30 * MINUTE

    later = await busy(world, manager, schedule, when=replace(schedule.when, schedule_time=at.time()))

    assert later == 3 * 1000 * SECOND - 30 * MINUTE


async def test_a_notice_that_is_spread_takes_until_the_turn_of_its_last_room(world: World, manager: Actor):
    schedule = await save(world, manager, picked(await make_rooms(world, 3), spread_minutes=30))

    expected = (await look(world, manager, schedule)).estimate

    assert expected is not None
    assert (expected.takes, expected.late) == (20 * MINUTE + SECOND, 0)


async def take(world: World, *, seconds: int) -> None:
    """As the bot was seen to take for a send."""
    async with world.db.transaction() as tx:
        now = tx.now
    rows = [ended("sent", now - timedelta(hours=1), took_ms=seconds * 1000)]
    for delivery_id in await add_deliveries(world.db, await add_schedule(world, at=now + timedelta(days=9)), rows):
        await add_parts(world.db, delivery_id, "written")


async def in_(world: World, span: timedelta) -> datetime:
    async with world.db.transaction() as tx:
        return tx.now + span


async def test_a_bot_needs_what_it_took_for_sends_that_went_out_at_once(world: World, manager: Actor):
    schedule = await save(world, manager, picked(await make_rooms(world, 10), window_minutes=1))
    async with world.db.transaction() as tx:
        now = tx.now
    rows = [
        ended("sent", now - timedelta(hours=1), took_ms=8000),
        ended("sent", now - timedelta(hours=2), took_ms=500_000, attempts=2),
        ended("failed", now - timedelta(hours=3), took_ms=500_000),
    ]
    for delivery_id in await add_deliveries(world.db, await add_schedule(world, at=now + timedelta(days=9)), rows):
        await add_parts(world.db, delivery_id, "written")

    checked = await look(world, manager, schedule)

    assert checked.estimate is not None
    # the ninth would begin after 64 seconds
    assert (checked.estimate.takes, checked.estimate.late) == (80 * SECOND, 2)
    assert [one.code for one in checked.warnings if one.field == "window_minutes"] == ["bulk_too_slow"]


async def test_what_can_be_sent_in_an_hour_is_what_the_bots_can_that_are_connected_and_may_send(world: World):
    for name in ("busan2", "busan3"):
        excluded, _ = await add_bot(world.db, world.tree.haeundae, name)
        await Desk.open(world, bot=name)
    desk = await Desk.open(world)
    await take(world, seconds=40)

    with_all = await hourly(world)
    async with world.db.transaction() as tx:
        # its route is let go a moment later
        await tx.run(SQL.exclude_bot, id=excluded)
    without_the_excluded = await hourly(world)
    await desk.disconnect()

    assert with_all == Hourly(sends=90, bots=3, unmeasured=2)
    assert without_the_excluded == Hourly(sends=90, bots=2, unmeasured=1)
    assert await hourly(world) == Hourly(sends=0, bots=1, unmeasured=1)


async def hourly(world: World) -> Hourly:
    async with world.db.transaction() as tx:
        return await read_capacity(tx, Scope(None, None))
