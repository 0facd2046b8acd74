"""The database and Redis are compared from both sides; what differs is mended and written down."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.serving import store
from pabal.apps.adgroups.serving.layout import PREFIX
from pabal.apps.adgroups.serving.rebuilding import rebuild
from pabal.apps.adgroups.serving.reconciling import ON_ITS_WAY, reconcile_once
from pabal.base import clock
from pabal.base.database import Database
from tests.apps.adgroups.serving.world import make_world, redis_of, snapshot

Spoil = Callable[[Redis, str], Awaitable[Any]]
# what somebody did to Redis, and what the check calls it
SPOILT: list[tuple[Spoil, dict[str, int]]] = [
    (lambda redis, _: redis.flushall(), {"missing": 2}),
    (lambda redis, one: redis.delete(PREFIX + one), {"missing": 1}),
    (lambda redis, one: redis.srem(PREFIX + "running", one), {"missing": 1}),
    (lambda redis, one: redis.set(PREFIX + one, '{"version":1,"inventory":["gone.top"]}'), {"stale": 1}),
    (lambda redis, one: redis.set(PREFIX + one, "\xff"), {"stale": 1}),
    (lambda redis, one: redis.srem(PREFIX + "inventory:seoul.top", one), {"wrong_inventory": 1}),
    (lambda redis, one: redis.sadd(PREFIX + "inventory:busan.top", one), {"wrong_inventory": 1}),
    (lambda redis, one: redis.sadd(PREFIX + "inventory:no.such", one), {"wrong_inventory": 1}),
    (lambda redis, _: redis.set(PREFIX + "999999", "{}"), {"unknown": 1}),
    (lambda redis, _: redis.sadd(PREFIX + "running", "999999", "x"), {"unknown": 2}),
    (lambda redis, _: redis.set(PREFIX + "note", "keep out"), {"unknown": 1}),
    (lambda redis, _: redis.sadd(PREFIX + "inventory:seoul.top", "x"), {"unknown": 1}),
]


@pytest.mark.req("E-71")
async def test_every_kind_of_difference_is_found_named_and_mended(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    paused, one = await world.add("busan.top"), str(await world.add("seoul.top"))
    await world.add("busan.top")
    await world.drain()
    left = (await snapshot(redis_url))[str(paused)]
    await world.send(paused, Event.PAUSE)
    await world.drain()
    right = await snapshot(redis_url)

    async with redis_of(redis_url) as (redis, link):
        for number, (spoil, expected) in enumerate(SPOILT):
            await spoil(redis, one)
            check = await reconcile_once(db, link)
            assert {kind: count for kind, count in check.differences.items() if count} == expected, number
            assert (check.compared, check.remaining, check.error) == (2, 0, None), number
            assert await snapshot(redis_url) == right, number

        await redis.set(f"{PREFIX}{paused}", str(left).replace("'", '"'))
        await redis.sadd(f"{PREFIX}inventory:busan.top", paused)
        check = await reconcile_once(db, link)
        assert (check.differences["not_running"], check.remaining) == (1, 0)
        assert (await reconcile_once(db, link)).found == 0
    assert await snapshot(redis_url) == right
    async with db.transaction() as tx:
        assert len(await store.list_checks(tx)) == len(SPOILT) + 2


@pytest.mark.req("E-71")
async def test_what_changed_a_moment_ago_is_left_to_come_by_itself(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    stays, leaves = await world.add("seoul.top"), await world.add("seoul.top")
    await world.drain()
    await clock.advance(db, 2 * ON_ITS_WAY)
    await world.send(leaves, Event.PAUSE)
    await world.edit(stays, name="다른 이름")
    before = await snapshot(redis_url)

    async with redis_of(redis_url) as (_, link):
        soon = await reconcile_once(db, link, grace=ON_ITS_WAY)
        assert (soon.found, await snapshot(redis_url)) == (0, before)
        await clock.advance(db, ON_ITS_WAY)
        later = await reconcile_once(db, link, grace=ON_ITS_WAY)

    assert (later.differences["stale"], later.differences["not_running"], later.remaining) == (1, 1, 0)
    assert (await snapshot(redis_url))["running"] == {stays}


@pytest.mark.req("E-71")
async def test_more_than_a_slice_is_rebuilt_and_compared_and_nothing_that_runs_is_missing_meanwhile(
    db: Database, redis_url: str
):
    world = await make_world(db, redis_url)
    await world.fill(1100, "seoul.top")
    async with redis_of(redis_url) as (redis, link):
        first = await rebuild(db, link)
        right = await snapshot(redis_url)
        await redis.set(f"{PREFIX}5", "{}")
        await redis.sadd(f"{PREFIX}inventory:gone.top", 5, 7)
        await redis.config_set("notify-keyspace-events", "KEA")
        async with redis.pubsub() as events:
            await events.psubscribe(*(f"__keyevent@*__:{name}" for name in ("del", "srem", "expired", "rename_from")))
            again = await rebuild(db, link)
            removed = await _keys_until(redis, events, "enough")
        await redis.config_set("notify-keyspace-events", "")
        check = await reconcile_once(db, link)

    assert (first.written, first.removed) == (1100, 0)
    assert (again.written, len(right["running"]), len(right["inventory:seoul.top"])) == (1100, 1100, 1100)
    assert (check.compared, check.found) == (1100, 0)
    assert await snapshot(redis_url) == right
    assert f"{PREFIX}inventory:gone.top" in removed, "what should not be there went"
    there = {f"{PREFIX}{each}" for each in right["running"]} | {f"{PREFIX}running", f"{PREFIX}inventory:seoul.top"}
    assert not there & removed


async def _keys_until(redis: Redis, events: PubSub, last: str) -> set[str]:
    """What lost something or went, so far."""
    await redis.set(last, "1")
    await redis.delete(last)
    keys = set()
    async for message in events.listen():
        if message["data"] == last:
            break
        keys.add(str(message["data"]))
    return keys
