"""A forgotten transaction holds an old snapshot for a minute while jobs are drained: dead rows pile up behind it."""

import asyncio
import time
from dataclasses import asdict, dataclass
from itertools import pairwise
from statistics import median
from typing import Any

import asyncpg

from bench.ground import Ground, install
from bench.ours import NOOP
from bench.peers.words import PAYLOAD
from bench.result import Measured, Target
from bench.sides import OURS, Started
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.wakeups import Wakeups

SQL = load(__file__)
TARGETS = (Target("kept", at_least=0.7), Target("idle_claim_ms", at_most=5.0))


@dataclass(frozen=True)
class Sizes:
    seconds: int = 60
    edge: int = 15
    backlog: int = 20_000
    chunk: int = 1_000


SMALL = Sizes(seconds=3, edge=1, backlog=2_000, chunk=500)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url:
        await install(url)
        feed = Feed(await Database.open(url, size=2), sizes)
        await feed.fill()
        await ground.settle(url)
        async with OURS.start("stream", url) as worker:
            await worker.line()
            holder = await asyncpg.connect(url)
            await holder.execute(SQL.hold.text)
            per_second = await _watch(worker, feed, sizes)
            worker.tell()
            idle = await _until_idle(worker)
            dead = await holder.fetchval(SQL.dead.text)
            await holder.close()
        await feed.close()
    first, last = median(per_second[: sizes.edge]), median(per_second[-sizes.edge :])
    fields = {
        "kept": last / first,
        "idle_claim_ms": idle["idle_claim_ms"],
        "first_per_s": first,
        "last_per_s": last,
        "slowest_idle_ms": idle["slowest_idle_ms"],
        "at_once_ms": idle["at_once_ms"],
        "dead_rows": float(dead),
    }
    notes = (
        f"Another process keeps about {sizes.backlog} jobs ready; medians of the first and last {sizes.edge} s.",
        "The idle claim is one whole exchange with an empty queue, the snapshot still held, of a worker idle for 3 s.",
        "The slowest of five may be a sweep; at once is right after the last job, when the dead rows are near.",
    )
    return Measured(fields, TARGETS, [{"per_second": per_second, **idle}], asdict(sizes), notes)


class Feed:
    """Keeps the worker busy without letting the queue grow."""

    def __init__(self, database: Database, sizes: Sizes) -> None:
        self._database = database
        self._wakeups = Wakeups(database)
        self._wakeups.attach()
        self._sizes = sizes
        self._sent = 0
        self._done = 0
        self._jobs = [NewJob(NOOP, {"text": PAYLOAD})] * sizes.chunk

    def done(self, count: int) -> None:
        self._done = count

    async def fill(self) -> None:
        while self._sent - self._done < self._sizes.backlog:
            async with self._database.transaction() as tx:
                await enqueue_many(tx, self._jobs)
            self._sent += len(self._jobs)

    async def run(self) -> None:
        while True:
            await self.fill()
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        await self._wakeups.close()
        await self._database.close()


async def _watch(worker: Started, feed: Feed, sizes: Sizes) -> list[int]:
    """Jobs done in each second, as the worker tells them ten times a second."""
    feeding = asyncio.create_task(feed.run())
    marks: list[int] = []
    began = time.monotonic()
    while len(marks) <= sizes.seconds:
        count = (await worker.line())["done"]
        feed.done(count)
        if time.monotonic() - began >= len(marks):
            marks.append(count)
        if feeding.done():
            feeding.result()
    feeding.cancel()
    await asyncio.gather(feeding, return_exceptions=True)
    return [after - before for before, after in pairwise(marks)]


async def _until_idle(worker: Started) -> dict[str, Any]:
    while "idle_claim_ms" not in (said := await worker.line()):
        pass
    return said
