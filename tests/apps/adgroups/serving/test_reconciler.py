"""The database and Redis are compared from both sides; what differs is mended and written down."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.client import PubSub

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.errors import ServingOvertaken
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.serving import reconciler, store
from pabal.apps.adgroups.serving.layout import ABOUT, PREFIX, Change
from pabal.apps.adgroups.serving.reconciler import ON_ITS_WAY, rebuild, reconcile_once
from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from tests.apps.adgroups.serving.world import make_world, redis_of, snapshot
from tests.support.work import begin_blocked

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


async def read(db: Database, ad_group_id: int) -> Change:
    async with db.transaction() as tx:
        return await reconciler.read_change(tx, [ad_group_id])


@pytest.mark.req("E-102")
async def test_a_late_writer_neither_brings_back_what_left_nor_takes_away_what_came(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top")
    await world.drain()
    running = await read(db, ad_group_id)

    await world.send(ad_group_id, Event.PAUSE)
    paused = await read(db, ad_group_id)
    await world.drain()
    async with redis_of(redis_url) as (_, link):
        with pytest.raises(ServingOvertaken):
            await link.write(running)
        assert await snapshot(redis_url) == {"about": {"count": "0"}}

        await world.send(ad_group_id, Event.RESUME)
        await world.drain()
        with pytest.raises(ServingOvertaken):
            await link.write(paused)
    assert (await snapshot(redis_url))[str(ad_group_id)]["version"] == 6


@pytest.mark.req("E-102")
async def test_what_is_written_twice_is_there_once(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top", "busan.top")
    await world.drain()
    once = await snapshot(redis_url)

    async with redis_of(redis_url) as (_, link):
        await reconciler.write_current(db, link, [ad_group_id])
        await asyncio.gather(
            reconciler.write_current(db, link, [ad_group_id]), reconciler.write_current(db, link, [ad_group_id])
        )

    assert await snapshot(redis_url) == once


async def test_who_takes_the_later_number_reads_later(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top")
    await world.drain()

    async with db.transaction() as tx:
        first = await reconciler.read_change(tx, [ad_group_id])
        waiting = await begin_blocked(db, read(db, ad_group_id))
        await events.send(tx, ENGINE, ad_group_id, Event.PAUSE)

    later = await waiting
    assert (later.fence, first.wanted[ad_group_id] is None) == (first.fence + 1, False)
    assert later.wanted[ad_group_id] is None, "what was committed before its number was given"


async def test_a_database_brought_back_from_an_older_copy_writes_again(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    async with Redis.from_url(redis_url) as redis:
        await redis.hset(ABOUT, "fence", 10_000)
    ad_group_id = await world.add("seoul.top")

    await world.drain()

    assert (await snapshot(redis_url))["running"] == {ad_group_id}
    assert (await read(db, ad_group_id)).fence > 10_000
