"""A server of the figures `fair` and `at_most`: jobs of shared lanes, and when each of them began."""

import asyncio
import os
import sys
import time
from typing import Any

import uvloop

from bench.ours import serving
from bench.peers.words import main, say
from pabal.base.telemetry import start_logging
from pabal.engine.kinds import Job, Kinds

KIND = "bench.shared"
FAMILY = "tenant"


async def serve(url: str, width: float, seconds: float) -> dict[str, Any]:
    """Until it is told to stop: then the moment each job of a small lane began, how long it had been ready, and how
    long ago it was sent; of the big lane only how many."""
    kinds = Kinds()
    kinds.shared_lanes(FAMILY, width=int(width))
    waits: list[tuple[float, float, float]] = []
    big = 0

    @kinds.plain(KIND)
    async def work(job: Job) -> None:
        nonlocal big
        # The database is on this machine, so its clock is this one.
        now = time.time()
        if job.ready_at is not None and "sent_at" in job.args:
            waits.append((now, (now - job.ready_at.timestamp()) * 1000, (now - job.args["sent_at"]) * 1000))
        else:
            big += 1
        await asyncio.sleep(seconds)

    stop = asyncio.create_task(asyncio.to_thread(sys.stdin.readline))
    async with serving(url, kinds) as (server, _):
        await server.start()
        say(ready=True)
        await stop
        return {"waits": waits, "big": big}


async def note(url: str, width: float, seconds: float, file: str) -> dict[str, Any]:
    """Runs until it is killed; every start and end is in the file before the next thing happens."""
    kinds = Kinds()
    kinds.shared_lanes(FAMILY, width=int(width))
    out = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    @kinds.plain(KIND)
    async def work(job: Job) -> None:
        number = job.args["number"]
        os.write(out, f"start 0 {number} {time.monotonic():.6f}\n".encode())
        await asyncio.sleep(seconds)
        os.write(out, f"end 0 {number} {time.monotonic():.6f}\n".encode())

    async with serving(url, kinds) as (server, _):
        await server.start()
        say(ready=True)
        await asyncio.Event().wait()
    return {}


if __name__ == "__main__":
    start_logging(level="warning")
    main({"serve": serve, "note": note}, uvloop.run)
