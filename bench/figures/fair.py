"""A hundred lanes with a job a second each, beside one that has a hundred thousand: how long the small ones wait."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, replace
from typing import Any

from bench.ground import Ground, install
from bench.result import Measured, Target, percentile
from bench.shared_side import FAMILY, KIND
from bench.sides import SHARED
from pabal.base.database import Database
from pabal.engine.queue import NewJob, enqueue, enqueue_many
from pabal.engine.wakeups import Wakeups

TARGETS = (Target("p99_ratio", at_most=3),)
SERVERS = 2
CHUNK = 10_000
# what a wait may grow by however short it was
ALLOWED_MS, ALLOWED_TIMES = 50.0, 3.0


@dataclass(frozen=True)
class Sizes:
    big: int = 100_000
    small: int = 100
    seconds: float = 15.0
    # not counted: a kind is slow until it has shown that it is not
    warm_up_seconds: float = 3.0
    width: int = 32
    job_seconds: float = 0.005


SMALL = Sizes(big=300, small=10, seconds=2.0, warm_up_seconds=0.5)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    alone = await _run(ground, replace(sizes, big=0))
    beside = await _run(ground, sizes)
    quiet, p99 = alone["p99_ms"], beside["p99_ms"]
    fields = {
        # 3 stands for three times as long, or for 50 ms longer where that is more
        "p99_ratio": p99 / max(quiet, (quiet + ALLOWED_MS) / ALLOWED_TIMES),
        "p99_ms": p99,
        "quiet_p99_ms": quiet,
        "p50_ms": beside["p50_ms"],
        "sent_p99_ms": beside["sent_p99_ms"],
        "quiet_sent_p99_ms": alone["sent_p99_ms"],
        "big_done": float(beside["big"]),
        "big_per_s": beside["big"] / sizes.seconds,
    }
    notes = (
        f"{SERVERS} servers of 16 slots; of each lane at most {sizes.width} are ready or running at once.",
        "The wait is from the moment a job is ready, as the database has it, to the start of its handler; sent_p99_ms "
        "is from before its enqueue.",
    )
    return Measured(fields, TARGETS, [alone, beside], asdict(sizes), notes)


async def _run(ground: Ground, sizes: Sizes) -> dict[str, Any]:
    async with ground.fresh() as url:
        await install(url)
        await ground.settle(url)
        database = await Database.open(url, size=4)
        wakeups = Wakeups(database)
        wakeups.attach()
        answers, began = await _serve(url, database, sizes)
        await wakeups.close()
        await database.close()
    counted = [one for answer in answers for one in answer["waits"] if one[0] >= began + sizes.warm_up_seconds]
    ready, sent = [wait for _, wait, _ in counted], [wait for _, _, wait in counted]
    return {
        "p99_ms": percentile(ready, 0.99),
        "p50_ms": percentile(ready, 0.5),
        "sent_p99_ms": percentile(sent, 0.99),
        "jobs": len(counted),
        "big": sum(answer["big"] for answer in answers),
    }


async def _serve(url: str, database: Database, sizes: Sizes) -> tuple[list[dict[str, Any]], float]:
    async with AsyncExitStack() as stack:
        arguments = (sizes.width, sizes.job_seconds)
        sides = [await stack.enter_async_context(SHARED.start("serve", url, *arguments)) for _ in range(SERVERS)]
        for side in sides:
            await side.line()
        for first in range(0, sizes.big, CHUNK):
            async with database.transaction() as tx:
                await enqueue_many(tx, [NewJob(KIND, lane=f"{FAMILY}:big")] * min(CHUNK, sizes.big - first))
        began = time.time()
        await _feed(database, sizes, began)
        for side in sides:
            side.tell()
        return [await side.answer() for side in sides], began


async def _feed(database: Database, sizes: Sizes, began: float) -> None:
    """At an even pace, however long each enqueue takes."""
    for number in range(int(sizes.seconds * sizes.small)):
        await asyncio.sleep(max(began + number / sizes.small - time.time(), 0.0))
        async with database.transaction() as tx:
            lane = f"{FAMILY}:{number % sizes.small}"
            await enqueue(tx, NewJob(KIND, {"sent_at": time.time()}, lane=lane))
