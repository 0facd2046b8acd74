from dataclasses import replace
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging.actions import schedules as actions
from pabal.apps.messaging.errors import ScheduleNotFound
from pabal.apps.messaging.model.content import Content, SendOrder
from pabal.apps.messaging.model.schedules import Schedule, ScheduleType
from pabal.apps.messaging.resources.schedules import ListedState, MessageScheduleFilter, ScheduleSort
from pabal.apps.messaging.store import schedules
from pabal.apps.messaging.store import schedules as store
from pabal.base.database import ConstraintBroken, Database
from pabal.base.sql import load
from pabal.engine.recurrence import Weekday
from pabal.platform.actor import Actor
from pabal.platform.tenants import get_unit, visible_to
from tests.apps.messaging.asking import DAY, NINE, START, asked, begin_at, daily, once, save
from tests.support.messaging import World, add_bot, add_room, add_schedule, make_world, upload
from tests.support.people import person
from tests.support.work import begin_life, hold_route

SQL = load(__file__)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    made = await make_world(db, tmp_path)
    await begin_at(db)
    return made


@pytest.fixture
def me(world: World) -> Actor:
    return person(world.tree.haeundae)


async def get(world: World, schedule: Schedule) -> Schedule:
    async with world.db.transaction() as tx:
        return await store.get_schedule(tx, await visible_to(tx, person(world.tree.hq)), schedule.id)


@pytest.mark.req("A-37", "A-38")
async def test_what_was_asked_for_is_stored_and_names_its_bot_and_room(world: World, me: Actor):
    made = await save(world, me, title="가" * 255, description="매장 공지")

    kept = await get(world, made)
    assert (kept.title, kept.description) == ("가" * 255, "매장 공지")
    assert (kept.bot_name, kept.channel_id) == (world.bot_name, world.channel_id)
    async with world.db.transaction() as tx:
        columns = {row["column_name"]: row for row in await tx.rows(SQL.show_types)}
        assert not any(columns[name]["is_nullable"] for name in ("title", "schedule_time"))
        new = asked(world, title="가" * 256)
        with pytest.raises(ConstraintBroken):
            await store.insert_schedule(tx, new, unit_id=world.tree.hq.id, created_by="user:1")


@pytest.mark.req("A-42", "A-43")
async def test_it_has_a_bot_whose_name_has_30_signs_at_most_and_a_room_whose_channel_has_100(world: World, me: Actor):
    bot, channel = "봇" * 30, "1" * 100
    bot_id, _ = await add_bot(world.db, world.tree.haeundae, bot)
    room_id = await add_room(world.db, world.tree.haeundae, channel, "긴 번호의 방", bots=[bot_id])

    kept = await get(world, await save(world, me, bot_id=bot_id, room_id=room_id))

    assert (kept.bot_name, kept.channel_id) == (bot, channel)
    with pytest.raises(ConstraintBroken):
        await add_bot(world.db, world.tree.haeundae, f"{bot}!")
    with pytest.raises(ConstraintBroken):
        await add_room(world.db, world.tree.haeundae, f"{channel}2", "더 긴 번호의 방", bots=[])
    for statement in (SQL.drop_bot, SQL.drop_room):
        async with world.db.transaction() as tx:
            with pytest.raises(ConstraintBroken, match="null value"):
                await tx.run(statement, id=kept.id)


@pytest.mark.req("A-44", "A-45", "A-46", "A-47", "A-64")
async def test_its_content_comes_back_sign_for_sign(world: World, me: Actor):
    second = await upload(world.db, world.files, world.tree.haeundae, name="둘.png", colour=2)
    text = "첫 줄\n\n  둘째 줄 👨‍👩‍👧‍👦 𠮷 \U0001f1f0\U0001f1f7\n- 끝"
    content = Content(text, (world.picture, second), (second,), SendOrder.IMAGES_FIRST, 0)
    images = Content(None, (world.picture,))

    assert (await get(world, await save(world, me, content=content))).content == content
    assert (await get(world, await save(world, me, content=images))).content == images
    assert images.send_interval_seconds == 1


