"""Our own side, run as a process of its own: `python -m bench.ours WORD URL …`. Also the server that figures share."""

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import uvloop

from bench.ground import install
from bench.peers.words import CHUNK, PAYLOAD, Drain, Pickup, main, say, send_each
from pabal.base import garbage
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine.exchange import MARGIN
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Outcome
from pabal.engine.queue import NewJob, enqueue, enqueue_many
from pabal.engine.server import Options, Server
from pabal.engine.wakeups import Wakeups

SQL = load(__file__)
NOOP = "bench.noop"
STEPS = "bench.steps"


@contextlib.asynccontextmanager
async def serving(url: str, kinds: Kinds) -> AsyncIterator[tuple[Server, Database]]:
    """A whole server, as `pabal up` composes it: its pool, its heartbeat's own connections, every loop, its heap."""
    database = await Database.open(url, size=20)
    pulse = await Database.open(url, size=2)
    with tempfile.TemporaryDirectory() as locks:
        server = Server(database, pulse, kinds, Options(locks=Path(locks)))
        garbage.settle(asyncio.get_running_loop())
        try:
            yield server, database
        finally:
            await server.stop()
            await database.close()
            await pulse.close()


async def install_here(url: str) -> dict[str, Any]:
    await install(url)
    return {}


async def enqueue_here(url: str, jobs: float, lanes: float = 0, kind: str = NOOP) -> dict[str, Any]:
    database = await Database.open(url, size=2)
    new = [_job(kind, n, int(lanes)) for n in range(int(jobs))]
    began = time.monotonic()
    for first in range(0, len(new), CHUNK):
        async with database.transaction() as tx:
            await enqueue_many(tx, new[first : first + CHUNK])
    seconds = time.monotonic() - began
    await database.close()
    return {"jobs": len(new), "seconds": seconds}


def _job(kind: str, number: int, lanes: int) -> NewJob:
    if not lanes:
        return NewJob(kind, {"text": PAYLOAD})
    turn, lane = divmod(number, lanes)
    return NewJob(kind, {"text": PAYLOAD, "lane": lane, "number": turn}, lane=f"lane{lane}")


async def drain(url: str, jobs: float, seconds: float) -> dict[str, Any]:
    kinds = Kinds()
    drained = Drain(int(jobs), seconds)

    @kinds.plain(NOOP)
    async def noop(job: Job) -> None:
        drained.handled()

    return await _drain(url, kinds, drained)


class NoopSteps:
    """Two transactions with nothing in them but the engine's own writes."""

    def __init__(self, drained: Drain) -> None:
        self._drained = drained

    async def prepare(self, tx: Any, job: Job) -> None: ...

    async def perform(self, job: Job, prepared: Any) -> None: ...

    async def record(self, tx: Any, prepared: Any, result: Any) -> Outcome:
        self._drained.handled()
        return Done()

    async def give_up(self, tx: Any, job: Job, reason: str) -> None: ...


async def enqueue_steps(url: str, jobs: float) -> dict[str, Any]:
    return await enqueue_here(url, jobs, kind=STEPS)


async def drain_steps(url: str, jobs: float, seconds: float) -> dict[str, Any]:
    kinds = Kinds()
    drained = Drain(int(jobs), seconds)
    kinds.steps(STEPS, NoopSteps(drained))
    return await _drain(url, kinds, drained)


async def serve(url: str, jobs: float) -> dict[str, Any]:
    kinds = Kinds()
    pickup = Pickup(int(jobs))

    @kinds.plain(NOOP)
    async def noop(job: Job) -> None:
        pickup.started(job.args["sent_at"])

    async with serving(url, kinds) as (server, _):
        await server.start()
        await asyncio.sleep(1)
        say(ready=True)
        return await pickup.measure()


async def send(url: str, jobs: float, pause: float) -> dict[str, Any]:
    database = await Database.open(url, size=2)
    wakeups = Wakeups(database)
    wakeups.attach()

    async def send_one(sent_at: float) -> None:
        async with database.transaction() as tx:
            await enqueue(tx, NewJob(NOOP, {"sent_at": sent_at}))

    answer = await send_each(int(jobs), pause, send_one)
    await wakeups.close()
    await database.close()
    return answer


async def stream(url: str) -> dict[str, Any]:
    """Tells ten times a second how many are done; told to stop, it drains what is left and times a claim of nothing."""
    kinds = Kinds()
    count = 0

    @kinds.plain(NOOP)
    async def noop(job: Job) -> None:
        nonlocal count
        count += 1

    stop = asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
    async with serving(url, kinds) as (server, database):
        await server.start()
        while not stop.done():
            say(done=count)
            await asyncio.sleep(0.1)
        while not await is_empty(database):
            await asyncio.sleep(0.1)
        at_once = await _claim_ms(server, database)
        # An idle worker is one that has had nothing for longer than the margin behind which it looks for late commits.
        await asyncio.sleep(MARGIN.total_seconds() + 1)
        idle = await _claim_ms(server, database)
        return {"done": count, "idle_claim_ms": sorted(idle)[2], "slowest_idle_ms": max(idle), "at_once_ms": at_once[0]}


async def note(url: str, file: str) -> dict[str, Any]:
    """Runs until it is killed; every start and end is in the file before the next thing happens."""
    kinds = Kinds()
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    @kinds.plain(NOOP)
    async def noop(job: Job) -> None:
        place = f"{job.args['lane']} {job.args['number']}"
        os.write(out, f"start {place} {time.monotonic():.6f}\n".encode())
        await asyncio.sleep(0)
        os.write(out, f"end {place} {time.monotonic():.6f}\n".encode())

    async with serving(url, kinds) as (server, _):
        await server.start()
        await asyncio.Event().wait()
    return {}


async def _claim_ms(server: Server, database: Database) -> list[float]:
    """Claims of nothing, as after a hint that came to nothing: one may be a sweep behind the margin."""
    server.runner.wakes = []
    times = []
    for _ in range(5):
        async with database.transaction() as tx:
            server.runner.hear(f"queue:{NOOP}", tx.now)
        began = time.perf_counter()
        await server.runner.exchange_once()
        times.append((time.perf_counter() - began) * 1000)
    return times


async def is_empty(database: Database) -> bool:
    async with database.transaction() as tx:
        return bool(await tx.value(SQL.is_empty))


async def _drain(url: str, kinds: Kinds, drained: Drain) -> dict[str, Any]:
    aside = await Database.open(url, size=1)

    async with serving(url, kinds) as (server, _):
        measuring = asyncio.create_task(drained.measure(lambda: is_empty(aside)))
        await server.start()
        answer = await measuring
    await aside.close()
    return answer


WORDS: dict[str, Callable[..., Awaitable[dict[str, Any]]]] = {
    "install": install_here,
    "enqueue": enqueue_here,
    "drain": drain,
    "enqueue_steps": enqueue_steps,
    "drain_steps": drain_steps,
    "serve": serve,
    "send": send,
    "stream": stream,
    "note": note,
}

if __name__ == "__main__":
    start_logging(level="warning")
    main(WORDS, uvloop.run)
