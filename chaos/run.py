"""One run from the first server to the last word of the checker, in a folder and a PostgreSQL of its own."""

import asyncio
import signal
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chaos.checker import check
from chaos.crew import Crew
from chaos.history import History
from chaos.monkey import Monkey
from chaos.plan import Minimums, make_plan
from chaos.report import Report
from chaos.schema import make_schema
from chaos.stage import cluster, repeat, set_up, until_none
from pabal.base.clock import elapsed
from pabal.base.database import Database

DRAIN_SECONDS = 120.0


@dataclass(frozen=True)
class Chosen:
    seconds: float = 60.0
    seed: int = 1
    workers: int = 5
    # More than three beats, so that only a stop past it costs a life.
    ttl: float = 7.0
    # None: as many as go with so many seconds
    minimums: Minimums | None = None
    keep: bool = False

    @property
    def stop_seconds(self) -> float:
        return self.ttl + 1.5


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        async with cluster(stage.folder / "pg") as url:
            await make_schema(url)
            counters = await _survive(chosen, stage.folder, url, say)
            report = await check(stage.folder, url, ttl=chosen.ttl)
            report.judge(counters, chosen.minimums or Minimums.of(chosen.seconds))
        stage.is_clean = report.is_good
        return report


async def _survive(chosen: Chosen, folder: Path, url: str, say: Callable[[str], None]) -> Counter[str]:
    history = History(folder / "history", "monkey")
    database = await Database.open(url, size=2)
    crew = Crew(folder, url, chosen.seed, history, ttl=chosen.ttl)
    monkey = Monkey(crew, database, folder / "pg", history, stop_seconds=chosen.stop_seconds)
    plan = make_plan(chosen.seed, chosen.seconds, stop_seconds=chosen.stop_seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(chosen.workers)
    keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2)]
    producer = crew.start_producer()
    began = elapsed()
    try:
        await monkey.act(plan, began)
        await asyncio.sleep(max(0.0, began + chosen.seconds - elapsed()))
        producer.send_signal(signal.SIGTERM)
        await asyncio.to_thread(producer.wait, 60)
        left = await until_none(monkey.count_open, seconds=DRAIN_SECONDS, pause=0.2)
        say(f"drained: {left} open")
    finally:
        producer.kill()
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        hung = crew.hung + len(await asyncio.to_thread(crew.close))
        crew.kill_all()
        await database.close()
    return monkey.done + Counter(hung=hung, broken=crew.broken + (producer.returncode > 0))
