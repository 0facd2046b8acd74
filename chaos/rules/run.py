"""One run from the first server to the last word of the checks, in a folder and a PostgreSQL of its own."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from chaos import survival
from chaos.armed import SERVERS
from chaos.history import History
from chaos.messaging.minutes import Minutes
from chaos.plan import STOP_SECONDS
from chaos.rules import ground
from chaos.rules.checks import CHECKS
from chaos.rules.crew import RuleCrew
from chaos.rules.evidence import SQL, gather
from chaos.rules.plan import make_plan
from chaos.rules.report import Report
from chaos.rules.server import APP
from chaos.rules.witness import RuleMonkey, Witness
from chaos.stage import cluster, repeat, set_up, until_none
from chaos.survival import PATIENCE, Chosen, wait_for
from chaos.worker import AWAY
from pabal.base import clock
from pabal.base.clock import elapsed, host_time
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import housekeeping
from pabal.platform.slice import list_migrations, load_slices

SETTLE_SECONDS = 90.0
# a minute of the rules' clock takes so many seconds
PACE = 2.0


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        folder = stage.folder
        async with cluster(folder / "pg") as url:
            await _lay(url, folder)
            done = await _survive(chosen, folder, url, say)
            survival.keep_logs(folder)
            evidence = await gather(folder, url)
            survival.keep_evidence(folder, evidence)
            report = Report.of([examine(evidence) for examine in CHECKS], evidence)
            report.judge(done, seconds=chosen.judged_seconds)
        stage.is_clean = report.is_good
        return report


async def _lay(url: str, folder: Path) -> None:
    ground.lay_scripts(folder / "scripts")
    database = await Database.open(url, size=2)
    try:
        await migrate(database, list_migrations(load_slices([APP])))
        await clock.make_movable(database)
        await housekeeping.make_partitions(database)
        await ground.lay(database)
    finally:
        await database.close()


async def _survive(
    chosen: Chosen, folder: Path, url: str, say: Callable[[str], None]
) -> Counter[str]:  # long: what is started here is ended here
    history = History(folder / "history", "monkey")
    history.write("began", host=host_time())
    database = await Database.open(url, size=3)
    crew = RuleCrew(folder, url, chosen.seed, history)
    witness = Witness(crew, history)
    monkey = RuleMonkey(crew, database, folder / "pg", history, stop_seconds=STOP_SECONDS)
    monkey.witness, monkey.patience = witness, PATIENCE
    minutes = Minutes(database, history, pace=PACE)
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(SERVERS)
    keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2), repeat(witness.look_once, 0.2)]
    turning: asyncio.Task[None] | None = None
    try:
        await wait_for(lambda: crew.are_serving)
        turning = repeat(minutes.turn_once, 0.0)
        await monkey.act(plan, elapsed())
        crew.is_over = True
        turning.cancel()
        await asyncio.gather(turning, return_exceptions=True)
        left = await until_none(lambda: _count_left(database), seconds=SETTLE_SECONDS, pause=0.3)
        say(f"settled: {left} left")
    finally:
        hung = crew.hung + len(await asyncio.to_thread(crew.close))
        crew.kill_all()
        await _wait_until_gone(witness)
        for task in (*keeping, *([turning] if turning else [])):
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        await database.close()
    return monkey.done + crew.ends() + Counter(hung=hung)


async def _wait_until_gone(witness: Witness) -> None:
    """What a supervisor ends when its server is gone; what stays is a violation that the checks find."""
    ceiling = elapsed() + PATIENCE
    witness.look_once()
    while witness.pids and elapsed() < ceiling:
        await asyncio.sleep(0.2)
        witness.look_once()


async def _count_left(database: Database) -> int | None:
    """None while the database does not answer. Once nothing is left, nothing new becomes due."""
    try:
        async with database.transaction() as tx:
            left: int = await tx.value(SQL.count_left)
            if left == 0:
                await tx.run(SQL.pause_all)
            return left
    except AWAY:
        return None
