"""Our side of events: one producer and three consumers, a process each, every batch durable."""

import asyncio
from typing import Any

import uvloop

from bench.peers.words import PAYLOAD, main, say, wait_for_word
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.migrations import migrate
from pabal.base.telemetry import start_logging
from pabal.platform import events, tenants
from pabal.platform.events import Consumer, NewEvent, PublishedEvent
from pabal.platform.schema import MIGRATIONS

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
    await wait_for_word()
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
    await wait_for_word()
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


if __name__ == "__main__":
    start_logging(level="warning")
    main({"install": install, "produce": produce, "consume": consume}, uvloop.run)
