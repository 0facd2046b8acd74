"""Claim and settle, fenced by a token: only the attempt that the lease names may change its job."""

import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pabal.base.database import Database, Row, Tx
from pabal.base.errors import Conflict
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import ends, lanes, reports
from pabal.engine.endings import Attempted, Ending, Lost, Returned, decide
from pabal.engine.ends import End
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Cancel, Done, Outcome, Retry

SQL = load(__file__)
SUCCESSES = ("done", "partial")
PRIORITIES = (0, 1, 2, 3)
BEGINNING = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
# a lane, and the job that holds it
Held = tuple[str, int]
END = datetime.fromisoformat("9999-01-01T00:00:00+00:00")

declare("claims.claimed", "Jobs claimed", labels=("kind",), amount="count", level=10)
declare("claims.settled", "Attempts settled", labels=("kind", "result"), amount="count", level=10)
declare("workers.quarantined", "Jobs ended because their worker died too often", amount="count", level=40)
declare("claims.stale", "Results of attempts that had lost their job; they changed nothing", amount="count", level=30)


class LeaseLost(Conflict, code="lease_lost"):
    """Another worker has this job now, or it ended; what this attempt did must not be kept."""


class RouteLost(Conflict, code="route_lost"):
    """The live connection this job needs is held elsewhere now; this server may not act for it."""


