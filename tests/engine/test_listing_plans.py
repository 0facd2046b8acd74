"""Lists read what they show and little more, whether what is asked for is rare or common."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.base.pools import Purpose
from pabal.base.sql import Statement, load
from pabal.engine import listing
from pabal.engine.listing import facts, jobs, occurrences, schedules

SQL = load(__file__)
ROWS = 20_000
MANY = list(range(1, 100))
RARE, COMMON = [99], [1]
WATCHED = ("work", "outcome", "fact", "occurrence", "schedule", "ready")
# A page of 50, of up to a hundred units, and what is looked through first.
ENOUGH = 8_000


class Watched:
    """A transaction that keeps, for each statement, how many rows of big tables it touched."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self.touched: dict[str, float] = {}

    async def rows(self, statement: Statement, **given: Any) -> list[Any]:
        explained = Statement(statement.name, f"explain (analyze, format json) {statement.text}", statement.parameters)
        plan = json.loads(await self._tx.value(explained, **given))[0]["Plan"]
        touched = sum(_rows_of(node) for node in _nodes(plan) if _is_watched(node))
        self.touched[statement.name] = self.touched.get(statement.name, 0) + touched
        return await self._tx.rows(statement, **given)

    async def all(self, row_type: Any, statement: Statement, **given: Any) -> list[Any]:
        return [row_type(**row) for row in await self.rows(statement, **given)]


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", []):
        yield from _nodes(part)


def _is_watched(node: dict[str, Any]) -> bool:
    return str(node.get("Relation Name", "")).startswith(WATCHED)


def _rows_of(node: dict[str, Any]) -> float:
    removed = node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Index Recheck", 0)
    return float((node["Actual Rows"] + removed) * node["Actual Loops"])


@pytest.fixture
async def crowded(db: Database) -> AsyncIterator[Database]:
    """Connections as pages have them, to tables with 20,000 rows each: unit 1 has most, unit 99 fifty old ones."""
    async with db.transaction() as tx:
        for statement in (SQL.fill_work, SQL.fill_facts, SQL.fill_schedules, SQL.fill_occurrences):
            await tx.run(statement, rows=ROWS)
        await tx.script(SQL.analyze.text)
    pages = await Database.open(db.url, purpose=Purpose.PAGES, size=2)
    yield pages
    await pages.close()
    async with db.transaction() as tx:
        await tx.script(SQL.empty.text)


RARE_FILTERS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "jobs": (listing.list_jobs, jobs.Wanted, {"kind": "test.rare"}),
    "jobs by state": (listing.list_jobs, jobs.Wanted, {"states": ["failed", "ready"]}),
    "occurrences": (listing.list_occurrences, occurrences.Wanted, {"states": ["missed", "enqueued"]}),
    "facts": (listing.list_facts, facts.Wanted, {"names": ["test.thing_l*"]}),
    "schedules": (listing.list_schedules, schedules.Wanted, {"kind": "test.rare"}),
}


async def test_no_list_reads_much_more_than_it_shows(crowded: Database) -> None:
    read: dict[str, float] = {}
    for name, (list_, wanted, rare) in RARE_FILTERS.items():
        for how, options in (("bare", {}), ("rare", rare)):
            for scope, units in (("all", None), ("common", COMMON), ("rare", RARE), ("many", MANY)):
                async with crowded.transaction() as tx:
                    watched = Watched(tx)
                    await list_(watched, wanted(units=units, **options), limit=50)
                read[f"{name} {how} {scope}"] = max(watched.touched.values())

    assert {name: count for name, count in read.items() if count > ENOUGH} == {}
    assert max(read.values()) >= 50


async def test_the_check_sees_a_list_that_reads_everything(crowded: Database) -> None:
    async with crowded.transaction() as tx:
        watched = Watched(tx)
        await watched.rows(SQL.read_everything)

    assert watched.touched["read_everything"] >= ROWS
