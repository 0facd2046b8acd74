from dataclasses import replace
from datetime import time, timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import bots, checking, schedules
from pabal.apps.messaging.actions.checking import Checked, read_budget
from pabal.apps.messaging.errors import ScheduleRefused
from pabal.apps.messaging.model.bulks import Audience, Target
from pabal.apps.messaging.model.content import Content, ImageMode
from pabal.apps.messaging.model.rooms import Budget
from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.store import schedules as store
from pabal.apps.messaging.store.rooms import find_room
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.base.database import Database
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.settings import change
from pabal.platform.storage import Upload, accept_file
from pabal.platform.tenants import Scope
from tests.apps.messaging.asking import DAY, NINE, asked, begin_at, daily, once, save
from tests.platform.storage.samples import stream
from tests.support.botline import Desk, send_now
from tests.support.messaging import SQL, World, add_bot, add_room, add_schedule, make_world, set_limit, sign_wrongly
from tests.support.people import person
from tests.support.work import begin_life, hold_route


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    made = await make_world(db, tmp_path, image_mode=ImageMode.GROUP)
    await begin_at(db)
    await hold_route(db, await begin_life(db), made.route)
    return made


@pytest.fixture
def me(world: World) -> Actor:
    return person(world.tree.haeundae, Role.OPERATOR)


async def check(world: World, me: Actor, old: Schedule | None = None, **changed: Any) -> Checked:
    async with world.db.transaction() as tx:
        new = asked(world, **changed) if old is None else replace(old.as_new(), **changed)
        return await checking.check(tx, me, new, schedule_id=None if old is None else old.id)


def warned(checked: Checked) -> list[str]:
    assert checked.problems == ()
    return [one.code for one in checked.warnings]


@pytest.mark.req("A-04")
async def test_a_schedule_in_order_is_told_what_it_will_do_and_nothing_else(world: World, me: Actor):
    content = Content("글", (world.picture, world.picture), (world.picture,))

    checked = await check(world, me, content=content)

    assert warned(checked) == []
    assert [row.moment for row in checked.upcoming] == [NINE + n * DAY for n in range(5)]
    assert [(part.component, len(part.pictures)) for part in checked.parts] == [
        ("text", 0),
        ("images_1", 2),
        ("images_2", 1),
    ]
    assert checked.budget is not None
    assert checked.budget.binds is None


async def test_what_a_form_says_about_its_images_is_not_believed(world: World, me: Actor):
    async with world.db.transaction() as tx:
        forged = replace(world.picture, name="../x", media_type="image/gif", size=1, width=1)
        made = await schedules.create(tx, me, asked(world, content=Content(None, (forged,))))
    upload = Upload(stream(b"%PDF"), "a.pdf", area="messaging")
    document = await accept_file(world.db, world.files, me, upload, max_bytes=100)
    file = replace(world.picture, file_id=document.id)

    checked = await check(world, me, content=Content(None, (file, replace(file, file_id=4)), ()))

    assert made.content.images_1 == (world.picture,)
    assert {(one.code, one.field) for one in checked.problems} == {
        ("image_format_refused", "images_1"),
        ("image_not_found", "images_1"),
    }


async def test_a_room_s_own_limits_count_and_a_refusal_says_everything_at_once(world: World, me: Actor):
    await set_limit(world.db, world.room_id, per_minute=1)
    content = Content("글", (world.picture,))

    async with world.db.transaction() as tx:
        with pytest.raises(ScheduleRefused) as refused:
            await schedules.create(tx, me, asked(world, title="", content=content, when=once(NINE - DAY)))

    assert [one.code for one in refused.value.findings] == ["title_missing", "limit_too_small", "once_in_past"]
    assert "title: Give it a title" in str(refused.value)
    async with world.db.transaction() as tx:
        assert await store.count_states(tx, None) == {}


