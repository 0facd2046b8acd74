"""Jobs of one lane that lets four go at once, on two servers of which one is killed: never a fifth, and little lost."""

import asyncio
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.ground import Ground, install
from bench.order import Attempt, count_at_once, read_attempts
from bench.ours import is_empty
from bench.result import Measured, Target
from bench.shared_side import FAMILY, KIND
from bench.sides import SHARED
from pabal.base.database import Database
from pabal.engine.queue import NewJob, enqueue_many


@dataclass(frozen=True)
class Sizes:
    jobs: int = 2_000
    width: int = 4
    job_seconds: float = 0.1


SMALL = Sizes(jobs=60, width=4, job_seconds=0.01)
TARGETS = (
    Target("highest", at_most=Sizes.width),
    Target("of_ideal", at_most=1.3),
    Target("missing", at_most=0),
)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    attempts, began, killed_at = await _run(ground, sizes)
    done = {attempt.number for attempt in attempts if attempt.ended_at is not None}
    ended = max(attempt.ended_at or killed_at for attempt in attempts)
    ideal = sizes.jobs * sizes.job_seconds / sizes.width
    fields = {
        "highest": float(count_at_once(attempts, killed_at=killed_at)),
        "of_ideal": (ended - began) / ideal,
        "missing": float(sizes.jobs - len(done)),
        "took_s": ended - began,
        "cut": float(sum(attempt.ended_at is None for attempt in attempts)),
    }
    notes = (
        "Every start and end is in a file of its server; one of two is killed after a third of the jobs.",
        "Ideal is as many at once as the lane lets go, with nothing between them; what the killed server held goes on "
        "once its life has lapsed.",
    )
    return Measured(fields, TARGETS, [{"attempts": len(attempts), "jobs": sizes.jobs}], asdict(sizes), notes)


async def _run(ground: Ground, sizes: Sizes) -> tuple[list[Attempt], float, float]:
    async with ground.fresh() as url:
        await install(url)
        await ground.settle(url)
        database = await Database.open(url, size=2)
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("first", "second")]
            for file in files:
                file.touch()
            arguments = (sizes.width, sizes.job_seconds)
            async with (
                SHARED.start("note", url, *arguments, files[0]) as first,
                SHARED.start("note", url, *arguments, files[1]) as second,
            ):
                await first.line()
                await second.line()
                async with database.transaction() as tx:
                    jobs = [NewJob(KIND, {"number": n}, lane=f"{FAMILY}:one") for n in range(sizes.jobs)]
                    await enqueue_many(tx, jobs)
                began = time.monotonic()
                await _until(lambda: sum(_ended(file) for file in files) >= sizes.jobs // 3)
                first.kill()
                killed_at = time.monotonic()
                await _until_empty(database)
            attempts = read_attempts(files)
        await database.close()
    return attempts, began, killed_at


def _ended(file: Path) -> int:
    return file.read_bytes().count(b"end")


async def _until(condition: Any) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.02)


async def _until_empty(database: Database) -> None:
    async with asyncio.timeout(180):
        while not await is_empty(database):
            await asyncio.sleep(0.1)
