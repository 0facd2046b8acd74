"""A server of the figure `mixed`: long jobs in some of its slots, quick ones beside, and how long those waited."""

import asyncio
import sys
import time
from typing import Any

import uvloop

from bench.ours import serving
from bench.peers.words import main, say
from pabal.base.telemetry import count_emitted, start_logging
from pabal.engine.kinds import Job, Kinds

LONG = "bench.long"
QUICK = "bench.quick"


async def serve(url: str, long_slots: float, long_seconds: float, quick_seconds: float) -> dict[str, Any]:
    """Until it is told to stop: then the moment and the wait of each quick job, and how many it handed back."""
    kinds = Kinds()
    waits: list[tuple[float, float]] = []
    long_started: list[float] = []

    @kinds.plain(LONG, slots=int(long_slots))
    async def long(job: Job) -> None:
        long_started.append(time.time())
        await asyncio.sleep(long_seconds)

    @kinds.plain(QUICK)
    async def quick(job: Job) -> None:
        # The database is on this machine, so its clock is this one.
        now = time.time()
        if job.ready_at is not None:
            waits.append((now, (now - job.ready_at.timestamp()) * 1000))
        await asyncio.sleep(quick_seconds)

    stop = asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
    async with serving(url, kinds) as (server, _):
        await server.start()
        say(ready=True)
        await stop
        counts = {"claimed": count_emitted("claims.claimed"), "handed_back": count_emitted("runner.handed_back")}
        return {"waits": waits, "long_started": long_started, **counts}


if __name__ == "__main__":
    start_logging(level="warning")
    main({"serve": serve}, uvloop.run)
