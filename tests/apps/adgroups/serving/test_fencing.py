"""Whoever read later is never undone by whoever writes late."""

import asyncio

import pytest
from redis.asyncio import Redis

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.errors import ServingOvertaken
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.serving import fencing
from pabal.apps.adgroups.serving.layout import ABOUT, Change
from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from tests.apps.adgroups.serving.world import make_world, redis_of, snapshot
from tests.support.work import begin_blocked


async def read(db: Database, ad_group_id: int) -> Change:
    async with db.transaction() as tx:
        return await fencing.read_change(tx, [ad_group_id])


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
        await fencing.put(db, link, [ad_group_id])
        await asyncio.gather(fencing.put(db, link, [ad_group_id]), fencing.put(db, link, [ad_group_id]))

    assert await snapshot(redis_url) == once


async def test_who_takes_the_later_number_reads_later(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top")
    await world.drain()

    async with db.transaction() as tx:
        first = await fencing.read_change(tx, [ad_group_id])
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
