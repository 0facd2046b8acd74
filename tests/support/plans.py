"""What the planner makes of a statement before it knows the values: a generic plan, as long-lived connections have."""

import json
from collections.abc import Collection, Iterator
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import Statement


async def list_scanned(tx: Tx, statement: Statement, tables: Collection[str]) -> list[tuple[str, str]]:
    """Those of the tables that this statement reads from end to end, each beside the statement's name."""
    scans = [node["Relation Name"] for node in await _list_nodes(tx, statement) if node["Node Type"] == "Seq Scan"]
    return [(statement.name, table) for table in scans if table in tables]


async def list_lookups(tx: Tx, statement: Statement) -> set[str]:
    """The indexes in which it looks for something, rather than read them from end to end."""
    return {node["Index Name"] for node in await _list_nodes(tx, statement) if "Index Cond" in node}


async def list_indexes(tx: Tx, statement: Statement) -> set[str]:
    """All indexes it uses, also those that only give an order."""
    return {node["Index Name"] for node in await _list_nodes(tx, statement) if "Index Name" in node}


async def _list_nodes(tx: Tx, statement: Statement) -> list[dict[str, Any]]:
    values = ", ".join("null" for _ in statement.parameters)
    await tx.script(f"prepare hot as {statement.text}")
    answer = await tx.value(Statement("explain", f"explain (format json) execute hot({values})", ()))
    await tx.script("deallocate hot")
    return list(_walk(json.loads(answer)[0]["Plan"]))


def _walk(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", []):
        yield from _walk(each)
