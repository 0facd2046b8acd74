"""Ends jobs that nobody runs: cancelled by somebody, or expired because nobody could take them in time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import ends, lanes
from pabal.engine.ends import End
from pabal.engine.kinds import Job, Kinds

SQL = load(__file__)
SLICE = 1000

declare("withdrawals.cancelled", "Jobs cancelled while they waited", amount="count")
declare("withdrawals.expired", "Jobs that ended because nobody could take them in time", amount="count", level=30)


@dataclass(frozen=True, slots=True)
class Cancelled:
    """`ended` had not started and are over. `signalled` are running: they get the signal, and no new attempt starts."""

    ended: list[int]
    signalled: list[int]


async def cancel_jobs(tx: Tx, job_ids: Sequence[int], *, kinds: Kinds, reason: str = "asked") -> Cancelled:
    """Wherever they are. In a short transaction of its own, please: it locks what it finds."""
    wanted = sorted(set(job_ids))
    ended: list[int] = []
    signalled: list[int] = []
    while wanted:
        ended += [job.id for job in await _withdraw(tx, wanted, kinds, result="cancelled", reason=reason)]
        await tx.rows(SQL.lock_leases, ids=wanted)
        signalled += [row["id"] for row in await tx.rows(SQL.flag_leases, ids=wanted)]
        # A job that was in no place and has no end was moving between two statements: look again.
        over = {row["id"] for row in await tx.rows(SQL.list_ended, ids=wanted)}
        known = {row["id"] for row in await tx.rows(SQL.list_known, ids=wanted)}
        wanted = sorted(known - over - set(signalled))
    if signalled:
        tx.hint("signals")
    emit("withdrawals.cancelled", count=len(ended))
    return Cancelled(ended, signalled)


async def ask(tx: Tx, job_ids: Sequence[int], *, reason: str) -> None:
    """Has them cancelled right after this commit, by any server: for transactions that must not wait for what runs."""
    if job_ids:
        await tx.run(SQL.ask, ids=list(job_ids), reason=reason)
        tx.hint("withdrawals")


async def obey_once(database: Database, kinds: Kinds) -> int:
    """Cancels what was asked for; what runs has its flag in the commit that forgets the asking."""
    async with database.transaction() as tx:
        rows = await tx.rows(SQL.take_asked, kinds=list(kinds), slice=SLICE)
        for reason in sorted({row["reason"] for row in rows}):
            chosen = [row["id"] for row in rows if row["reason"] == reason]
            await cancel_jobs(tx, chosen, kinds=kinds, reason=reason)
    return len(rows)


async def extend(tx: Tx, moments: Mapping[int, datetime]) -> None:
    """Bounds the waiting of these jobs by a moment instead of the one they were enqueued with. The earliest counts.

    What has begun may be given longer to come to its end than what has not.
    """
    if moments:
        await tx.run(SQL.extend, ids=list(moments), untils=list(moments.values()))


async def expire_once(database: Database, kinds: Kinds) -> int:
    """Ends what is past `expires_at` and not running; each handler's give_up is in the commit of its job's end."""
    async with database.transaction() as tx:
        rows = await tx.rows(SQL.list_expired, kinds=list(kinds), slice=SLICE)
        found = [row["id"] for row in rows]
        expired = await _withdraw(tx, found, kinds, result="expired", reason="expired") if found else []
        await tx.run(SQL.forget_expiries, ids=found)
    if expired:
        emit("withdrawals.expired", count=len(expired))
    return len(found)


async def forget_orphans(tx: Tx) -> int:
    return await tx.run(SQL.forget_orphaned_expiries)


async def _withdraw(tx: Tx, job_ids: Sequence[int], kinds: Kinds, *, result: str, reason: str) -> list[Job]:
    rows = await tx.rows(SQL.withdraw, ids=list(job_ids), result=result, reason=reason)
    jobs = [Job(*row.values()) for row in rows]
    await lanes.release_lanes(tx, [(job.lane, job.id) for job in jobs if job.lane is not None])
    await kinds.give_up(tx, [(job, reason) for job in jobs])
    await ends.record(tx, [End(job, result, reason) for job in jobs])
    return jobs
