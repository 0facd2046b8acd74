"""Events on both sides: one producer and three consumers, a process each, the same batches, every batch durable."""

import asyncio
import json
from typing import Any

import uvloop
from redis.asyncio import Redis

from bench.peers.words import PAYLOAD, main, say
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.migrations import migrate
from pabal.base.telemetry import start_logging
from pabal.platform import events, tenants
from pabal.platform.events import Consumer, NewEvent, PublishedEvent
from pabal.platform.schema import MIGRATIONS

STREAM = "bench.events"
DATA = {"text": PAYLOAD}


async def install(url: str, consumers: float) -> dict[str, Any]:
    database = await Database.open(url, size=1)
    await migrate(database, MIGRATIONS)
    async with database.transaction() as tx:
        unit = await tenants.ensure_hq(tx)
    for number in range(int(consumers)):
        async with database.transaction() as tx:
            await events.begin(tx, _consumer(number, 1, []))
    await database.close()
    return {"unit": unit.id}


async def produce(url: str, count: float, batch: float, unit: float) -> dict[str, Any]:
    database = await Database.open(url, size=1)
    await _wait_for_word()
    began = elapsed()
    for first in range(0, int(count), int(batch)):
        made = [
            NewEvent("bench.done", DATA, f"e-{number}", f"key:{number}", int(unit))
            for number in range(first, min(first + int(batch), int(count)))
        ]
        async with database.transaction() as tx:
            await events.append(tx, made)
    seconds = elapsed() - began
    await database.close()
    return {"seconds": seconds}


async def consume(url: str, number: float, count: float, batch: float) -> dict[str, Any]:
    """Until it has taken all; it looks again at once, as it would when it is told."""
    database = await Database.open(url, size=1)
    seen: list[int] = []
    consumer = _consumer(int(number), int(batch), seen)
    await _wait_for_word()
    while sum(seen) < count:
        if not await events.deliver_once(database, consumer):
            await asyncio.sleep(0.005)
    say(finished=True)
    await database.close()
    return {"taken": sum(seen), "batches": len(seen)}


def _consumer(number: int, batch: int, seen: list[int]) -> Consumer:
    async def take(_tx: Tx, found: list[PublishedEvent]) -> None:
        seen.append(len(found))

    return Consumer(f"bench-{number}", ("bench.*",), take, batch=batch)


async def redis_install(url: str, consumers: float) -> dict[str, Any]:
    client = Redis.from_url(url)
    for number in range(int(consumers)):
        await client.xgroup_create(STREAM, f"bench-{number}", id="0", mkstream=True)
    await client.aclose()
    return {"unit": 0}


async def redis_produce(url: str, count: float, batch: float, _unit: float) -> dict[str, Any]:
    client = Redis.from_url(url, single_connection_client=True)
    await client.ping()
    await _wait_for_word()
    began = elapsed()
    for first in range(0, int(count), int(batch)):
        pipeline = client.pipeline(transaction=False)
        for number in range(first, min(first + int(batch), int(count))):
            body = {"id": f"e-{number}", "name": "bench.done", "key": f"key:{number}", "data": DATA}
            pipeline.xadd(STREAM, {"__data__": json.dumps(body)})
        await pipeline.execute()
    seconds = elapsed() - began
    await client.aclose()
    return {"seconds": seconds}


async def redis_consume(url: str, number: float, count: float, batch: float) -> dict[str, Any]:
    client = Redis.from_url(url, single_connection_client=True)
    group = f"bench-{int(number)}"
    await client.ping()
    await _wait_for_word()
    taken = batches = 0
    while taken < count:
        found = await client.xreadgroup(group, "one", {STREAM: ">"}, count=int(batch), block=1000)
        if found:
            messages = found[0][1]
            for _, fields in messages:
                json.loads(fields[b"__data__"])
            await client.xack(STREAM, group, *(place for place, _ in messages))
            taken, batches = taken + len(messages), batches + 1
    say(finished=True)
    await client.aclose()
    return {"taken": taken, "batches": batches}


async def _wait_for_word() -> None:
    """All are there before anybody begins."""
    say(ready=True)
    await asyncio.to_thread(input)


if __name__ == "__main__":
    start_logging(level="warning")
    words = {"install": install, "produce": produce, "consume": consume}
    others = {"redis_install": redis_install, "redis_produce": redis_produce, "redis_consume": redis_consume}
    main({**words, **others}, uvloop.run)
