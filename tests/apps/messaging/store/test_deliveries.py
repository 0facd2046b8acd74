"""Deliveries for those who look: lists and filters, where each is, and the report of what was just due."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging.errors import DeliveryNotFound
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import Cause, DeliveryState
from pabal.apps.messaging.model.seed import as_seed
from pabal.apps.messaging.store import deliveries, sending
from pabal.apps.messaging.store.deliveries import get_delivery, list_deliveries, list_open, list_recent
from pabal.base.database import ConstraintBroken, Database
from pabal.base.sql import Statement, load
from pabal.platform.tenants import Scope, visible_to
from tests.support.botline import Desk, fall_due, find_deliveries, send_now
from tests.support.messaging import (
    SQL,
    World,
    add_bot,
    add_room,
    add_schedule,
    connect_unproven,
    make_world,
    set_limit,
)
from tests.support.people import person
from tests.support.plans import list_lookups, list_scanned
from tests.support.work import advance

OWN = load(__file__)
HOUSE = Scope(None, None)


QUICK = Content(text="봄맞이 할인", send_interval_seconds=0)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    await set_limit(db, world.room_id, gap=0, per_minute=0)
    return world


async def test_lists_are_newest_first_in_pages_and_find_what_is_asked_for(world: World):
    desk = await Desk.open(world)
    first, second = await add_schedule(world, QUICK), await add_schedule(world, replace(QUICK, text="가을"))
    for schedule_id in (first, second, first):
        await send_now(world.db, schedule_id)
        await desk.run()
    async with world.db.transaction() as tx:
        page = await list_deliveries(tx, HOUSE, limit=2)
        rest = await list_deliveries(tx, HOUSE, cursor=page.cursor, limit=2)
        mine = await list_deliveries(tx, Scope((world.tree.haeundae.id,), world.tree.haeundae.id))
        theirs = await list_deliveries(tx, Scope((world.tree.nampo.id,), world.tree.nampo.id))

    everything = page.items + rest.items
    assert [one.schedule_id for one in everything] == [first, second, first]
    assert [one.id for one in everything] == sorted((one.id for one in everything), reverse=True)
    assert rest.cursor is None
    assert (len(mine.items), theirs.items) == (3, [])
    wanted: list[tuple[dict[str, Any], int]] = [
        ({"schedule": first}, 2),
        ({"room": world.room_id}, 3),
        ({"room": world.test_room_id}, 0),
        ({"bot": world.bot_id}, 3),
        ({"state": (DeliveryState.SENT,)}, 3),
        ({"state": (DeliveryState.MISSED, DeliveryState.FAILED)}, 0),
        ({"cause": Cause.NOW}, 3),
        ({"cause": Cause.TEST}, 0),
        ({"q": "가을"}, 1),
        ({"q": "아침 인사"}, 3),
        ({"q": "손님방"}, 3),
        ({"q": "없는 말"}, 0),
        ({"since": everything[0].scheduled_at}, 1),
        ({"until": everything[0].scheduled_at}, 2),
    ]
    assert [len(await find_deliveries(world.db, **each)) for each, _ in wanted] == [count for _, count in wanted]


async def test_another_branch_has_no_such_delivery(world: World):
    desk = await Desk.open(world)
    await send_now(world.db, await add_schedule(world, QUICK))
    await desk.run()
    [delivery] = await find_deliveries(world.db)

    async with world.db.transaction() as tx:
        seen = await get_delivery(tx, await visible_to(tx, person(world.tree.busan)), delivery.id)
        with pytest.raises(DeliveryNotFound):
            await get_delivery(tx, await visible_to(tx, person(world.tree.nampo)), delivery.id)
    assert seen == delivery


@pytest.mark.req("A-214")
async def test_what_is_under_way_says_where_it_is_before_and_after_somebody_took_it(world: World):
    desk = await Desk.open(world)
    other, _ = await add_bot(world.db, world.tree.haeundae, "away")
    room = await add_room(world.db, world.tree.haeundae, "9", "먼 방", bots=[other])
    waiting = await add_schedule(world, QUICK, bot_id=other, room_id=room, bot_name="away")
    here = await add_schedule(world, QUICK)
    for schedule_id in (waiting, here, here):
        await send_now(world.db, schedule_id)
    await set_limit(world.db, world.room_id, gap=30, per_minute=0)

    async with world.db.transaction() as tx:
        before = await list_open(tx, None)
    await desk.run()
    await desk.run()
    await send_now(world.db, here)
    assert await desk.claim() is not None
    async with world.db.transaction() as tx:
        after = await list_open(tx, [world.tree.haeundae.id])
        nobody = await list_open(tx, [world.tree.gangnam.id])

    assert [(one.schedule_id, one.place, one.delivery_id) for one in before] == [
        (waiting, "waiting_for_bot", None),
        (here, "queued", None),
        (here, "queued", None),
    ]
    assert [(one.schedule_id, one.place) for one in after] == [
        (waiting, "waiting_for_bot"),
        (here, "deferred"),
        (here, "sending"),
    ]
    deferred = after[1]
    assert (deferred.deferred_by, deferred.until is not None, deferred.parts) == ("min_gap_seconds", True, 1)
    assert nobody == []


@pytest.mark.req("A-134")
async def test_the_report_of_the_last_five_minutes_tells_sent_from_not_sent_and_to_be_retried(world: World):
    desk = await Desk.open(world)
    sent, failed, waits = [await add_schedule(world, replace(QUICK, text=text)) for text in ("가", "나", "다")]
    await fall_due(world.db)
    await desk.run()
    async with world.db.transaction() as tx:
        await tx.run(SQL.leave_room, room_id=world.room_id, bot_id=world.bot_id)
    await desk.run()

    async with world.db.transaction() as tx:
        report = await list_recent(tx, None, tx.now - timedelta(minutes=5))
        nobody = await list_recent(tx, [world.tree.gangnam.id], tx.now - timedelta(minutes=5))
    assert {one.schedule_id: one.verdict for one in report} == {
        sent: "sent",
        failed: "retry_needed",
        waits: "not_sent",
    }
    assert nobody == []
    await advance(world.db, 301)
    async with world.db.transaction() as tx:
        assert await list_recent(tx, None, tx.now - timedelta(minutes=5)) == [], "only what was due in that time"


HOT: list[tuple[Statement, tuple[str, ...]]] = [
    (sending.SQL.mark_parts, ("delivery_part",)),
    (sending.SQL.settle_begun, ("delivery_part",)),
    (sending.SQL.list_parts, ("delivery_part",)),
    (sending.SQL.open_deliveries, ("delivery", "message_schedule", "occurrence")),
    (sending.SQL.find_at, ("delivery",)),
    (sending.SQL.load_deliveries, ("delivery", "message_schedule", "room_bot")),
    (sending.SQL.start_deliveries, ("delivery",)),
    (sending.SQL.end_deliveries, ("delivery",)),
    (sending.SQL.note_ends, ("message_schedule",)),
    (sending.SQL.list_through, ("delivery", "occurrence", "schedule")),
    (deliveries.SQL.find_of_units, ("delivery",)),
    (deliveries.SQL.show_deliveries, ("delivery", "work", "lease", "delayed", "route")),
]


BY_KEY = (sending.SQL.load_deliveries, sending.SQL.start_deliveries, sending.SQL.end_deliveries)


@pytest.mark.req("A-75", "A-198")
async def test_every_statement_of_sending_reads_its_tables_by_index(db: Database):
    """As engine connections plan them: generic plans."""
    scanned = []
    async with db.transaction() as tx:
        for statement, tables in HOT:
            scanned += await list_scanned(tx, statement, tables)
        # an index that is read from end to end is no scan, and no better
        found = {one.name: "delivery_pkey" in await list_lookups(tx, one) for one in BY_KEY}
        indexes = {row["indexname"]: row["indexdef"] for row in await tx.rows(SQL.list_indexes, table="delivery")}
    assert scanned == []
    assert found == dict.fromkeys(found, True)
    named = ("delivery_schedule", "delivery_room", "delivery_state")
    assert [indexes[name].partition(" btree ")[2] for name in named] == [
        "(schedule_id, id)",
        "(room_id, id)",
        "(state, scheduled_at)",
    ]


@pytest.mark.req("A-66")
async def test_the_log_of_a_send_names_its_room_by_all_100_signs_of_its_channel_and_cannot_be_without(world: World):
    channel = f"{'18' * 49}34"
    room_id = await add_room(world.db, world.tree.haeundae, channel, "손님방", bots=[world.bot_id])
    await send_now(world.db, await add_schedule(world, QUICK, room_id=room_id))
    desk = await Desk.open(world)
    await desk.run()

    [delivery] = await find_deliveries(world.db)

    assert len(channel) == 100
    assert [one.room for one in desk.line.sent] == [f"{channel} 손님방"]
    assert as_seed(delivery)["target_room_id"] == channel
    with pytest.raises(ConstraintBroken, match="null value"):
        async with world.db.transaction() as tx:
            await tx.run(OWN.drop_room, id=delivery.id)
    with pytest.raises(ConstraintBroken, match="foreign key"):
        async with world.db.transaction() as tx:
            await tx.run(OWN.drop_all, id=room_id)


@pytest.mark.req("A-65")
async def test_a_delivery_belongs_to_its_schedule_and_goes_when_that_is_really_deleted(world: World):
    desk = await Desk.open(world)
    schedule_id = await add_schedule(world, QUICK)
    await send_now(world.db, schedule_id)
    await desk.run()

    async with world.db.transaction() as tx:
        await tx.run(SQL.purge_schedule, id=schedule_id)

    assert await find_deliveries(world.db) == []


async def test_a_send_whose_phone_does_not_sign_says_so_and_not_that_it_waits_for_the_bot(world: World):
    desk = await Desk.open(world)
    await send_now(world.db, await add_schedule(world, replace(QUICK, images_1=(world.picture,))))
    desk.line.go(1, began=False)
    await desk.run()
    await desk.disconnect()

    away = await read_places(world)
    await connect_unproven(world.db, world.bot_id, world.device_id, world.bot_name, signature="invalid")

    assert away == ("waiting_for_bot", "waiting_for_bot")
    assert await read_places(world) == ("wrong_secret", "wrong_secret")


async def read_places(world: World) -> tuple[str | None, str | None]:
    """As its own page and as the list of what is under way say."""
    [delivery] = await find_deliveries(world.db)
    async with world.db.transaction() as tx:
        shown = await get_delivery(tx, HOUSE, delivery.id)
        [listed] = await list_open(tx, None)
    return shown.place, listed.place
