"""A bot finds a room by its name: a name out of sight is refused, one in sight confirmed, and one of two units held."""

import asyncio
import unicodedata
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from pabal.apps.messaging.actions import bots as bot_actions
from pabal.apps.messaging.actions import checking, deliveries
from pabal.apps.messaging.actions import rooms as actions
from pabal.apps.messaging.errors import BotNotFound, RoomNameRepeated, RoomNameTaken, RoomNotFound
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.rooms import NewRoom, Room, RoomChange
from pabal.apps.messaging.store import rooms, sending
from pabal.apps.messaging.store.rooms import Sighting
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.base.database import Database, Tx
from pabal.base.sql import Statement
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.tenants import visible_to
from tests.support.botline import Desk, fall_due, find_deliveries, find_delivery, send_now
from tests.support.messaging import SQL, World, add_room, add_schedule, make_world
from tests.support.people import person
from tests.support.plans import list_lookups
from tests.support.servers import until
from tests.support.work import advance

NAME = "해운대 손님방"
WAITING = Statement(
    "waiting",
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    (),
)
DEFERRED = Statement("deferred", "select count(*) from pabal.fact where name = 'messaging.delivery_deferred'", ())


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    """Gangnam has a room on Haeundae's bot, and so may use the bot."""
    world = await make_world(db, tmp_path)
    await add_room(db, world.tree.gangnam, "18300001", "강남 손님방", bots=[world.bot_id])
    return world


def new(world: World, **changed: object) -> NewRoom:
    return replace(NewRoom("999", NAME, world.bot_id, world.tree.gangnam.id), **changed)


def as_change(room: Room, **changed: object) -> RoomChange:
    change = RoomChange(room.unit_id or 0, room.name, room.room_type, room.note, asdict(room.limits))
    return replace(change, **changed)


async def look(db: Database, room_id: int) -> Room:
    async with db.transaction() as tx:
        room = await rooms.find_room(tx, room_id)
    assert room is not None
    return room


async def held(db: Database, *room_ids: int) -> list[bool]:
    return [any(each.is_held for each in (await look(db, room_id)).bots) for room_id in room_ids]


async def hear(db: Database, world: World, channel: str, name: str) -> None:
    """As the listener writes what the phone said."""
    async with db.transaction() as tx:
        await rooms.note_seen(tx, [Sighting(channel, world.bot_id, name)])


async def test_a_name_the_bot_has_for_a_room_out_of_sight_is_refused_however_it_is_typed(db: Database, world: World):
    apart = unicodedata.normalize("NFD", NAME)

    async with db.transaction() as tx:
        for typed in (NAME, f"  {NAME}\u00a0", apart, f"{apart} "):
            with pytest.raises(RoomNameTaken) as refused:
                await actions.add(tx, person(world.tree.gangnam), new(world, name=typed, confirm=True))
            assert not refused.value.detail
        other = await actions.add(tx, person(world.tree.gangnam), new(world, name=f"{NAME} 2"))

    assert other.bots[0].room_name == f"{NAME} 2"
    assert await held(db, world.room_id, other.id) == [False, False]


async def test_the_name_of_a_room_nobody_has_claimed_is_out_of_a_branchs_sight_too(db: Database, world: World):
    await add_room(db, None, "18390001", "새 손님방", bots=[world.bot_id])

    async with db.transaction() as tx:
        with pytest.raises(RoomNameTaken):
            await actions.add(tx, person(world.tree.gangnam), new(world, name="새 손님방", confirm=True))


async def test_whoever_owns_the_bot_gets_no_further(db: Database, world: World):
    async with db.transaction() as tx:
        await bot_actions.edit(tx, person(world.tree.hq), world.bot_id, unit_id=world.tree.gangnam.id)
        with pytest.raises(RoomNameTaken):
            await actions.add(tx, person(world.tree.gangnam), new(world, confirm=True))


