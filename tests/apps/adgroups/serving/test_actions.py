"""People see how serving stands, and ask for a check or a rebuild; a server says whether it serves."""

import sys

import pytest

from pabal import testing
from pabal.apps.adgroups.errors import BadServingAddress, ServingNeedsExtra, ServingOff
from pabal.apps.adgroups.serving import actions
from pabal.apps.adgroups.serving.actions import ABOUT, CHECK, REBUILD
from pabal.apps.adgroups.serving.gateway import ServingGateway
from pabal.apps.adgroups.settings import CHECK_EVERY
from pabal.base.database import Database
from pabal.engine import schedules
from pabal.engine.schedules import Schedule
from pabal.platform import settings
from pabal.platform.actor import ENGINE, Role
from pabal.platform.tenants import HeadOfficeOnly
from tests.apps.adgroups.serving.world import make_services, make_world, redis_of, snapshot
from tests.support.people import person


async def list_plans(db: Database) -> list[Schedule]:
    async with db.transaction() as tx:
        return await schedules.list_schedules(tx, about=ABOUT, kind=CHECK)


async def test_the_head_office_asks_for_a_check_and_a_rebuild_and_sees_what_came_of_it(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top")
    await world.drain()
    right = await snapshot(redis_url)
    async with redis_of(redis_url) as (redis, _):
        await redis.flushall()
    head = person(world.tree.hq)

    async with db.transaction() as tx:
        asked = await actions.check_now(tx, head)
        assert (await actions.check_now(tx, head)).id == asked.id, "one at a time is enough"
    await world.drain()

    async with db.transaction() as tx:
        told = await actions.describe(tx, head)
        with pytest.raises(HeadOfficeOnly):
            await actions.describe(tx, person(world.tree.busan))
        with pytest.raises(HeadOfficeOnly):
            await actions.rebuild_now(tx, person(world.tree.busan))
    assert told.last is not None
    assert (told.last.asked_by, told.last.differences["missing"], told.last.mended) == ("user:1", 1, 1)
    assert (told.standing.is_wanted, told.running, told.standing.away_since) == (True, 1, None)
    assert await snapshot(redis_url) == right

    async with redis_of(redis_url) as (redis, _):
        await redis.flushall()
    async with db.transaction() as tx:
        await actions.rebuild_now(tx, head)
    await world.drain()
    assert (await snapshot(redis_url))["running"] == {ad_group_id}


async def test_where_nothing_is_served_nothing_can_be_asked_for(db: Database, redis_url: str):
    world = await make_world(db, redis_url, is_wanted=False)

    async with db.transaction() as tx:
        told = await actions.describe(tx, person(world.tree.hq, Role.VIEWER))
        for ask in (actions.check_now, actions.rebuild_now):
            with pytest.raises(ServingOff):
                await ask(tx, ENGINE)

    assert (told.standing.is_wanted, told.checks) == (False, [])


@pytest.mark.req("E-71")
async def test_a_server_with_the_address_fills_redis_and_checks_by_schedule_until_one_comes_without(
    db: Database, redis_url: str
):
    world = await make_world(db, redis_url, is_wanted=False)
    ad_group_id = await world.add("seoul.top")
    await world.drain()
    assert await list_plans(db) == []

    await ServingGateway(make_services(db, redis_url)).start()
    await ServingGateway(make_services(db, redis_url)).start()
    await world.drain()

    assert (await snapshot(redis_url))["running"] == {ad_group_id}, "what ran before is written at once"
    assert len(await testing.list_enqueued(db, REBUILD)) == 1
    [planned] = await list_plans(db)
    await world.jump(CHECK_EVERY.default)
    async with db.transaction() as tx:
        [check] = (await actions.describe(tx, ENGINE)).checks
        await settings.change(tx, ENGINE, CHECK_EVERY, CHECK_EVERY.default * 2)
    assert (check.asked_by, check.compared, check.found) == ("engine", 1, 0)
    await world.drain()
    [slower] = await list_plans(db)
    assert (slower.id, slower.recurrence == planned.recurrence) == (planned.id, False)

    await ServingGateway(make_services(db, "")).start()
    assert await list_plans(db) == []
    async with db.transaction() as tx:
        await actions.enqueue_refresh(tx, [ad_group_id])
        await actions.enqueue_rebuild(tx, by="engine")
        await actions.enqueue_check(tx, by="engine")
    await testing.drain(world.parts_with(""))
    await testing.assert_enqueued(db, REBUILD, count=2)


async def test_an_address_that_cannot_work_is_refused_at_the_start(db: Database, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(BadServingAddress, match="http"):
        await ServingGateway(make_services(db, "http://127.0.0.1:6379")).start()

    monkeypatch.delitem(sys.modules, "pabal.apps.adgroups.serving.links")
    monkeypatch.setitem(sys.modules, "redis.asyncio", None)
    with pytest.raises(ServingNeedsExtra, match="redis"):
        await ServingGateway(make_services(db, "redis://127.0.0.1:6379")).start()


async def test_a_redis_that_lost_everything_is_filled_at_once(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    await world.add("seoul.top")
    gateway = ServingGateway(make_services(db, redis_url))
    async with db.transaction() as tx:
        await actions.rebuild_now(tx, person(world.tree.hq))
    await world.drain()
    right = await snapshot(redis_url)
    await gateway.look_once()
    assert await testing.drain(world.parts) == 0, "nothing was lost yet"
    async with redis_of(redis_url) as (redis, _):
        await redis.flushall()

    await gateway.look_once()
    await world.drain()

    assert await snapshot(redis_url) == right
