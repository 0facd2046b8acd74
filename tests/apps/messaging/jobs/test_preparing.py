"""Whether a delivery may begin: late or in time, within the limits, in a room that is still its own."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal import main
from pabal.apps.messaging import settings as own
from pabal.apps.messaging.machine import SCHEDULE, ScheduleEvent
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import facts, queue
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.transitions import transition
from pabal.platform.storage import get_file
from pabal.platform.tenants import Scope
from tests.support.botline import Desk, fall_due, find_deliveries, find_delivery, send_now, set_value
from tests.support.messaging import SQL, World, add_bot, add_room, add_schedule, make_world
from tests.support.web import SECRET
from tests.support.work import advance, place

QUICK = Content(text="안녕하세요", send_interval_seconds=0)
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
OFF = {
    own.MIN_GAP_SECONDS: 0,
    own.DISPATCHES_PER_DAY: 0,
    own.MESSAGES_PER_MINUTE: 0,
    own.MESSAGES_PER_HOUR: 0,
    own.MESSAGES_PER_DAY: 0,
}


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


@pytest.fixture
async def desk(world: World) -> Desk:
    return await Desk.open(world)


LIMITS = [
    # the setting, a value for the test, the name it binds by, how many sends fit, when it lets go, its default
    pytest.param(own.MIN_GAP_SECONDS, 30, "min_gap_seconds", 1, 30, 30, marks=pytest.mark.req("A-156")),
    pytest.param(own.DISPATCHES_PER_DAY, 3, "dispatches_per_day", 3, 86400, 50, marks=pytest.mark.req("A-157")),
    pytest.param(own.MESSAGES_PER_MINUTE, 5, "messages_per_minute", 2, 60, 5, marks=pytest.mark.req("A-159")),
    pytest.param(own.MESSAGES_PER_HOUR, 4, "messages_per_hour", 2, 3600, 50, marks=pytest.mark.req("A-160")),
    pytest.param(own.MESSAGES_PER_DAY, 6, "messages_per_day", 3, 86400, 200, marks=pytest.mark.req("A-161")),
]


@pytest.mark.parametrize(("setting", "most", "name", "fit", "seconds", "default"), LIMITS)
async def test_what_a_limit_forbids_is_put_off_until_it_lets_go_and_says_which_limit(
    setting: Any, most: int, name: str, fit: int, seconds: int, default: int, world: World, desk: Desk
):  # long: a row of the table
    for each, value in {**OFF, setting: most, own.RETRY_HORIZON: timedelta(days=7), own.IMAGE_GAP_MS: 0}.items():
        await set_value(world.db, each, value)
    content = replace(QUICK, images_1=(world.picture, world.picture))
    schedule_id = await add_schedule(world, content, late_policy=LatePolicy.SEND_LATE)
    for _ in range(fit + 1):
        await send_now(world.db, schedule_id)

    while await desk.run():
        pass
    [put_off] = await find_deliveries(world.db, state=(DeliveryState.OPEN,))
    sent_before = len(await find_deliveries(world.db, state=(DeliveryState.SENT,)))
    await advance(world.db, seconds)
    while await desk.run():
        pass

    assert (sent_before, put_off.place, put_off.deferred_by) == (fit, "deferred", name)
    assert put_off.deferred_until is not None
    assert len(await find_deliveries(world.db, state=(DeliveryState.SENT,))) == fit + 1, "put off, never dropped"
    async with world.db.transaction() as tx:
        counted = {(row["name"], row["label"]): row["count"] for row in await tx.rows(SQL.read_counts)}
    assert counted["limit_reached", name] >= 1
    assert setting.default == default


async def test_a_message_of_more_parts_than_a_limit_ever_allows_fails_at_once(world: World, desk: Desk):
    await set_value(world.db, own.MESSAGES_PER_MINUTE, 1)
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)

    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.reason) == ("failed", "limit_too_small")
    assert delivery.detail["errors"][0]["error"] == "messages_per_minute"


async def test_a_send_that_a_limit_kept_back_too_long_is_missed_because_of_that_limit(world: World, desk: Desk):
    await set_value(world.db, own.MIN_GAP_SECONDS, 3600)
    schedule_id = await add_schedule(world, QUICK)
    await send_now(world.db, schedule_id)
    await fall_due(world.db)
    await desk.run()
    await desk.run()
    deferred = [fact.name for fact in await told(world.db, "messaging.delivery_deferred")]

    await advance(world.db, 400)
    await desk.expire()

    newest = (await find_deliveries(world.db))[0]
    assert (newest.state, newest.reason) == ("missed", "min_gap_seconds")
    assert deferred == ["messaging.delivery_deferred"]


async def told(db: Database, *names: str) -> list[Fact]:
    found: list[Fact] = []

    async def take(_tx: object, given: list[Fact]) -> None:
        found.extend(given)

    await facts.deliver_once(db, Subscriber("test", names, take, from_start=True))
    return found


@pytest.mark.req("A-128", "A-130", "A-205")
async def test_what_is_at_most_five_minutes_late_is_sent_as_a_catch_up(world: World, desk: Desk):
    await add_schedule(world, QUICK)
    await desk.disconnect()
    await fall_due(world.db)

    await advance(world.db, 290)
    await desk.connect()
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.is_catch_up) == ("sent", True)


@pytest.mark.req("A-128", "A-208")
async def test_what_is_later_is_missed_but_a_server_that_just_started_waits_for_its_bots_first(world: World):
    old, new = await add_schedule(world, QUICK), await add_schedule(world, QUICK)
    await fall_due(world.db)
    await advance(world.db, 301)
    long_running = await Desk.open(world)
    await long_running.run()

    just_started = await Desk.open(world, running=timedelta(0))
    await just_started.run()

    missed, caught = await find_delivery(world.db, schedule=old), await find_delivery(world.db, schedule=new)
    assert (missed.state, missed.reason) == ("missed", "too_late")
    assert (caught.state, caught.is_catch_up) == ("sent", True)


@pytest.mark.req("A-127")
@pytest.mark.parametrize(("wait", "ends"), [(timedelta(hours=2), "sent"), (timedelta(minutes=30), "missed")])
async def test_nothing_is_too_late_before_a_server_has_waited_for_its_bots(world: World, wait: timedelta, ends: str):
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    await advance(world.db, 301)
    asked = Settings(reconnect_wait=wait)

    an_hour_old = await Desk.open(world, running=timedelta(hours=1), settings=asked)
    await an_hour_old.run()

    assert (await find_delivery(world.db)).state == ends


@pytest.mark.req("A-127")
async def test_it_waits_ten_seconds(db: Database, tmp_path: Path):
    asked = Settings(database_url=db.url, data_dir=tmp_path, secret_key=SECRET)
    app = await main.build(asked, frozenset({"worker"}))

    waits = {loop.name: loop._first_after for loop in app.server._loops if loop._first_after}

    await app.stop()
    assert asked.reconnect_wait == timedelta(seconds=10)
    assert waits == {"expiry": 10.0}


@pytest.mark.req("A-192")
@pytest.mark.parametrize(("late", "ends"), [(timedelta(hours=23, minutes=59), "sent"), (DAY, "missed")])
async def test_what_nobody_could_send_is_recovered_within_24_hours_and_no_later(
    late: timedelta, ends: str, world: World, desk: Desk
):
    await add_schedule(world, QUICK, late_policy=LatePolicy.SEND_LATE)
    await desk.disconnect()
    await fall_due(world.db)

    await advance(world.db, int(late.total_seconds()))
    await desk.connect()
    await desk.run()

    assert (await find_delivery(world.db)).state == ends


@pytest.mark.req("A-192")
@pytest.mark.parametrize(("after", "ends"), [(DAY - 3 * MINUTE, "open"), (DAY - MINUTE, "failed")])
async def test_what_failed_is_tried_again_only_within_24_hours_of_its_moment(
    after: timedelta, ends: str, world: World, desk: Desk
):
    await set_value(world.db, own.RETRY_AFTER, timedelta(seconds=90))
    schedule_id = await add_schedule(world, Content(images_1=(world.picture,)), late_policy=LatePolicy.SEND_LATE)
    await fall_due(world.db)
    async with world.db.transaction() as tx:
        late = await tx.value(SQL.find_next, id=schedule_id) - DAY + after - tx.now
        file = await get_file(tx, Scope(None, None), world.picture.file_id)
    await world.files.delete(file.key)

    await advance(world.db, int(late.total_seconds()))
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.place) == (ends, "retrying" if ends == "open" else None)


@pytest.mark.req("A-200")
async def test_a_bot_that_comes_back_gets_what_it_missed_in_the_last_five_minutes_once(world: World, desk: Desk):
    async with world.db.transaction() as tx:
        now = tx.now.replace(microsecond=0)
    made = [await add_schedule(world, replace(QUICK, text=f"{n}분"), at=now + n * MINUTE) for n in (1, 2, 4, 6)]
    for setting in OFF:
        await set_value(world.db, setting, 0)
    await desk.disconnect()
    for _ in range(6):
        await fall_due(world.db)

    await advance(world.db, 50)
    await desk.connect()
    while await desk.run():
        pass
    again = await Desk.open(world)
    await again.run()

    assert own.CATCHUP_WINDOW.default == timedelta(seconds=300)
    assert [one.what for one in desk.line.sent] == ["2분", "4분", "6분"]
    assert again.line.sent == []
    found = [(await find_delivery(world.db, schedule=each)) for each in made]
    assert [(one.state, one.reason) for one in found] == [("missed", "too_late"), *[("sent", None)] * 3]
    assert [one.is_catch_up for one in found[1:3]] == [True, True]


@pytest.mark.parametrize(
    ("policy", "late", "ends"),
    [
        (LatePolicy.SEND_LATE, 3600, "sent"),
        (LatePolicy.ASK, 35, "missed"),
        (LatePolicy.SKIP, 35, "missed"),
    ],
)
async def test_the_late_policy_decides_about_what_was_not_begun(
    policy: LatePolicy, late: int, ends: str, world: World, desk: Desk
):
    await add_schedule(world, QUICK, late_policy=policy)
    await desk.disconnect()
    await fall_due(world.db)
    await advance(world.db, late)
    await desk.connect()
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.detail.get("dismissed_by")) == (
        ends,
        "policy" if policy is LatePolicy.SKIP else None,
    )


async def give_away(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.run(SQL.move_room, id=world.room_id, unit_id=world.tree.nampo.id)


async def put_down(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.run(SQL.move_room, id=world.room_id, unit_id=None)


async def leave(world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.run(SQL.leave_room, room_id=world.room_id, bot_id=world.bot_id)


@pytest.mark.req("A-155")
@pytest.mark.parametrize(
    ("change", "reason"),
    [(give_away, "room_not_allowed"), (put_down, "room_not_allowed"), (leave, "bot_not_in_room")],
)
async def test_access_to_the_room_is_asked_again_when_it_is_sent(
    change: Callable[[World], Awaitable[None]], reason: str, world: World, desk: Desk
):
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    await change(world)

    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.reason, desk.line.sent) == ("failed", reason, [])


async def test_a_schedule_of_a_superior_may_send_to_a_room_below_it(world: World, desk: Desk):
    await add_schedule(world, QUICK, unit_id=world.tree.busan.id)
    await fall_due(world.db)

    await desk.run()

    assert (await find_delivery(world.db)).state == "sent"


async def test_an_edit_counts_until_the_first_attempt_begins_and_not_afterwards(world: World, desk: Desk):
    schedule_id = await add_schedule(world, QUICK)
    await fall_due(world.db)
    await change_text(world, schedule_id, "고친 글")
    desk.line.go(0, began=False)
    await desk.run()
    await change_text(world, schedule_id, "너무 늦게 고친 글")

    await desk.run()

    assert [one.what for one in desk.line.sent] == ["고친 글"]
    assert (await find_delivery(world.db)).content.text == "고친 글"


async def change_text(world: World, schedule_id: int, text: str) -> None:
    async with world.db.transaction() as tx:
        await tx.run(SQL.change_text, id=schedule_id, text=text)


@pytest.mark.req("A-10")
async def test_a_paused_schedule_sends_nothing_that_had_not_begun(world: World, desk: Desk):
    schedule_id = await add_schedule(world, QUICK)
    await fall_due(world.db)
    async with world.db.transaction() as tx:
        await transition(tx, SCHEDULE, schedule_id, ScheduleEvent.DEACTIVATE, actor="user:1")

    await desk.run()

    assert (desk.line.sent, await find_deliveries(world.db)) == ([], [])
    await send_now(world.db, schedule_id)
    await desk.run()
    assert len(desk.line.sent) == 1, "a person's word beats the pause"


async def test_a_schedule_given_to_another_bot_while_it_waited_is_sent_by_that_one(world: World, desk: Desk):
    other, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    room = await add_room(world.db, world.tree.haeundae, "18200009", "다른 방", bots=[other])
    beside = await Desk.open(world, bot="busan2")
    schedule_id = await add_schedule(world, QUICK)
    await fall_due(world.db)
    async with world.db.transaction() as tx:
        await tx.run(SQL.move_schedule, id=schedule_id, bot_id=other, room_id=room)

    await desk.run()
    await beside.run()

    assert (desk.line.sent, len(beside.line.sent)) == ([], 1)
    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.bot_name) == ("sent", "busan2")


async def test_a_job_tried_again_by_hand_sends_what_had_failed(world: World, desk: Desk):
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    await leave(world)
    await desk.run()
    failed = await find_delivery(world.db)
    async with world.db.transaction() as tx:
        await tx.run(SQL.enter_room, room_id=world.room_id, bot_id=world.bot_id)
        old = await place(world.db, failed.job_id or 0)
        again = queue.NewJob(old.kind, old.args, route=old.queue, lane=old.lane)
        await queue.enqueue(tx, again)

    await desk.run()

    assert (failed.state, (await find_delivery(world.db)).state) == ("failed", "sent")


async def test_two_jobs_of_one_delivery_come_one_after_the_other_though_in_one_commit(world: World, desk: Desk):
    await send_now(world.db, await add_schedule(world, QUICK))
    job = await desk.claim()
    assert job is not None

    async with world.db.transaction() as tx:
        handler = desk.kinds[job.kind].handler
        first, second = await handler.prepare_all(tx, [job, replace(job, token=job.token + 1)])

    assert (first.delivery.attempts, second.delivery.attempts) == (0, 1), "the second finds it begun"
    assert (await find_delivery(world.db)).attempts == 2
