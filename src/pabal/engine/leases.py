"""What a worker holds right now: its progress, and the leases it does not know of."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from pabal.base.database import Database, Tx
from pabal.engine import claims
from pabal.engine.claims import LeaseLost, RouteLost
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


async def fence(tx: Tx, job: Job) -> None:
    """Nothing in this transaction may be kept unless the job is still this attempt's: raises LeaseLost or RouteLost."""
    epochs: list[int | None] = [None]
    if job.route_epoch is not None:
        # Routes before leases, as rescue locks them.
        epochs = [row["epoch"] for row in await tx.rows(claims.SQL.hold_routes, queues=[job.queue])]
    if await tx.value(claims.SQL.fence, id=job.id, token=job.token) is None:
        raise LeaseLost(f"job {job.id} token {job.token}")
    if epochs != [job.route_epoch]:
        raise RouteLost(f"job {job.id} route {job.queue}")


@asynccontextmanager
async def fenced(database: Database, job: Job) -> AsyncIterator[Tx]:
    """A transaction in which the job is this attempt's, opened with the fence itself."""
    async with _open(database, job) as tx:
        if tx.opened["id"] is None:
            raise LeaseLost(f"job {job.id} token {job.token}")
        if job.route_epoch is not None and tx.opened["epoch"] != job.route_epoch:
            raise RouteLost(f"job {job.id} route {job.queue}")
        yield tx


def _open(database: Database, job: Job) -> AbstractAsyncContextManager[Tx]:
    if job.route_epoch is None:
        return database.transaction(claims.SQL.open_fenced, id=job.id, token=job.token)
    return database.transaction(claims.SQL.open_routed, id=job.id, token=job.token, queue=job.queue)


@asynccontextmanager
async def holding(database: Database, jobs: Sequence[Job]) -> AsyncIterator[tuple[Tx, dict[tuple[int, int], bool]]]:
    """A transaction for many that write in one commit, and which of these attempts are still ours, by id and token.

    Those are locked until the commit; True where the route is ours too. Whoever is not named has lost its job.
    """
    asked = {"ids": [job.id for job in jobs], "tokens": [job.token for job in jobs]}
    async with database.transaction(claims.SQL.open_held, queues=[job.queue for job in jobs], **asked) as tx:
        _, ids, tokens, epochs = tx.opened
        held = dict(zip(zip(ids, tokens, strict=True), epochs, strict=True))
        yield tx, {job.key: job.route_epoch in (None, held[job.key]) for job in jobs if job.key in held}


async def return_unknown(tx: Tx, worker: int, known: set[tuple[int, int]]) -> int:
    """Hands back leases that a lost commit answer left in our name without our knowing."""
    rows = await tx.rows(claims.SQL.list_leases, worker=worker)
    unknown = [(row["id"], row["token"]) for row in rows if (row["id"], row["token"]) not in known]
    if unknown:
        ids, tokens = [pair[0] for pair in unknown], [pair[1] for pair in unknown]
        claims.announce_queues(tx, await tx.rows(claims.SQL.return_leases, ids=ids, tokens=tokens))
    return len(unknown)
