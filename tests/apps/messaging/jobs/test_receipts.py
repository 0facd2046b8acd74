"""What the log says of a part is what its phone has said: not more, whoever dies, and not later than need be."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import deliveries
from pabal.apps.messaging.actions.timetables import relane
from pabal.apps.messaging.errors import BotGone, NoReceipt
from pabal.apps.messaging.jobs.sending import taking_turns
from pabal.apps.messaging.listener.receipts import Receipt
from pabal.apps.messaging.model.content import Content, ImageMode
from pabal.apps.messaging.model.deliveries import Delivery, PartState, show_components
from pabal.apps.messaging.model.reasons import explain
from pabal.apps.messaging.store import bots, sending
from pabal.base.database import Database
from pabal.base.telemetry import count_emitted
from pabal.engine import claims
from pabal.platform.actor import ENGINE
from tests.apps.messaging.history import add_deliveries, add_parts, ended
from tests.support.botline import Desk, FakeLine, fall_due, find_deliveries, find_delivery, send_now, set_value
from tests.support.messaging import World, add_room, add_schedule, make_world
from tests.support.servers import until
from tests.support.work import advance

QUICK = Content(text="안녕", send_interval_seconds=0)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    for setting in (own.IMAGE_GAP_MS, own.MIN_GAP_SECONDS, own.MESSAGES_PER_MINUTE):
        await set_value(db, setting, 0)
    return world


@pytest.fixture
async def desk(world: World) -> Desk:
    return await Desk.open(world)


def states(delivery: Delivery) -> list[str]:
    return [part.state.value for part in delivery.parts]


async def until_parts(world: World, *expected: list[str]) -> None:
    async def are_so() -> bool:
        return [states(one) for one in await find_deliveries(world.db)] == list(expected)

    await until(are_so)


def leave_at(desk: Desk, number: int) -> None:
    """The phone dies over this part: it was written, and is never answered."""

    async def die() -> None:
        desk.line.handles = lambda _number: None
        raise BotGone("killed", began=True)

    desk.line.handles = lambda at: die() if at == number else None


@pytest.mark.req("A-125")
async def test_a_part_that_was_written_and_not_confirmed_is_no_success(world: World, desk: Desk):
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    answered = asyncio.Event()
    desk.line.handles = lambda _number: answered.wait()

    running = asyncio.create_task(desk.run())

    await until_parts(world, ["written"])
    waiting = await find_delivery(world.db)
    answered.set()
    await running

    assert (waiting.state, waiting.place, show_components(waiting.parts)) == ("open", "sending", "")
    delivery = await find_delivery(world.db)
    assert (delivery.state, states(delivery)) == ("sent", ["handled"])
    [part] = delivery.parts
    assert part.began_at <= part.written_at <= part.handled_at


async def test_of_a_phone_killed_after_the_third_of_four_images_the_log_says_three_and_one_unknown(
    world: World, desk: Desk
):
    await add_schedule(world, Content(images_1=(world.picture,) * 4))
    await fall_due(world.db)
    leave_at(desk, 3)

    await desk.run()
    await desk.disconnect()
    await desk.connect()
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.reason) == ("unknown", "bot_gone")
    assert states(delivery) == ["handled", "handled", "handled", "unknown"]
    assert len(desk.line.sent) == 4, "nothing is sent again by itself"
    said = [sentence.pair[0] for sentence in explain(delivery)]
    assert said[-1] == "Nobody knows whether picture {nth} of {what} arrived.", "it was whole"


async def test_a_group_is_one_packet_all_of_it_or_unknown(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path, image_mode=ImageMode.GROUP)
    desk = await Desk.open(world)
    await add_schedule(world, Content(images_1=(world.picture,) * 4))
    await fall_due(db)
    leave_at(desk, 0)

    await desk.run()
    await desk.run()

    delivery = await find_delivery(db)
    assert (delivery.state, states(delivery), show_components(delivery.parts)) == ("unknown", ["unknown"], "")


async def test_of_a_part_cut_in_the_middle_the_reason_says_that_half_may_have_appeared(world: World, desk: Desk):
    await add_schedule(world, Content(images_1=(world.picture,)))
    await fall_due(world.db)
    desk.line.go(0, began=True)

    await desk.run()
    await desk.run()

    delivery = await find_delivery(world.db)
    assert states(delivery) == ["unknown"]
    assert "half of it may have appeared" in explain(delivery)[-1].pair[0]


async def test_what_was_handled_before_the_phone_left_stays_handled(world: World, desk: Desk):
    """It left in the pause after the text: its word had not been written down yet."""
    await set_value(world.db, own.IMAGE_GAP_MS, 0)
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)

    async def drop(number: int) -> None:
        if number == 0:
            await desk.disconnect()

    desk.line.after = drop
    await desk.run()

    assert states(await find_delivery(world.db)) == ["handled", "planned"]


async def test_a_server_killed_while_a_phone_is_busy_leaves_it_unknown_and_the_rest_goes_on(world: World, desk: Desk):
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    desk.line.handles = lambda _number: asyncio.Event().wait()
    running = asyncio.create_task(desk.run())

    await until_parts(world, ["written", "planned"])
    # kill -9: nothing of it goes on
    await desk.die()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    after = await Desk.open(world)
    await after.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, states(delivery)) == ("unknown", ["unknown", "handled"])
    assert len(after.line.sent) == 1


async def test_who_never_answers_is_unknown_blamed_and_tried_again_only_for_the_rest(world: World, desk: Desk):
    await set_value(world.db, own.RETRIES, 1)
    await add_schedule(world, replace(QUICK, images_1=(world.picture,) * 3))
    await fall_due(world.db)

    async def never() -> None:
        raise NoReceipt("127.0.0.1")

    desk.line.handles = lambda _number: never()
    await desk.run()
    first = await find_delivery(world.db)
    await advance(world.db, 31)
    await desk.run()

    assert (first.place, states(first)) == ("retrying", ["unknown", "planned", "planned", "planned"])
    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.reason) == ("partial", "no_receipt")
    assert states(delivery) == ["unknown", "unknown", "planned", "planned"]
    async with world.db.transaction() as tx:
        bot = await bots.find_bot(tx, world.bot_id)
    assert bot is not None
    assert bot.failures == 1


async def test_where_the_setting_says_so_what_was_not_confirmed_is_sent_again_and_marked(world: World, desk: Desk):
    await set_value(world.db, own.UNKNOWN_PARTS, "resend")
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    leave_at(desk, 0)

    await desk.run()
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, states(delivery), delivery.parts[0].resent) == ("sent", ["handled"], 1)


async def test_that_a_part_was_handled_is_told_with_the_next_and_the_last_with_the_end(world: World, desk: Desk):
    """A quick phone costs one commit for each part, and none for its answer."""
    await add_schedule(world, replace(QUICK, images_1=(world.picture,) * 2))
    await fall_due(world.db)
    before = count_emitted("marks.kept")

    await desk.run()

    assert states(await find_delivery(world.db)) == ["handled"] * 3
    assert count_emitted("marks.kept") - before == 3


async def test_before_a_long_pause_it_is_told_at_once(world: World, desk: Desk):
    await add_schedule(world, replace(QUICK, images_1=(world.picture,), send_interval_seconds=5))
    await fall_due(world.db)

    running = asyncio.create_task(desk.run())

    await until_parts(world, ["handled", "planned"])
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    assert len(desk.line.sent) == 1


async def test_what_was_sent_before_phones_confirmed_stays_as_it_is(world: World, desk: Desk):
    """A delivery that an older server began: its written part counts as it did then, and only the rest goes out."""
    schedule_id = await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    async with world.db.transaction() as tx:
        past = ended("partial", tx.now - timedelta(minutes=1), reason="file_missing")
    [old] = await add_deliveries(world.db, schedule_id, [past])
    await add_parts(world.db, old, "written", "planned")

    async with world.db.transaction() as tx:
        await deliveries.resume(tx, ENGINE, old)
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, states(delivery)) == ("sent", ["written", "handled"])
    assert show_components(delivery.parts) == "text,images_1"


async def test_what_was_sent_before_phones_confirmed_is_not_in_doubt_because_its_rest_is(world: World, desk: Desk):
    schedule_id = await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    async with world.db.transaction() as tx:
        past = ended("partial", tx.now - timedelta(minutes=1), reason="file_missing")
    [old] = await add_deliveries(world.db, schedule_id, [past])
    await add_parts(world.db, old, "written", "planned")
    async with world.db.transaction() as tx:
        await deliveries.resume(tx, ENGINE, old)

    desk.line.go(0, began=True)
    await desk.run()
    await desk.run()

    assert states(await find_delivery(world.db)) == ["written", "unknown"]
    async with world.db.transaction() as tx:
        await deliveries.resume(tx, ENGINE, old, resend_unknown=True)
    await desk.run()
    assert states(await find_delivery(world.db)) == ["written", "handled"]


async def test_while_a_phone_takes_its_time_the_log_says_that_the_part_is_out(world: World, desk: Desk):
    answer = Receipt()

    async def take(*_given: object) -> Receipt:
        return answer

    desk.line.send_text = take  # type: ignore[assignment,method-assign]  # a line whose phone answers when it is told
    await add_schedule(world, QUICK)
    await fall_due(world.db)

    running = asyncio.create_task(desk.run())
    await until_parts(world, ["written"])
    answer.settle()
    await running

    assert states(await find_delivery(world.db)) == ["handled"]


async def test_neither_its_waits_nor_the_time_the_phone_takes_by_itself_is_of_the_deadline(world: World, desk: Desk):
    pictures = (world.picture,) * 2
    await add_schedule(world, Content("안녕", images_1=pictures, media_wait_1=100_000, send_interval_seconds=5))
    await fall_due(world.db)
    job = await desk.claim()
    assert job is not None

    async with claims.fenced(world.db, job) as tx:
        [ready] = await desk.kinds[job.kind].handler.prepare_all(tx, [job])

    assert ready.deadline == timedelta(seconds=300 + 5 + 2 * 101.2)


async def test_while_others_parts_are_with_the_phone_nothing_is_marked(world: World, desk: Desk):
    await set_value(world.db, own.LANE, "room")
    room_id = await add_room(world.db, world.tree.haeundae, "18200077", "옆방", bots=[world.bot_id])
    first = await add_schedule(world, replace(QUICK, text="하나"))
    second = await add_schedule(world, replace(QUICK, text="둘"), room_id=room_id)
    async with world.db.transaction() as tx:
        await relane(tx)
    for schedule_id in (first, second):
        await send_now(world.db, schedule_id)
    await desk.line.lock.acquire()

    running = [asyncio.create_task(desk.run()) for _ in "12"]
    await until(lambda: len(desk.line.lock._waiters or ()) == 2)
    held = [one for schedule in (first, second) for one in await find_deliveries(world.db, schedule=schedule)]
    desk.line.lock.release()
    await asyncio.gather(*running)

    assert [states(one) for one in held] == [["planned"], ["planned"]]
    over = [one for schedule in (first, second) for one in await find_deliveries(world.db, schedule=schedule)]
    assert [one.state for one in over] == ["sent", "sent"]


async def test_while_it_waits_for_its_turn_no_time_of_a_send_passes():
    line, running = FakeLine(), asyncio.get_running_loop()
    await line.lock.acquire()
    seen: list[float | None] = []

    async with asyncio.timeout(300) as limit:

        def look() -> None:
            seen.append(limit.when())
            line.lock.release()

        running.call_soon(look)
        async with taking_turns(line, limit):
            seen.append(limit.when())

    assert seen[0] is None
    assert seen[1] is not None


async def test_a_text_the_bot_hears_itself_say_is_seen(world: World, desk: Desk):
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    await desk.run()

    async with world.db.transaction() as tx:
        since = tx.now - timedelta(minutes=10)
        other = sending.Echo(world.bot_id, world.channel_id, "다른 말")
        assert await sending.note_seen(tx, [other], since=since) == 0
        stranger = sending.Echo(world.bot_id + 1, world.channel_id, "안녕")
        assert await sending.note_seen(tx, [stranger], since=since) == 0, "another bot said the same"
        said = sending.Echo(world.bot_id, world.channel_id, "안녕")
        assert await sending.note_seen(tx, [said], since=tx.now + timedelta(seconds=1)) == 0, "long ago"
        echo = sending.Echo(world.bot_id, world.channel_id, "안녕")
        assert await sending.note_seen(tx, [echo], since=since) == 1
        assert await sending.note_seen(tx, [echo], since=since) == 0, "once said, once seen"

    [part] = (await find_delivery(world.db)).parts
    assert (part.state, part.seen_at is not None) == (PartState.SEEN, True)
