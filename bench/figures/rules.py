"""Ten thousand rules due in one second: how late they run. And what our care of a script costs, beside a bare start."""

import asyncio
import sys
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.ground import Ground
from bench.result import Measured, Target, middle_ratio, percentile
from bench.rules_side import APP, SLOTS
from bench.sides import Side
from pabal.apps.rules.model.rules import RUN
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import client, housekeeping
from pabal.platform import tenants
from pabal.platform.slice import list_migrations, load_slices

SQL = load(__file__)
RULES = Side("rules", (sys.executable, "-m", "bench.rules_side"))
CEILING = 300.0


@dataclass(frozen=True)
class Sizes:
    rules: int = 10_000
    lead_seconds: int = 8
    scripts: int = 200
    script_seconds: float = 0.05
    rounds: int = 3


SMALL = Sizes(rules=100, lead_seconds=4, scripts=4, rounds=1)


@dataclass(frozen=True)
class Lateness:
    began_ms: float
    ended_ms: float
    state: str


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    with TemporaryDirectory() as name:
        folder = Path(name)
        async with ground.fresh() as url:
            await _install(url, sizes.rules)
            await ground.settle(url)
            found = await _run(url, folder, sizes)
        scripts = await RULES.run("scripts", folder, sizes.scripts, sizes.script_seconds, sizes.rounds)
    ended = [one.ended_ms for one in found]
    fields = {
        "p50_ms": percentile(ended, 0.5),
        "p99_ms": percentile(ended, 0.99),
        "began_p99_ms": percentile([one.began_ms for one in found], 0.99),
        "missing": sizes.rules - sum(one.state == "success" for one in found),
        "of_bare": middle_ratio(scripts["rounds"], "ours_s", "bare_s"),
    }
    targets = (Target("p99_ms", at_most=5000), Target("missing", at_most=0), Target("of_bare", at_most=1.5))
    way = "under bubblewrap" if scripts["contained"] else "without bubblewrap, which is not there"
    notes = (
        "Lateness is from the due moment until the run has its end: its source was read, its condition judged, its "
        f"callbacks and its state are durable. One server process with PABAL_CONCURRENCY={SLOTS}. The source answers "
        "from memory, so a run is one commit; one that waits for an answer from outside takes two (decision 101).",
        f"of_bare: {sizes.scripts} scripts of {sizes.script_seconds * 1000:g} ms, two at a time, from a commit of a "
        f"repository to the result, by the same number of processes with the same interpreter and imports {way} that "
        "are just started.",
    )
    return Measured(fields, targets, scripts["rounds"], asdict(sizes), notes)


async def _install(url: str, count: int) -> None:
    async with client.connect(url) as database:
        await migrate(database, list_migrations(load_slices([APP])))
        await housekeeping.make_partitions(database)
        async with database.transaction() as tx:
            hq = await tenants.ensure_hq(tx)
            await tx.run(SQL.insert_rules, unit_id=hq.id, count=count)
            await tx.run(SQL.begin_rules)


async def _run(url: str, folder: Path, sizes: Sizes) -> list[Lateness]:
    async with RULES.start("serve", url, folder) as server, client.connect(url) as database:
        await server.line()
        await _arm(database, sizes)
        async with asyncio.timeout(CEILING):
            while await _count_open(database, sizes.rules):
                await asyncio.sleep(0.2)
        async with database.transaction() as tx:
            return await tx.all(Lateness, SQL.list_lateness)


async def _arm(database: Database, sizes: Sizes) -> None:
    async with database.transaction() as tx:
        now: datetime = await tx.value(SQL.read_now)
        due_at = now.replace(microsecond=0) + timedelta(seconds=sizes.lead_seconds)
        await tx.run(SQL.insert_timetables, kind=RUN, due_at=due_at, seconds=1)
        await tx.run(SQL.link_timetables)


async def _count_open(database: Database, count: int) -> int:
    async with database.transaction() as tx:
        left: int = await tx.value(SQL.count_open, count=count)
        return left
