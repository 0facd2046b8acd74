"""A server killed at the worst moment: python -m tests.platform.broker.victim DATABASE_URL REDIS_URL."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace

from pabal.base.database import Database
from pabal.platform.broker import incoming, outgoing
from pabal.platform.broker.line import Incoming, Outgoing, Wish
from pabal.platform.broker.redis_line import RedisLine
from tests.platform.broker.other_side import HANDLERS, WISH


class Doomed(RedisLine):
    """Dies with an event committed and not acknowledged, and with facts published and the cursor not moved."""

    def __init__(self, url: str, all_there: asyncio.Barrier) -> None:
        super().__init__(url)
        self._all_there = all_there

    async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
        found = await super().take(wish, wait=wait)
        return None if found is None else replace(found, ack=self._die)

    async def publish(self, stream: str, messages: Sequence[Outgoing], *, kept: int) -> None:
        await super().publish(stream, messages, kept=kept)
        await self._die()

    async def _die(self) -> None:
        await self._all_there.wait()
        os.kill(os.getpid(), signal.SIGKILL)


async def live(database_url: str, redis_url: str) -> None:
    database, all_there = await Database.open(database_url, size=4), asyncio.Barrier(2)
    await asyncio.gather(
        incoming.Intake(database, Doomed(redis_url, all_there), HANDLERS).take_once(WISH),
        outgoing.publish_once(database, Doomed(redis_url, all_there), server="doomed"),
    )


if __name__ == "__main__":
    asyncio.run(live(*sys.argv[1:]))