@pytest.mark.req("A-48", "A-49")
async def test_a_delivery_keeps_every_field_of_the_content(world: World):
    schedule_id = await add_schedule(world)

    async with world.db.transaction() as tx:
        kept = {row["name"] for row in await tx.rows(SQL.list_kept, id=schedule_id)}

    assert kept == set(Content.__dataclass_fields__)


async def test_waits_after_images_are_kept_for_each_group_and_are_the_bots_own_unless_set(world: World, me: Actor):
    plain = Content("글", (world.picture,), (world.picture,))

    unset = await get(world, await save(world, me, content=plain))
    given = await get(world, await save(world, me, content=replace(plain, media_wait_1=4000, media_wait_2=15000)))

    assert (unset.content.media_wait_1, unset.content.media_wait_2) == (0, 0)
    assert (given.content.media_wait_1, given.content.media_wait_2) == (4000, 15000)


@pytest.mark.req("A-50", "A-51", "A-52", "A-53", "A-54")
async def test_its_times_are_kept_and_only_those_of_its_type(world: World, me: Actor):
    days = (Weekday.MON, Weekday.SUN)
    cases: list[tuple[Any, tuple[Any, ...]]] = [
        (once(NINE), (ScheduleType.ONCE, time(9), date(2035, 6, 4), ())),
        (
            daily(time(7, 30), schedule_date=date(2035, 6, 4), schedule_weekdays=days),
            (ScheduleType.DAILY, time(7, 30), None, ()),
        ),
        (
            daily(schedule_type=ScheduleType.WEEKLY, schedule_weekdays=days),
            (ScheduleType.WEEKLY, time(9), None, days),
        ),
    ]

    for when, expected in cases:
        kept = (await get(world, await save(world, me, when=when))).when
        assert (kept.schedule_type, kept.schedule_time, kept.schedule_date, kept.schedule_weekdays) == expected
        assert (kept.valid_from, kept.valid_until, kept.zone) == (START - DAY, START + 60 * DAY, "Asia/Seoul")


@pytest.mark.req("A-36", "A-39", "A-40", "A-41")
async def test_a_superior_saves_on_behalf_and_owner_and_author_are_kept_apart(world: World, me: Actor):
    boss = person(world.tree.hq, number=9)
    above = replace(asked(world), unit_id=world.tree.busan.id)
    house = await add_room(world.db, world.tree.hq, "18209999", "본사 방", bots=[world.bot_id])

    for_branch = await save(world, boss)
    for_distributor = await save(world, boss, unit_id=above.unit_id)
    of_hq = await save(world, boss, room_id=house)

    async with world.db.transaction() as tx:
        levels = [(await get_unit(tx, one.unit_id)).level for one in (for_branch, for_distributor, of_hq)]
        columns = {row["column_name"]: row for row in await tx.rows(SQL.show_types)}
    assert levels == ["branch", "distributor", "hq"]
    assert {one.created_by for one in (for_branch, for_distributor, of_hq)} == {"user:9"}
    assert for_branch.id < for_distributor.id < of_hq.id
    assert columns["id"]["is_identity"]


@pytest.mark.req("A-55", "A-56", "A-57", "A-58", "A-59")
async def test_a_new_schedule_is_active_has_sent_nothing_and_knows_its_next_moment(world: World, me: Actor):
    made = await save(world, me)

    assert (made.state, made.next_send_at) == ("active", NINE)
    assert (made.last_sent_at, made.send_count, made.failures) == (None, 0, 0)
    assert made.created_at == made.updated_at >= START
    await begin_at(world.db, START + timedelta(minutes=5))
    async with world.db.transaction() as tx:
        edited = await actions.edit(tx, me, made.id, replace(made.as_new(), description="고침"))
        assert edited.updated_at == tx.now > edited.created_at == made.created_at


