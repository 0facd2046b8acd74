"""5,000 lanes in strict order: what order costs, how quick one hot lane is, and that a killed worker breaks none."""

import asyncio
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.ground import Ground, install
from bench.order import count_violations, read_attempts
from bench.ours import is_empty
from bench.result import Measured, Target, middle, middle_ratio
from bench.sides import OURS
from pabal.base.database import Database

TARGETS = (
    Target("violations", at_most=0),
    Target("of_unordered", at_least=0.4),
    Target("hot_lane_per_s", at_least=300),
)


@dataclass(frozen=True)
class Sizes:
    jobs: int = 50_000
    lanes: int = 5_000
    hot_jobs: int = 3_000
    killed_each: int = 6
    rounds: int = 3


SMALL = Sizes(jobs=400, lanes=40, hot_jobs=30, killed_each=5, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = [await _round(ground, sizes, number) for number in range(sizes.rounds)]
    killed = await _kill_one(ground, sizes)
    medians = {name: middle(rounds, name) for name in ("lanes_per_s", "unordered_per_s", "hot_lane_per_s")}
    fields = {
        "violations": float(killed["violations"]),
        "of_unordered": middle_ratio(rounds, "lanes_per_s", "unordered_per_s"),
        **medians,
    }
    notes = (
        f"Order is checked in a run of its own: {sizes.lanes * sizes.killed_each} jobs on two workers, one of which is "
        "killed after a third; every start and end is in a file of its worker.",
        "Rates are of one worker that is not killed.",
    )
    return Measured(fields, TARGETS, [*rounds, killed], asdict(sizes), notes)


async def _round(ground: Ground, sizes: Sizes, number: int) -> dict[str, Any]:
    ordered = await _drain(ground, sizes.jobs, sizes.lanes)
    unordered = await _drain(ground, sizes.jobs, 0)
    hot = await _drain(ground, sizes.hot_jobs, 1)
    return {"round": number, "lanes_per_s": ordered, "unordered_per_s": unordered, "hot_lane_per_s": hot}


async def _drain(ground: Ground, jobs: int, lanes: int) -> float:
    async with ground.filled(lambda url: _fill(url, "enqueue", jobs, lanes)) as url:
        drained = await OURS.run("drain", url, jobs, 300)
    assert drained["jobs"] == jobs
    return float(drained["jobs"] / drained["seconds"])


async def _kill_one(ground: Ground, sizes: Sizes) -> dict[str, Any]:
    jobs = sizes.lanes * sizes.killed_each
    async with ground.filled(lambda url: _fill(url, "enqueue", jobs, sizes.lanes)) as url:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("first", "second")]
            for file in files:
                # In a small run one worker may have done everything before the other has begun.
                file.touch()
            async with OURS.start("note", url, files[0]) as first, OURS.start("note", url, files[1]):
                await _until(lambda: sum(_ended(file) for file in files) >= jobs // 3)
                first.kill()
                killed_at = time.monotonic()
                await _until_empty(url)
                seconds = time.monotonic() - killed_at
            attempts = read_attempts(files)
    cut = sum(attempt.ended_at is None for attempt in attempts)
    violations = count_violations(attempts, lanes=sizes.lanes, each=sizes.killed_each, killed_at=killed_at)
    return {"violations": violations, "attempts": len(attempts), "cut": cut, "jobs": jobs, "after_kill_s": seconds}


async def _fill(url: str, word: str, *arguments: object) -> None:
    await install(url)
    await OURS.run(word, url, *arguments)


def _ended(file: Path) -> int:
    return file.read_bytes().count(b"end") if file.exists() else 0


async def _until(condition: Any) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.02)


async def _until_empty(url: str) -> None:
    database = await Database.open(url, size=1)
    async with asyncio.timeout(120):
        while not await is_empty(database):
            await asyncio.sleep(0.1)
    await database.close()
