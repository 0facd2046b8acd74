"""What is measured of renders: the queries of the requirements, with their definitions put right."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.rendering.model.slots import ALIVE_FOR
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)
DAY = timedelta(days=1)
LAST = 100


@dataclass(frozen=True, slots=True)
class Pending:
    count: int
    oldest_seconds: float | None


@dataclass(frozen=True, slots=True)
class Success:
    completed: int
    failed: int

    @property
    def percent(self) -> float | None:
        whole = self.completed + self.failed
        return 100 * self.completed / whole if whole else None


@dataclass(frozen=True, slots=True)
class Workers:
    alive: int
    known: int


async def read_pending(tx: Tx) -> Pending:
    found = await tx.one(Pending, SQL.read_pending, now=tx.now)
    return found or Pending(0, None)


async def read_average(tx: Tx) -> float | None:
    """Of the last hundred completed in a day."""
    found: float | None = await tx.value(SQL.read_average, since=tx.now - DAY, most=LAST)
    return found


async def read_success(tx: Tx) -> Success:
    found = await tx.one(Success, SQL.read_success, since=tx.now - DAY)
    return found or Success(0, 0)


async def count_workers(tx: Tx) -> Workers:
    """By their heartbeat, busy or not."""
    found = await tx.one(Workers, SQL.count_active, alive_since=tx.now - ALIVE_FOR)
    return found or Workers(0, 0)


async def read_latency(tx: Tx, since: datetime) -> float | None:
    found: float | None = await tx.value(SQL.read_latency, since=since)
    return found


async def count_away(tx: Tx, since: datetime) -> float:
    found: float = await tx.value(SQL.count_away, since=since)
    return found


async def read_copies(tx: Tx, since: datetime) -> float | None:
    found: float | None = await tx.value(SQL.read_copies, since=since)
    return found


async def count_pending(tx: Tx) -> dict[int, float]:
    return {row["unit_id"]: row["value"] for row in await tx.rows(SQL.count_pending)}


async def count_slow(tx: Tx, before: datetime) -> dict[int, float]:
    return {row["unit_id"]: row["value"] for row in await tx.rows(SQL.count_slow, before=before)}


async def count_unbegun(tx: Tx, before: datetime) -> dict[int, float]:
    return {row["unit_id"]: row["value"] for row in await tx.rows(SQL.count_unbegun, before=before)}


async def count_poisoned(tx: Tx, since: datetime) -> dict[int, float]:
    return {row["unit_id"]: row["value"] for row in await tx.rows(SQL.count_poisoned, since=since)}
