"""A thousand bots on one server, connected and silent: what each of them costs it in memory, and all of them in CPU."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass

import psutil

from bench.ground import Ground
from bench.messaging_ground import MESSAGING, SENDING, laid, read_memory
from bench.messaging_side import list_names
from bench.result import Measured, Target


@dataclass(frozen=True)
class Sizes:
    bots: int = 1_000
    # long enough for each bot to be pinged twice
    idle_seconds: int = 75
    # until a server that has just started, or taken a bot, is at rest
    rest_seconds: float = 10


SMALL = Sizes(bots=20, idle_seconds=1, rest_seconds=0.2)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url, laid(url) as house, AsyncExitStack() as stack:
        await house.add_bots(list_names(sizes.bots, 1))
        server = await stack.enter_async_context(MESSAGING.start("serve", url, house.folder, SENDING))
        said = await server.line()
        watched = psutil.Process(said["pid"])
        await asyncio.sleep(sizes.rest_seconds)
        alone_percent, before = await idle_percent(watched, sizes.rest_seconds), read_memory(watched.pid, "RssAnon")
        calling = MESSAGING.start("phones", house.folder, 1, sizes.bots, said["port"])
        phones = await stack.enter_async_context(calling)
        await phones.line()
        await house.wait_for_routes(sizes.bots)
        await asyncio.sleep(sizes.rest_seconds)
        cpu_percent, after = await idle_percent(watched, sizes.idle_seconds), read_memory(watched.pid, "RssAnon")
        # None has left meanwhile.
        await house.wait_for_routes(sizes.bots)
    fields = {
        "kb_per_bot": (after - before) / 1024 / sizes.bots,
        "cpu_percent": cpu_percent,
        "alone_cpu_percent": alone_percent,
        "alone_mb": before / 2**20,
    }
    targets = (Target("kb_per_bot", at_most=100), Target("cpu_percent", at_most=5))
    notes = (
        "Memory is what the server holds after the idle time with all bots, less what it held before the first; "
        "pages of files do not count, for the kernel takes them back from who is idle.",
        f"CPU is of one core, over {sizes.idle_seconds} s in which bots are pinged and answer, and nothing is sent.",
        "Alone is the same server before the first bot came.",
    )
    rounds = [{"before_mb": before / 2**20, "after_mb": after / 2**20}]
    return Measured(fields, targets, rounds, asdict(sizes), notes)


async def idle_percent(process: psutil.Process, seconds: float) -> float:
    """Percent of a core it takes meanwhile."""
    began = process.cpu_times()
    await asyncio.sleep(seconds)
    ended = process.cpu_times()
    return 100 * (ended.user + ended.system - began.user - began.system) / seconds
