"""A server whose consumer kills it at a bad event: python -m tests.platform.events.deadly DATABASE_URL LOCKS."""

import asyncio
import os
import signal
import sys
from datetime import timedelta
from pathlib import Path

from pabal.base.database import Database, Tx
from pabal.engine.kinds import Kinds
from pabal.engine.server import Options, Server
from pabal.platform import events
from pabal.platform.events import PublishedEvent
from tests.platform.events.shop import SQL


async def take(tx: Tx, found: list[PublishedEvent]) -> None:
    """No word, no rollback, no goodbye: as when the kernel ends a process that took all memory."""
    await tx.run(SQL.take, consumer="billing", ids=[event.id for event in found])
    if any(event.data.get("deadly") for event in found):
        os.kill(os.getpid(), signal.SIGKILL)


CONSUMER = events.Consumer("billing", ("orders.*",), take, tries=1)


async def serve(url: str, locks: str) -> None:
    database, pulse = await Database.open(url, size=5), await Database.open(url, size=2)
    server = Server(database, pulse, Kinds(), Options(Path(locks), grace=timedelta(0)))
    server.add_loops(events.make_loops(database, CONSUMER))
    await server.start()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
