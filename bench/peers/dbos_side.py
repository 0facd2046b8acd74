"""DBOS as its guide shows it: start_workflow, its default pool, steps that do nothing; sync and async."""

import asyncio
import time
from typing import Any

from dbos import DBOS, DBOSConfig
from words import main


def _launch(url: str) -> None:
    config: DBOSConfig = {"name": "bench", "system_database_url": url, "log_level": "ERROR", "run_migrations": True}
    DBOS(config=config)


@DBOS.step()
def step(number: int) -> int:
    return number


@DBOS.workflow()
def chain(steps: int) -> int:
    for number in range(steps):
        step(number)
    return steps


@DBOS.step()
async def step_async(number: int) -> int:
    return number


@DBOS.workflow()
async def chain_async(steps: int) -> int:
    for number in range(steps):
        await step_async(number)
    return steps


async def install(url: str) -> dict[str, Any]:
    _launch(url)
    DBOS.launch()
    DBOS.destroy()
    return {}


async def sync(url: str, runs: float, steps: float, singles: float) -> dict[str, Any]:
    return await asyncio.to_thread(_sync, url, int(runs), int(steps), int(singles))


def _sync(url: str, runs: int, steps: int, singles: int) -> dict[str, Any]:
    _launch(url)
    DBOS.launch()
    DBOS.start_workflow(chain, 1).get_result()
    single_ms = []
    for _ in range(singles):
        began = time.perf_counter()
        DBOS.start_workflow(chain, steps).get_result()
        single_ms.append((time.perf_counter() - began) * 1000)
    began = time.perf_counter()
    handles = [DBOS.start_workflow(chain, steps) for _ in range(runs)]
    for handle in handles:
        handle.get_result()
    seconds = time.perf_counter() - began
    DBOS.destroy()
    return {"steps": runs * steps, "seconds": seconds, "single_ms": single_ms}


async def coroutines(url: str, runs: float, steps: float, singles: float) -> dict[str, Any]:
    _launch(url)
    DBOS.launch()
    await (await DBOS.start_workflow_async(chain_async, 1)).get_result()
    single_ms = []
    for _ in range(int(singles)):
        began = time.perf_counter()
        await (await DBOS.start_workflow_async(chain_async, int(steps))).get_result()
        single_ms.append((time.perf_counter() - began) * 1000)
    began = time.perf_counter()
    handles = [await DBOS.start_workflow_async(chain_async, int(steps)) for _ in range(int(runs))]
    for handle in handles:
        await handle.get_result()
    seconds = time.perf_counter() - began
    DBOS.destroy()
    return {"steps": int(runs) * int(steps), "seconds": seconds, "single_ms": single_ms}


if __name__ == "__main__":
    main({"install": install, "sync": sync, "coroutines": coroutines}, asyncio.run)
