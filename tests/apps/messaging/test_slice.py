"""The kinds of messaging, as a server is given them."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions.timetables import relane
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.apps.messaging.slice import FOLLOWING, MISSED, make_kinds
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import facts, routes, schedules, ticks
from pabal.engine.exchange import Capacity, Exchange
from tests.support.botline import Desk, fall_due, find_deliveries, make_services, send_now, set_value
from tests.support.messaging import SQL, World, add_bot, add_room, add_schedule, make_world

OWN = load(__file__)
BOTS = 12
SECOND = timedelta(seconds=1)


async def open_exchange(world: World, *, bots: int) -> tuple[Desk, Exchange, list[int]]:
    """A server that holds so many bots, with a schedule of each, and what it takes sends with."""
    desk, made = await Desk.open(world), []
    for number in range(bots):
        name = f"bot{number}"
        bot_id, _ = await add_bot(world.db, world.tree.haeundae, name)
        room_id = await add_room(world.db, world.tree.haeundae, name, name, bots=[bot_id])
        made.append(await add_schedule(world, bot_id=bot_id, room_id=room_id, bot_name=name))
        async with world.db.transaction() as tx:
            await routes.hold_route(tx, f"bot:{name}", worker=desk.worker)
    return desk, Exchange(world.db, make_kinds(make_services(world.db, world.files))), made


async def take(desk: Desk, exchange: Exchange, *, room: int = 100) -> list[int]:
    """The schedules whose sends one claim takes."""
    _, jobs = await exchange.run(desk.worker, [], Capacity(0, 0, lambda _kind: False, routed=room))
    return [job.args["message_schedule"] for job in jobs]


@pytest.mark.req("A-121")
async def test_one_claim_takes_at_most_ten_sends_and_the_next_goes_on(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk, exchange, made = await open_exchange(world, bots=BOTS)
    for schedule_id in made:
        await send_now(db, schedule_id)

    taken = [await take(desk, exchange) for _ in range(2)]

    assert own.CLAIM_BATCH_SIZE.default == 10
    assert [len(each) for each in taken] == [10, 2]
    assert sorted(taken[0] + taken[1]) == made


@pytest.mark.req("A-121")
async def test_a_tick_takes_schedules_by_their_moment_then_their_number_and_passes_over_what_another_holds(
    db: Database, tmp_path: Path
):
    world = await make_world(db, tmp_path)
    async with db.transaction() as tx:
        at = (tx.now + timedelta(minutes=2)).replace(microsecond=0)
    moments = [at, at - SECOND, at, at - 2 * SECOND, at - SECOND]
    made = [await add_schedule(world, at=moment, title=str(n)) for n, moment in enumerate(moments)]
    in_order = [made[n] for n in (3, 1, 4, 0, 2)]
    await clock.advance(db, timedelta(minutes=2))

    async with db.transaction() as other:
        await other.rows(OWN.lock_timetable, id=in_order[0])
        # would wait for ever
        first = [await ticks.tick_once(db, most=2), *await list_opened(db)]
    rest = [await ticks.tick_once(db, most=2) for _ in range(2)]

    assert first == [2, *in_order[1:3]]
    assert rest == [2, 1]
    assert await list_opened(db) == [*in_order[1:3], in_order[0], *in_order[3:]]


@pytest.mark.req("A-121")
async def test_sends_of_one_bot_are_taken_by_their_moment_and_passed_over_where_another_server_takes_them(
    db: Database, tmp_path: Path
):
    world = await make_world(db, tmp_path)
    await set_value(db, own.LANE, "room")
    async with db.transaction() as tx:
        now = tx.now
    made = []
    for n, minutes in enumerate((3, 1, 2)):
        room_id = await add_room(db, world.tree.haeundae, f"1840{n}", f"방 {n}", bots=[world.bot_id])
        made.append(await add_schedule(world, room_id=room_id, at=now + timedelta(minutes=minutes)))
    async with db.transaction() as tx:
        await relane(tx)
    for _ in range(3):
        await fall_due(db)
    desk = await Desk.open(world)

    async with db.transaction() as other:
        await other.rows(OWN.lock_ready, schedule=made[1])
        # would wait for ever
        taken = [await desk.claim()]
    taken += [await desk.claim(), await desk.claim()]

    by_moment = [made[1], made[2], made[0]]
    in_order = [by_moment[1], by_moment[0], by_moment[2]]
    assert [job.args["message_schedule"] for job in taken if job is not None] == in_order


async def list_opened(db: Database) -> list[int]:
    """The schedules with an occurrence, in the order these were decided."""
    async with db.transaction() as tx:
        return [row["schedule"] for row in await tx.rows(OWN.list_opened)]


@pytest.mark.req("A-205")
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
