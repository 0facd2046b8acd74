"""Another bot of a room takes over when one is away."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bots, deliveries, rooms
from pabal.apps.messaging.actions.takeovers import take_over_once
from pabal.apps.messaging.errors import BadRoom
from pabal.apps.messaging.model.content import Content, ImageMode
from pabal.apps.messaging.model.rooms import RoomChange
from pabal.apps.messaging.store import rooms as room_store
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import delays, queue
from pabal.engine.queue import NewJob
from tests.apps.messaging.bulking import fan_out, picked, save
from tests.support.botline import Desk, fall_due, find_deliveries, find_delivery, set_value
from tests.support.messaging import SQL, World, add_bot, add_schedule, make_world
from tests.support.people import person
from tests.support.work import place


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    for setting in (own.IMAGE_GAP_MS, own.MIN_GAP_SECONDS, own.MESSAGES_PER_MINUTE):
        await set_value(db, setting, 0)
    return world


async def add_second(world: World, name: str = "busan2", **more: Any) -> int:
    """Another bot in the room."""
    other, _ = await add_bot(world.db, world.tree.haeundae, name, **more)
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
    await clock.advance(world.db, timedelta(seconds=50))
    soon = await take_over_once(world.db)
    await clock.advance(world.db, timedelta(seconds=11))
    later = await take_over_once(world.db)
    await desk.run()

    assert (at_once, soon, later) == (0, 0, 1)
    assert [one.room for one in desk.line.sent] == [f"{world.channel_id} 둘째가 부르는 이름"]
    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.bot_name) == ("sent", "busan2")


async def test_the_first_of_the_order_takes_over_and_none_that_has_no_turn_or_is_excluded(world: World):
    names = ("busan2", "busan3", "busan4", "busan5")
    second, third, fourth, fifth = [await add_second(world, name) for name in names]
    for name in names:
        await Desk.open(world, bot=name)
    # the second is in the room and in no order
    await put_in_order(world, world.bot_id, fifth, fourth, third)
    async with world.db.transaction() as tx:
        await bots.exclude(tx, person(world.tree.haeundae), fifth, "전화기 점검")
    await add_schedule(world)
    await fall_due(world.db)
    await clock.advance(world.db, timedelta(seconds=61))

    await take_over_once(world.db)

    assert (await find_delivery(world.db)).bot_name == "busan4"
    assert second


async def test_what_has_begun_what_is_a_test_and_what_waits_for_a_bot_that_is_there_is_left_to_it(world: World):
    other = await add_second(world)
    desk, _ = await Desk.open(world), await Desk.open(world, bot="busan2")
    await put_in_order(world, world.bot_id, other)
    content = Content(text="안녕", images_1=(world.picture,), send_interval_seconds=0)
    schedule_id = await add_schedule(world, content)
    await fall_due(world.db)
    await clock.advance(world.db, timedelta(seconds=61))
    waits_for_its_turn = await take_over_once(world.db)
    desk.line.go(1, began=False)
    await desk.run()
    async with world.db.transaction() as tx:
        await tx.run(SQL.insert_room_bot, room_id=world.test_room_id, bot_id=other, room_name="시험방")
        await rooms.edit(
            tx, person(world.tree.haeundae), world.test_room_id, RoomChange(bot_order=(world.bot_id, other))
        )
        await deliveries.send_test(tx, person(world.tree.haeundae), schedule_id, world.test_room_id)
    await desk.disconnect()
    await clock.advance(world.db, timedelta(seconds=61))
    await delays.promote_once(world.db)

    assert (waits_for_its_turn, await take_over_once(world.db)) == (0, 0)
    await desk.connect()
    while await desk.run():
        pass
    assert {one.cause: one.state for one in await find_deliveries(world.db)} == {"test": "sent", "schedule": "sent"}


async def test_what_has_begun_in_one_of_many_rooms_is_left_to_its_bot(world: World):
    other = await add_second(world)
    desk, _ = await Desk.open(world), await Desk.open(world, bot="busan2")
    await put_in_order(world, world.bot_id, other)
    content = Content(text="안녕", images_1=(world.picture,), send_interval_seconds=0)
    manager, many = person(world.tree.haeundae), picked([world.room_id], window_minutes=30)
    await save(world, manager, many, bot_id=world.bot_id, content=content)
    await fan_out(world.db)
    desk.line.go(1, began=False)
    await desk.run()
    await desk.disconnect()
    await clock.advance(world.db, timedelta(seconds=61))
    await delays.promote_once(world.db)

    assert await take_over_once(world.db) == 0


async def test_what_somebody_tries_again_by_hand_is_left_to_its_bot(world: World):
    other = await add_second(world)
    desk, _ = await Desk.open(world), await Desk.open(world, bot="busan2")
    await add_schedule(world)
    await fall_due(world.db)
    async with world.db.transaction() as tx:
        await room_store.delete_room_bot(tx, world.room_id, world.bot_id)
    await desk.run()
    failed = await find_delivery(world.db)
    ended = await place(world.db, failed.job_id or 0)
    async with world.db.transaction() as tx:
        await tx.run(SQL.insert_room_bot, room_id=world.room_id, bot_id=world.bot_id, room_name="해운대 손님방")
        await queue.enqueue(tx, NewJob(ended.kind, ended.args, route=ended.queue, lane=ended.lane))
    await put_in_order(world, world.bot_id, other)
    await desk.disconnect()
    await clock.advance(world.db, timedelta(seconds=61))

    taken = await take_over_once(world.db)
    await desk.connect()
    await desk.run()

    assert (failed.state, taken, (await find_delivery(world.db)).state) == ("failed", 0, "sent")


@pytest.mark.parametrize(
    ("before", "after", "packets"),
    [(ImageMode.SINGLE, ImageMode.GROUP, [2]), (ImageMode.GROUP, ImageMode.SINGLE, [1, 1])],
)
async def test_who_takes_over_sends_every_image_as_its_own_phone_takes_them(
    world: World, before: ImageMode, after: ImageMode, packets: list[int]
):
    async with world.db.transaction() as tx:
        await tx.run(SQL.set_image_mode, bot_id=world.bot_id, image_mode=before)
    other = await add_second(world, image_mode=after)
    desk = await Desk.open(world, bot="busan2")
    await put_in_order(world, world.bot_id, other)
    await add_schedule(world, Content(images_1=(world.picture,) * 2, send_interval_seconds=0))
    await fall_due(world.db)
    await clock.advance(world.db, timedelta(seconds=61))

    await take_over_once(world.db)
    await desk.run()

    assert [len(one.what) for one in desk.line.sent] == packets
    assert (await find_delivery(world.db)).state == "sent"


async def test_one_of_many_rooms_is_taken_over_within_the_window_of_its_bulk(world: World):
    other = await add_second(world)
    await put_in_order(world, world.bot_id, other)
    await save(world, person(world.tree.haeundae), picked([world.room_id], window_minutes=30), bot_id=world.bot_id)
    await fan_out(world.db)
    desk = await Desk.open(world, bot="busan2")
    await clock.advance(world.db, timedelta(seconds=61))

    moved = await take_over_once(world.db)
    await clock.advance(world.db, timedelta(minutes=20))
    await desk.expire()
    await desk.run()

    assert (moved, (await find_delivery(world.db)).state) == (1, "sent")


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
