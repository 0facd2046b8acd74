"""What is to be served, from the tables of ad groups; and how serving stands: its row, its fence, its checks."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pabal.apps.adgroups.serving.layout import Served
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)
KEPT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison: how many ran and were compared, what differed by kind, how much of it was mended.

    `error` says why it did not come to its end.
    """

    id: int
    at: datetime
    took_ms: int
    asked_by: str
    compared: int
    differences: dict[str, int]
    mended: int
    error: str | None

    @property
    def found(self) -> int:
        return sum(self.differences.values())

    @property
    def remaining(self) -> int:
        return self.found - self.mended


@dataclass(frozen=True, slots=True)
class Standing:
    """`is_wanted`: a server has the address of the ad servers' Redis. `running`: how many ad groups it should have."""

    is_wanted: bool
    refreshed_at: datetime | None
    rebuilt_at: datetime | None
    away_since: datetime | None
    away_error: str | None
    running: int


async def take_fence(tx: Tx) -> int:
    """Before what is to be written is read. The row stays locked, so that later numbers stand for later readings."""
    fence: int = await tx.value(SQL.take_fence)
    return fence


async def raise_fence(tx: Tx, seen: int) -> None:
    await tx.run(SQL.raise_fence, seen=seen)


async def load_served(tx: Tx, ids: Sequence[int]) -> dict[int, Served]:
    """Those of them that run now."""
    return {row[0]: Served(*row) for row in await tx.rows(SQL.load_served, ids=list(ids))}


async def list_running(tx: Tx, *, after: int, limit: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.list_running, after=after, most=limit)]


async def filter_running(tx: Tx, ids: Sequence[int]) -> set[int]:
    return {row["id"] for row in await tx.rows(SQL.filter_running, ids=list(ids))}


async def filter_holding(tx: Tx, code: str, ids: Sequence[int]) -> set[int]:
    """Those of them that run and are to be shown in this inventory."""
    return {row["id"] for row in await tx.rows(SQL.filter_holding, code=code, ids=list(ids))}


async def load_changes(tx: Tx, ids: Sequence[int]) -> dict[int, datetime]:
    """When each last changed; those that never were, or are gone, are left out."""
    return {row["id"]: row["changed_at"] for row in await tx.rows(SQL.load_changes, ids=list(ids))}


async def get_standing(tx: Tx) -> Standing:
    [found] = await tx.all(Standing, SQL.find_standing)
    return found


async def find_away(tx: Tx) -> datetime | None:
    """Since when Redis does not answer."""
    since: datetime | None = await tx.value(SQL.find_away)
    return since


async def find_rebuilt(tx: Tx) -> datetime | None:
    """When all was last written anew."""
    at: datetime | None = await tx.value(SQL.find_rebuilt)
    return at


async def is_wanted(tx: Tx) -> bool:
    return bool(await tx.value(SQL.is_wanted))


async def hold_wanted(tx: Tx) -> bool:
    """The same, locked until the commit."""
    return bool(await tx.value(SQL.hold_wanted))


async def set_wanted(tx: Tx, is_wanted: bool) -> bool:
    """Whether that changed anything."""
    return await tx.value(SQL.set_wanted, is_wanted=is_wanted) is not None


async def note_refreshed(tx: Tx) -> None:
    await tx.run(SQL.note_refreshed, now=tx.now)


async def note_rebuilt(tx: Tx) -> None:
    await tx.run(SQL.note_rebuilt, now=tx.now)


async def note_away(tx: Tx, error: str) -> None:
    await tx.run(SQL.note_away, now=tx.now, error=error)


async def note_answers(tx: Tx) -> None:
    await tx.run(SQL.note_answers)


async def insert_check(tx: Tx, check: Check) -> Check:
    """Its id is made; those past their time go."""
    await tx.run(SQL.delete_checks, before=tx.now - KEPT)
    made = await tx.value(
        SQL.insert_check,
        at=check.at,
        took_ms=check.took_ms,
        asked_by=check.asked_by,
        compared=check.compared,
        differences=check.differences,
        mended=check.mended,
        error=check.error,
    )
    return replace(check, id=made)


async def list_checks(tx: Tx, limit: int = 20) -> list[Check]:
    """Newest first."""
    return await tx.all(Check, SQL.list_checks, most=limit)
