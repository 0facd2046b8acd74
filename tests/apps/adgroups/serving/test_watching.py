"""Redis away, differences that remain or come again, no check for long: somebody is called."""

from datetime import timedelta

import pytest

from pabal import testing
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.serving import actions, watching
from pabal.apps.adgroups.serving.plan import ABOUT, REFRESH
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import queue
from pabal.platform import alerts
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Scope
from tests.apps.adgroups.serving.world import World, make_world, redis_of, snapshot

# nobody listens there
AWAY = "redis://127.0.0.1:1"


async def read(world: World) -> dict[str, float | None]:
    async with world.db.transaction() as tx:
        return {one.name.removeprefix("adgroups.serving_"): await one.read(tx) for one in watching.MEASURES}


async def list_fired(world: World) -> set[str]:
    for _ in range(6):
        await alerts.sample_once(world.db, watching.MEASURES)
        await clock.advance(world.db, timedelta(seconds=15))
    await alerts.evaluate_once(world.db, watching.RULES, alerts.tell_people)
    async with world.db.transaction() as tx:
        return {alert.rule for alert in await alerts.list_open(tx, Scope(None, None))}


@pytest.mark.req("E-71", "E-16")
async def test_while_redis_is_away_somebody_is_called_and_nothing_is_lost(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    stays, leaves = await world.add("seoul.top"), await world.add("seoul.top")
    await world.drain()
    assert await read(world) == {"differences": None, "remaining": None, "check_age": None, "away": 0}

    await world.send(leaves, Event.PAUSE)
    comes = await world.add("busan.top")
    async with db.transaction() as tx:
        await actions.check_now(tx, ENGINE)
    await testing.drain(world.parts_with(AWAY))

    async with db.transaction() as tx:
        told = await actions.describe(tx, ENGINE)
        places = [await queue.get_place(tx, each) for each in await queue.find_open(tx, about=ABOUT)]
    [waiting] = [one for one in places if one.kind == REFRESH]
    assert (waiting.place, waiting.failures) == ("delayed", 1)
    assert told.last is not None
    assert told.last.error is not None
    assert told.standing.away_error == told.last.error
    assert "adgroups.serving_away" in await list_fired(world)

    await clock.advance(db, timedelta(seconds=1))
    await world.drain()
    found = await snapshot(redis_url)
    assert (found["running"], found["inventory:seoul.top"]) == ({stays, comes}, {stays})
    assert (await read(world))["away"] == 0


async def test_differences_are_measured_and_what_remains_calls_somebody(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    await world.add("seoul.top")
    await world.drain()
    async with db.transaction() as tx:
        await actions.check_now(tx, ENGINE)

    async with redis_of(redis_url) as (redis, _):
        await redis.flushall()
        # it refuses whatever needs memory
        await redis.config_set("maxmemory", 1)
        try:
            await world.drain()
        finally:
            await redis.config_set("maxmemory", 0)

    now = await read(world)
    assert (now["differences"], now["remaining"]) == (1, 1)
    assert await list_fired(world) == {"adgroups.serving_remaining", "adgroups.serving_away"}
    await clock.advance(db, timedelta(hours=1))
    assert ((await read(world))["check_age"] or 0) > 3600
