"""One run from the first server to the last word of the checks, in a folder and a PostgreSQL of its own."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from chaos import survival
from chaos.armed import SERVERS
from chaos.history import History
from chaos.monkey import Monkey
from chaos.plan import STOP_SECONDS
from chaos.relay import ground
from chaos.relay.checks import CHECKS
from chaos.relay.crew import RelayCrew
from chaos.relay.evidence import SQL, gather
from chaos.relay.plan import make_plan
from chaos.relay.report import Report
from chaos.relay.server import APP
from chaos.stage import cluster, repeat, set_up, until_none
from chaos.survival import PATIENCE, count_left, wait_for
from pabal.base.clock import elapsed, host_time
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import housekeeping
from pabal.platform.slice import list_migrations, load_slices

SETTLE_SECONDS = 60.0


@dataclass(frozen=True)
class Chosen(survival.Chosen):
    users: int = 50


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        folder = stage.folder
        async with cluster(folder / "pg") as url:
            await _lay(url, folder, chosen)
            done = await _survive(chosen, folder, url, say)
            survival.keep_logs(folder)
            evidence = await gather(folder, url)
            # The database goes with the run; this is what a violation is traced in.
            (folder / "evidence.json").write_text(json.dumps(asdict(evidence), ensure_ascii=False, default=str))
            report = Report.of([examine(evidence) for examine in CHECKS], evidence)
            report.judge(done, seconds=chosen.judged_seconds)
        stage.is_clean = report.is_good
        return report


async def _lay(url: str, folder: Path, chosen: Chosen) -> None:
    database = await Database.open(url, size=2)
    try:
        await migrate(database, list_migrations(load_slices([APP])))
        await housekeeping.make_partitions(database)
        # every other seed in each way
        laid = await ground.lay(database, chosen.users, is_prompt=chosen.seed % 2 == 0)
        laid.write(folder)
    finally:
        await database.close()


async def _survive(
    chosen: Chosen, folder: Path, url: str, say: Callable[[str], None]
) -> Counter[str]:  # long: what is started here is ended here
    history = History(folder / "history", "monkey")
    history.write("began", host=host_time())
    database = await Database.open(url, size=2)
    crew = RelayCrew(folder, url, chosen.seed, history)
    monkey = Monkey(crew, database, folder / "pg", history, stop_seconds=STOP_SECONDS)
    monkey.patience = PATIENCE
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(SERVERS)
    crew.start_outside()
    keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2)]
    try:
        await wait_for(lambda: crew.are_connected)
        await monkey.act(plan, elapsed())
        crew.is_over = True
        crew.calm_outside()
        await wait_for(lambda: crew.are_quiet)
        left = await until_none(lambda: count_left(database, SQL.count_left), seconds=SETTLE_SECONDS, pause=0.3)
        say(f"settled: {left} left")
    finally:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        died = await asyncio.to_thread(crew.stop_outside)
        hung = crew.hung + len(await asyncio.to_thread(crew.close))
        crew.kill_all()
        await database.close()
    return monkey.done + crew.ends() + Counter(hung=hung, witnesses_died=int(died != 0))
