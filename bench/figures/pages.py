"""Lists with a million rows behind them: how much longer than with ten thousand the worst of them takes."""

import statistics
import time
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Any

import asyncpg

from bench.ground import Ground
from bench.result import Measured, Target
from pabal.base.database import Database, Purpose, Tx
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import listing
from pabal.engine.listing import facts, jobs, occurrences, schedules
from pabal.platform import audit
from pabal.platform.schema import MIGRATIONS

SQL = load(__file__)
UNITS = 300
RARE_UNIT, OLD_UNIT = 300, 299
BRANCHES = list(range(2, UNITS + 1))
LIMIT = 50
# What nobody notices: a page that answers within this is as good as any.
FLOOR_MS = 10.0

Turn = tuple[int, str | None]
List = Callable[[Tx, str | None], Awaitable[Turn]]


@dataclass(frozen=True)
class Sizes:
    rows: int = 1_000_000
    few: int = 10_000
    times: int = 31


SMALL = Sizes(rows=2_000, few=1_000, times=3)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    few = await _measure_with(ground, sizes.few, sizes.times)
    many = await _measure_with(ground, sizes.rows, sizes.times)
    rounds = [
        {"page": name, "few_ms": few[name], "many_ms": many[name], "growth": many[name] / max(few[name], FLOOR_MS)}
        for name in many
    ]
    worst = max(rounds, key=lambda one: one["growth"])
    fields = {"growth": worst["growth"], "worst_ms": max(many.values())}
    notes = (
        f"The worst is {worst['page']}. Each is the median of {sizes.times} readings of a page of {LIMIT} rows.",
        "Bare, with a filter that 50 rows pass, after row 500, and in the scope of 299 units, of one with 50 rows and of one with only old rows.",
    )
    return Measured(fields, (Target("growth", at_most=1.5),), rounds, asdict(sizes), notes)


async def _measure_with(ground: Ground, rows: int, times: int) -> dict[str, float]:
    async with ground.fresh() as url:
        await fill(url, rows)
        await ground.settle(url)
        async with _reading(url) as database:
            return {name: await _median_ms(database, page, times) for name, page in _pages().items()}


async def fill(url: str, rows: int) -> None:
    database = await Database.open(url, size=2)
    await migrate(database, MIGRATIONS)
    await database.close()
    admin = await asyncpg.connect(url)
    await admin.execute(SQL.pick_function.text)
    await admin.fetch(SQL.make_weeks.text)
    await admin.execute(SQL.insert_units.text, UNITS)
    tables = (SQL.insert_jobs, SQL.insert_schedules, SQL.insert_occurrences, SQL.insert_facts, SQL.insert_audit)
    for statement in tables:
        await admin.execute(statement.text, rows, timeout=600)
    await admin.close()


@asynccontextmanager
async def _reading(url: str) -> Any:
    database = await Database.open(url, purpose=Purpose.PAGES, size=2)
    try:
        yield database
    finally:
        await database.close()


async def _median_ms(database: Database, page: "_Page", times: int) -> float:
    cursor = await page.find_cursor(database)
    spent = []
    for _ in range(times + 2):
        began = time.perf_counter()
        async with database.transaction() as tx:
            await page.read(tx, cursor)
        spent.append((time.perf_counter() - began) * 1000)
    # The first two find their way into the caches.
    return statistics.median(spent[2:])


@dataclass(frozen=True)
class _Page:
    read: List
    skip: int = 0

    async def find_cursor(self, database: Database) -> str | None:
        """Walks to the row after which it begins, as a person would."""
        cursor: str | None = None
        seen = 0
        while seen < self.skip:
            async with database.transaction() as tx:
                count, cursor = await self.read(tx, cursor)
            seen += count
            if cursor is None:
                return None
        return cursor


def _pages() -> dict[str, _Page]:
    """By name, as `jobs rare`; each of the five in each of the ways."""
    return {
        f"{table} {way}": _Page(_READ[table](**options), skip=500 if way == "cursor" else 0)
        for table in _READ
        for way, options in {**_ways(table)}.items()
    }


def _ways(table: str) -> dict[str, dict[str, Any]]:
    rare: dict[str, dict[str, Any]] = {
        "jobs": {"kind": "bench.rare"},
        "schedules": {"kind": "bench.rare"},
        "occurrences": {"states": ("missed",)},
        "facts": {"names": ("bench.thing_l*",)},
        "audit": {"action": "backup.*"},
    }
    return {
        "bare": {"units": None},
        "rare": {"units": None, **rare[table]},
        "cursor": {"units": None},
        "scope": {"units": BRANCHES},
        "rare unit": {"units": [RARE_UNIT]},
        "old unit": {"units": [OLD_UNIT]},
        "rare in scope": {"units": BRANCHES, **rare[table]},
    }


def _listing(wanted: Callable[..., Any], read: Callable[..., Awaitable[listing.Page[Any]]]) -> Callable[..., List]:
    def make(**options: Any) -> List:
        async def turn(tx: Tx, cursor: str | None) -> Turn:
            page = await read(tx, wanted(**options), limit=LIMIT, cursor=cursor)
            return len(page.items), page.cursor

        return turn

    return make


def _audit(**options: Any) -> List:
    async def turn(tx: Tx, cursor: str | None) -> Turn:
        before = {} if cursor is None else {"before": int(cursor)}
        found = await audit.list_entries(tx, audit.Wanted(**options, **before), limit=LIMIT)
        return len(found), str(found[-1].id) if len(found) == LIMIT else None

    return turn


_READ: dict[str, Callable[..., List]] = {
    "jobs": _listing(jobs.Wanted, jobs.list_jobs),
    "occurrences": _listing(occurrences.Wanted, occurrences.list_occurrences),
    "facts": _listing(facts.Wanted, facts.list_facts),
    "audit": _audit,
    "schedules": _listing(schedules.Wanted, schedules.list_schedules),
}