@pytest.mark.req("A-60", "A-61", "A-62", "A-63")
async def test_what_is_asked_often_has_an_index(db: Database):
    async with db.transaction() as tx:
        indexes = {row["indexname"]: row["indexdef"] for row in await tx.rows(SQL.list_indexes)}

    # what is paused, or outside its validity, has no next moment in the engine's index
    assert "(next_at, id) WHERE ((paused_at IS NULL) AND (next_at IS NOT NULL))" in indexes["schedule_next"]
    assert "(state, id)" in indexes["message_schedule_state"]
    assert "(unit_id, id)" in indexes["message_schedule_unit"]
    assert "(room_id, bot_id)" in indexes["message_schedule_room"]
    assert "(bot_id, room_id)" in indexes["message_schedule_bot"]


async def test_a_list_shows_what_is_sent_next_first_page_by_page_and_only_what_is_asked_for(world: World, me: Actor):
    beside = person(world.tree.nampo)
    weekly = daily(time(8, 30), schedule_type=ScheduleType.WEEKLY, schedule_weekdays=(Weekday.MON,))
    late = await save(world, me, title="늦은 것", when=daily(time(20)))
    resting = await save(world, me, title="쉬는 것", is_active=False)
    early = await save(world, me, title="이른 것", when=weekly)
    gone = await save(world, me, title="지운 것")
    mid = await save(world, me, content=Content("100%_할인\\"), room_id=world.test_room_id)
    async with world.db.transaction() as tx:
        await actions.delete(tx, me, gone.id)
        await actions.skip(tx, me, mid.id)

    async def listed(actor: Actor = me, **wanted: Any) -> list[int]:
        async with world.db.transaction() as tx:
            scope = await visible_to(tx, actor)
            found: list[int] = []
            cursor = None
            while True:
                page = await store.list_schedules(tx, scope, MessageScheduleFilter(**wanted), cursor=cursor, limit=1)
                found += [one.id for one in page.items]
                cursor = page.cursor
                if cursor is None:
                    return found

    assert await listed() == [early.id, mid.id, late.id, resting.id]
    assert await listed(sort=ScheduleSort.NEWEST) == [mid.id, early.id, resting.id, late.id]
    assert await listed(person(world.tree.hq)) == await listed()
    assert await listed(beside) == []
    assert await listed(state=(ListedState.INACTIVE,)) == [resting.id]
    assert await listed(type=(ScheduleType.WEEKLY,)) == [early.id]
    assert await listed(room=world.test_room_id, bot=world.bot_id) == [mid.id]
    assert await listed(bot=world.bot_id + 1) == []
    assert await listed(q=" 100%_할인\\ ") == [mid.id]
    assert await listed(q="%") == [mid.id]
    assert await listed(q="이른") == [early.id]
    assert await listed(due=True) == []
    await begin_at(world.db, NINE - timedelta(minutes=10))
    assert await listed(due=True) == [early.id]
    assert (await get(world, mid)).next_send_at == NINE + DAY
    async with world.db.transaction() as tx:
        assert await store.count_states(tx, [world.tree.haeundae.id]) == {"active": 3, "inactive": 1}
        with pytest.raises(ScheduleNotFound):
            await store.get_schedule(tx, await visible_to(tx, beside), late.id)


async def test_a_bot_is_online_while_a_server_holds_its_route_and_a_schedule_counts_on_its_day(
    db: Database, tmp_path: Path
) -> None:
    world = await make_world(db, tmp_path)
    away, _ = await add_bot(db, world.tree.nampo, "away")
    schedule_id = await add_schedule(world)

    await hold_route(db, await begin_life(db), world.route)

    async with db.transaction() as tx:
        assert await schedules.show_bot_states(tx, [world.bot_id, away]) == {world.bot_id: "online", away: "offline"}
        assert await schedules.count_today(tx, None, tx.now + timedelta(hours=1)) == 1
        assert await schedules.count_today(tx, None, tx.now) == 0
        assert await schedules.count_today(tx, [world.tree.nampo.id], tx.now + timedelta(hours=1)) == 0
        assert await schedules.list_last(tx, [schedule_id]) == {}
