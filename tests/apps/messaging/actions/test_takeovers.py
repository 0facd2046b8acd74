"""Another bot of a room takes over when one is away."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import rooms
from pabal.apps.messaging.actions.takeovers import take_over_once
from pabal.apps.messaging.errors import BadRoom
from pabal.apps.messaging.model.rooms import RoomChange
from pabal.base import clock
from pabal.base.database import Database
from tests.support.botline import Desk, fall_due, find_delivery, set_value
from tests.support.messaging import SQL, World, add_bot, add_schedule, make_world
from tests.support.people import person


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    for setting in (own.IMAGE_GAP_MS, own.MIN_GAP_SECONDS, own.MESSAGES_PER_MINUTE):
        await set_value(db, setting, 0)
    return world


async def add_second(world: World) -> int:
    """Another bot in the room, connected."""
    other, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    async with world.db.transaction() as tx:
        await tx.run(SQL.insert_room_bot, room_id=world.room_id, bot_id=other, room_name="둘째가 부르는 이름")
    return other


async def put_in_order(world: World, *bots: int) -> None:
    async with world.db.transaction() as tx:
        await rooms.edit(tx, person(world.tree.haeundae), world.room_id, RoomChange(bot_order=bots))


async def test_a_send_that_waits_for_a_bot_that_is_away_goes_out_by_the_next(world: World):
    other = await add_second(world)
    desk = await Desk.open(world, bot="busan2")
    await put_in_order(world, world.bot_id, other)
    await add_schedule(world)
    await fall_due(world.db)

    at_once = await take_over_once(world.db)
    await clock.advance(world.db, timedelta(seconds=61))
    later = await take_over_once(world.db)
    await desk.run()

    assert (at_once, later) == (0, 1)
    assert [one.room for one in desk.line.sent] == [f"{world.channel_id} 둘째가 부르는 이름"]
    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.bot_name) == ("sent", "busan2")


async def test_nobody_takes_over_where_no_order_says_so(world: World):
    await add_second(world)
    await Desk.open(world, bot="busan2")
    await add_schedule(world)
    await fall_due(world.db, timedelta(seconds=130))

    assert await take_over_once(world.db) == 0


async def test_nobody_takes_over_when_it_is_switched_off(world: World):
    other = await add_second(world)
    await Desk.open(world, bot="busan2")
    await put_in_order(world, world.bot_id, other)
    await set_value(world.db, own.TAKEOVER_AFTER, timedelta(0))
    await add_schedule(world)
    await fall_due(world.db, timedelta(seconds=130))

    assert await take_over_once(world.db) == 0


async def test_an_order_names_bots_of_the_room_each_once(world: World):
    stranger, _ = await add_bot(world.db, world.tree.haeundae, "busan3")

    for order in ((stranger,), (world.bot_id, world.bot_id)):
        with pytest.raises(BadRoom):
            await put_in_order(world, *order)
