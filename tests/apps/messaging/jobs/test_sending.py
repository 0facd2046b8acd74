"""One attempt at a delivery, on a real database, with a line that writes down what it is given."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.content import (
    IMAGES_1,
    IMAGES_2,
    Content,
    ImageMode,
    Pace,
    Picture,
    SendOrder,
    plan_parts,
)
from pabal.apps.messaging.model.deliveries import SEND, Delivery, PartState, show_components
from pabal.apps.messaging.model.seed import as_seed
from pabal.base.database import Database
from pabal.engine import claims, queue
from pabal.engine.claims import LeaseLost
from pabal.engine.queue import NewJob
from pabal.platform.storage import get_file, read
from pabal.platform.tenants import Scope
from tests.support.botline import Desk, fall_due, find_deliveries, find_delivery, send_now, set_value
from tests.support.messaging import SQL, World, add_bot, add_room, add_schedule, make_world, upload
from tests.support.servers import until
from tests.support.work import advance, until_blocked

TEXT = "오늘도 좋은 하루 되세요 🌷\n해운대점 드림"
QUICK = Content(text=TEXT, send_interval_seconds=0)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    """With no waits and no limits: tests that are about those set them."""
    world = await make_world(db, tmp_path)
    for setting in (own.IMAGE_GAP_MS, own.MIN_GAP_SECONDS, own.MESSAGES_PER_MINUTE):
        await set_value(db, setting, 0)
    return world


@pytest.fixture
def picture() -> Picture:
    return Picture(7, "봄.png", "image/png", 77, 8, 6)


@pytest.fixture
async def desk(world: World) -> Desk:
    return await Desk.open(world)


def states(delivery: Delivery) -> list[str]:
    return [part.state.value for part in delivery.parts]


async def read_schedule(db: Database, schedule_id: int) -> tuple[str, int, int]:
    async with db.transaction() as tx:
        [row] = await tx.rows(SQL.read_schedule, id=schedule_id)
    return row["state"], row["send_count"], row["failures"]


async def read_counts(db: Database) -> dict[tuple[str, str], int]:
    async with db.transaction() as tx:
        return {(row["name"], row["label"]): row["count"] for row in await tx.rows(SQL.read_counts)}


def req(*lines: str) -> pytest.MarkDecorator:
    return pytest.mark.req(*lines)


COMBINATIONS = [
    pytest.param("t", SendOrder.TEXT_FIRST, "t", "text", marks=req("A-14", "A-13")),
    pytest.param("t1", SendOrder.TEXT_FIRST, "t11", "text,images_1", marks=req("A-15", "A-08", "A-13")),
    pytest.param("t12", SendOrder.TEXT_FIRST, "t112", "text,images_1,images_2", marks=req("A-16", "A-13")),
    pytest.param("1", SendOrder.TEXT_FIRST, "11", "images_1", marks=req("A-17")),
    pytest.param("12", SendOrder.TEXT_FIRST, "112", "images_1,images_2", marks=req("A-18")),
    pytest.param("2", SendOrder.TEXT_FIRST, "2", "images_2", marks=req("A-18")),
    pytest.param("t2", SendOrder.TEXT_FIRST, "t2", "text,images_2", marks=req("A-18")),
    pytest.param("t12", SendOrder.IMAGES_FIRST, "112t", "text,images_1,images_2", marks=req("A-09")),
    pytest.param("t12", SendOrder.IMAGES_ONLY, "112", "images_1,images_2", marks=req("A-09")),
]


@pytest.mark.parametrize(("given", "order", "arrives", "logged"), COMBINATIONS)
async def test_each_combination_arrives_in_its_order(
    given: str, order: SendOrder, arrives: str, logged: str, world: World, desk: Desk
):
    other = await upload(world.db, world.files, world.tree.haeundae, name="둘.png", colour=1)
    content = Content(
        text=TEXT if "t" in given else None,
        images_1=(world.picture, world.picture) if "1" in given else (),
        images_2=(other,) if "2" in given else (),
        send_order=order,
        send_interval_seconds=0,
        media_wait_1=4000,
        media_wait_2=6000,
    )
    await add_schedule(world, content)

    await fall_due(world.db)
    await desk.run()

    def name(what: str | tuple[bytes, ...]) -> str:
        return "t" if what == TEXT else "1" if what == (pictures[IMAGES_1],) else "2"

    pictures = {IMAGES_1: await load(world, world.picture.file_id), IMAGES_2: await load(world, other.file_id)}
    assert "".join(name(one.what) for one in desk.line.sent) == arrives
    assert {one.what for one in desk.line.sent if name(one.what) == "2"} <= {(pictures[IMAGES_2],)}
    assert {one.room for one in desk.line.sent} == {f"{world.channel_id} 해운대 손님방"}
    delivery = await find_delivery(world.db)
    assert (delivery.state, show_components(delivery.parts)) == ("sent", logged)


async def load(world: World, file_id: int) -> bytes:
    async with world.db.transaction() as tx:
        file = await get_file(tx, Scope(None, None), file_id)
    return b"".join([chunk async for chunk in (await read(world.files, file)).chunks])


@pytest.mark.req("A-141")
async def test_waits_between_components_and_images_and_tells_the_phone_how_long_to_wait(world: World, desk: Desk):
    await set_value(world.db, own.IMAGE_GAP_MS, 60)
    two = (world.picture, world.picture)
    await add_schedule(world, Content(text=TEXT, images_1=two, send_interval_seconds=1, media_wait_1=7000))

    await fall_due(world.db)
    await desk.run()

    text, first, second = desk.line.sent
    assert first.at - text.at >= 1.0
    assert 0.06 <= second.at - first.at < 1.0, "within a group it is the image gap"
    assert [one.media_wait for one in (first, second)] == [7000, 7000]
    assert (first.extension, len(first.what)) == ("png", 1)


@pytest.mark.req("A-139", "A-140")
def test_between_components_it_waits_what_is_asked_and_between_images_of_a_group_half_a_second(picture: Picture):
    one, two = (picture,), (picture, picture)
    gap = Pace(ImageMode.SINGLE, own.IMAGE_GAP_MS.default)

    def waits(**given: Any) -> list[int]:
        return [part.wait_ms for part in plan_parts(Content(text=TEXT, **given), gap)]

    assert waits(images_1=(*two, picture), images_2=two, send_interval_seconds=7) == [0, 7000, 500, 500, 7000, 500]
    assert waits(images_1=one) == [0, 1000]
    assert waits(images_1=two, send_order=SendOrder.IMAGES_FIRST, send_interval_seconds=2) == [0, 500, 2000]
    assert waits() == [0]


@pytest.mark.req("A-139", "A-140")
async def test_parts_are_sent_in_sequence_with_a_wait_before_each_but_the_first_and_none_after_the_last(
    world: World, desk: Desk, monkeypatch: pytest.MonkeyPatch
):
    """Nobody waits here: each wait is noted among the packets, in tens of seconds."""
    await set_value(world.db, own.IMAGE_GAP_MS, 60_000)
    two = (world.picture, world.picture)
    await add_schedule(world, Content(text=TEXT, images_1=two, images_2=two, send_interval_seconds=200))
    await fall_due(world.db)
    went: list[object] = []
    sleep = asyncio.sleep

    async def note(seconds: float) -> None:
        if seconds > 10:
            went.append(round(seconds, -1))
        await sleep(0)

    desk.line.before = lambda number: went.append(f"packet {number}")
    monkeypatch.setattr(asyncio, "sleep", note)
    await desk.run()
    monkeypatch.undo()

    waits = [200, 60, 200, 60]
    expected = ["packet 0", *(each for n, wait in enumerate(waits, start=1) for each in (wait, f"packet {n}"))]
    assert went == expected
    assert (await find_delivery(world.db)).state == "sent"


async def test_a_bot_that_takes_groups_gets_each_in_one_packet(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path, image_mode=ImageMode.GROUP)
    desk = await Desk.open(world)
    await add_schedule(world, replace(QUICK, images_1=(world.picture,) * 3))

    await fall_due(db)
    await desk.run()

    assert [len(one.what) for one in desk.line.sent if one.what != TEXT] == [3]
    assert show_components((await find_delivery(db)).parts) == "text,images_1"


@pytest.mark.req("A-23", "A-56", "A-58", "A-123", "A-125")
async def test_what_was_sent_is_in_the_log_and_the_schedule_goes_on(world: World, desk: Desk):
    schedule_id = await add_schedule(world, QUICK)

    await fall_due(world.db)
    await desk.run()

    delivery = await find_delivery(world.db, schedule=schedule_id)
    assert (delivery.state, delivery.attempts, delivery.is_catch_up, delivery.cause) == ("sent", 1, False, "schedule")
    assert delivery.duration_ms is not None
    assert delivery.ended_at is not None
    assert (as_seed(delivery)["status"], as_seed(delivery)["error_message"]) == ("success", None)
    assert await read_schedule(world.db, schedule_id) == ("active", 1, 0)
    async with world.db.transaction() as tx:
        [row] = await tx.rows(SQL.read_schedule, id=schedule_id)
        next_at = await tx.value(SQL.find_next, id=schedule_id)
    assert row["last_sent_at"] == delivery.ended_at
    assert next_at == delivery.scheduled_at + timedelta(days=1)


@pytest.mark.req("A-06", "A-124")
async def test_a_one_time_schedule_is_sent_at_its_date_and_time_and_completes(world: World, desk: Desk):
    async with world.db.transaction() as tx:
        at = (tx.now + timedelta(days=3)).replace(microsecond=0)
    schedule_id = await add_schedule(world, QUICK, at=at)

    await fall_due(world.db, timedelta(days=3) - timedelta(seconds=30))
    assert not await desk.run(), "it is not due yet"
    await fall_due(world.db, timedelta(seconds=31))
    await desk.run()

    assert (await find_delivery(world.db)).scheduled_at == at
    assert await read_schedule(world.db, schedule_id) == ("completed", 1, 0)


@pytest.mark.req("A-126", "A-129", "A-215")
@pytest.mark.parametrize("end", ["sent", "partial"])
async def test_an_occurrence_that_went_out_is_never_sent_again(world: World, desk: Desk, end: str):
    await set_value(world.db, own.RETRIES, 0)
    await add_schedule(world, QUICK if end == "sent" else replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    if end == "partial":
        await world.files.delete(await find_key(world))
    await desk.run()
    delivery = await find_delivery(world.db)

    async with world.db.transaction() as tx:
        place = await queue.get_place(tx, delivery.job_id or 0)
        again = NewJob(SEND, place.args, route=place.queue, lane=place.lane, about=place.about)
        await queue.enqueue(tx, again)
    await desk.run()

    assert len(desk.line.sent) == 1
    assert [one.state for one in (delivery, await find_delivery(world.db))] == [end, end]
    assert (await read_counts(world.db))["duplicates_prevented", "already_sent"] == 1


@pytest.mark.req("A-33", "A-122", "A-204", "A-209")
async def test_of_two_servers_only_the_one_that_has_the_bot_sends(world: World, desk: Desk):
    elsewhere = await Desk.open(world, bot="another")
    await add_schedule(world, QUICK)
    await fall_due(world.db)

    took = await asyncio.gather(elsewhere.run(), desk.run(), desk.run())

    assert took[0] is False
    assert sorted(took[1:]) == [False, True], "claimed at once, so by nobody else"
    assert (len(elsewhere.line.sent), len(desk.line.sent)) == (0, 1)


@pytest.mark.req("A-34", "A-35", "A-205")
async def test_a_bot_that_left_before_a_byte_gets_everything_when_it_is_back(world: World, desk: Desk):
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    desk.line.go(1, began=False)

    await desk.run()
    half = await find_delivery(world.db)
    await desk.disconnect()
    assert not await desk.run(), "without its bot nothing is taken, and nothing is lost"
    await desk.connect()
    await desk.run()

    assert (half.state, half.place, states(half)) == ("open", "queued", ["handled", "planned"])
    assert [type(one.what) for one in desk.line.sent] == [str, tuple], "the text once"
    delivery = await find_delivery(world.db)
    assert (delivery.state, states(delivery)) == ("sent", ["handled", "handled"])


async def test_a_claimed_send_whose_bot_is_not_here_waits_and_takes_nothing_from_its_limits(world: World, desk: Desk):
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    desk.services.connections.drop(desk.route.route, desk.line)

    await desk.run()
    desk.services.connections.put(desk.route.route, desk.line)
    await advance(world.db, 2)
    await desk.run()

    assert (await find_delivery(world.db)).state == "sent"


@pytest.mark.req("A-129")
async def test_a_part_cut_in_the_middle_is_unknown_and_left_to_a_person(world: World, desk: Desk):
    await add_schedule(world, replace(QUICK, images_1=(world.picture, world.picture)))
    await fall_due(world.db)
    desk.line.go(1, began=True)

    await desk.run()
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.reason) == ("unknown", "bot_gone")
    assert states(delivery) == ["handled", "unknown", "handled"]
    assert len(desk.line.sent) == 3, "the cut one is not repeated"


async def test_a_part_cut_in_the_middle_is_sent_again_where_the_setting_says_so_and_marked(world: World, desk: Desk):
    await set_value(world.db, own.UNKNOWN_PARTS, "resend")
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    desk.line.go(0, began=True)

    await desk.run()
    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, [part.resent for part in delivery.parts]) == ("sent", [1])
    assert len(desk.line.sent) == 2


@pytest.mark.req("A-193", "A-195", "A-125")
async def test_a_send_that_never_gets_through_is_tried_three_times_more_and_then_failed(world: World, desk: Desk):
    schedule_id = await add_schedule(world, Content(images_1=(world.picture,)))
    await fall_due(world.db)
    await world.files.delete(await find_key(world))

    tries = []
    while await desk.run():
        delivery = await find_delivery(world.db)
        tries.append(delivery.place)
        await advance(world.db, 30 * 2 ** (len(tries) - 1))

    assert tries == ["retrying"] * 3 + [None]
    assert (delivery.state, delivery.reason, delivery.attempts) == ("failed", "file_missing", 4)
    assert [entry["attempt"] for entry in delivery.detail["errors"]] == [1, 2, 3, 4]
    assert "not in the file store" in delivery.detail["errors"][0]["error"]
    logged = as_seed(delivery, "en")
    assert logged["status"] == "failed"
    assert f"(file_missing: {delivery.detail['errors'][-1]['error']})" in logged["error_message"]
    assert await read_schedule(world.db, schedule_id) == ("active", 0, 1)


async def test_what_went_out_before_the_last_failure_makes_it_partial(world: World, desk: Desk):
    await set_value(world.db, own.RETRIES, 0)
    schedule_id = await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    await world.files.delete(await find_key(world))

    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.reason, states(delivery)) == ("partial", "file_missing", ["handled", "planned"])
    assert await read_schedule(world.db, schedule_id) == ("active", 1, 0), "something was sent"


@pytest.mark.req("A-135")
@pytest.mark.beside
async def test_a_send_takes_no_longer_than_its_deadline(world: World, desk: Desk):
    await set_value(world.db, own.SEND_DEADLINE, timedelta(seconds=1))
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    desk.line.before = lambda _number: asyncio.Event().wait()

    await desk.run()

    delivery = await find_delivery(world.db)
    assert (delivery.place, states(delivery)) == ("retrying", ["unknown", "planned"])
    assert delivery.detail["errors"][0]["reason"] == "deadline"
    desk.line.before = lambda _number: None
    await advance(world.db, 31)
    await desk.run()
    assert (await find_delivery(world.db)).state == "unknown", "the rest went out; of the text nobody knows"


@pytest.mark.req("A-135")
async def test_a_schedule_is_locked_by_one_send_for_300_s_at_most_and_who_comes_too_late_is_logged(
    world: World, desk: Desk
):
    schedule_id = await add_schedule(world, QUICK)
    await send_now(world.db, schedule_id)
    await send_now(world.db, schedule_id)

    first = await desk.claim()
    beside = await desk.claim()
    assert first is not None
    handler = desk.kinds[SEND].handler
    async with claims.fenced(world.db, first) as tx:
        [ready] = await handler.prepare_all(tx, [first])
    await desk.die()
    with pytest.raises(LeaseLost):
        await handler.perform(first, ready)
    after = await Desk.open(world)
    while await after.run():
        await advance(world.db, 2)

    assert ready.deadline == timedelta(seconds=300)
    assert beside is None, "the lock is held"
    assert (desk.line.sent, len(after.line.sent)) == ([], 2), "released at the end, each sent once"
    assert {as_seed(one)["lock"] for one in await find_deliveries(world.db)} == {f"schedule_lock_{schedule_id}"}
    assert (await read_counts(world.db))["duplicates_prevented", "lease_lost"] == 1


@pytest.mark.req("A-115", "A-136")
async def test_a_bot_sends_one_after_the_other_in_order_while_another_bot_sends_beside_it(world: World, desk: Desk):
    other_bot, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    other_room = await add_room(world.db, world.tree.haeundae, "18200009", "다른 방", bots=[other_bot])
    beside = await Desk.open(world, bot="busan2")
    first = await add_schedule(world, replace(QUICK, text="하나"))
    second = await add_schedule(world, replace(QUICK, text="둘"))
    third = await add_schedule(
        world, replace(QUICK, text="셋"), bot_id=other_bot, room_id=other_room, bot_name="busan2"
    )
    for schedule_id in (first, second, third):
        await send_now(world.db, schedule_id)
    go_on = asyncio.Event()
    desk.line.before = lambda _number: go_on.wait()

    sending = asyncio.create_task(desk.run())
    await until_begun(world, first)
    took = [await desk.run(), await beside.run()]
    go_on.set()
    await sending
    await desk.run()

    assert took == [False, True], "the lane is held; the other bot's is free"
    assert [one.what for one in beside.line.sent] == ["셋"]
    assert [one.what for one in desk.line.sent] == ["하나", "둘"]


async def test_a_send_cancelled_before_a_part_began_leaves_that_part_to_the_next_attempt(world: World, desk: Desk):
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    held, release = asyncio.Event(), asyncio.Event()

    async def hold() -> None:
        async with world.db.transaction() as tx:
            await tx.rows(SQL.lock_part, no=1)
            held.set()
            await release.wait()

    holding: list[asyncio.Task[None]] = []

    async def hold_the_next(_number: int) -> None:
        holding.append(asyncio.create_task(hold()))
        await held.wait()

    desk.line.after = hold_the_next
    sending = asyncio.create_task(desk.run())
    await held.wait()
    await until_blocked(world.db)
    sending.cancel()
    release.set()
    await asyncio.gather(sending, *holding, return_exceptions=True)

    assert states(await find_delivery(world.db)) == ["handled", "planned"]
    assert len(desk.line.sent) == 1


async def find_key(world: World) -> str:
    async with world.db.transaction() as tx:
        return (await get_file(tx, Scope(None, None), world.picture.file_id)).key


async def until_begun(world: World, schedule_id: int) -> None:
    async def is_begun() -> bool:
        found = await find_deliveries(world.db, schedule=schedule_id)
        return bool(found) and found[0].parts[0].state is PartState.WRITING

    await until(is_begun)