async def test_a_name_in_sight_is_confirmed_and_rooms_of_one_unit_go_on_sending(db: Database, world: World):
    admin, unit_id = person(world.tree.haeundae), world.tree.haeundae.id
    async with db.transaction() as tx:
        with pytest.raises(RoomNameRepeated) as warned:
            await actions.add(tx, admin, new(world, unit_id=unit_id))
        twin = await actions.add(tx, admin, new(world, unit_id=unit_id, confirm=True))
    desk, schedule_id = await Desk.open(world), await add_schedule(world)
    await send_now(db, schedule_id)
    await desk.run()

    assert [one.room_id for one in warned.value.namesakes] == [world.room_id]
    assert await held(db, world.room_id, twin.id) == [False, False]
    assert [one.room for one in desk.line.sent] == [f"18200001 {NAME}"]
    assert await warnings(db, admin, schedule_id) == ["room_name_repeated"]


async def warnings(db: Database, actor: Actor, schedule_id: int) -> list[str]:
    async with db.transaction() as tx:
        schedule = await get_schedule(tx, await visible_to(tx, actor), schedule_id)
        checked = await checking.check(tx, actor, schedule.as_new(), schedule_id=schedule_id)
    return [one.code for one in checked.warnings if one.code.startswith("room_name")]


async def test_a_room_moved_or_claimed_beside_a_namesake_is_refused_or_confirmed_like_a_new_one(
    db: Database, world: World
):
    tree = world.tree
    found = await add_room(db, None, "18390001", NAME, bots=[world.bot_id])
    async with db.transaction() as tx:
        room = await actions_claim(tx, world, found)
        with pytest.raises(RoomNameTaken):
            await actions.edit(tx, person(tree.seoul), found, as_change(room, unit_id=tree.seoul.id, confirm=True))
        with pytest.raises(RoomNameRepeated):
            await actions.edit(tx, person(tree.hq), found, as_change(room, unit_id=tree.haeundae.id))
        renamed = await actions.edit(tx, person(tree.gangnam), found, as_change(room, name="다른 이름"))
    before = await held(db, world.room_id, found)

    async with db.transaction() as tx:
        change = as_change(renamed, unit_id=tree.haeundae.id, confirm=True)
        await actions.edit(tx, person(tree.hq), found, change)

    assert (renamed.name, [each.room_name for each in renamed.bots]) == ("다른 이름", [NAME])
    assert before == [True, True]
    assert await held(db, world.room_id, found) == [False, False]


async def actions_claim(tx: Tx, world: World, room_id: int) -> Room:
    hq, change = person(world.tree.hq), RoomChange(world.tree.gangnam.id, NAME)
    with pytest.raises(RoomNameRepeated):
        await actions.claim(tx, hq, room_id, change)
    return await actions.claim(tx, hq, room_id, replace(change, confirm=True))


async def test_of_two_branches_that_add_a_name_at_once_one_is_refused(db: Database, world: World):
    tree = world.tree
    both = {"name": "같은 이름"}

    async def second() -> None:
        async with db.transaction() as tx:
            await actions.add(tx, person(tree.gangnam), new(world, **both))

    async with db.transaction() as tx:
        await actions.add(tx, person(tree.haeundae), new(world, **both, channel_id="998", unit_id=tree.haeundae.id))
        racing = asyncio.create_task(second())

        async def is_waiting() -> bool:
            async with db.transaction() as other:
                return racing.done() or bool(await other.value(WAITING))

        await until(is_waiting)

    with pytest.raises(RoomNameTaken):
        await racing