async def test_a_bot_must_be_in_the_room_and_its_troubles_are_told(world: World, me: Actor):
    stranger, _ = await add_bot(world.db, world.tree.haeundae, "busan2", state="pending")
    empty = await add_room(world.db, world.tree.haeundae, "1", "빈 방", bots=[])
    shared = await add_room(world.db, world.tree.haeundae, "2", "새 방", bots=[stranger])

    outside = await check(world, me, bot_id=stranger)
    nobody = await check(world, me, room_id=empty)

    assert [one.text[1] for one in outside.problems] == [
        "봇 'busan2'은(는) 톡방 '해운대 손님방'에 없습니다. 이 톡방에 있는 봇: busan1."
    ]
    assert [one.code for one in nobody.problems] == ["no_bot_in_room"]
    assert warned(await check(world, me, room_id=shared, bot_id=stranger)) == ["device_pending"]
    async with world.db.transaction() as tx:
        await bots.exclude(tx, ENGINE, world.bot_id, "점검")
    excluded = await check(world, me)
    assert warned(excluded) == ["bot_excluded"]
    assert excluded.upcoming[0].reasons[0][0] == "The bot is excluded now."


async def test_a_room_nobody_has_claimed_is_refused(world: World):
    room_id = await add_room(world.db, None, "3", "주인 없는 방", bots=[world.bot_id])

    checked = await check(world, person(world.tree.hq), room_id=room_id)

    assert "room_unclaimed" in [one.code for one in checked.problems]


@pytest.mark.req("A-112")
async def test_a_schedule_for_a_bot_that_is_offline_is_saved_with_a_warning(world: World, me: Actor):
    away, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    room = await add_room(world.db, world.tree.haeundae, "2", "새 방", bots=[away])

    checked = await check(world, me, room_id=room, bot_id=away)
    made = await save(world, me, room_id=room, bot_id=away)

    assert warned(checked) == ["bot_offline"]
    assert checked.upcoming[0].reasons[0][0] == "The bot is offline now."
    assert made.next_send_at == NINE


async def test_a_bot_whose_phone_does_not_sign_as_it_must_is_not_said_to_be_offline(world: World, me: Actor):
    unproven = await sign_wrongly(world.db, world.tree.haeundae, "busan3")
    room = await add_room(world.db, world.tree.haeundae, "3", "새 방", bots=[unproven])

    checked = await check(world, me, room_id=room, bot_id=unproven)

    assert checked.upcoming[0].reasons[0][0] == "The bot's phone does not sign with its secret now."


async def test_others_in_the_same_room_are_seen_and_named_only_where_they_are_in_sight(world: World, me: Actor):
    boss = person(world.tree.hq, number=2)
    mine = await save(world, me, title="내 예약", content=Content("같은 글"))
    await save(world, boss, unit_id=world.tree.hq.id, when=daily(time(9, 0, 20)), content=Content("본사 글"))

    checked = await check(world, me, title="테스트", content=Content("같은 글"))

    assert warned(checked) == ["title_says_test", "same_text", "room_busy", "delays_another"]
    said = {one.code: one.text[1] for one in checked.warnings}
    assert "'내 예약'" in said["same_text"]
    assert "6월 4일 (월) 09:00:30 KST" in said["room_busy"]
    assert said["delays_another"].startswith("다른 조직의 예약")
    assert checked.upcoming[0].deferred_until == NINE + timedelta(seconds=30)
    assert warned(await check(world, me, mine, title="내 예약")) == ["delays_another"]
    hidden = await check(world, me, content=Content("본사 글"), when=daily(time(15)))
    assert [one.text[0][:45] for one in hidden.warnings] == ["The same text is in Another unit's schedule f"]
    async with world.db.transaction() as tx:
        await change(tx, ENGINE, settings.SAME_TEXT_DAYS, 0)
    assert warned(await check(world, me, content=Content("본사 글"), when=daily(time(15)))) == []


async def test_a_crowded_day_a_short_validity_and_a_skipped_moment_are_told(world: World, me: Actor):
    schedule = await save(world, me)
    async with world.db.transaction() as tx:
        await change(tx, ENGINE, settings.DISPATCHES_PER_DAY, 2)
        await schedules.skip(tx, me, schedule.id, NINE + DAY)

    short = daily(time(20), valid_until=NINE + timedelta(hours=20))
    crowded = await check(world, me, content=Content("다른 글"), when=short)
    edited = await check(world, me, schedule)

    assert warned(crowded) == ["fires_only_once", "day_nearly_full"]
    assert [row.excluded for row in edited.upcoming[:3]] == [None, "skipped", None]


