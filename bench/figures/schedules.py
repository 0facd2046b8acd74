"""A million schedules, ten thousand due within a minute: how late handlers start; then ten thousand at one moment."""

import asyncio
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import asyncpg

from bench.ground import Ground, install
from bench.machine import timer_noise_ms
from bench.result import Measured, Target, percentile
from bench.schedules_side import KIND
from bench.sides import SCHEDULES
from pabal.base.sql import load

SQL = load(__file__)
IDLE_SECONDS = 22 * 3600  # every second of a day but the hours around now


@dataclass(frozen=True)
class Sizes:
    schedules: int = 1_000_000
    spread: int = 10_000
    spread_seconds: int = 60
    burst: int = 10_000
    lead_seconds: int = 6
    gap_seconds: int = 5


SMALL = Sizes(schedules=2_000, spread=40, spread_seconds=2, burst=200, lead_seconds=4, gap_seconds=2)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with ground.fresh() as url:
        await install(url)
        admin = await asyncpg.connect(url)
        await _insert(admin, sizes.schedules - sizes.spread - sizes.burst, await _moment(admin, 3600), IDLE_SECONDS)
        await ground.settle(url)
        spread_at, burst_at = await _arm(admin, sizes)
        await admin.close()
        counts = (sizes.spread, sizes.burst, spread_at.timestamp(), burst_at.timestamp())
        async with SCHEDULES.start("serve", url, *counts) as worker:
            await worker.line()
            noise = await asyncio.to_thread(timer_noise_ms, sizes.lead_seconds + sizes.spread_seconds)
            answer = await worker.answer()
    fields = _fields(answer, noise, sizes)
    targets = (Target("p99_ms", at_most=100 + 2 * fields["noise_p99_ms"]), Target("burst_per_s", at_least=5_000))
    notes = (
        "Lateness is from the due moment to the start of the handler; recurrences know whole seconds.",
        "The burst counts from its moment until the last outcome is durable.",
        "Noise is how late this machine wakes a sleeper, measured meanwhile.",
    )
    rounds = [{"late_ms_by_tenths": _tenths(answer["late_ms"]), "burst_seconds": answer["burst_seconds"]}]
    return Measured(fields, targets, rounds, asdict(sizes), notes)


def _fields(answer: dict[str, Any], noise: list[float], sizes: Sizes) -> dict[str, float]:
    late = answer["late_ms"]
    assert len(late) == sizes.spread
    return {
        "p50_ms": percentile(late, 0.5),
        "p99_ms": percentile(late, 0.99),
        "noise_p99_ms": percentile(noise, 0.99),
        "burst_per_s": sizes.burst / answer["burst_seconds"],
    }


async def _arm(admin: asyncpg.Connection, sizes: Sizes) -> tuple[datetime, datetime]:
    spread_at = await _moment(admin, sizes.lead_seconds)
    burst_at = spread_at + timedelta(seconds=sizes.spread_seconds + sizes.gap_seconds)
    await _insert(admin, sizes.spread, spread_at, sizes.spread_seconds)
    await _insert(admin, sizes.burst, burst_at, 1)
    return spread_at, burst_at


async def _moment(admin: asyncpg.Connection, seconds: int) -> datetime:
    now: datetime = await admin.fetchval(SQL.read_now.text)
    return now.replace(microsecond=0) + timedelta(seconds=seconds)


async def _insert(admin: asyncpg.Connection, count: int, first_at: datetime, seconds: int) -> None:
    given = {"kind": KIND, "count": count, "first_at": first_at, "seconds": seconds}
    await admin.execute(SQL.insert_schedules.text, *SQL.insert_schedules.arguments(given), timeout=600)


def _tenths(values: list[float]) -> list[float]:
    return [round(percentile(values, part / 10), 2) for part in range(11)]