async def test_what_a_phone_hears_under_one_name_in_two_units_rooms_is_held_and_then_missed(db: Database, world: World):
    desk = await Desk.open(world)
    schedule_id = await add_schedule(world, Content(text="안녕하세요"))
    other = await add_room(db, world.tree.gangnam, "18390001", "옛 이름", bots=[world.bot_id])
    await hear(db, world, "18390001", unicodedata.normalize("NFD", NAME))

    await fall_due(db)
    while await desk.run():
        pass
    for _ in range(3):
        await advance(db, 31)
        assert await desk.run(), "it is looked at again"
    async with db.transaction() as tx:
        deferred = await tx.value(DEFERRED)
    waiting = await find_delivery(db)
    noted = await warnings(db, person(world.tree.haeundae), schedule_id)
    await advance(db, 400)
    await desk.run()
    await desk.expire()
    missed = await find_delivery(db)

    assert await held(db, world.room_id, other) == [True, True]
    assert (waiting.state, waiting.place, waiting.deferred_by) == ("open", "held", "room_name_shared")
    assert noted == ["room_name_shared"]
    assert deferred == 1, "told when it began, not at every look"
    assert (missed.state, missed.reason) == ("missed", "room_name_shared")
    assert desk.line.sent == []


async def test_a_chat_renamed_in_kakaotalk_frees_the_other_and_the_rest_is_sent(db: Database, world: World):
    desk = await Desk.open(world)
    await add_room(db, world.tree.gangnam, "18390001", NAME, bots=[world.bot_id])
    schedule_id = await add_schedule(world)
    await send_now(db, schedule_id)
    async with db.transaction() as tx:
        await deliveries.send_test(tx, person(world.tree.haeundae), schedule_id, world.test_room_id)
    while await desk.run():
        pass
    before = [one.room for one in desk.line.sent]

    await hear(db, world, "18390001", "강남 새 이름")
    await advance(db, 60)
    while await desk.run():
        pass

    assert before == ["18200002 시험방"], "another name on the same bot is not held"
    assert [one.room for one in desk.line.sent[1:]] == [f"18200001 {NAME}"]
    assert {one.state for one in await find_deliveries(db)} == {"sent"}


async def test_a_room_nobody_has_claimed_holds_its_namesake_and_the_house_decides(db: Database, world: World):
    tree, desk = world.tree, await Desk.open(world)
    await hear(db, world, "18390001", NAME)
    async with db.transaction() as tx:
        [found] = (await rooms.list_unclaimed(tx, await visible_to(tx, person(tree.hq)))).items
    await send_now(db, await add_schedule(world))
    await desk.run()
    assert desk.line.sent == []

    async with db.transaction() as tx:
        for actor, refusal in (
            (person(tree.haeundae), RoomNotFound),
            (person(tree.hq, Role.OPERATOR), NotAllowed),
        ):
            with pytest.raises(refusal):
                await actions.remove_bot(tx, actor, found.id, world.bot_id)
        with pytest.raises(RoomNameTaken):
            await actions.remove_bot(tx, person(tree.haeundae), world.room_id, world.bot_id)
        removed = await actions.remove_bot(tx, person(tree.hq), found.id, world.bot_id)
        with pytest.raises(BotNotFound):
            await actions.remove_bot(tx, person(tree.hq), found.id, world.bot_id)
    await advance(db, 60)
    await desk.run()

    assert removed.bots == ()
    assert [one.room for one in desk.line.sent] == [f"18200001 {NAME}"]
    await hear(db, world, "18390001", NAME)
    assert await held(db, world.room_id) == [True], "it is in the chat after all"


async def test_the_look_before_every_send_goes_by_the_name_and_not_through_all_rooms_of_the_bot(
    db: Database, world: World
):
    async with db.transaction() as tx:
        # over a few rows any plan will do
        await tx.run(SQL.insert_many_rooms, unit_id=world.tree.haeundae.id, bot_id=world.bot_id, count=2000)
        await tx.script("analyze pabal.room; analyze pabal.room_bot")
        for statement in (sending.SQL.load_deliveries, rooms.SQL.list_room_bots, rooms.SQL.list_namesakes):
            assert "room_bot_name" in await list_lookups(tx, statement), statement.name
