"""One occurrence to many rooms: how it fans out, ends, is withdrawn, and what is missing is sent."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import asking
from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bulks, deliveries, groups, schedules
from pabal.apps.messaging.errors import BulkSendNotFound, GroupInUse, GroupRefused, NothingMissing, ScheduleRefused
from pabal.apps.messaging.model.bulks import Audience, BulkSend, NewGroup
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.model.schedules import LatePolicy, Schedule, ScheduleState
from pabal.apps.messaging.store import rooms as room_store
from pabal.apps.messaging.store import statistics
from pabal.apps.messaging.store.attention import list_troubled
from pabal.apps.messaging.store.sending import Occurrence
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import delays, occurrences, ticks
from pabal.platform.actor import Actor
from pabal.platform.approvals import store as approvals
from tests.apps.messaging.bulking import (
    ALL,
    expire_bulk,
    fan_out,
    list_bulks,
    make_rooms,
    picked,
    run_bulk,
    save,
    tag,
)
from tests.support.botline import Desk, find_deliveries, set_value
from tests.support.messaging import SEOUL, SQL, World, add_bot, add_room, make_world
from tests.support.people import person
from tests.support.work import begin_blocked


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    for setting in (own.IMAGE_GAP_MS, own.MIN_GAP_SECONDS, own.MESSAGES_PER_MINUTE):
        await set_value(db, setting, 0)
    return world


@pytest.fixture
async def desk(world: World) -> Desk:
    return await Desk.open(world)


@pytest.fixture
def manager(world: World) -> Actor:
    return person(world.tree.haeundae)


async def test_one_occurrence_opens_a_delivery_for_each_room_and_ends_with_the_last(
    world: World, desk: Desk, manager: Actor
):
    rooms = await make_rooms(world, 3)
    schedule = await save(world, manager, picked(rooms))

    bulk = await fan_out(world.db)
    opened = await find_deliveries(world.db)
    while await desk.run():
        pass

    assert [one.room_id for one in reversed(opened)] == rooms
    assert {one.schedule_id for one in opened} == {schedule.id}
    assert len({one.scheduled_at for one in opened}) == 3, "one per schedule and moment stays true"
    assert (bulk.rooms, bulk.is_open, bulk.summary[0]) == (3, True, "0 of 3, 3 under way")
    assert [one.what for one in desk.line.sent] == [f"손님방 {n} 안녕하세요" for n in range(3)]
    [after] = await list_bulks(world.db)
    assert (after.summary, after.is_open) == (("3 of 3", "3곳 중 3곳"), False)


async def test_the_occurrence_of_the_engine_ends_after_the_last_room(world: World, desk: Desk, manager: Actor):
    schedule = await save(world, manager, picked(await make_rooms(world, 2)))
    await fan_out(world.db)

    await desk.run()
    await pass_by(world.db)
    half = await read_end(world.db, schedule)
    await desk.run()
    await pass_by(world.db)

    assert half is None
    assert await read_end(world.db, schedule) == "done"


async def pass_by(db: Database) -> None:
    await clock.advance(db, timedelta(seconds=20))
    await delays.promote_once(db)
    await run_bulk(db)


async def read_end(db: Database, schedule: Schedule) -> str | None:
    async with db.transaction() as tx:
        [found] = await occurrences.list_occurrences(tx, schedule.timetable_id or 0)
    return found.end


async def test_rooms_are_frozen_when_its_moment_comes(world: World, desk: Desk, manager: Actor):
    rooms = await make_rooms(world, 2)
    schedule = await save(world, manager, picked(rooms))
    await fan_out(world.db)

    async with world.db.transaction() as tx:
        await schedules.edit(tx, manager, schedule.id, replace(schedule.as_new(), audience=picked(rooms[:1])))
    while await desk.run():
        pass

    assert len(desk.line.sent) == 2


async def test_one_room_that_fails_stops_neither_the_others_nor_the_schedule(world: World, desk: Desk, manager: Actor):
    rooms = await make_rooms(world, 3)
    schedule = await save(world, manager, picked(rooms))
    await fan_out(world.db)
    async with world.db.transaction() as tx:
        await room_store.delete_room_bot(tx, rooms[1], world.bot_id)

    while await desk.run():
        pass

    [bulk] = await list_bulks(world.db)
    assert bulk.summary[0] == "2 of 3, 1 failed"
    async with world.db.transaction() as tx:
        [after] = await schedules.store.load_schedules(tx, [schedule.id])
    assert (after.state, after.failures, after.send_count) == ("active", 0, 2)


async def test_what_waits_for_its_turn_is_missed_only_when_the_window_closes(world: World, desk: Desk, manager: Actor):
    await save(world, manager, picked(await make_rooms(world, 3), window_minutes=20))
    await fan_out(world.db)
    await desk.run()

    await clock.advance(world.db, timedelta(minutes=10))
    await desk.expire()
    [waiting] = await list_bulks(world.db)
    await clock.advance(world.db, timedelta(minutes=11))
    await desk.expire()

    [closed] = await list_bulks(world.db)
    assert waiting.summary[0] == "1 of 3, 2 under way"
    assert (closed.summary[0], closed.is_open) == ("1 of 3, 2 missed", False)
    assert {one.reason for one in await find_deliveries(world.db, state=(DeliveryState.MISSED,))} == {"bulk_window"}


async def test_one_action_sends_what_is_missing_and_nothing_twice(world: World, desk: Desk, manager: Actor):
    await save(world, manager, picked(await make_rooms(world, 3)))
    bulk = await fan_out(world.db)
    await desk.run()
    await clock.advance(world.db, timedelta(minutes=6))
    await desk.expire()

    async with world.db.transaction() as tx:
        reopened = await bulks.send_missing(tx, manager, bulk.id)
    while await desk.run():
        pass

    assert reopened.is_open
    [after] = await list_bulks(world.db)
    assert after.summary[0] == "3 of 3"
    assert len({one.room for one in desk.line.sent}) == len(desk.line.sent) == 3
    with pytest.raises(NothingMissing):
        async with world.db.transaction() as tx:
            await bulks.send_missing(tx, manager, bulk.id)


async def send_missing(world: World, actor: Actor, bulk: BulkSend, **said: Any) -> None:
    async with world.db.transaction() as tx:
        await bulks.send_missing(tx, actor, bulk.id, **said)


async def test_of_two_who_send_what_is_missing_at_the_same_moment_one_does(world: World, desk: Desk, manager: Actor):
    bulk = await miss_all(world, manager, rooms=2)

    async with world.db.transaction() as tx:
        await bulks.send_missing(tx, manager, bulk.id)
        second = await begin_blocked(world.db, send_missing(world, manager, bulk))
    with pytest.raises(NothingMissing):
        await second
    while await desk.run():
        pass

    assert [one.what for one in desk.line.sent] == [f"손님방 {n} 안녕하세요" for n in range(2)]


async def test_a_room_that_somebody_sends_to_at_the_same_moment_is_not_missing(
    world: World, desk: Desk, manager: Actor
):
    bulk = await miss_all(world, manager, rooms=2)
    [_, first] = await find_deliveries(world.db)

    async with world.db.transaction() as tx:
        await deliveries.resume(tx, manager, first.id)
        beside = await begin_blocked(world.db, send_missing(world, manager, bulk))
    await beside
    while await desk.run():
        pass

    assert sorted(str(one.what) for one in desk.line.sent) == [f"손님방 {n} 안녕하세요" for n in range(2)]


async def miss_all(world: World, manager: Actor, *, rooms: int) -> BulkSend:
    schedule = await save(world, manager, picked(await make_rooms(world, rooms)))
    async with world.db.transaction() as tx:
        await bulks.miss(tx, Occurrence(schedule.id, tx.now), "misfired", {})
    [bulk] = await list_bulks(world.db)
    return bulk


async def test_rooms_of_which_nobody_knows_get_it_again_only_when_that_is_said(
    world: World, desk: Desk, manager: Actor
):
    await save(world, manager, picked(await make_rooms(world, 3)))
    bulk = await fan_out(world.db)
    desk.line.go(1, began=True)
    for _ in "123":
        await desk.run()
    await clock.advance(world.db, timedelta(minutes=6))
    await desk.expire()
    [before] = await list_bulks(world.db)

    await send_missing(world, manager, bulk)
    while await desk.run():
        pass
    [between] = await list_bulks(world.db)
    with pytest.raises(NothingMissing):
        await send_missing(world, manager, bulk)
    await send_missing(world, manager, bulk, resend_unknown=True)
    while await desk.run():
        pass

    [after] = await list_bulks(world.db)
    assert before.summary[0] == "1 of 3, 1 missed, 1 unknown"
    assert (between.summary[0], after.summary[0]) == ("2 of 3, 1 unknown", "3 of 3")
    assert [one.what for one in desk.line.sent] == [f"손님방 {n} 안녕하세요" for n in (0, 1, 2, 1)]


async def test_what_is_missing_of_a_room_is_not_the_part_of_which_nobody_knows(
    world: World, desk: Desk, manager: Actor
):
    content = Content(text="안녕하세요", images_1=(world.picture,), send_interval_seconds=0)
    await save(world, manager, picked(await make_rooms(world, 1)), content=content)
    bulk = await fan_out(world.db)
    desk.line.go(0, began=True)
    await desk.run()
    await desk.disconnect()
    await clock.advance(world.db, timedelta(days=1))
    await desk.expire()
    [before] = await list_bulks(world.db)
    await desk.connect()

    await send_missing(world, manager, bulk)
    while await desk.run():
        pass

    [after] = await list_bulks(world.db)
    assert (before.summary[0], after.summary[0]) == ("0 of 1, 1 in part", "0 of 1, 1 unknown")
    assert [type(one.what) for one in desk.line.sent] == [str, tuple], "the text, and later the image alone"
    await send_missing(world, manager, bulk, resend_unknown=True)
    while await desk.run():
        pass
    assert [type(one.what) for one in desk.line.sent] == [str, tuple, str], "the image was handled"


async def test_one_action_sends_what_failed_and_the_rest_of_what_went_out_in_part(
    world: World, desk: Desk, manager: Actor
):
    rooms = await make_rooms(world, 3)
    content = Content(text="안녕하세요", images_1=(world.picture,), send_interval_seconds=0)
    await save(world, manager, picked(rooms), content=content)
    bulk = await fan_out(world.db)
    async with world.db.transaction() as tx:
        await room_store.delete_room_bot(tx, rooms[0], world.bot_id)
    desk.line.go(1, began=False)
    await desk.run()
    await desk.run()
    await desk.disconnect()
    await clock.advance(world.db, timedelta(days=1))
    await desk.expire()
    [before] = await list_bulks(world.db)
    async with world.db.transaction() as tx:
        await tx.run(SQL.insert_room_bot, room_id=rooms[0], bot_id=world.bot_id, room_name="손님방 0")
    await desk.connect()

    await send_missing(world, manager, bulk)
    while await desk.run():
        pass

    [after] = await list_bulks(world.db)
    assert (before.summary[0], after.summary[0]) == ("0 of 3, 1 in part, 1 failed, 1 missed", "3 of 3")
    parts = [(one.room.split()[-1], type(one.what)) for one in desk.line.sent]
    assert parts == [("1", str), ("0", str), ("0", tuple), ("1", tuple), ("2", str), ("2", tuple)]


async def test_nobody_sends_what_is_missing_of_another_unit(world: World, manager: Actor):
    await save(world, manager, picked(await make_rooms(world, 2)))
    bulk = await fan_out(world.db)
    stranger = person(world.tree.nampo)

    with pytest.raises(BulkSendNotFound):
        async with world.db.transaction() as tx:
            await bulks.send_missing(tx, stranger, bulk.id)


async def test_a_pause_withdraws_the_rooms_whose_turn_has_not_come(world: World, desk: Desk, manager: Actor):
    schedule = await save(world, manager, picked(await make_rooms(world, 3)))
    await fan_out(world.db)
    await desk.run()

    async with world.db.transaction() as tx:
        await schedules.deactivate(tx, manager, schedule.id)
    while await desk.run():
        pass

    [bulk] = await list_bulks(world.db)
    assert (len(desk.line.sent), bulk.summary[0], bulk.is_open) == (1, "1 of 3, 2 missed", False)


@pytest.mark.parametrize(("verb", "reason"), [(schedules.deactivate, "paused"), (schedules.delete, "cancelled")])
async def test_rooms_somebody_called_off_say_so_and_trouble_nobody(
    world: World, manager: Actor, verb: Callable[..., Awaitable[object]], reason: str
):
    schedule = await save(world, manager, picked(await make_rooms(world, 2)))
    await fan_out(world.db)

    async with world.db.transaction() as tx:
        await verb(tx, manager, schedule.id)

    withdrawn = await find_deliveries(world.db)
    assert [(one.state, one.reason, one.detail["dismissed_by"]) for one in withdrawn] == [
        ("missed", reason, manager.name)
    ] * 2
    async with world.db.transaction() as tx:
        assert await list_troubled(tx, ALL, tx.now - timedelta(days=1), most=10) == []
        if reason == "paused":
            # neither in the last hour's success rate nor in the one since the beginning
            ended = await statistics.read_ended(tx, ALL, tx.now - timedelta(hours=1))
            since_ever = await statistics.read_counters(tx, ALL)
            assert (ended.processed, since_ever.processed) == (0, 0)


async def test_rooms_are_spread_over_the_time_that_is_given(world: World, desk: Desk, manager: Actor):
    await save(world, manager, picked(await make_rooms(world, 3), spread_minutes=30))
    bulk = await fan_out(world.db)

    while await desk.run():
        pass
    at_once = len(desk.line.sent)
    await clock.advance(world.db, timedelta(minutes=10))
    while await desk.run():
        pass

    assert (at_once, len(desk.line.sent)) == (1, 2)
    assert bulk.until - bulk.fire_at == timedelta(minutes=35)


async def test_bots_that_share_a_room_share_the_work(world: World, desk: Desk, manager: Actor):
    other, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    rooms = await make_rooms(world, 4, bots=[world.bot_id, other])
    await Desk.open(world, bot="busan2")
    await save(world, manager, picked(rooms, share_bots=True))

    await fan_out(world.db)

    chosen = [one.bot_id for one in await find_deliveries(world.db)]
    assert sorted(chosen) == [world.bot_id, world.bot_id, other, other]


async def test_a_group_holds_the_rooms_of_its_unit_kind_and_tag_when_it_is_sent(
    world: World, desk: Desk, manager: Actor
):
    rooms = await make_rooms(world, 3)
    async with world.db.transaction() as tx:
        group = await groups.save(tx, manager, NewGroup("손님방", room_type="production", tag="점장"))
    await tag(world.db, rooms[:1], "점장")
    await save(world, manager, Audience(group_id=group.id))
    await tag(world.db, rooms[1:2], "점장")

    await fan_out(world.db)

    assert {one.room_id for one in await find_deliveries(world.db)} == set(rooms[:2])


async def test_a_group_that_schedules_send_to_stays(world: World, manager: Actor):
    rooms = await make_rooms(world, 1)
    await tag(world.db, rooms, "점장")
    async with world.db.transaction() as tx:
        group = await groups.save(tx, manager, NewGroup("점장방", tag="점장"))
    await save(world, manager, Audience(group_id=group.id))

    with pytest.raises(GroupInUse):
        async with world.db.transaction() as tx:
            await groups.delete(tx, manager, group.id)
    with pytest.raises(GroupRefused):
        async with world.db.transaction() as tx:
            await groups.save(tx, manager, NewGroup("점장방"))


async def test_columns_of_a_csv_are_words_of_the_text(world: World, desk: Desk, manager: Actor):
    await make_rooms(world, 2)
    table = "톡방,담당자\n손님방 0,김하늘\n18300001,이바다\n"
    text = Content(text="{지점명} {담당자}: {{그대로}} {요일}", send_interval_seconds=0)
    await save(world, manager, Audience(rooms_csv=table), content=text)

    await fan_out(world.db)
    while await desk.run():
        pass

    unit = world.tree.haeundae.name
    assert [one.what for one in desk.line.sent] == [
        f"{unit} 김하늘: {{그대로}} 화요일",
        f"{unit} 이바다: {{그대로}} 화요일",
    ]


async def test_today_is_the_day_on_the_wall_clock_of_the_schedule(world: World, desk: Desk, manager: Actor):
    async with world.db.transaction() as tx:
        # past midnight in Seoul, and the day before in London
        night = tx.now.astimezone(SEOUL).replace(hour=0, minute=30) + timedelta(days=1)
        wait = night - tx.now
    await clock.advance(world.db, wait)
    text = Content(text="{오늘} {요일}", send_interval_seconds=0)
    await save(world, manager, picked(await make_rooms(world, 1)), content=text)

    await fan_out(world.db)
    await desk.run()

    [sent] = desk.line.sent
    assert sent.what == f"{night.month}월 {night.day}일 수요일"


async def refused(world: World, actor: Actor, audience: Audience, **more: Any) -> set[str]:
    with pytest.raises(ScheduleRefused) as refusal:
        await save(world, actor, audience, **more)
    return {one.code for one in refusal.value.findings}


async def test_what_cannot_work_is_refused_when_it_is_saved(world: World, manager: Actor):
    [room] = await make_rooms(world, 1)
    mute = await add_room(world.db, world.tree.haeundae, "18990001", "봇 없는 방", bots=[])
    house = person(world.tree.hq)
    nobodys = await add_room(world.db, None, "18990002", "주인 없는 방", bots=[world.bot_id])
    other, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    hello = Content(text="{담당자}님")

    assert await refused(world, manager, picked([room]), content=hello) == {"variable_unknown"}
    assert await refused(world, manager, picked([room, mute])) == {"rooms_without_bot"}
    assert await refused(world, house, picked([room, nobodys])) == {"rooms_unclaimed"}
    assert "room_not_found" in await refused(world, manager, picked([room, 999_999]))
    assert await refused(world, manager, Audience(rooms_csv="톡방\n없는 방\n")) >= {"csv_room_unknown"}
    assert await refused(world, manager, Audience(rooms_csv="톡방,이름\n손님방 0\n")) >= {"csv_row_uneven"}
    assert other


async def test_a_notice_that_reached_nobody_is_a_failure_of_its_schedule(world: World, desk: Desk, manager: Actor):
    rooms = await make_rooms(world, 2)
    schedule = await save(world, manager, picked(rooms))
    await set_value(world.db, own.ERROR_AFTER, 1)
    await fan_out(world.db)
    async with world.db.transaction() as tx:
        for room_id in rooms:
            await room_store.delete_room_bot(tx, room_id, world.bot_id)

    while await desk.run():
        pass

    async with world.db.transaction() as tx:
        [after] = await schedules.store.load_schedules(tx, [schedule.id])
    assert (after.state, after.failures) == (ScheduleState.ERROR, 1)


@pytest.mark.parametrize(("policy", "asks"), [(LatePolicy.WINDOW, True), (LatePolicy.SKIP, False)])
async def test_where_late_ones_are_skipped_nobody_is_asked_about_a_notice_that_no_server_opened(
    world: World, manager: Actor, policy: LatePolicy, asks: bool
):
    schedule = await save(world, manager, picked(await make_rooms(world, 2)), late_policy=policy)

    async with world.db.transaction() as tx:
        await bulks.miss(tx, Occurrence(schedule.id, tx.now), "misfired", {})

    missed = await find_deliveries(world.db, state=(DeliveryState.MISSED,))
    assert [one.detail.get("dismissed_by") for one in missed] == [None if asks else "policy"] * 2


async def test_a_notice_nobody_opened_in_time_was_missed_in_each_of_its_rooms_unless_it_was_called_off(
    world: World, manager: Actor
):
    schedule = await save(world, manager, picked(await make_rooms(world, 2)))
    await clock.advance(world.db, timedelta(minutes=1))
    await ticks.tick_once(world.db)
    await clock.advance(world.db, timedelta(minutes=6))

    await expire_bulk(world.db)

    missed = await find_deliveries(world.db)
    assert [(one.state, one.reason) for one in missed] == [("missed", "too_late")] * 2
    await clock.advance(world.db, timedelta(days=1, minutes=-6))
    await ticks.tick_once(world.db)
    async with world.db.transaction() as tx:
        await schedules.deactivate(tx, manager, schedule.id)
    await expire_bulk(world.db)
    assert len(await find_deliveries(world.db)) == 2


async def test_what_may_be_late_has_a_day(world: World, manager: Actor):
    await save(world, manager, picked(await make_rooms(world, 1)), late_policy=LatePolicy.SEND_LATE)

    bulk = await fan_out(world.db)

    assert bulk.until - bulk.fire_at == timedelta(days=1)


async def test_what_is_sent_after_all_has_as_long_as_it_had(world: World, manager: Actor):
    schedule = await save(world, manager, picked(await make_rooms(world, 2)))
    async with world.db.transaction() as tx:
        await bulks.miss(tx, Occurrence(schedule.id, tx.now), "misfired", {})
    [bulk] = await list_bulks(world.db)
    await clock.advance(world.db, timedelta(hours=1))

    await send_missing(world, manager, bulk)

    [after] = await list_bulks(world.db)
    assert after.until - bulk.until >= timedelta(hours=1)


async def test_about_the_rooms_of_a_missed_notice_nobody_is_asked_one_by_one(world: World, manager: Actor):
    await miss_all(world, manager, rooms=2)

    missed = [one.id for one in await find_deliveries(world.db)]
    async with world.db.transaction() as tx:
        assert await approvals.list_open_of(tx, asking.MISSED, missed) == []


async def test_a_pause_leaves_alone_what_has_begun_in_a_room(world: World, desk: Desk, manager: Actor):
    content = Content(text="안녕하세요", images_1=(world.picture,), send_interval_seconds=0)
    schedule = await save(world, manager, picked(await make_rooms(world, 1)), content=content)
    await fan_out(world.db)
    desk.line.go(1, began=False)
    await desk.run()

    async with world.db.transaction() as tx:
        await schedules.deactivate(tx, manager, schedule.id)
    while await desk.run():
        pass

    [bulk] = await list_bulks(world.db)
    assert bulk.summary[0] == "1 of 1"


async def test_a_delivery_of_many_is_resumed_like_any_other_and_its_bulk_ends_again(
    world: World, desk: Desk, manager: Actor
):
    await save(world, manager, picked(await make_rooms(world, 2)))
    await fan_out(world.db)
    await desk.run()
    await clock.advance(world.db, timedelta(minutes=6))
    await desk.expire()
    [missed] = await find_deliveries(world.db, state=(DeliveryState.MISSED,))

    async with world.db.transaction() as tx:
        await deliveries.resume(tx, manager, missed.id)
    [during] = await list_bulks(world.db)
    while await desk.run():
        pass

    [after] = await list_bulks(world.db)
    assert (during.is_open, after.is_open, after.summary[0]) == (True, False, "2 of 2")
