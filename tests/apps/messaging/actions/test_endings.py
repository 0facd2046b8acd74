"""What the end of a delivery means for its schedule and its bot, in the same commit."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import opening
from pabal.apps.messaging.actions.endings import End, Ended, end_all, judge
from pabal.apps.messaging.machine import DeliveryEvent
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import DeliveryPart, PartState
from pabal.apps.messaging.store.sending import Occurrence
from pabal.base.database import Database
from pabal.base.errors import Unavailable
from pabal.engine import occurrences, schedules
from tests.support.botline import Desk, fall_due, find_deliveries, send_now, set_value
from tests.support.messaging import SQL, World, add_schedule, make_world, set_limit

QUICK = Content(text="안녕하세요", send_interval_seconds=0)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    await set_limit(db, world.room_id, gap=0, per_minute=0)
    return world


async def read_state(world: World, schedule_id: int) -> tuple[str, int, bool]:
    """The schedule's state, its failures in a row, and whether the engine's is paused."""
    async with world.db.transaction() as tx:
        [row] = await tx.rows(SQL.read_schedule, id=schedule_id)
        timetable = await schedules.get(tx, await tx.value(SQL.find_timetable, id=schedule_id))
    return row["state"], row["failures"], timetable.is_paused


@pytest.mark.req("A-55")
async def test_a_schedule_that_fails_three_times_in_a_row_stops_and_a_success_begins_the_count_anew(world: World):
    desk = await Desk.open(world)
    schedule_id = await add_schedule(world, QUICK)

    async def send(*, fails: bool) -> tuple[str, int, bool]:
        async with world.db.transaction() as tx:
            statement = SQL.leave_room if fails else SQL.enter_room
            await tx.run(statement, room_id=world.room_id, bot_id=world.bot_id)
        await send_now(world.db, schedule_id)
        await desk.run()
        return await read_state(world, schedule_id)

    seen = [await send(fails=True), await send(fails=True), await send(fails=False)]
    seen += [await send(fails=True) for _ in range(3)]

    assert seen[:3] == [("active", 1, False), ("active", 2, False), ("active", 0, False)]
    assert seen[3:] == [("active", 1, False), ("active", 2, False), ("error", 3, True)]


@pytest.mark.req("A-55")
async def test_a_one_time_schedule_that_fails_stops_at_once(world: World):
    desk = await Desk.open(world)
    async with world.db.transaction() as tx:
        at = tx.now.replace(microsecond=0)
    schedule_id = await add_schedule(world, QUICK, at=at.replace(year=at.year + 1))
    async with world.db.transaction() as tx:
        await tx.run(SQL.leave_room, room_id=world.room_id, bot_id=world.bot_id)

    await send_now(world.db, schedule_id)
    await desk.run()

    assert await read_state(world, schedule_id) == ("error", 1, True)


async def test_the_last_sends_of_a_schedule_may_end_in_one_commit(world: World):
    async with world.db.transaction() as tx:
        at = tx.now.replace(microsecond=0) + timedelta(seconds=30)
    schedule_id = await add_schedule(world, QUICK, at=at)
    await fall_due(world.db)
    await send_now(world.db, schedule_id)

    async with world.db.transaction() as tx:
        timetable_id = await tx.value(SQL.find_timetable, id=schedule_id)
        found = await occurrences.list_occurrences(tx, timetable_id)
        jobs = {Occurrence(schedule_id, one.fire_at): one.work_id for one in found}
        opened = await opening.open_deliveries(tx, jobs)
        await end_all(
            tx, [Ended(delivery, End(DeliveryEvent.SEND), jobs[place]) for place, (delivery, _) in opened.items()]
        )
        [row] = await tx.rows(SQL.read_schedule, id=schedule_id)

    assert len(jobs) == 2
    assert (row["state"], row["failures"]) == ("completed", 0)


@pytest.mark.req("A-196")
async def test_a_bot_that_takes_nothing_in_time_is_counted_and_one_whose_room_is_wrong_is_not(world: World):
    await set_value(world.db, own.RETRIES, 0)
    await set_value(world.db, own.EXCLUDE_AFTER, 1)
    desk = await Desk.open(world)
    schedule_id = await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    desk.line.before = refuse

    await send_now(world.db, schedule_id)
    await desk.run()

    [delivery] = await find_deliveries(world.db)
    async with world.db.transaction() as tx:
        excluded = await tx.value(SQL.is_excluded, id=world.bot_id)
    assert (delivery.state, delivery.reason, excluded) == ("partial", "bot_error", True)


def refuse(_number: int) -> None:
    raise Unavailable("the phone refused")


def test_the_parts_alone_say_how_it_ended():
    def said(*states: PartState) -> DeliveryEvent:
        return judge([DeliveryPart(1, no, "text", 0, 0, state, None, None, None, 0) for no, state in enumerate(states)])

    planned, written, unknown = PartState.PLANNED, PartState.WRITTEN, PartState.UNKNOWN
    assert said(written, written) is DeliveryEvent.SEND
    assert said(planned, planned) is DeliveryEvent.FAIL
    assert said(written, planned) is DeliveryEvent.CUT
    assert said(unknown, planned) is DeliveryEvent.CUT
    assert said(written, unknown) is DeliveryEvent.LOSE
    assert said(unknown) is DeliveryEvent.LOSE
