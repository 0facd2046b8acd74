"""Jobs that end without success: what becomes of their deliveries, and what is said about why."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.base.database import Database
from pabal.engine import withdrawals
from tests.support.botline import Desk, fall_due, find_deliveries, find_delivery, send_now
from tests.support.messaging import SQL, World, add_schedule, make_world
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


async def exclude(desk: Desk, world: World) -> None:
    async with world.db.transaction() as tx:
        await tx.run(SQL.exclude_bot, id=world.bot_id)
    await desk.disconnect()


async def be_busy(desk: Desk, world: World) -> None:
    """Somebody else's job has its lane."""


@pytest.mark.req("A-34", "A-205")
@pytest.mark.parametrize(
    ("happen", "reason"), [(stay_away, "bot_offline"), (exclude, "bot_excluded"), (be_busy, "lane_busy")]
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
