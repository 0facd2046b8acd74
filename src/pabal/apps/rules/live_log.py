"""The lines of a run while it runs: its page shows them before it has ended."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pabal.apps.rules.model.cleaning import clean_text
from pabal.apps.rules.model.rules import LONGEST_LOG, Run
from pabal.apps.rules.store import runs
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable
from pabal.base.telemetry import declare, emit

# between two writes of one run, in seconds
PAUSE = 1.0

declare("rules.log_unwritten", "Lines of runs that were not shown while they ran; the run keeps them", level=30)


class LiveLog:
    """The newest lines, up to what a run keeps."""

    def __init__(self, database: Database, run: Run) -> None:
        self._database, self._run = database, run
        self._lines: deque[str] = deque()
        self._size = 0
        self._fresh = asyncio.Event()

    @property
    def text(self) -> str:
        return "\n".join(self._lines)

    def add(self, line: str) -> None:
        self._lines.append(line)
        self._size += len(line) + 1
        while self._size > LONGEST_LOG and len(self._lines) > 1:
            self._size -= len(self._lines.popleft()) + 1
        self._fresh.set()

    @asynccontextmanager
    async def shown(self) -> AsyncIterator[None]:
        """Written by the way: nothing waits for it, and what it cannot write is no fault of the run."""
        writing = asyncio.create_task(self._write_all(), name=f"log:{self._run.number}")
        try:
            yield
        finally:
            writing.cancel()
            await asyncio.wait([writing])

    async def _write_all(self) -> None:
        while True:
            await self._fresh.wait()
            self._fresh.clear()
            try:
                async with self._database.transaction() as tx:
                    await runs.note_log(tx, self._run, clean_text(self.text)[-LONGEST_LOG:])
            except (DatabaseUnavailable, DatabaseError, *ConnectionFailure) as error:
                emit("rules.log_unwritten", run=self._run.number, error=repr(error))
            await asyncio.sleep(PAUSE)
