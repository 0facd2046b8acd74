"""One run from the first server to the last word of the checks, in a folder and a PostgreSQL of its own."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from chaos import survival
from chaos.armed import SERVERS
from chaos.history import History
from chaos.messaging.minutes import Minutes
from chaos.monkey import Monkey
from chaos.plan import STOP_SECONDS
from chaos.stage import cluster, repeat, set_up, until_none
from chaos.survival import PATIENCE, Chosen, count_left, wait_for
from chaos.workflows import ground
from chaos.workflows.checks import CHECKS
from chaos.workflows.crew import FlowCrew
from chaos.workflows.evidence import SQL, gather
from chaos.workflows.people import People
from chaos.workflows.plan import make_plan
from chaos.workflows.report import Report
from pabal.base.clock import elapsed, host_time
from pabal.engine.client import connect

SETTLE_SECONDS = 90.0
# a minute of the runs' clock takes so many seconds
PACE = 1.0
TICK = 0.1


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        folder = stage.folder
        async with cluster(folder / "pg") as url:
            await ground.lay(url, chosen.seed)
            done = await _survive(chosen, folder, url, say)
            survival.keep_logs(folder)
            evidence = await gather(folder, url)
            survival.keep_evidence(folder, evidence)
            report = Report.of([examine(evidence) for examine in CHECKS], evidence)
            report.judge(done, seconds=chosen.judged_seconds)
        stage.is_clean = report.is_good
        return report


async def _survive(
    chosen: Chosen, folder: Path, url: str, say: Callable[[str], None]
) -> Counter[str]:  # long: what is started here is ended here
    history = History(folder / "history", "monkey")
    history.write("began", host=host_time())
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    async with connect(url, size=4) as database:
        crew = FlowCrew(folder, url, chosen.seed, history)
        monkey = Monkey(crew, database, folder / "pg", history, stop_seconds=STOP_SECONDS)
        monkey.patience = PATIENCE
        people, minutes = People(database, history, chosen.seed), Minutes(database, history, pace=PACE)
        crew.start(SERVERS)
        keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2)]
        try:
            await wait_for(lambda: crew.are_serving)
            keeping += [repeat(people.act_once, TICK), repeat(minutes.turn_once, 0.0)]
            await monkey.act(plan, elapsed())
            crew.is_over = people.is_over = True
            left = await until_none(lambda: count_left(database, SQL.count_left), seconds=SETTLE_SECONDS, pause=0.3)
            say(f"settled: {left} left")
        finally:
            hung = crew.hung + len(await asyncio.to_thread(crew.close))
            crew.kill_all()
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
    return monkey.done + crew.ends() + Counter(hung=hung)
