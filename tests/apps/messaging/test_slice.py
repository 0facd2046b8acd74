"""The kinds of messaging, as a server is given them."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.apps.messaging.slice import FOLLOWING, MISSED, make_kinds
from pabal.base.database import Database
from pabal.engine import facts, routes, schedules
from pabal.engine.exchange import Capacity, Exchange
from tests.support.botline import Desk, fall_due, find_deliveries, make_services, send_now, set_value
from tests.support.messaging import SQL, add_bot, add_room, add_schedule, make_world

BOTS = 12


@pytest.mark.req("A-121")
async def test_one_claim_takes_at_most_ten_sends_and_the_next_goes_on(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk = await Desk.open(world)
    for number in range(BOTS):
        name = f"bot{number}"
        bot_id, _ = await add_bot(db, world.tree.haeundae, name)
        room_id = await add_room(db, world.tree.haeundae, name, name, bots=[bot_id])
        await send_now(db, await add_schedule(world, bot_id=bot_id, room_id=room_id, bot_name=name))
        async with db.transaction() as tx:
            await routes.hold_route(tx, f"bot:{name}", worker=desk.worker)
    exchange = Exchange(db, make_kinds(make_services(db, world.files)))
    room = Capacity(0, 0, lambda _kind: False, routed=100)

    taken = [len((await exchange.run(desk.worker, [], room))[1]) for _ in range(2)]

    assert taken == [10, 2]


@pytest.mark.req("A-205", "A-192")
async def test_what_was_due_while_no_server_ran_is_missed_with_a_reason_and_the_schedule_goes_on(
    db: Database, tmp_path: Path
):
    world = await make_world(db, tmp_path)
    await facts.deliver_once(db, MISSED)
    daily, skipped = await add_schedule(world), await add_schedule(world, late_policy=LatePolicy.SKIP)
    async with db.transaction() as tx:
        at = tx.now + timedelta(minutes=1)
    once = await add_schedule(world, at=at)

    await fall_due(db, timedelta(days=2, hours=1))
    for _ in range(2):
        await facts.deliver_once(db, MISSED)

    found = {one.schedule_id: one for one in await find_deliveries(db)}
    assert {(one.state, one.reason) for one in found.values()} == {("missed", "misfired")}
    assert len(await find_deliveries(db, schedule=daily)) == 3, "each of its days, once"
    assert "dismissed_by" not in found[daily].detail
    assert found[skipped].detail["dismissed_by"] == "policy"
    async with db.transaction() as tx:
        states = [(await tx.rows(SQL.read_schedule, id=each))[0]["state"] for each in (daily, once)]
    assert states == ["active", "completed"], "one that has nothing ahead is over"


async def test_a_catch_up_that_is_sent_is_no_missed_one(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await facts.deliver_once(db, MISSED)
    await add_schedule(world)

    await fall_due(db, timedelta(minutes=4))
    await facts.deliver_once(db, MISSED)
    desk = await Desk.open(world)
    await desk.run()

    assert [(one.state, one.is_catch_up) for one in await find_deliveries(db)] == [("sent", True)]


async def test_schedules_saved_before_a_setting_changed_follow_it(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    schedule_id = await add_schedule(world)
    await facts.deliver_once(db, FOLLOWING)

    await set_value(db, own.CATCHUP_WINDOW, timedelta(seconds=77))
    await set_value(db, own.LANE, "room")
    await facts.deliver_once(db, FOLLOWING)

    async with db.transaction() as tx:
        timetable = await schedules.get(tx, await tx.value(SQL.find_timetable, id=schedule_id))
    assert (timetable.lane, timetable.expires_after) == (f"room:{world.room_id}", timedelta(seconds=77))
