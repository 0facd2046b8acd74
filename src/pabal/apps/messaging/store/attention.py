"""What is watched: what was missed, what is in error, and who is away while something waits."""

from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class OfUnit:
    unit_id: int
    count: int


@dataclass(frozen=True, slots=True)
class WaitingBot:
    id: int
    unit_id: int | None
    name: str
    count: int
    since: datetime
    is_unproven: bool


@dataclass(frozen=True, slots=True)
class Troubled:
    id: int
    unit_id: int
    state: str
    scheduled_at: datetime
    reason: str | None
    title: str
    room_name: str
    bot_name: str


@dataclass(frozen=True, slots=True)
class InError:
    id: int
    unit_id: int
    title: str
    failures: int
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class PendingDevice:
    id: int
    created_at: datetime
    is_asking: bool
    bot_id: int
    bot_name: str


@dataclass(frozen=True, slots=True)
class Excluded:
    id: int
    name: str
    excluded_at: datetime
    excluded_reason: str


@dataclass(frozen=True, slots=True)
class Thing:
    family: str
    id: int
    title: str
    note: str


async def count_missed(tx: Tx, since: datetime) -> list[OfUnit]:
    return await tx.all(OfUnit, SQL.count_missed, since=since)


async def count_in_error(tx: Tx) -> list[OfUnit]:
    return await tx.all(OfUnit, SQL.count_in_error)


async def list_waiting_bots(tx: Tx) -> list[WaitingBot]:
    return await tx.all(WaitingBot, SQL.list_waiting_bots, now=tx.now)


async def list_unproven(tx: Tx) -> list[str]:
    """Names of bots whose phone is connected and does not sign with their secret."""
    return [row["name"] for row in await tx.rows(SQL.list_unproven)]


async def count_prevented(tx: Tx, since: datetime) -> float:
    count: float = await tx.value(SQL.count_prevented, since=since)
    return count


async def list_troubled(tx: Tx, scope: Scope, since: datetime, *, most: int) -> list[Troubled]:
    """Missed, partial, failed and unknown ones that nobody has sent on or dismissed; the newest first."""
    return await tx.all(Troubled, SQL.list_troubled, units=scope.listed, since=since, most=most)


async def list_in_error(tx: Tx, scope: Scope, *, most: int) -> list[InError]:
    return await tx.all(InError, SQL.list_in_error, units=scope.listed, most=most)


async def list_pending_devices(tx: Tx, scope: Scope, *, most: int) -> list[PendingDevice]:
    return await tx.all(PendingDevice, SQL.list_pending_devices, units=scope.listed, most=most)


async def list_excluded(tx: Tx, scope: Scope, *, most: int) -> list[Excluded]:
    return await tx.all(Excluded, SQL.list_excluded, units=scope.listed, most=most)


async def count_unclaimed(tx: Tx, scope: Scope) -> int:
    """Unclaimed rooms are of the house."""
    return 0 if scope.units is not None else int(await tx.value(SQL.count_unclaimed))


async def list_last_ends(tx: Tx, scope: Scope, since: datetime, *, most: int) -> list[str]:
    """The states of the last few, the newest first."""
    rows = await tx.rows(SQL.list_last_ends, units=scope.listed, since=since, most=most)
    return [row["state"] for row in rows]


async def find_next(tx: Tx, scope: Scope) -> datetime | None:
    moment: datetime | None = await tx.value(SQL.find_next, units=scope.listed)
    return moment


async def has_anything(tx: Tx, scope: Scope) -> bool:
    return bool(await tx.value(SQL.has_anything, units=scope.listed))


async def has_bots(tx: Tx) -> bool:
    return bool(await tx.value(SQL.has_bots))


async def find_things(tx: Tx, scope: Scope, text: str, *, most: int) -> list[Thing]:
    plain = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return await tx.all(Thing, SQL.find_things, units=scope.listed, words=f"%{plain}%", most=most)
