"""Hot statements read their tables by index only, however the tables were filled when they were planned."""

import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.base.sql import Statement
from pabal.engine import claims, delays, lanes, reports, routes, withdrawals, workers
from pabal.engine.queue import NewJob, Priority
from tests.support.work import PLAIN, SQL, begin_life, enqueue_many, hold_route

ROWS = 20_000
BATCH = 100
WATCHED = ("ready", "lease", "delayed", "waiting", "work", "outcome", "report", "lane")
HOT = [
    claims.SQL.claim,
    claims.SQL.claim_routed,
    claims.SQL.take_inside,
    claims.SQL.find_leases,
    claims.SQL.open_fenced,
    claims.SQL.end_leases,
    claims.SQL.delay_leases,
    claims.SQL.return_leases,
    claims.SQL.note_stale,
    reports.SQL.write,
    reports.SQL.forget,
    reports.SQL.note_stops,
    delays.SQL.take_due,
    routes.SQL.list_priorities,
    lanes.SQL.advance_lanes,
    lanes.SQL.free_lanes,
    lanes.SQL.list_lanes_with_room,
    withdrawals.SQL.withdraw,
    withdrawals.SQL.lock_leases,
    withdrawals.SQL.flag_leases,
    withdrawals.SQL.list_expired,
    workers.SQL.rescue_leases,
    workers.SQL.take_overdue,
    workers.SQL.list_signals,
]
CLAIM = {
    "worker": "1",
    "queues": "array['test.plain']",
    "priorities": "array[2::smallint]",
    "floors": "array[timestamptz '-infinity']",
    "ceilings": "array[timestamptz 'infinity']",
    "total": str(BATCH),
}
ROUTED = {
    "kinds": "array['test.plain']",
    "priorities": "array[0, 1, 2, 3]::smallint[]",
    "share": str(BATCH // 20),
    "total": str(BATCH),
}


async def explain(tx: Tx, statement: Statement, given: dict[str, str] | None = None) -> dict[str, Any]:
    """The generic plan, as engine connections use it; run as well when it is given its parameters."""
    values = ", ".join((given or {}).get(name, "null") for name in statement.parameters)
    call = f"execute hot({values})" if values else "execute hot"
    await tx.script(f"prepare hot as {statement.text}")
    how = "format json, analyze" if given else "format json"
    answer = await tx.value(Statement("explain", f"explain ({how}) {call}", ()))
    await tx.script("deallocate hot")
    plan: dict[str, Any] = json.loads(answer)[0]["Plan"]
    return plan


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for part in plan.get("Plans", []):
        yield from nodes(part)


def scanned_whole(plan: dict[str, Any]) -> list[str]:
    """Tables read from end to end: by a sequential scan, or along an index without a condition on it."""
    return [node["Relation Name"] for node in nodes(plan) if is_watched(node) and is_whole(node)]


def is_watched(node: dict[str, Any]) -> bool:
    return str(node.get("Relation Name", "")).startswith(WATCHED)


def is_whole(node: dict[str, Any]) -> bool:
    kind = node["Node Type"]
    return kind.endswith("Seq Scan") or (kind in ("Index Scan", "Index Only Scan") and "Index Cond" not in node)


@pytest.fixture
async def crowded(db: Database) -> AsyncIterator[Database]:
    async with db.transaction() as tx:
        await tx.run(SQL.fill_places, rows=ROWS)
    yield db
    # nothing there was ever asked for; to look at where each stands, as after every test, took up to 44 s
    async with db.transaction() as tx:
        await tx.script(SQL.empty.text)


async def test_no_hot_statement_scans_a_crowded_table(crowded: Database) -> None:
    async with crowded.transaction() as tx:
        found = {statement.name: scanned_whole(await explain(tx, statement)) for statement in HOT}

    assert {name: tables for name, tables in found.items() if tables} == {}


@pytest.mark.parametrize("is_analyzed", [False, True], ids=["new", "analyzed"])
async def test_nor_when_it_was_planned_while_the_tables_were_empty(db: Database, is_analyzed: bool) -> None:
    async with db.transaction() as tx:
        if is_analyzed:
            await tx.script(SQL.analyze.text)
        found = {statement.name: scanned_whole(await explain(tx, statement)) for statement in HOT}

    assert {name: tables for name, tables in found.items() if tables} == {}


async def test_the_check_sees_a_statement_that_scans(crowded: Database) -> None:
    async with crowded.transaction() as tx:
        found = scanned_whole(await explain(tx, SQL.scan_ready))

    assert found == ["ready"]


async def test_a_claim_touches_no_more_rows_than_a_few_for_each_job(crowded: Database) -> None:
    worker = await begin_life(crowded)
    async with crowded.transaction() as tx:
        plan = await explain(tx, claims.SQL.claim, {**CLAIM, "worker": str(worker)})

    assert BATCH <= most_touched(plan) <= 3 * BATCH


@pytest.mark.parametrize("deep", [1, 20], ids=["one deep route", "all deep"])
async def test_nor_does_a_claim_from_many_routes(crowded: Database, deep: int) -> None:
    worker = await begin_life(crowded)
    names = [f"bot:{n}" for n in range(20)]
    for n, name in enumerate(names):
        await hold_route(crowded, worker, name)
        jobs = [NewJob(PLAIN, route=name, priority=Priority(i % 4)) for i in range(800 if n < deep else 4)]
        await enqueue_many(crowded, *jobs)
    given = {**ROUTED, "worker": str(worker), "routes": f"array{names}"}
    async with crowded.transaction() as tx:
        plan = await explain(tx, claims.SQL.claim_routed, given)

    assert most_touched(plan) <= 3 * BATCH


def most_touched(plan: dict[str, Any]) -> float:
    """Rows that one step of the plan read from one of the tables, kept or not."""
    return max(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in nodes(plan)
        if is_watched(node) and "Actual Rows" in node
    )


async def test_a_claim_looks_for_reports_only_of_what_was_tried_before(crowded: Database) -> None:
    worker = await begin_life(crowded)
    async with crowded.transaction() as tx:
        plan = await explain(tx, claims.SQL.claim, {**CLAIM, "worker": str(worker)})

    [looked] = [node for node in nodes(plan) if node.get("Relation Name") == "report"]
    assert (looked["Index Name"], looked["Actual Loops"]) == ("report_pkey", 0)
