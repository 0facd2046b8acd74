"""One run from the first server to the last word of the checks, in a folder and a PostgreSQL of its own."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from chaos import survival
from chaos.armed import SERVERS
from chaos.history import History
from chaos.monkey import Monkey
from chaos.plan import STOP_SECONDS
from chaos.platform import ground
from chaos.platform.checks import CHECKS
from chaos.platform.crew import PlatformCrew
from chaos.platform.evidence import SQL, gather
from chaos.platform.plan import make_plan
from chaos.platform.report import Report
from chaos.platform.server import APP
from chaos.relay.run import SETTLE_SECONDS
from chaos.stage import cluster, repeat, set_up, until_none
from chaos.survival import PATIENCE, Chosen, count_left, wait_for
from chaos.worker import AWAY
from pabal.base.clock import elapsed, host_time
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import housekeeping
from pabal.platform.slice import list_migrations, load_slices


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        folder = stage.folder
        async with cluster(folder / "pg") as url:
            done = await _survive(chosen, folder, url, say)
            survival.keep_logs(folder)
            evidence = await gather(folder, url)
            # The database goes with the run; this is what a violation is traced in.
            told = {**asdict(evidence), "effects": [[*key, n] for key, n in evidence.effects.items()]}
            (folder / "evidence.json").write_text(json.dumps(told, ensure_ascii=False, default=str))
            report = Report([examine(evidence) for examine in CHECKS])
            report.judge(done, seconds=chosen.judged_seconds)
        stage.is_clean = report.is_good
        return report


async def _lay(database: Database, folder: Path, webhook_url: str) -> None:
    await migrate(database, list_migrations(load_slices([APP])))
    await housekeeping.make_partitions(database)
    (await ground.lay(database, webhook_url)).write(folder)


async def _survive(
    chosen: Chosen, folder: Path, url: str, say: Callable[[str], None]
) -> Counter[str]:  # long: what is started here is ended here
    history = History(folder / "history", "monkey")
    history.write("began", host=host_time())
    database = await Database.open(url, size=2)
    crew = PlatformCrew(folder, url, chosen.seed, history)
    await _lay(database, folder, crew.webhook_url)
    monkey = Monkey(crew, database, folder / "pg", history, stop_seconds=STOP_SECONDS)
    monkey.patience = PATIENCE
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(SERVERS)
    crew.start_outside()
    keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2)]
    left: int | None = None
    try:
        await wait_for(lambda: crew.are_connected)
        await monkey.act(plan, elapsed())
        crew.is_over = True
        crew.calm_outside()
        hurrying = repeat(lambda: _hurry(database), 0.5)
        keeping.append(hurrying)
        await wait_for(lambda: crew.are_quiet)
        for _ in range(2):
            left = await until_none(lambda: count_left(database, SQL.count_left), seconds=SETTLE_SECONDS, pause=0.3)
            # what was decided a moment ago is told by the next fact
            await asyncio.sleep(2)
        say(f"settled: {left} left")
    finally:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        died = await asyncio.to_thread(crew.stop_outside)
        hung = crew.hung + len(await asyncio.to_thread(crew.close))
        crew.kill_all()
        await database.close()
    # nobody knows how much: something
    ends = crew.ends() + Counter(hung=hung, left=1 if left is None else left, witnesses_died=int(died != 0))
    return monkey.done + ends


async def _hurry(database: Database) -> None:
    try:
        async with database.transaction() as tx:
            await tx.run(SQL.hurry)
    except AWAY:
        return
