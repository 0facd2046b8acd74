"""A server that publishes and takes until it dies: python -m tests.platform.events.victim DATABASE_URL EVENTS."""

import asyncio
import sys

from pabal.base.database import Database
from pabal.platform import events
from tests.platform.events.shop import consumer, order, publish

CONSUMERS = (consumer("billing", batch=3), consumer("stock", "orders.*", batch=2, shares=3))


async def live(url: str, count: int) -> None:
    """One commit for each event. Says what it has published: what was committed must be taken by somebody."""
    database = await Database.open(url, size=4)

    async def produce() -> None:
        for number in range(count):
            await publish(database, order(number))
            print(number, flush=True)

    async def take(one: events.Consumer, share: int) -> None:
        while True:
            if not await events.deliver_once(database, one, share):
                await asyncio.sleep(0.001)

    await asyncio.gather(produce(), *(take(one, share) for one in CONSUMERS for share in range(one.shares)))


if __name__ == "__main__":
    asyncio.run(live(sys.argv[1], int(sys.argv[2])))
