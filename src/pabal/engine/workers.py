"""A worker is one life of one process: its heartbeat, and the rescue of what a dead one held. There is no leader."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pabal.base.database import Database, Row, Tx
from pabal.base.errors import NotFound
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import claims, ends, facts, ids, lanes, suspects
from pabal.engine.ends import End
from pabal.engine.facts import NewFact
from pabal.engine.kinds import Job, Kinds

SQL = load(__file__)
BEAT = timedelta(seconds=2)
TTL = timedelta(seconds=10)
GRACE = timedelta(seconds=10)
SLICE = 500

declare("workers.buried", "Lives that ended without saying goodbye", amount="count", level=30)
declare("workers.rescued", "Jobs handed back because their worker died", amount="count", level=30)
declare(
    "workers.taken_away", "Attempts taken from workers that ignored a cancel or a deadline", amount="count", level=30
)


class ServerNotFound(NotFound, code="server_not_found"):
    """There is no such server, or its life is over. A server that begins anew has a new id."""


@dataclass(frozen=True, slots=True)
class Worker:
    id: int
    until: datetime
    host: str
    started_at: datetime
    meta: dict[str, Any]
    is_alive: bool
    is_draining: bool
    leases: int


@dataclass(frozen=True, slots=True)
class Signal:
    """A running attempt that must stop: it was cancelled, or its route is held elsewhere now."""

    id: int
    token: int
    is_cancelled: bool


async def insert_worker(tx: Tx, *, host: str, meta: dict[str, Any], ttl: timedelta = TTL) -> int:
    worker: int = await tx.value(SQL.insert_worker, ttl=ttl, host=host, meta=meta)
    return worker


async def hold_life(tx: Tx, worker: int) -> bool:
    """Must come before any other lock of a transaction that claims: locking leases first deadlocks with rescue."""
    return await tx.value(SQL.hold_life, worker=worker) is not None


async def beat(tx: Tx, worker: int, *, ttl: timedelta = TTL) -> bool:
    alive: bool = await tx.value(SQL.beat, worker=worker, ttl=ttl)
    return alive


async def set_drain(tx: Tx, worker: int, *, is_draining: bool) -> None:
    """From this commit on it claims nothing, finishes what it has and lets its routes go; or takes work again."""
    if await tx.value(SQL.set_drain, worker=worker, is_draining=is_draining) is None:
        raise ServerNotFound(ids.show("wrk", worker))
    tx.hint("signals")


async def is_draining(tx: Tx, worker: int) -> bool:
    return bool(await tx.value(SQL.is_draining, worker=worker))


async def release_routes(tx: Tx, worker: int) -> None:
    """For one that drains: when nothing of it runs any more, its routes may be held elsewhere."""
    await tx.run(SQL.release_routes, worker=worker)


async def list_signals(tx: Tx, worker: int) -> list[Signal]:
    return await tx.all(Signal, SQL.list_signals, worker=worker)


async def list_workers(tx: Tx) -> list[Worker]:
    return await tx.all(Worker, SQL.list_workers)


async def leave(tx: Tx, worker: int) -> None:
    """A goodbye: the routes go with the life, and what is still leased is handed back, nothing counted."""
    await tx.value(SQL.lock_worker, worker=worker)
    await claims.return_unknown(tx, worker, set)
    await tx.run(SQL.delete_routes, workers=[worker])
    await tx.run(SQL.end_life, worker=worker)


async def rescue_once(database: Database, kinds: Kinds, *, ttl: timedelta = TTL) -> int:
    """Hands back the jobs of lives that lapsed. Any server does it, every second."""
    async with database.transaction() as tx:
        await tx.run(SQL.end_connections, ttl=ttl)
    async with database.transaction() as tx:
        return await _bury(tx, kinds, await tx.rows(SQL.bury_lapsed, ttl=ttl))


async def rescue_workers(database: Database, kinds: Kinds, workers: Sequence[int]) -> int:
    """The same at once, for lives that are known to be over: this host's, whose lock is free."""
    async with database.transaction() as tx:
        return await _bury(tx, kinds, await tx.rows(SQL.bury_named, workers=list(workers)))


async def list_lives(tx: Tx, host: str) -> list[tuple[int, dict[str, Any]]]:
    return [(row["id"], row["meta"]) for row in await tx.rows(SQL.list_lives, host=host)]


async def take_overdue_once(database: Database, kinds: Kinds) -> int:
    async with database.transaction() as tx:
        rows = await tx.rows(SQL.take_overdue, grace=GRACE, kinds=list(kinds), slice=SLICE)
        await _finish(tx, kinds, rows)
    if rows:
        emit("workers.taken_away", count=len(rows))
    return len(rows)


async def _bury(tx: Tx, kinds: Kinds, dead: Sequence[Row]) -> int:
    if not dead:
        return 0
    workers = [row["id"] for row in dead]
    kill_point("rescue.buried")
    await tx.run(SQL.delete_routes, workers=workers)
    rows = await tx.rows(SQL.rescue_leases, workers=workers, kinds=list(kinds))
    await _finish(tx, kinds, rows)
    kill_point("rescue.handed_back")
    await facts.record_many(tx, [_lost(row) for row in dead])
    # What it did in batches left no trace: whatever it was, it is done one by one now.
    await suspects.suspect(tx, [name for row in dead for name in row["meta"].get("alone", ())], suspects.DIED)
    emit("workers.buried", count=len(workers), workers=workers)
    emit("workers.rescued", count=len(rows))
    return len(rows)


def _lost(row: Row) -> NewFact:
    """Whoever leaves with a goodbye deletes its own row; of one that others buried this is what remains."""
    data = {"host": row["host"], "started_at": row["started_at"]}
    return NewFact("server.lost", f"server:{row['id']}", data)


async def _finish(tx: Tx, kinds: Kinds, rows: Sequence[Row]) -> None:
    """What ended is given up and frees its lane; what goes on is announced and keeps it, if it is still wide enough."""
    over: list[End] = []
    back: list[str] = []
    for row in rows:
        *values, verdict, reason = row.values()
        if verdict is None:
            tx.hint(f"queue:{row['queue']}", tx.now)
            back += [] if row["lane"] is None else [row["lane"]]
        else:
            job = Job(*values)
            # by somebody who can no longer say so
            job.has_reported = True
            over.append(End(job, verdict, reason))
    held = [(end.job.lane, end.job.id) for end in over if end.job.lane is not None]
    await lanes.release_lanes(tx, held, back=back)
    await kinds.give_up(tx, [(end.job, end.result) for end in over])
    await ends.record(tx, over)
    quarantined = sum(end.result == "quarantined" for end in over)
    if quarantined:
        emit("workers.quarantined", count=quarantined)
