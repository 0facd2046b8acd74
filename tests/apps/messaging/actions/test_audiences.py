"""Whom a notice is for: groups by unit, kind and tag, tables of rooms, and what may be named in a text."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from pabal.apps.messaging.actions import audiences, groups
from pabal.apps.messaging.actions.audiences import Resolved
from pabal.apps.messaging.model.bulks import Audience, NewGroup, Target
from pabal.base.database import Database
from pabal.platform.tenants import visible_to
from tests.apps.messaging.bulking import make_rooms, picked, tag
from tests.support.messaging import SQL, World, add_room, make_world
from tests.support.people import person


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


async def resolve(world: World, audience: Audience) -> Resolved:
    """As the house sees it."""
    async with world.db.transaction() as tx:
        return await audiences.resolve(tx, await visible_to(tx, person(world.tree.hq)), audience)


async def read(world: World, *rows: str) -> Resolved:
    return await resolve(world, Audience(rooms_csv="\n".join(rows)))


def codes(found: Resolved) -> list[str]:
    return [one.code for one in found.problems]


async def group(world: World, **wanted: object) -> Sequence[int]:
    async with world.db.transaction() as tx:
        made = await groups.save(tx, person(world.tree.hq), NewGroup("점장방", **wanted))  # type: ignore[arg-type]
    return [one.room_id for one in (await resolve(world, Audience(group_id=made.id))).rooms]


async def test_a_group_is_of_a_unit_and_those_below_it_of_a_kind_and_of_a_tag(world: World):
    near, bots = world.tree.haeundae, [world.bot_id]
    beside = await add_room(world.db, world.tree.nampo, "18500001", "가 남포", bots=bots)
    far = await add_room(world.db, world.tree.gangnam, "18500002", "나 강남", bots=bots)
    tried = await add_room(world.db, near, "18500003", "다 시험", bots=bots, room_type="test")
    plain = await add_room(world.db, near, "18500004", "라 보통", bots=bots)
    await tag(world.db, [beside, far, tried], "점장")

    found = await group(world, within_id=world.tree.busan.id, room_type="production", tag="점장")

    assert found == [beside]
    assert plain


async def test_a_room_that_is_picked_and_in_the_group_is_one_room_and_comes_first(world: World):
    rooms = await make_rooms(world, 3)
    await tag(world.db, rooms, "점장")
    async with world.db.transaction() as tx:
        made = await groups.save(tx, person(world.tree.hq), NewGroup("점장방", tag="점장"))

    found = await resolve(world, Audience((Target(rooms[1]),), group_id=made.id))

    assert [one.room_id for one in found.rooms] == [rooms[1], rooms[0], rooms[2]]


async def test_a_table_names_each_room_once_and_by_one_name(world: World):
    rooms = await make_rooms(world, 2)
    for unit in (world.tree.haeundae, world.tree.nampo):
        await add_room(world.db, unit, f"1860{unit.id}", "같은 이름", bots=[world.bot_id])

    as_excel_saves_it = await read(world, "\ufeff담당자,톡방", "김하늘,손님방 0", "", "이바다, 18300001 ")

    assert codes(as_excel_saves_it) == []
    assert [one.room_id for one in as_excel_saves_it.rooms] == rooms
    assert [one.columns for one in as_excel_saves_it.rooms] == [{"담당자": "김하늘"}, {"담당자": "이바다"}]
    twice = await read(world, "톡방", "손님방 0", "18300000")
    assert codes(twice) == ["csv_room_twice"]
    assert "3" in twice.problems[0].text[0], "which line"
    assert codes(await read(world, "톡방", "같은 이름"))[0] == "csv_room_ambiguous"
    assert codes(await read(world, "톡방,이름,이름", "손님방 0,하나,둘"))[0] == "csv_column_twice"
    assert codes(await read(world, "톡방,1번", "손님방 0,하나"))[0] == "csv_column_unusable"
    assert codes(await read(world, "톡방"))[0] == "csv_empty"


async def test_a_text_may_name_only_what_every_room_has(world: World):
    rooms = await make_rooms(world, 2)
    table = "톡방,담당자\n손님방 0,김하늘"

    all_of_the_table = await resolve(world, Audience(rooms_csv=table))
    one_picked_besides = await resolve(world, Audience((Target(rooms[1]),), rooms_csv=table))

    assert (all_of_the_table.columns, one_picked_besides.columns) == ({"담당자"}, set())


async def test_a_room_that_is_picked_and_in_the_table_is_the_one_of_the_table(world: World):
    rooms = await make_rooms(world, 2)
    table = "톡방,담당자\n손님방 1,김하늘"

    found = await resolve(world, Audience((Target(rooms[0]), Target(rooms[1]), Target(rooms[0])), rooms_csv=table))

    assert found.audience.targets == (Target(rooms[0]), Target(rooms[1], {"담당자": "김하늘"}, is_picked=False))
    assert [(one.room_id, one.columns) for one in found.rooms] == [(rooms[0], {}), (rooms[1], {"담당자": "김하늘"})]


async def test_two_thousand_rooms_are_the_most(world: World):
    async with world.db.transaction() as tx:
        await tx.run(SQL.insert_many_rooms, unit_id=world.tree.nampo.id, bot_id=world.bot_id, count=2000)
        made = await groups.save(tx, person(world.tree.hq), NewGroup("모두", within_id=world.tree.nampo.id))

    just = await resolve(world, Audience(group_id=made.id))
    over = await resolve(world, Audience(picked([world.room_id]).targets, group_id=made.id))

    assert (codes(just), len(just.rooms)) == ([], 2000)
    assert codes(over) == ["too_many_rooms"]


@pytest.mark.parametrize(
    ("given", "refused"),
    [
        ({"spread_minutes": 1440, "window_minutes": 1440}, []),
        ({"spread_minutes": 1441}, ["span_out_of_range"]),
        ({"window_minutes": 1441}, ["span_out_of_range"]),
        ({"window_minutes": 0}, ["span_out_of_range"]),
    ],
)
async def test_a_span_is_a_day_at_most(world: World, given: dict[str, int], refused: list[str]):
    assert codes(await resolve(world, picked([world.room_id], **given))) == refused
