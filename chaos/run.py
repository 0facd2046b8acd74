"""One run from the first server to the last word of the checker, in a folder and a PostgreSQL of its own."""

import asyncio
import shutil
import signal
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from chaos.checker import check
from chaos.crew import Crew
from chaos.history import History
from chaos.monkey import Monkey
from chaos.plan import Minimums, make_plan
from chaos.report import Report
from chaos.schema import make_schema
from pabal.base import embedded
from pabal.base.clock import elapsed
from pabal.base.database import Database

DRAIN_SECONDS = 120.0
# Durable: what these promises are about. Small, because the run brings its own little machine room along.
SETTINGS = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on", "shared_buffers": "64MB"}


@dataclass(frozen=True)
class Chosen:
    seconds: float = 60.0
    seed: int = 1
    workers: int = 5
    # More than three beats, so that only a stop past it costs a life.
    ttl: float = 7.0
    minimums: Minimums = field(default_factory=Minimums)
    keep: bool = False

    @property
    def stop_seconds(self) -> float:
        return self.ttl + 1.5


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    folder = Path(tempfile.mkdtemp(prefix="pabal-chaos-"))
    folder.chmod(0o755)
    is_clean = False
    try:
        async with _cluster(folder / "pg") as url:
            await make_schema(url)
            counters = await _survive(chosen, folder, url, say)
            report = await check(folder, url, ttl=chosen.ttl)
            report.judge(counters, chosen.minimums)
        is_clean = report.is_good
        return report
    finally:
        if is_clean and not chosen.keep:
            shutil.rmtree(folder)
        else:
            say(f"histories and logs are kept in {folder}")


@asynccontextmanager
async def _cluster(folder: Path) -> AsyncIterator[str]:
    cluster = await embedded.ensure(folder, settings=SETTINGS)
    try:
        yield cluster.url()
    finally:
        await embedded.remove(folder)


async def _survive(chosen: Chosen, folder: Path, url: str, say: Callable[[str], None]) -> Counter[str]:
    history = History(folder / "history", "monkey")
    database = await Database.open(url, size=2)
    crew = Crew(folder, url, chosen.seed, history, ttl=chosen.ttl)
    monkey = Monkey(crew, database, folder / "pg", history, stop_seconds=chosen.stop_seconds)
    plan = make_plan(chosen.seed, chosen.seconds, stop_seconds=chosen.stop_seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(chosen.workers)
    keeping = [_repeat(crew.watch_once, 0.05), _repeat(monkey.keep_once, 0.2)]
    producer = crew.start_producer()
    try:
        await monkey.act(plan, elapsed())
        producer.send_signal(signal.SIGTERM)
        await asyncio.to_thread(producer.wait, 60)
        left = await _drain(monkey)
        say(f"drained: {left} open")
    finally:
        producer.kill()
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        hung = crew.hung + len(await asyncio.to_thread(crew.close))
        crew.kill_all()
        await database.close()
    return monkey.done + Counter(hung=hung)


async def _drain(monkey: Monkey) -> int | None:
    """The faults are over; the servers go on until nothing is open, or for as long as that may take at most."""
    left = await monkey.count_open()
    ceiling = elapsed() + DRAIN_SECONDS
    while left != 0 and elapsed() < ceiling:
        await asyncio.sleep(0.2)
        left = await monkey.count_open()
    return left


def _repeat(step: Callable[[], object], pause: float) -> asyncio.Task[None]:
    async def repeat() -> None:
        while True:
            answer = step()
            if asyncio.iscoroutine(answer):
                await answer
            await asyncio.sleep(pause)

    return asyncio.create_task(repeat())
