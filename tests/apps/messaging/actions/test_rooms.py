"""Rooms are claimed by the house, edited by those they belong to, and unknown to everybody else."""

from dataclasses import asdict, replace

import pytest

from pabal.apps.messaging.actions import rooms as actions
from pabal.apps.messaging.errors import (
    BadRoom,
    BotNotFound,
    RoomClaimed,
    RoomInUse,
    RoomKnown,
    RoomNotFound,
    SchedulesDepend,
)
from pabal.apps.messaging.model.rooms import NewRoom, Room, RoomChange, RoomLimits, RoomType
from pabal.apps.messaging.resources.rooms import RoomFilter
from pabal.apps.messaging.store import rooms
from pabal.base.database import Database
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.tenants import Scope, UnitNotFound, visible_to
from tests.support.messaging import World, add_bot, add_room, add_schedule, make_world
from tests.support.people import person, plant


async def listed(db: Database, actor: Actor, **wanted) -> list[str]:
    async with db.transaction() as tx:
        scope = await visible_to(tx, actor)
        return [room.name for room in (await rooms.list_rooms(tx, scope, RoomFilter(**wanted))).items]


async def unclaimed(db: Database, actor: Actor) -> list[str]:
    async with db.transaction() as tx:
        return [room.name for room in (await rooms.list_unclaimed(tx, await visible_to(tx, actor))).items]


@pytest.fixture
async def world(db: Database, tmp_path) -> World:
    return await make_world(db, tmp_path)


def as_change(room: Room) -> RoomChange:
    assert room.unit_id is not None
    return RoomChange(room.unit_id, room.name, room.room_type, room.note, asdict(room.limits))


async def test_a_discovered_room_is_the_houses_until_it_is_claimed_for_a_unit(db: Database):
    tree = await plant(db)
    room_id = await add_room(db, None, "18390001", "손님방", bots=[])
    change = RoomChange(tree.haeundae.id, "해운대 손님방", RoomType.TEST, limits={"min_gap_seconds": 0})
    assert await unclaimed(db, person(tree.busan)) == []
    assert await unclaimed(db, person(tree.hq)) == ["손님방"]

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await actions.claim(tx, person(tree.hq, Role.OPERATOR), room_id, change)
        with pytest.raises(RoomNotFound):
            await actions.claim(tx, person(tree.busan), room_id, change)
        room = await actions.claim(tx, person(tree.hq), room_id, change)
        with pytest.raises(RoomClaimed):
            await actions.claim(tx, person(tree.hq), room_id, change)

    assert (room.name, room.room_type, room.claimed_by) == ("해운대 손님방", RoomType.TEST, "user:1")
    assert room.limits == RoomLimits(min_gap_seconds=0)
    assert await unclaimed(db, person(tree.hq)) == []
    assert await listed(db, person(tree.haeundae)) == await listed(db, person(tree.busan)) == ["해운대 손님방"]
    assert await listed(db, person(tree.nampo)) == await listed(db, person(tree.gangnam)) == []


async def test_operators_edit_a_room_and_administrators_its_limits_and_its_unit(db: Database, world: World):
    tree = world.tree
    operator, admin = person(tree.busan, Role.OPERATOR), person(tree.busan)

    async with db.transaction() as tx:
        room = await rooms.get_room(tx, await visible_to(tx, operator), world.room_id)
        same = as_change(room)
        room = await actions.edit(tx, operator, room.id, replace(same, name="새 이름", note="점심에 붐빔"))
        limits = replace(same, limits={"messages_per_day": 10})
        for change in (limits, replace(same, unit_id=tree.nampo.id)):
            with pytest.raises(NotAllowed):
                await actions.edit(tx, operator, room.id, change)
        with pytest.raises(NotAllowed):
            await actions.edit(tx, person(tree.busan, Role.VIEWER), room.id, same)
        for stranger in (person(tree.gangnam), person(tree.nampo)):
            with pytest.raises(RoomNotFound):
                await actions.edit(tx, stranger, room.id, same)
        with pytest.raises(UnitNotFound):
            await actions.edit(tx, admin, room.id, replace(same, unit_id=tree.gangnam.id))
        moved = await actions.edit(tx, admin, room.id, replace(limits, unit_id=tree.nampo.id))

    assert (room.name, room.note) == ("새 이름", "점심에 붐빔")
    assert (moved.unit_id, moved.limits.messages_per_day) == (tree.nampo.id, 10)
    assert [each.room_name for each in moved.bots] == ["해운대 손님방"]


BEYOND = (
    {"name": " "},
    {"name": "가" * 201},
    {"name": "두\n줄"},
    {"note": "가" * 501},
    {"limits": {"messages_per_day": -1}},
    {"limits": {"max_text_length": 0}},
    {"limits": {"min_gap_seconds": 86_401}},
)