@dataclass(slots=True)
class Settled:
    """`busy` attempts are touched by another right now: give them again. `stale` ones are lost.

    `let_go`: in which queues others became ready, once for each of them.
    """

    count: int = 0
    busy: list[Attempted] = field(default_factory=list)
    stale: list[Job] = field(default_factory=list)
    let_go: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A queue to claim from, and between which moments to look."""

    queue: str
    priority: int
    floor: datetime = BEGINNING
    ceiling: datetime = END


async def claim(
    tx: Tx | Database, worker: int, wanted: Sequence[Wanted], *, total: int
) -> list[tuple[Job, datetime, int]]:
    """Takes leases for at most `total` jobs; answers each with its ready moment and priority, for the next floor.

    Without a transaction around it, it is one of its own. A worker whose life is over gets nothing.
    """
    rows = await tx.rows(
        SQL.claim,
        worker=worker,
        queues=[want.queue for want in wanted],
        priorities=[want.priority for want in wanted],
        floors=[want.floor for want in wanted],
        ceilings=[want.ceiling for want in wanted],
        total=total,
    )
    return _claimed(rows)


async def claim_routed(
    tx: Tx,
    worker: int,
    names: Sequence[str],
    *,
    kinds: Sequence[str],
    total: int,
    share: int | None = None,
    priorities: Sequence[int] = PRIORITIES,
) -> list[Job]:
    """Only on routes this worker holds, and only kinds it knows; the lease keeps the route's epoch.
    Of one priority each route gets at most its share; where one has more, lower priorities are left."""
    given = {"routes": list(names), "kinds": list(kinds), "priorities": list(priorities), "share": share or total}
    return [job for job, _, _ in _claimed(await tx.rows(SQL.claim_routed, worker=worker, total=total, **given))]


async def take_inside(tx: Tx, queue: str, priority: int, *, limit: int) -> tuple[list[Job], bool]:
    """The next jobs, and whether they are in doubt: then they may only be done one by one (suspects.py)."""
    rows = await tx.rows(SQL.take_inside, queue=queue, priority=priority, total=limit)
    jobs = [Job(*values) for *values, _ in (row.values() for row in rows)]
    return jobs, bool(rows and rows[0]["is_suspect"])


async def end_inside(tx: Tx, worker: int | None, jobs: Sequence[Job]) -> None:
    await tx.run(SQL.end_inside, ids=[job.id for job in jobs], tokens=[job.token for job in jobs], worker=worker)
    await lanes.release_lanes(tx, [(job.lane, job.id) for job in jobs if job.lane is not None])
    await ends.record(tx, [End(job, "done") for job in jobs if job.records_end])


async def fail_inside(tx: Tx, job_id: int, token: int, failure: Retry | Lost, kinds: Kinds) -> bool:
    """Settles the failure of an inside job as that of any other; False if it ended, or somebody took it, meanwhile."""
    jobs = [Job(*row.values()) for row in await tx.rows(SQL.lease_inside, id=job_id, token=token)]
    await settle(tx, None, [(job, failure) for job in jobs], kinds)
    return bool(jobs)


async def settle(
    tx: Tx, worker: int | None, attempts: Sequence[Attempted], kinds: Kinds, *, is_fenced: bool = False
) -> Settled:
    """Ends attempts, in any mixture; what is not ours any more changes nothing and is noted.

    `is_fenced`: this transaction holds their leases and routes already.
    """
    if not attempts:
        return Settled()
    attempts = _once_each(attempts)
    if not is_fenced:
        attempts = await _without_lost_routes(tx, attempts)
    done = [job for job, outcome in attempts if outcome is DONE]
    others = attempts if not done else [attempt for attempt in attempts if attempt[1] is not DONE]
    settled, held = await _end_done(tx, done) if done else (set(), [])
    back: list[str] = []
    if others:
        known = [attempt for attempt in others if isinstance(attempt[1], Done)]
        unknown = [attempt for attempt in others if not isinstance(attempt[1], Done)]
        ours = await _cancelled_first(tx, unknown)
        # What goes on must know what was reported in the last half second; these leases are locked, so nobody waits.
        await reports.write(tx, worker, [(job, job.unwritten) for job, _ in ours if job.unwritten is not None])
        endings = [_decide(tx, job, outcome, kinds) for job, outcome in [*known, *ours]]
        more, freed, back = await _apply(tx, endings, kinds)
        settled |= more
        held += freed
    # All at once: others lock the lanes they share with us in the same order.
    let_go = await lanes.release_lanes(tx, held, back=back)
    sorted_out = await _sort_out(tx, worker, attempts, settled)
    sorted_out.let_go = let_go
    return sorted_out


def _decide(tx: Tx, job: Job, outcome: Outcome | Returned | Lost, kinds: Kinds) -> Ending:
    return decide(job, outcome, kinds[job.kind], now=tx.now, chance=random.random())


def _once_each(attempts: Sequence[Attempted]) -> Sequence[Attempted]:
    """An attempt ends once; what was said first stands."""
    first: dict[tuple[int, int], Attempted] = {}
    for job, outcome in attempts:
        first.setdefault((job.id, job.token), (job, outcome))
    return attempts if len(first) == len(attempts) else list(first.values())


async def _cancelled_first(tx: Tx, attempts: Sequence[Attempted]) -> list[Attempted]:
    """Cancel beats retry, snooze, limit and hand-back; what cannot be locked now is left out: busy or stale."""
    if not attempts:
        return []
    rows = await tx.rows(
        SQL.find_leases, ids=[job.id for job, _ in attempts], tokens=[job.token for job, _ in attempts]
    )
    held = {(row["id"], row["token"]): row["is_cancelled"] for row in rows}
    return [
        (job, Cancel("asked while it ran") if held[job.id, job.token] and not isinstance(outcome, Cancel) else outcome)
        for job, outcome in attempts
        if (job.id, job.token) in held
    ]


async def _without_lost_routes(tx: Tx, attempts: Sequence[Attempted]) -> Sequence[Attempted]:
    routed = sorted({job.queue for job, _ in attempts if job.route_epoch is not None})
    if not routed:
        return attempts
    epochs = {row["route"]: row["epoch"] for row in await tx.rows(SQL.hold_routes, queues=routed)}
    return [
        (job, outcome) if job.route_epoch in (None, epochs.get(job.queue)) else (job, Returned("route lost"))
        for job, outcome in attempts
    ]


async def _apply(tx: Tx, endings: Sequence[Ending], kinds: Kinds) -> tuple[set[tuple[int, int]], list[Held], list[str]]:
    """Those that were settled, which lanes their jobs let go, and in which one is ready again."""
    final = [ending for ending in endings if ending.final]
    later = [ending for ending in endings if ending.due_at is not None]
    back = [ending for ending in endings if not ending.final and ending.due_at is None]
    ended = await _end(tx, final, kinds)
    delayed = await _delay(tx, later)
    returned = await _return(tx, back)
    free = [row for row in ended if row["lane"] is not None]
    keeping = {ending.job.id for ending in later if ending.holds_lane}
    free += [row for row in delayed if row["lane"] is not None and row["id"] not in keeping]
    settled = {(row["id"], row["token"]) for row in (*ended, *delayed, *returned)}
    return settled, [(row["lane"], row["id"]) for row in free], _lanes_of(returned)


async def _end_done(tx: Tx, jobs: Sequence[Job]) -> tuple[set[tuple[int, int]], list[Held]]:
    """The common case, without a word about each: nothing to decide, nothing to send but who."""
    ids, tokens = [job.id for job in jobs], [job.token for job in jobs]
    rows = await tx.rows(SQL.end_leases, ids=ids, tokens=tokens, results=None, errors=None, datas=None)
    held = [(lane, job_id) for job_id, _, lane in rows if lane is not None]
    ended = {(job_id, token) for job_id, token, _ in rows}
    await ends.record(
        tx, [End(job, "done") for job in jobs if (job.records_end or job.may_have_reported) and job.key in ended]
    )
    return ended, held


async def _end(tx: Tx, endings: Sequence[Ending], kinds: Kinds) -> list[Row]:
    if not endings:
        return []
    rows = await tx.rows(
        SQL.end_leases,
        ids=[ending.job.id for ending in endings],
        tokens=[ending.job.token for ending in endings],
        results=[ending.result for ending in endings],
        errors=[ending.error for ending in endings],
        datas=[ending.data for ending in endings],
    )
    ended = {(row["id"], row["token"]) for row in rows}
    over = [ending for ending in endings if ending.job.key in ended]
    await kinds.give_up(tx, [(one.job, one.reason or one.result) for one in over if one.result not in SUCCESSES])
    await ends.record(tx, [End(one.job, one.result, one.reason, one.data) for one in over])
    if quarantined := sum(one.result == "quarantined" for one in over):
        emit("workers.quarantined", count=quarantined)
    return rows


async def _delay(tx: Tx, endings: Sequence[Ending]) -> list[Row]:
    if not endings:
        return []
    for ending in endings:
        tx.hint("delayed", ending.due_at)
    return await tx.rows(
        SQL.delay_leases,
        ids=[ending.job.id for ending in endings],
        tokens=[ending.job.token for ending in endings],
        results=[ending.result for ending in endings],
        errors=[ending.error for ending in endings],
        dues=[ending.due_at for ending in endings],
        reasons=[ending.waits_for for ending in endings],
        failed=[ending.failed for ending in endings],
        snoozed=[ending.snoozed for ending in endings],
    )


async def _return(tx: Tx, endings: Sequence[Ending]) -> list[Row]:
    if not endings:
        return []
    rows = await tx.rows(
        SQL.return_leases,
        ids=[ending.job.id for ending in endings],
        tokens=[ending.job.token for ending in endings],
        turns=[ending.turn for ending in endings],
        recovered=[ending.recovered for ending in endings],
        errors=[ending.error if ending.recovered else None for ending in endings],
    )
    announce_queues(tx, rows)
    return rows


def _lanes_of(rows: Sequence[Row]) -> list[str]:
    return [row["lane"] for row in rows if row["lane"] is not None]


def announce_queues(tx: Tx, rows: Sequence[Row]) -> None:
    for row in rows:
        tx.hint(f"queue:{row['queue']}", row["ready_at"])


async def _sort_out(
    tx: Tx, worker: int | None, attempts: Sequence[Attempted], settled: set[tuple[int, int]]
) -> Settled:
    left = [(job, outcome) for job, outcome in attempts if (job.id, job.token) not in settled]
    _count(attempts, settled)
    if not left:
        return Settled(len(attempts))
    rows = await tx.rows(
        SQL.note_stale,
        ids=[job.id for job, _ in left],
        tokens=[job.token for job, _ in left],
        worker=worker,
        results=[type(outcome).__name__.lower() for _, outcome in left],
    )
    stale = {(row["id"], row["token"]) for row in rows}
    if noted := sum(row["is_noted"] for row in rows):
        emit("claims.stale", count=noted)
    busy = [(job, outcome) for job, outcome in left if (job.id, job.token) not in stale]
    return Settled(len(settled), busy, [job for job, _ in left if (job.id, job.token) in stale])


def _count(attempts: Sequence[Attempted], settled: set[tuple[int, int]]) -> None:
    counts: dict[tuple[str, str], int] = {}
    for job, outcome in attempts:
        if (job.id, job.token) in settled:
            name = (job.kind, type(outcome).__name__.lower())
            counts[name] = counts.get(name, 0) + 1
    for (kind, result), count in counts.items():
        emit("claims.settled", kind=kind, result=result, count=count)


def _claimed(rows: Sequence[Row]) -> list[tuple[Job, datetime, int]]:
    claimed = []
    counts: dict[str, int] = {}
    for row in rows:
        *values, ready_at, priority = row.values()
        job = Job(*values)
        job.ready_at, job.priority = ready_at, priority
        claimed.append((job, ready_at, priority))
        counts[job.kind] = counts.get(job.kind, 0) + 1
    for kind, count in counts.items():
        emit("claims.claimed", kind=kind, count=count)
    return claimed


async def note_lost(tx: Tx, worker: int, job: Job) -> None:
    """Keeps that a result came too late; it changed nothing."""
    await tx.rows(SQL.note_stale, ids=[job.id], tokens=[job.token], worker=worker, results=["record"])
    emit("claims.stale", count=1)


@asynccontextmanager
async def fenced(database: Database, job: Job) -> AsyncIterator[Tx]:
    """A transaction in which the job is this attempt's, opened with the fence itself; raises LeaseLost or RouteLost."""
    async with _open(database, job) as tx:
        if tx.opened["id"] is None:
            raise LeaseLost(f"job {job.id} token {job.token}")
        if job.route_epoch is not None and tx.opened["epoch"] != job.route_epoch:
            raise RouteLost(f"job {job.id} route {job.queue}")
        yield tx


