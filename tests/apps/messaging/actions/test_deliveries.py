"""What a person says about a delivery: try it in a test room, send the rest, send it now, leave it."""

from dataclasses import replace
from pathlib import Path

import pytest

from pabal.apps.messaging.actions.deliveries import dismiss, resume, send_test
from pabal.apps.messaging.actions.schedules import purge
from pabal.apps.messaging.errors import (
    BotNotInRoom,
    DeliveryNotFound,
    NotATestRoom,
    NothingToResume,
    NotOver,
    RoomNotFound,
    ScheduleNotFound,
)
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import Cause, Delivery, DeliveryState
from pabal.base.database import Database
from pabal.base.errors import Conflict
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.storage import store as storage_store
from tests.support.botline import Desk, fall_due, find_deliveries, find_delivery, send_now
from tests.support.messaging import SQL, World, add_bot, add_room, add_schedule, make_world, set_limit
from tests.support.people import person
from tests.support.work import advance

QUICK = Content(text="안녕하세요", send_interval_seconds=0)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    await set_limit(db, world.room_id, gap=0, per_minute=0)
    return world


def operator(world: World) -> Actor:
    return person(world.tree.haeundae, Role.OPERATOR, number=7)


async def ask_test(world: World, actor: Actor, schedule_id: int, room_id: int) -> Delivery:
    async with world.db.transaction() as tx:
        return await send_test(tx, actor, schedule_id, room_id)


async def ask_resume(world: World, delivery_id: int, *, resend_unknown: bool = False) -> Delivery:
    async with world.db.transaction() as tx:
        return await resume(tx, operator(world), delivery_id, resend_unknown=resend_unknown)


async def test_a_test_goes_to_the_test_room_marked_and_counts_for_nothing_else(world: World):
    desk = await Desk.open(world)
    schedule_id = await add_schedule(world, QUICK)

    asked = await ask_test(world, operator(world), schedule_id, world.test_room_id)
    await desk.run()

    delivery = await find_delivery(world.db, cause=Cause.TEST)
    assert (asked.id, asked.state, asked.asked_by) == (delivery.id, "open", "user:7")
    assert (delivery.state, delivery.is_test, delivery.room_name) == ("sent", True, "시험방")
    assert [one.room for one in desk.line.sent] == ["18200002 시험방"]
    async with world.db.transaction() as tx:
        [row] = await tx.rows(SQL.read_schedule, id=schedule_id)
    assert (row["state"], row["send_count"], row["last_sent_at"]) == ("active", 0, None)


async def test_a_test_takes_a_bot_that_is_in_the_test_room_and_refuses_what_is_not_one(world: World):
    schedule_id = await add_schedule(world, QUICK)
    other, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    theirs = await add_room(world.db, world.tree.haeundae, "1", "둘의 시험방", bots=[other], room_type="test")
    empty = await add_room(world.db, world.tree.haeundae, "2", "빈 시험방", bots=[], room_type="test")
    beside = await add_room(world.db, world.tree.nampo, "3", "남의 시험방", bots=[other], room_type="test")

    asked = await ask_test(world, operator(world), schedule_id, theirs)

    assert asked.bot_name == "busan2"
    refused = [
        (operator(world), world.room_id, NotATestRoom),
        (operator(world), empty, BotNotInRoom),
        (operator(world), beside, RoomNotFound),
        (person(world.tree.nampo), world.test_room_id, ScheduleNotFound),
        (person(world.tree.haeundae, Role.VIEWER), world.test_room_id, NotAllowed),
    ]
    for actor, room_id, error in refused:
        with pytest.raises(error):
            await ask_test(world, actor, schedule_id, room_id)


async def test_the_rest_is_sent_and_what_went_out_is_not_repeated(world: World):
    desk = await Desk.open(world)
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    desk.line.go(1, began=False)
    await desk.run()
    await desk.disconnect()
    await advance(world.db, 86400)
    await desk.expire()
    partial = await find_delivery(world.db)
    await desk.connect()

    await ask_resume(world, partial.id)
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (partial.state, delivery.state, delivery.asked_by) == ("partial", "sent", "user:7")
    assert [type(one.what) for one in desk.line.sent] == [str, tuple]
    with pytest.raises(Conflict):
        await ask_resume(world, partial.id)


async def test_what_nobody_knows_is_sent_again_only_when_a_person_says_so(world: World):
    desk = await Desk.open(world)
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    desk.line.go(0, began=True)
    await desk.run()
    await desk.run()
    unknown = await find_delivery(world.db)

    with pytest.raises(NothingToResume):
        await ask_resume(world, unknown.id)
    await ask_resume(world, unknown.id, resend_unknown=True)
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (unknown.state, delivery.state, delivery.parts[0].resent) == ("unknown", "sent", 1)
    assert len(desk.line.sent) == 2


async def test_a_missed_one_is_sent_when_a_person_says_so_however_late_or_set_aside(world: World):
    desk = await Desk.open(world)
    await desk.disconnect()
    schedule_id = await add_schedule(world, QUICK)
    await send_now(world.db, schedule_id)
    await send_now(world.db, schedule_id)
    await advance(world.db, 1000)
    await desk.expire()
    one, two = await find_deliveries(world.db, state=(DeliveryState.MISSED,))
    await desk.connect()

    async with world.db.transaction() as tx:
        await dismiss(tx, operator(world), one.id)
    await ask_resume(world, two.id)
    await desk.run()

    found = {delivery.id: delivery for delivery in await find_deliveries(world.db)}
    assert (found[one.id].state, found[one.id].detail["dismissed_by"]) == ("missed", "user:7")
    assert found[two.id].state == "sent"
    async with world.db.transaction() as tx:
        with pytest.raises(NotOver):
            await dismiss(tx, operator(world), two.id)
        with pytest.raises(DeliveryNotFound):
            await dismiss(tx, person(world.tree.nampo), one.id)
        with pytest.raises(NotAllowed):
            await resume(tx, person(world.tree.haeundae, Role.VIEWER), one.id)


async def test_what_was_sent_keeps_its_pictures_until_it_is_purged(world: World):
    desk = await Desk.open(world)
    schedule_id = await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await ask_test(world, operator(world), schedule_id, world.test_room_id)
    await send_now(world.db, schedule_id)
    await desk.run()
    await desk.run()

    async with world.db.transaction() as tx:
        during = await storage_store.list_uses(tx, world.picture.file_id)
        await purge(tx, person(world.tree.hq), schedule_id)
        after = await storage_store.list_uses(tx, world.picture.file_id)

    deliveries = [use for use in during if use.startswith("delivery:")]
    assert len(deliveries) == 2
    assert not [use for use in after if use.startswith("delivery:")]