async def test_what_no_row_can_hold_is_refused_in_words(db: Database, world: World):
    async with db.transaction() as tx:
        room = await rooms.find_room(tx, world.room_id)
        assert room is not None

        for change in BEYOND:
            with pytest.raises(BadRoom):
                await actions.edit(tx, person(world.tree.busan), room.id, replace(as_change(room), **change))


async def test_a_room_is_added_by_hand_with_a_bot_one_may_use_and_once(db: Database, world: World):
    tree, admin = world.tree, person(world.tree.haeundae)
    strange, _ = await add_bot(db, tree.gangnam, "seoul1")
    new = NewRoom("18390009", "새 방", world.bot_id, tree.haeundae.id, RoomType.TEST)

    async with db.transaction() as tx:
        room = await actions.add(tx, admin, new)
        with pytest.raises(RoomKnown):
            await actions.add(tx, admin, new)
        with pytest.raises(BotNotFound):
            await actions.add(tx, admin, replace(new, channel_id="1", bot_id=strange))
        with pytest.raises(UnitNotFound):
            await actions.add(tx, admin, replace(new, channel_id="1", unit_id=tree.nampo.id))
        with pytest.raises(NotAllowed):
            await actions.add(tx, person(tree.haeundae, Role.OPERATOR), replace(new, channel_id="1"))

    assert [(each.bot_name, each.room_name) for each in room.bots] == [("busan1", "새 방")]
    assert await listed(db, admin, q="18390009") == await listed(db, admin, q="새") == ["새 방"]
    assert sorted(await listed(db, admin, type=RoomType.TEST)) == ["새 방", "시험방"]
    assert await listed(db, admin, bot=strange) == []


async def test_a_room_is_let_go_only_when_nothing_is_sent_there(db: Database, world: World):
    admin = person(world.tree.busan)
    await add_schedule(world)

    async with db.transaction() as tx:
        with pytest.raises(RoomInUse):
            await actions.release(tx, admin, world.room_id)
        released = await actions.release(tx, admin, world.test_room_id)
        with pytest.raises(RoomNotFound):
            await actions.release(tx, admin, world.test_room_id)

    assert released.unit_id is None
    assert await unclaimed(db, person(world.tree.hq)) == ["시험방"]


async def test_rooms_and_bots_come_in_pages_by_name(db: Database, world: World):
    for number in range(5):
        await add_room(db, world.tree.haeundae, f"9{number}", f"방 {number % 2}", bots=[])
    found: list[Room] = []
    cursor: str | None = None

    async with db.transaction() as tx:
        while not found or cursor is not None:
            page = await rooms.list_rooms(tx, Scope(None, None), RoomFilter(q="방 "), cursor=cursor, limit=2)
            found += page.items
            cursor = page.cursor

    assert [room.name for room in found] == ["방 0", "방 0", "방 0", "방 1", "방 1"]
    assert len({room.id for room in found}) == 5


async def test_moving_a_room_names_the_schedules_that_could_not_send_there_any_more(world: World):
    schedule_id = await add_schedule(world)
    house = person(world.tree.hq)
    away, near = RoomChange(unit_id=world.tree.nampo.id), RoomChange(unit_id=world.tree.haeundae.id)

    async with world.db.transaction() as tx:
        with pytest.raises(SchedulesDepend) as refusal:
            await actions.edit(tx, house, world.room_id, away)
        await actions.edit(tx, house, world.room_id, near)
        moved = await actions.edit(tx, house, world.room_id, replace(away, confirm=True))

    assert refusal.value.members == {"schedules": [{"id": schedule_id, "title": "아침 인사"}]}
    assert moved.unit_id == world.tree.nampo.id


async def test_taking_a_bot_out_of_a_room_names_the_schedules_that_send_by_it(world: World):
    await add_schedule(world)
    house = person(world.tree.hq)

    async with world.db.transaction() as tx:
        with pytest.raises(SchedulesDepend, match="아침 인사"):
            await actions.remove_bot(tx, house, world.room_id, world.bot_id)
        left = await actions.remove_bot(tx, house, world.room_id, world.bot_id, confirm=True)

    assert left.bots == ()


async def test_rooms_have_tags_to_be_gathered_by(world: World):
    own = person(world.tree.haeundae)

    async with world.db.transaction() as tx:
        room = await actions.edit(tx, own, world.room_id, RoomChange(tags=(" 점장 ", "", "점장", "부산")))
        with pytest.raises(BadRoom):
            await actions.edit(tx, own, world.room_id, RoomChange(tags=("가" * 31,)))

    assert room.tags == ("점장", "부산")
    assert await listed(world.db, own, tag="점장") == ["해운대 손님방"]
    assert await listed(world.db, own, tag="없음") == []
