"""Jobs that end without success: what becomes of their deliveries, and what is said about why."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.machine import SCHEDULE, ScheduleEvent
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.model.reasons import REASONS, explain
from pabal.apps.messaging.store import statistics
from pabal.base.database import Database
from pabal.engine import withdrawals
from pabal.engine.transitions import transition
from pabal.platform.tenants import Scope
from tests.support.botline import Desk, fall_due, find_deliveries, find_delivery, send_now, set_value
from tests.support.messaging import SQL, World, add_schedule, connect_unproven, make_world
from tests.support.work import advance

QUICK = Content(text="안녕하세요", send_interval_seconds=0)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


@pytest.fixture
async def desk(world: World) -> Desk:
    return await Desk.open(world)


async def stay_away(desk: Desk, world: World) -> None:
    await desk.disconnect()


async def sign_otherwise(desk: Desk, world: World) -> None:
    """The phone is there, and nobody believes it."""
    await connect_unproven(world.db, world.bot_id, world.device_id, world.bot_name, signature="invalid")
    await desk.disconnect()


async def exclude(desk: Desk, world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.run(SQL.exclude_bot, id=world.bot_id)
    await desk.disconnect()


async def be_busy(desk: Desk, world: World) -> None:
    """Somebody else's job has its lane."""


@pytest.mark.req("A-34", "A-205")
@pytest.mark.parametrize(
    ("happen", "reason"),
    [
        (stay_away, "bot_offline"),
        (sign_otherwise, "wrong_secret"),
        (exclude, "bot_excluded"),
        (be_busy, "lane_busy"),
    ],
)
async def test_what_nobody_could_begin_in_time_is_missed_and_says_why(
    happen: Callable[[Desk, World], Awaitable[None]], reason: str, world: World, desk: Desk
):
    schedule_id = await add_schedule(world, QUICK)
    async with world.db.transaction() as tx:
        await tx.run(SQL.ping, bot_id=world.bot_id)
    await happen(desk, world)
    await fall_due(world.db)

    await advance(world.db, 311)
    expired = await desk.expire()

    delivery = await find_delivery(world.db, schedule=schedule_id)
    assert (expired, delivery.state, delivery.reason) == (1, "missed", reason)
    assert "last_ping_at" in delivery.detail
    assert (delivery.content.text, len(delivery.parts)) == (QUICK.text, 1), "it can still be sent"


async def test_a_send_that_had_begun_ends_as_what_went_out_when_its_bot_stays_away(world: World, desk: Desk):
    await add_schedule(world, replace(QUICK, images_1=(world.picture,)))
    await fall_due(world.db)
    desk.line.go(1, began=False)
    await desk.run()
    await desk.disconnect()

    await advance(world.db, 3600)
    early = await desk.expire()
    await advance(world.db, 86400)
    await desk.expire()

    delivery = await find_delivery(world.db)
    assert early == 0, "what has begun is given a day"
    assert (delivery.state, delivery.reason) == ("partial", "bot_gone")


async def test_what_somebody_withdrew_needs_nobody(world: World, desk: Desk):
    schedule_id = await add_schedule(world, QUICK)
    await send_now(world.db, schedule_id)
    await send_now(world.db, schedule_id)
    await desk.run()
    await desk.run()
    [deferred] = await find_deliveries(world.db, state=(DeliveryState.OPEN,))

    async with world.db.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [deferred.job_id or 0], kinds=desk.kinds)

    [withdrawn] = await find_deliveries(world.db, state=(DeliveryState.MISSED,))
    assert (withdrawn.reason, withdrawn.detail["dismissed_by"]) == ("cancelled", "engine")


async def test_a_send_paused_while_a_limit_put_it_off_says_paused_and_is_no_failure(world: World, desk: Desk):
    await set_value(world.db, own.MIN_GAP_SECONDS, 3600)
    schedule_id = await add_schedule(world, QUICK)
    await send_now(world.db, schedule_id)
    await fall_due(world.db)
    await desk.run()
    await desk.run()
    async with world.db.transaction() as tx:
        await transition(tx, SCHEDULE, schedule_id, ScheduleEvent.DEACTIVATE, actor="user:1")
    before = await _count(world)

    [deferred] = await find_deliveries(world.db, state=(DeliveryState.OPEN,))
    async with world.db.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [deferred.job_id or 0], kinds=desk.kinds)

    [paused] = await find_deliveries(world.db, state=(DeliveryState.MISSED,))
    assert (paused.reason, paused.deferred_by) == ("paused", "min_gap_seconds")
    assert [one.pair for one in explain(paused)] == [REASONS["paused"]]
    assert await _count(world) == before


async def _count(world: World) -> int:
    async with world.db.transaction() as tx:
        ended = await statistics.read_ended(tx, Scope(None, None), tx.now - timedelta(days=1))
    return ended.processed


@pytest.mark.req("A-24")
async def test_a_send_whose_servers_keep_dying_is_failed_in_the_end(world: World):
    await add_schedule(world, QUICK)
    await fall_due(world.db)
    for _ in range(4):
        desk = await Desk.open(world)
        assert await desk.claim() is not None
        await desk.die()

    delivery = await find_delivery(world.db)
    assert (delivery.state, delivery.reason, delivery.attempts) == ("failed", "server_died", 0)