def _open(database: Database, job: Job) -> AbstractAsyncContextManager[Tx]:
    if job.route_epoch is None:
        return database.transaction(SQL.open_fenced, id=job.id, token=job.token)
    return database.transaction(SQL.open_routed, id=job.id, token=job.token, queue=job.queue)


@asynccontextmanager
async def holding(database: Database, jobs: Sequence[Job]) -> AsyncIterator[tuple[Tx, dict[tuple[int, int], bool]]]:
    """A transaction for many that write in one commit, and which of these attempts are still ours, by id and token.

    Those are locked until the commit; True where the route is ours too. Whoever is not named has lost its job.
    """
    asked = {"ids": [job.id for job in jobs], "tokens": [job.token for job in jobs]}
    async with database.transaction(SQL.open_held, queues=[job.queue for job in jobs], **asked) as tx:
        _, ids, tokens, epochs = tx.opened
        held = dict(zip(zip(ids, tokens, strict=True), epochs, strict=True))
        yield tx, {job.key: job.route_epoch in (None, held[job.key]) for job in jobs if job.key in held}


async def return_unknown(tx: Tx, worker: int, list_known: Callable[[], set[tuple[int, int]]]) -> int:
    """Hands back leases that a lost commit answer left in our name without our knowing.

    What is known is asked after the leases were read: what is here by then was known before its commit.
    """
    rows = await tx.rows(SQL.list_leases, worker=worker)
    known = list_known()
    unknown = [(row["id"], row["token"]) for row in rows if (row["id"], row["token"]) not in known]
    if unknown:
        ids, tokens = [pair[0] for pair in unknown], [pair[1] for pair in unknown]
        counted: dict[str, Any] = {"turns": None, "recovered": None, "errors": None}
        returned = await tx.rows(SQL.return_leases, ids=ids, tokens=tokens, **counted)
        announce_queues(tx, returned)
        await lanes.release_lanes(tx, [], back=_lanes_of(returned))
    return len(unknown)
