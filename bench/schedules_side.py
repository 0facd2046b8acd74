"""Our worker for the schedules: a whole server with its tick, whose handlers note how late they started."""

import asyncio
import time
from datetime import datetime
from functools import partial
from typing import Any

import uvloop

from bench.ours import is_empty, serving
from bench.peers.words import main, say
from pabal.base.database import Database
from pabal.base.telemetry import start_logging
from pabal.engine import ticks
from pabal.engine.kinds import Job, Kinds
from pabal.engine.loop import Loop

KIND = "bench.scheduled"


class Watch:
    def __init__(self, spread: int, burst: int, burst_at: float) -> None:
        self._spread = spread
        self._burst = burst
        self._burst_at = burst_at
        self._count = 0
        self._all = asyncio.Event()
        self._late_ms: list[float] = []

    def started(self, fire_at: float) -> None:
        # The database is on this machine, so its clock is this one.
        if fire_at < self._burst_at:
            self._late_ms.append((time.time() - fire_at) * 1000)
        self._count += 1
        if self._count == self._spread + self._burst:
            self._all.set()

    async def measure(self, database: Database) -> dict[str, Any]:
        await self._all.wait()
        while not await is_empty(database):
            await asyncio.sleep(0.005)
        return {"late_ms": self._late_ms, "burst_seconds": time.time() - self._burst_at}


async def serve(url: str, spread: float, burst: float, spread_at: float, burst_at: float) -> dict[str, Any]:
    kinds = Kinds()
    watch = Watch(int(spread), int(burst), burst_at)

    @kinds.plain(KIND)
    async def noop(job: Job) -> None:
        watch.started(datetime.fromisoformat(job.args["fire_at"]).timestamp())

    async with serving(url, kinds) as (server, database):
        step, next_moment = partial(ticks.tick_once, database), partial(ticks.next_due, database)
        server.add_loops([Loop("schedules", step, idle=5.0, wake_on=["schedules"], next_moment=next_moment)])
        await server.start()
        assert time.time() < spread_at, "the worker started too late to be measured"
        say(ready=True)
        async with asyncio.timeout(burst_at - time.time() + 120):
            return await watch.measure(database)


if __name__ == "__main__":
    start_logging(level="warning")
    main({"serve": serve}, uvloop.run)
