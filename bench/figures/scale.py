"""What a claim of 100 costs with a million rows ready and a million delayed, against ten thousand of each."""

import json
import time
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import asyncpg

from bench.ground import Ground, install
from bench.ours import NOOP
from bench.result import Measured, Target, middle, middle_ratio
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import claims, workers

SQL = load(__file__)
CLAIM = 100
TARGETS = (Target("growth_buffers", at_most=1.5), Target("growth", at_most=2.0))


@dataclass(frozen=True)
class Sizes:
    few: int = 10_000
    many: int = 1_000_000
    claims: int = 15
    rounds: int = 3


SMALL = Sizes(few=2_000, many=4_000, claims=2, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = []
    async with ground.fresh() as few_url, ground.fresh() as many_url:
        for url, count in ((few_url, sizes.few), (many_url, sizes.many)):
            await install(url)
            await _fill(url, count)
            await ground.settle(url)
        for number in range(sizes.rounds):
            few, many = await _claim_many(few_url, sizes.claims), await _claim_many(many_url, sizes.claims)
            rounds.append(
                {
                    "round": number,
                    **{f"few_{name}": value for name, value in few.items()},
                    **{f"many_{name}": value for name, value in many.items()},
                }
            )
    names = ("few_buffers", "many_buffers", "few_ms", "many_ms")
    medians = {name: middle(rounds, name) for name in names}
    fields = {
        "growth_buffers": middle_ratio(rounds, "many_buffers", "few_buffers"),
        "growth": middle_ratio(rounds, "many_ms", "few_ms"),
        **medians,
    }
    notes = (
        "Buffers are EXPLAIN (ANALYZE, BUFFERS) of the claim, its writes included; ms is one claim with its commit.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _fill(url: str, count: int) -> None:
    connection = await asyncpg.connect(url)
    await connection.execute(SQL.fill_ready.text, *SQL.fill_ready.arguments({"kind": NOOP, "count": count}))
    await connection.execute(SQL.fill_delayed.text, *SQL.fill_delayed.arguments({"kind": NOOP, "count": count}))
    await connection.close()


async def _claim_many(url: str, times: int) -> dict[str, float]:
    database = await Database.open(url, size=1)
    answers: list[dict[str, float]] = []
    async with database.transaction() as tx:
        worker = await workers.insert_worker(tx, host="bench", meta={}, ttl=timedelta(hours=1))
    for _ in range(times + 1):
        async with database.transaction() as tx:
            buffers = await _explain(tx, worker)
        began = time.perf_counter()
        async with database.transaction() as tx:
            claimed = await claims.claim(tx, worker, [claims.Wanted(NOOP, 2)], total=CLAIM)
        answers.append({"buffers": buffers, "ms": (time.perf_counter() - began) * 1000})
        assert len(claimed) == CLAIM
    await database.close()
    # The first of a connection loads catalogs and plans.
    return {"buffers": middle(answers[1:], "buffers"), "ms": middle(answers[1:], "ms")}


async def _explain(tx: Tx, worker: int) -> float:
    """The generic plan that the engine runs, with its buffers; it claims like any other."""
    given = {
        "worker": worker,
        "queues": [NOOP],
        "priorities": [2],
        "floors": [claims.BEGINNING],
        "ceilings": [claims.END],
        "total": CLAIM,
    }
    values = ", ".join(_literal(value) for value in claims.SQL.claim.arguments(given))
    await tx.script(SQL.prepare.text.replace("bench_statement", claims.SQL.claim.text.rstrip("; \n")))
    # EXECUTE takes no parameters of the protocol; these are our own constants.
    text = SQL.explain.text.replace("bench_values", values)
    [plan] = json.loads(await tx._connection.fetchval(text))
    await tx.script(SQL.forget.text)
    return float(_buffers(plan["Plan"]))


def _buffers(plan: dict[str, Any]) -> int:
    """The top counts all it pulled from; a writing CTE that nobody reads runs after it and is counted apart."""
    return _own(plan) + sum(_own(child) for child in plan.get("Plans", ()) if child["Node Type"] == "ModifyTable")


def _own(plan: dict[str, Any]) -> int:
    return int(plan["Shared Hit Blocks"] + plan["Shared Read Blocks"])


def _literal(value: Any) -> str:
    match value:
        case list():
            return "array[" + ", ".join(_literal(one) for one in value) + "]"
        case datetime():
            return f"'{value.isoformat()}'::timestamptz"
        case str():
            return f"'{value}'"
    return str(value)
