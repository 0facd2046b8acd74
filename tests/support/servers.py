"""Running servers for tests: in this process, and in one that can be killed and stopped."""

import asyncio
import inspect
import json
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import queue
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Outcome
from pabal.engine.queue import NewJob, Place
from pabal.engine.server import Options, Server
from tests.support.kept import FORGET
from tests.support.programs import PIPE, Program, start
from tests.support.work import enqueue, lapse, place

SQL = load(__file__)
CEILING = 30.0
ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def serving(db: Database, kinds: Kinds, locks: Path, **options: Any) -> AsyncIterator[Server]:
    """A server with connections of its own, as a process would have; stopped at the end if it is not yet."""
    database, pulse = await Database.open(db.url, size=10), await Database.open(db.url, size=2)
    server = Server(database, pulse, kinds, Options(locks, **{"grace": timedelta(0), **options}))
    await server.start()
    try:
        yield server
    finally:
        if server.life.worker:
            await server.stop()
        database.terminate()
        pulse.terminate()


async def until(condition: Callable[[], Any]) -> None:
    """Waits until the condition, a coroutine or not, answers something true."""
    async with asyncio.timeout(CEILING):
        while True:
            answer = condition()
            if await answer if inspect.isawaitable(answer) else answer:
                return
            await asyncio.sleep(0.005)


async def lapse_life(db: Database, server: Server) -> int:
    """Its life is over, and it looks at once: it would in two seconds. The life that was."""
    worker = server.life.worker
    await lapse(db, worker)
    [heartbeat] = [loop for loop in server._loops if loop.name == "heartbeat"]
    heartbeat.wake()
    return worker


async def count_connections(db: Database) -> int:
    """Everybody's to this database, but for the one that asks and sessions that are kept."""
    async with db.transaction() as tx:
        found: int = await tx.value(SQL.count_connections, forgot=FORGET)
    return found


async def until_ended(db: Database, job_id: int) -> Place:
    return await until_in(db, job_id, "ended")


async def until_in(db: Database, job_id: int, where: str) -> Place:
    async def is_there() -> bool:
        return (await place(db, job_id)).place == where

    await until(is_there)
    return await place(db, job_id)


class Gate:
    """A plain handler that says when it has begun, waits to be let through, and says how it was left."""

    def __init__(self) -> None:
        self.begun: list[Job] = []
        self.cancelled: list[Job] = []
        self.open = asyncio.Event()

    async def __call__(self, job: Job) -> None:
        self.begun.append(job)
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.cancelled.append(job)
            raise

    async def until_begun(self, number: int = 1) -> Job:
        await until(lambda: len(self.begun) >= number)
        return self.begun[number - 1]


class Errand:
    """Steps that note what is called, and record by enqueueing a job: a row that is there exactly if they committed."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.prepared: Any = "prepared"
        self.outcome: Outcome = Done()
        self.gate = asyncio.Event()
        self.gate.set()

    async def prepare(self, tx: Tx, job: Job) -> Any:
        self.calls.append("prepare")
        self.job = job
        return self.prepared

    async def perform(self, job: Job, prepared: Any) -> str:
        self.calls.append("perform")
        await self.gate.wait()
        return "performed"

    async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome:
        self.calls.append("record")
        await enqueue_in(tx, f"recorded:{self.job.id}")
        return self.outcome

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        self.calls.append("give_up")
        await enqueue_in(tx, f"given_up:{job.id}")


async def enqueue_in(tx: Tx, about: str) -> None:
    await queue.enqueue(tx, NewJob("test.note", about=about))


async def notes(db: Database, about: str) -> int:
    """How often `enqueue_in` was committed for this subject; nobody runs these."""
    async with db.transaction() as tx:
        return len(await queue.find_open(tx, about=about))


@dataclass(frozen=True)
class Other:
    """A server in a process of its own, whose handler lingers until its gate file is there."""

    process: Program
    gate: Path

    async def says(self, word: str) -> dict[str, Any]:
        """The next line that begins with this word."""
        assert self.process.stdout is not None
        async with asyncio.timeout(CEILING):
            while True:
                line = await asyncio.to_thread(self.process.stdout.readline)
                assert line, f"it ended without saying {word}"
                said: dict[str, Any] = json.loads(line)
                if said["word"] == word:
                    return said

    def open_gate(self) -> None:
        self.gate.touch()


@contextmanager
def other_server(db: Database, folder: Path, *, ttl: float = 10.0) -> Iterator[Other]:
    gate = folder / "gate"
    arguments = (db.url, str(folder / "locks"), str(gate), str(ttl))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = start("tests.support.server_process", *arguments, cwd=ROOT, env=environment, stdout=PIPE)
    try:
        yield Other(process, gate)
    finally:
        process.kill()
        process.communicate()


async def enqueue_via(server: Server, kind: str, **options: Any) -> int:
    """Through the server's own database, so that its loops hear of it at once."""
    return await enqueue(server.database, kind, **options)
