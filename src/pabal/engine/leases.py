"""What a worker holds right now: its progress, and the leases it does not know of."""

from collections.abc import Sequence
from typing import Any

from pabal.base.database import Tx
from pabal.engine import claims
from pabal.engine.kinds import Job


async def write_progress(tx: Tx, worker: int, reports: Sequence[tuple[Job, dict[str, Any]]]) -> set[int]:
    """Answers whose progress was kept; a stale attempt's is not."""
    rows = await tx.rows(
        claims.SQL.write_progress,
        ids=[job.id for job, _ in reports],
        tokens=[job.token for job, _ in reports],
        worker=worker,
        progress=[progress for _, progress in reports],
    )
    return {row["id"] for row in rows}


async def hold(tx: Tx, jobs: Sequence[Job]) -> dict[int, bool]:
    """Of these running attempts, those that are still ours, locked until the commit; True where the route is too.

    For handlers that write on their way, many of them in one commit: whoever is not named has lost its job.
    """
    # Routes before leases, as rescue locks them.
    queues = sorted({job.queue for job in jobs if job.route_epoch is not None})
    rows = await tx.rows(claims.SQL.hold_routes, queues=queues) if queues else []
    epochs = {row["route"]: row["epoch"] for row in rows}
    mine = await tx.rows(claims.SQL.hold_leases, ids=[job.id for job in jobs], tokens=[job.token for job in jobs])
    held = {(row["id"], row["token"]) for row in mine}
    return {job.id: job.route_epoch in (None, epochs.get(job.queue)) for job in jobs if (job.id, job.token) in held}


async def return_unknown(tx: Tx, worker: int, known: set[tuple[int, int]]) -> int:
    """Hands back leases that a lost commit answer left in our name without our knowing."""
    rows = await tx.rows(claims.SQL.list_leases, worker=worker)
    unknown = [(row["id"], row["token"]) for row in rows if (row["id"], row["token"]) not in known]
    if unknown:
        ids, tokens = [pair[0] for pair in unknown], [pair[1] for pair in unknown]
        claims.announce_queues(tx, await tx.rows(claims.SQL.return_leases, ids=ids, tokens=tokens))
    return len(unknown)
