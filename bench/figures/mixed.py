"""Quick jobs beside long ones that always wait: how long the quick ones wait for a slot, on two servers."""

import asyncio
import time
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from typing import Any

from bench.ground import Ground, install
from bench.mixed_side import LONG, QUICK
from bench.result import Measured, Target, percentile
from bench.sides import MIXED
from pabal.base.database import Database
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.wakeups import Wakeups

TARGETS = (Target("p99_ms", at_most=150), Target("handed_back", at_most=0.01))
SERVERS = 2


@dataclass(frozen=True)
class Sizes:
    seconds: float = 40.0
    # not counted: a kind is slow until it has shown that it is not
    warm_up_seconds: float = 5.0
    per_second: int = 500
    at_once: int = 5
    quick_seconds: float = 0.005
    long_slots: int = 6
    long_seconds: float = 10.0


SMALL = Sizes(seconds=2.0, warm_up_seconds=0.5, per_second=50, long_slots=2, long_seconds=0.5)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url:
        await install(url)
        await ground.settle(url)
        database = await Database.open(url, size=2)
        answers, began = await _run(url, database, sizes)
        await database.close()
    waits = [wait for one in answers for at, wait in one["waits"] if at >= began + sizes.warm_up_seconds]
    claimed = sum(one["claimed"] for one in answers)
    fields = {
        "p99_ms": percentile(waits, 0.99),
        "handed_back": sum(one["handed_back"] for one in answers) / claimed,
        "p50_ms": percentile(waits, 0.5),
        "worst_ms": max(waits),
        "quick_jobs": float(len(waits)),
        "long_jobs": float(sum(len(one["long_started"]) for one in answers)),
    }
    notes = (
        f"{SERVERS} servers of 16 slots, {sizes.long_slots} of each for the long kind, of which more are always ready.",
        "The wait is from the moment a job is ready, as the database has it, to the start of its handler.",
        "Handed back is the part of all claims that no slot began within a second.",
    )
    rounds = [{"handed_back": one["handed_back"], "claimed": one["claimed"]} for one in answers]
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _run(url: str, database: Database, sizes: Sizes) -> tuple[list[dict[str, Any]], float]:
    wakeups = Wakeups(database)
    wakeups.attach()
    long_jobs = int(SERVERS * sizes.long_slots * (sizes.seconds / sizes.long_seconds + 3))
    arguments = (sizes.long_slots, sizes.long_seconds, sizes.quick_seconds)
    async with AsyncExitStack() as stack:
        sides = [await stack.enter_async_context(MIXED.start("serve", url, *arguments)) for _ in range(SERVERS)]
        for side in sides:
            await side.line()
        async with database.transaction() as tx:
            await enqueue_many(tx, [NewJob(LONG)] * long_jobs)
        began = time.time()
        await _feed(database, sizes, began)
        for side in sides:
            side.tell()
        answers = [await side.answer() for side in sides]
    await wakeups.close()
    return answers, began


async def _feed(database: Database, sizes: Sizes, began: float) -> None:
    """At an even pace, however long each enqueue takes."""
    for number in range(int(sizes.seconds * sizes.per_second / sizes.at_once)):
        await asyncio.sleep(max(began + number * sizes.at_once / sizes.per_second - time.time(), 0.0))
        async with database.transaction() as tx:
            await enqueue_many(tx, [NewJob(QUICK)] * sizes.at_once)
