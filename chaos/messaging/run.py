"""One run from the first server to the last word of the checker, in a folder and a PostgreSQL of its own."""

import asyncio
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from chaos.history import History
from chaos.messaging import ground
from chaos.messaging.checker import check
from chaos.messaging.crew import SERVERS, BotCrew
from chaos.messaging.minutes import MINUTE, Minutes
from chaos.messaging.plan import STOP_SECONDS, make_plan
from chaos.messaging.report import Report
from chaos.monkey import Monkey
from chaos.stage import SETTINGS as DURABLE
from chaos.stage import cluster, repeat, set_up, until_none
from pabal.base import clock, embedded
from pabal.base.clock import elapsed, host_time
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import housekeeping
from pabal.platform.slice import list_migrations, load_slices
from pabal.platform.storage import Files

APP = "pabal.apps.messaging"
# Two servers enqueue side by side, so a lane's order is that of the commits.
SETTINGS = {**DURABLE, "track_commit_timestamp": "on"}
SETTLE_SECONDS = 120.0
# What was written to a phone that sleeps over pictures, and called unknown since, arrives only later.
UNREAD_SECONDS = 6.0
CONNECT_SECONDS = 60.0


@dataclass(frozen=True)
class Chosen:
    seconds: float = 45.0
    seed: int = 1
    bots: int = 50
    # how many seconds a minute takes
    pace: float = 3.0
    keep: bool = False
    is_any_enough: bool = False

    @property
    def wanted(self) -> ground.Wanted:
        return ground.Wanted(self.seed, self.bots, max(1, round(self.seconds / self.pace)))


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage:
        folder = stage.folder
        async with cluster(folder / "pg", SETTINGS) as url:
            first = await _lay(url, folder, chosen)
            done = await _survive(chosen, folder, url, first, say)
            for log in (folder / "pg").glob("**/log/*.log"):
                shutil.copy(log, folder / "log")
            report = await check(folder, url)
            report.judge(done, seconds=0.0 if chosen.is_any_enough else chosen.seconds)
        stage.is_clean = report.is_good
        return report


async def _lay(url: str, folder: Path, chosen: Chosen) -> datetime:
    slices = load_slices([APP])
    database = await Database.open(url, size=4)
    try:
        await migrate(database, list_migrations(slices))
        await clock.make_movable(database)
        await housekeeping.make_partitions(database)
        return await ground.lay(database, Files(folder / "files"), chosen.wanted)
    finally:
        await database.close()


async def _survive(
    chosen: Chosen, folder: Path, url: str, first: datetime, say: Callable[[str], None]
) -> Counter[str]:  # long: what is started here is ended here
    history = History(folder / "history", "monkey")
    history.write("began", host=host_time())
    database = await Database.open(url, size=2)
    crew = BotCrew(folder, url, chosen.seed, history, bots=chosen.bots)
    monkey = _Monkey(crew, database, folder / "pg", history, stop_seconds=STOP_SECONDS)
    minutes = Minutes(database, history, pace=chosen.pace)
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(SERVERS)
    crew.start_phones()
    keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2)]
    try:
        await _wait_for_phones(crew)
        async with database.transaction() as tx:
            ahead = first - MINUTE - tx.now
        await minutes.jump(ahead)
        keeping.append(repeat(minutes.turn_once, 0.0))
        await monkey.act(plan, elapsed())
        crew.calm_phones()
        left = await until_none(minutes.count_left, seconds=SETTLE_SECONDS, pause=0.3)
        say(f"settled: {left} left")
        await asyncio.sleep(UNREAD_SECONDS)
    finally:
        for task in keeping:
            task.cancel()
        await asyncio.gather(*keeping, return_exceptions=True)
        hung = crew.hung + len(await asyncio.to_thread(crew.close))
        crew.kill_all()
        died = await asyncio.to_thread(crew.stop_phones)
        await database.close()
    return monkey.done + Counter(hung=hung, witnesses_died=int(died != 0))


class _Monkey(Monkey):
    """Starts the database again as it was."""

    def __init__(self, crew: BotCrew, database: Database, cluster: Path, history: History, *, stop_seconds: float):
        super().__init__(crew, database, cluster, history, stop_seconds=stop_seconds)
        self._keeper = embedded.Keeper(cluster, settings=SETTINGS)


async def _wait_for_phones(crew: BotCrew) -> None:
    async with asyncio.timeout(CONNECT_SECONDS):
        while not crew.is_connected:
            await asyncio.sleep(0.1)
