"""procrastinate with psycopg's pool, listen/notify, a concurrency of 50 and a connection for each of them."""

import asyncio
import logging
import time
from typing import Any

from procrastinate import App, PsycopgConnector
from words import CHUNK, PAYLOAD, Drain, Pickup, main, say, send_each

CONCURRENCY = 50


def application(url: str) -> App:
    logging.getLogger("procrastinate").setLevel(logging.ERROR)  # it warns that the app lives in the main module
    return App(connector=PsycopgConnector(conninfo=url, min_size=4, max_size=CONCURRENCY + 2))


async def install(url: str) -> dict[str, Any]:
    async with application(url).open_async() as app:
        await app.schema_manager.apply_schema_async()
    return {}


async def enqueue(url: str, jobs: float) -> dict[str, Any]:
    app = application(url)

    @app.task(name="noop")
    async def noop(text: str) -> None: ...

    async with app.open_async():
        began = time.monotonic()
        for first in range(0, int(jobs), CHUNK):
            count = min(CHUNK, int(jobs) - first)
            await noop.batch_defer_async(*({"text": PAYLOAD} for _ in range(count)))
        return {"jobs": int(jobs), "seconds": time.monotonic() - began}


async def drain(url: str, jobs: float, seconds: float) -> dict[str, Any]:
    app = application(url)
    drained = Drain(int(jobs), seconds)

    @app.task(name="noop")
    async def noop(text: str) -> None:
        drained.handled()

    async def is_empty() -> bool:
        return not await app.job_manager.list_jobs_async(status="doing")

    async with app.open_async():
        worker = asyncio.create_task(app.run_worker_async(concurrency=CONCURRENCY, install_signal_handlers=False))
        answer = await drained.measure(is_empty)
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
    return answer


async def serve(url: str, jobs: float) -> dict[str, Any]:
    app = application(url)
    pickup = Pickup(int(jobs))

    @app.task(name="noop")
    async def noop(sent_at: float) -> None:
        pickup.started(sent_at)

    async with app.open_async():
        worker = asyncio.create_task(app.run_worker_async(concurrency=CONCURRENCY, install_signal_handlers=False))
        await asyncio.sleep(1)
        say(ready=True)
        answer = await pickup.measure()
        worker.cancel()
        await asyncio.gather(worker, return_exceptions=True)
    return answer


async def send(url: str, jobs: float, pause: float) -> dict[str, Any]:
    app = application(url)

    @app.task(name="noop")
    async def noop(sent_at: float) -> None: ...

    async with app.open_async():
        return await send_each(int(jobs), pause, lambda sent_at: noop.defer_async(sent_at=sent_at))


if __name__ == "__main__":
    main({"install": install, "enqueue": enqueue, "drain": drain, "serve": serve, "send": send}, asyncio.run)
