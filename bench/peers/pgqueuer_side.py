"""pgqueuer as its performance guide asks: batch 500, its autovacuum settings, a pool for producers, uvloop."""

import asyncio
import json
import time
from typing import Any

import asyncpg
import uvloop
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver, AsyncpgPoolDriver
from pgqueuer.models import Job
from pgqueuer.queries import Queries
from words import CHUNK, PAYLOAD, Drain, Pickup, main, say, send_each

BATCH = 500


async def install(url: str) -> dict[str, Any]:
    queries = Queries(AsyncpgDriver(await asyncpg.connect(url)))
    await queries.install()
    await queries.optimize_autovacuum()
    return {}


async def enqueue(url: str, jobs: float) -> dict[str, Any]:
    payload = json.dumps({"text": PAYLOAD}, separators=(",", ":")).encode()
    async with asyncpg.create_pool(url) as pool:
        queries = Queries(AsyncpgPoolDriver(pool))
        began = time.monotonic()
        for first in range(0, int(jobs), CHUNK):
            count = min(CHUNK, int(jobs) - first)
            await queries.enqueue(["noop"] * count, [payload] * count, [0] * count)
        return {"jobs": int(jobs), "seconds": time.monotonic() - began}


async def drain(url: str, jobs: float, seconds: float) -> dict[str, Any]:
    pgq = PgQueuer(AsyncpgDriver(await asyncpg.connect(url)))
    aside = Queries(AsyncpgDriver(await asyncpg.connect(url)))
    drained = Drain(int(jobs), seconds)

    @pgq.entrypoint("noop")
    async def noop(job: Job) -> None:
        drained.handled()

    async def is_empty() -> bool:
        return sum(queued.count for queued in await aside.queue_size()) == 0

    worker = asyncio.create_task(pgq.run(batch_size=BATCH))
    answer = await drained.measure(is_empty)
    pgq.shutdown.set()
    await worker
    return answer


async def serve(url: str, jobs: float) -> dict[str, Any]:
    pgq = PgQueuer(AsyncpgDriver(await asyncpg.connect(url)))
    pickup = Pickup(int(jobs))

    @pgq.entrypoint("noop")
    async def noop(job: Job) -> None:
        assert job.payload is not None
        pickup.started(json.loads(job.payload)["sent_at"])

    worker = asyncio.create_task(pgq.run(batch_size=BATCH))
    await asyncio.sleep(1)
    say(ready=True)
    answer = await pickup.measure()
    pgq.shutdown.set()
    await worker
    return answer


async def send(url: str, jobs: float, pause: float) -> dict[str, Any]:
    async with asyncpg.create_pool(url) as pool:
        queries = Queries(AsyncpgPoolDriver(pool))
        return await send_each(
            int(jobs), pause, lambda sent_at: queries.enqueue("noop", json.dumps({"sent_at": sent_at}).encode())
        )


if __name__ == "__main__":
    main({"install": install, "enqueue": enqueue, "drain": drain, "serve": serve, "send": send}, uvloop.run)
