"""For programs that enqueue and look, but run no handlers: a database whose commits wake the servers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pabal.base.database import Database
from pabal.engine.wakeups import Notifier


@asynccontextmanager
async def connect(url: str, *, size: int = 5) -> AsyncIterator[Database]:
    database = await Database.open(url, size=size)
    notifier = Notifier(database)
    database.announce = notifier.announce
    try:
        yield database
    finally:
        await notifier.close()
        await database.close()