async def look(world: World, components: int) -> Budget:
    async with world.db.transaction() as tx:
        room = await find_room(tx, world.room_id)
        assert room is not None
        return await read_budget(tx, room, components=components)


async def test_it_counts_what_went_out_and_says_which_limit_lets_go_last(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk = await Desk.open(world)
    content = Content(text="안녕", images_1=(world.picture,), images_2=(world.picture,), send_interval_seconds=0)
    before = await look(world, 3)
    await send_now(db, await add_schedule(world, content))
    await desk.run()

    small, large = await look(world, 1), await look(world, 3)
    await set_limit(db, world.room_id, gap=0, per_minute=0)
    free = await look(world, 3)

    assert (before.binds, before.next_allowed_at) == (None, None)
    assert [(row.name, row.used, row.most) for row in large.rows] == [
        ("min_gap_seconds", 1, 1),
        ("dispatches_per_day", 1, 50),
        ("messages_per_minute", 3, 5),
        ("messages_per_hour", 3, 50),
        ("messages_per_day", 3, 200),
    ]
    assert (small.binds, large.binds) == ("min_gap_seconds", "messages_per_minute")
    assert small.next_allowed_at is not None
    assert large.next_allowed_at is not None
    assert large.next_allowed_at - small.next_allowed_at == timedelta(seconds=30)
    assert (free.binds, [row.name for row in free.rows]) == (
        None,
        ["dispatches_per_day", "messages_per_hour", "messages_per_day"],
    )


async def test_a_message_that_never_fits_still_has_a_budget(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await set_limit(db, world.room_id, per_minute=2)

    assert replace(await look(world, 3), rows=()) == Budget((), None, None)


async def test_words_in_braces_from_before_there_were_variables_may_stay_as_they_are_and_only_so(
    world: World, me: Actor
):
    text = "{담당자}님 안녕하세요"
    async with world.db.transaction() as tx:
        old = await get_schedule(tx, Scope(None, None), await add_schedule(world, Content(text=text)))
    many = Audience((Target(world.room_id),))

    assert refused(await check(world, me, old, title="새 제목")) == []
    assert refused(await check(world, me, old, content=Content(text=f"{text}!"))) == ["variable_unknown"]
    assert refused(await check(world, me, old, audience=many)) == ["variable_unknown"]


async def test_a_word_that_was_a_column_of_many_rooms_is_unknown_in_one_room(world: World, me: Actor):
    table = Audience(rooms_csv="톡방,담당자\n해운대 손님방,김하늘\n")
    text = Content(text="{담당자}님 안녕하세요")
    old = await save(world, me, content=text, audience=table)

    assert refused(await check(world, me, old)) == []
    assert refused(await check(world, me, old, audience=None)) == ["variable_unknown"]


async def test_a_text_is_as_long_as_the_room_reads_it(world: World, me: Actor):
    await limit_text(world, 12)
    many = Audience((Target(world.room_id),))

    fits = await check(world, me, audience=many, content=Content(text="{톡방} 안녕하"))
    longer = await check(world, me, audience=many, content=Content(text="{톡방} 안녕하세요"))

    assert refused(fits) == []
    assert refused(longer) == ["text_too_long_in_room"]


async def test_a_text_of_which_nothing_is_left_in_a_room_is_refused(world: World, me: Actor):
    table = Audience(rooms_csv="톡방,알림\n해운대 손님방,\n")

    empty = await check(world, me, audience=table, content=Content(text="{알림}"))
    words = await check(world, me, audience=table, content=Content(text="{알림} 안녕하세요"))
    picture = await check(world, me, audience=table, content=Content(text="{알림}", images_1=(world.picture,)))

    assert (refused(empty), refused(words), refused(picture)) == (["text_empty_in_room"], [], [])


def refused(checked: Checked) -> list[str]:
    return [one.code for one in checked.problems]


async def limit_text(world: World, most: int) -> None:
    async with world.db.transaction() as tx:
        await tx.run(SQL.set_max_text, room_id=world.room_id, most=most)
