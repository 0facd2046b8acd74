"""One run from the first server to the last word of the checks, with a PostgreSQL of its own."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chaos.adgroups.plan import make_plan
from chaos.adgroups.report import Report
from chaos.history import History
from chaos.monkey import Monkey
from chaos.stage import cluster, repeat, set_up, until_none
from chaos.workflows.checks import CHECKS
from chaos.workflows.crew import SERVERS, FlowCrew
from chaos.workflows.evidence import gather
from chaos.workflows.flows import make_flows
from chaos.workflows.people import People
from pabal.base import clock
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.killpoints import EXIT_CODE
from pabal.base.migrations import migrate
from pabal.engine import client, housekeeping
from pabal.engine.schema import MIGRATIONS

SETTLE_SECONDS = 180.0


@dataclass(frozen=True)
class Chosen:
    seconds: float = 45.0
    seed: int = 1
    flows: int = 40
    keep: bool = False
    is_any_enough: bool = False


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        async with cluster(stage.folder / "pg") as url:
            await _migrate(url)
            done, left = await _survive(chosen, stage.folder, url, say)
            evidence = await gather(stage.folder, url, left)
            report = Report([examine(evidence) for examine in CHECKS])
            report.judge(done, seconds=0.0 if chosen.is_any_enough else chosen.seconds)
        stage.is_clean = report.is_good
        return report


async def _migrate(url: str) -> None:
    database = await Database.open(url, size=2)
    await migrate(database, MIGRATIONS)
    await clock.make_movable(database)
    await housekeeping.make_partitions(database)
    await database.close()


async def _survive(
    chosen: Chosen, folder: Path, url: str, say: Callable[[str], None]
) -> tuple[Counter[str], int | None]:  # long: what is started here is ended here
    history = History(folder / "history", "monkey")
    crew = FlowCrew(folder, url, chosen.seed, history)
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    async with client.connect(url, size=3) as database:
        people = People(database, chosen.seed)
        await people.save(make_flows(chosen.seed, chosen.flows))
        crew.start(SERVERS)
        monkey = Monkey(crew, database, folder / "pg", history, stop_seconds=0.0)
        keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2)]
        acting = repeat(people.act_once, 0.05)
        try:
            await monkey.act(plan, elapsed())
            acting.cancel()
            await asyncio.gather(acting, return_exceptions=True)
            crew.is_over = True
            left = await until_none(people.finish_once, seconds=SETTLE_SECONDS, pause=0.5)
            say(f"settled: {people.started} runs started, {left} left")
        finally:
            acting.cancel()
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            hung = crew.hung + len(await asyncio.to_thread(crew.close))
            crew.kill_all()
    return monkey.done + Counter(hung=hung, point=crew.count_ended(EXIT_CODE)), left
