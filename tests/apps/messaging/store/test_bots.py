"""Bots by what the outside calls them."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging.actions.bots import list_absences
from pabal.apps.messaging.model.bots import Bot, route_of
from pabal.apps.messaging.store import attention, bots, connected
from pabal.base.database import Database
from pabal.engine import routes
from pabal.engine.queue import NewJob, enqueue_many
from pabal.platform.tenants import Scope
from tests.apps.messaging.history import add_deliveries, add_parts, add_server, ended
from tests.support.botline import Desk, fall_due
from tests.support.messaging import (
    SQL,
    World,
    add_bot,
    add_room,
    add_schedule,
    connect_unproven,
    make_world,
    sign_wrongly,
)
from tests.support.plans import list_lookups
from tests.support.work import advance


async def test_a_bot_is_found_by_its_name_by_those_who_own_it_or_have_it_in_a_room(
    db: Database, tmp_path: Path
) -> None:
    world = await make_world(db, tmp_path)
    await add_bot(db, world.tree.haeundae, f"{world.bot_name}0")
    await add_room(db, world.tree.nampo, "77", "남포 손님방", bots=[world.bot_id])
    house, own, using, other = (
        Scope(units, units and units[0])
        for units in (None, (world.tree.haeundae.id,), (world.tree.nampo.id,), (world.tree.gangnam.id,))
    )

    async with db.transaction() as tx:
        found = [await bots.find_by_name(tx, scope, world.bot_name) for scope in (house, own, using, other)]
        unknown = await bots.find_by_name(tx, house, "busan")

    assert found == [world.bot_id, world.bot_id, world.bot_id, None]
    assert unknown is None


async def test_a_name_is_looked_up_by_index(db: Database) -> None:
    async with db.transaction() as tx:
        assert "bot_name_key" in await list_lookups(tx, bots.SQL.find_by_name)


async def test_what_waits_for_others_leaves_a_bots_own_count_alone(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await make_world(db, tmp_path)
    monkeypatch.setattr(bots, "MOST_COUNTED", 3)
    async with db.transaction() as tx:
        later = tx.now + timedelta(hours=1)
        await enqueue_many(tx, [NewJob("test.other", run_at=later) for _ in range(5)])
        await enqueue_many(tx, [NewJob("test.other", lane="one") for _ in range(5)])
        await enqueue_many(tx, [NewJob("test.bot", route=route_of(world.bot_name), run_at=later) for _ in range(2)])

    async with db.transaction() as tx:
        bot = await bots.get_bot(tx, Scope(None, None), world.bot_id)

    assert bot.lane == 2


async def get(world: World) -> Bot:
    async with world.db.transaction() as tx:
        return await bots.get_bot(tx, Scope(None, None), world.bot_id)


async def test_a_connected_bot_is_through_with_what_waits_at_the_pace_it_was_seen_to_have(
    db: Database, tmp_path: Path
) -> None:
    world = await make_world(db, tmp_path)
    desk = await Desk.open(world)
    async with db.transaction() as tx:
        now = tx.now
        await enqueue_many(tx, [NewJob("test.bot", route=route_of(world.bot_name)) for _ in range(3)])
    unmeasured = await get(world)
    rows = [ended("sent", now - timedelta(minutes=1), took_ms=4000)]
    for delivery_id in await add_deliveries(db, await add_schedule(world), rows):
        await add_parts(db, delivery_id, "written", "written")

    async with db.transaction() as tx:
        expected = tx.now + timedelta(seconds=12)
        measured = await bots.get_bot(tx, Scope(None, None), world.bot_id)
    await desk.disconnect()
    away = await get(world)

    assert (unmeasured.lane, unmeasured.through_at) == (3, None)
    assert (measured.lane, measured.through_at) == (3, expected)
    assert (away.lane, away.through_at) == (3, None)


async def test_a_phone_that_does_not_sign_is_called_so_after_a_minute(db: Database, tmp_path: Path) -> None:
    world = await make_world(db, tmp_path)
    await connect_unproven(db, world.bot_id, world.device_id, world.bot_name, signature="none")

    at_first = (await get(world)).state
    await advance(db, 50)
    still = (await get(world)).state
    await advance(db, 20)

    assert (at_first, still, (await get(world)).state) == ("offline", "offline", "wrong_secret")


async def test_a_phone_that_waits_for_approval_is_waiting_while_it_is_connected(db: Database, tmp_path: Path) -> None:
    world = await make_world(db, tmp_path)
    bot_id, device = await add_bot(db, world.tree.haeundae, "busan9", state="pending")
    worker = await add_server(db)

    async with db.transaction() as tx:
        away = (await bots.get_bot(tx, Scope(None, None), bot_id)).state
        await connected.update_moved(tx, [device], worker=worker)
        there = (await bots.get_bot(tx, Scope(None, None), bot_id)).state

    assert (away, there) == ("offline", "waiting")


async def test_of_bots_that_sends_wait_for_it_is_said_whose_phone_does_not_sign(db: Database, tmp_path: Path) -> None:
    world = await make_world(db, tmp_path)
    other = await sign_wrongly(db, world.tree.haeundae, "busan9")
    await add_schedule(world)
    await add_schedule(world, bot_id=other, bot_name="busan9")
    await fall_due(db)

    async with db.transaction() as tx:
        waiting = await attention.list_waiting_bots(tx)

    assert {one.name: one.is_unproven for one in waiting} == {world.bot_name: False, "busan9": True}


async def test_a_wrong_secret_is_named_only_where_it_keeps_something_from_going_out(
    db: Database, tmp_path: Path
) -> None:
    world = await make_world(db, tmp_path)
    unit, worker = world.tree.haeundae, await add_server(db)
    names = ("busan5", "busan6", "busan7")
    _, excluded, _ = [await sign_wrongly(db, unit, name) for name in names]
    waiting, device = await add_bot(db, unit, "busan8", state="pending")
    await connect_unproven(db, waiting, device, "busan8", signature="invalid")

    async with db.transaction() as tx:
        await tx.run(SQL.exclude_bot, id=excluded)
        # another of its phones sends
        await routes.hold_route(tx, route_of("busan7"), worker=worker)
        absent = await list_absences(tx)

    assert list(absent) == ["bot:busan5"]
