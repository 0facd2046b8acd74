"""Five thousand instances on one server, connected and silent: what each costs it in memory, and all of them in CPU."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

import psutil

from bench.figures.bots import idle_percent
from bench.ground import Ground
from bench.messaging_ground import read_memory
from bench.relay_ground import OUTSIDE, RELAY, laid
from bench.result import Measured, Target


@dataclass(frozen=True)
class Sizes:
    streams: int = 5_000
    # long enough for each to have had a heartbeat twice
    idle_seconds: int = 65
    rest_seconds: float = 5


SMALL = Sizes(streams=20, idle_seconds=1, rest_seconds=0.2)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with (
        ground.fresh() as url,
        laid(url, accounts=sizes.streams, conversations=sizes.streams) as folder,
        AsyncExitStack() as stack,
    ):
        await ground.settle(url)
        started = RELAY.start("serve", url, folder, "web,worker,scheduler", 2 * sizes.streams + 10)
        said = await (await stack.enter_async_context(started)).line()
        watched = psutil.Process(said["pid"])
        await asyncio.sleep(sizes.rest_seconds)
        alone, before = await idle_percent(watched, sizes.rest_seconds), read_memory(watched.pid, "RssAnon")
        listening = OUTSIDE.start("listen", url, urlsplit(said["address"]).port, sizes.streams)
        await (await stack.enter_async_context(listening)).line()
        await asyncio.sleep(sizes.rest_seconds)
        percent, after = await idle_percent(watched, sizes.idle_seconds), read_memory(watched.pid, "RssAnon")
    fields = {
        "kb_per_stream": (after - before) / 1024 / sizes.streams,
        "cpu_percent": percent,
        "alone_cpu_percent": alone,
    }
    targets = (Target("kb_per_stream", at_most=60), Target("cpu_percent", at_most=10))
    notes = (
        "Each stream is an account's own. Memory is what the server holds after the idle time, less what it held "
        "before the first; pages of files do not count.",
        f"CPU is of one core, over {sizes.idle_seconds} s in which streams get heartbeats and nothing else.",
    )
    rounds = [{"before_mb": before / 2**20, "after_mb": after / 2**20}]
    return Measured(fields, targets, rounds, asdict(sizes), notes)
