"""What attempts report: kept for the next one, shown to people, told as a fact now and then; fenced by the token."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import facts, ids
from pabal.engine.facts import NewFact
from pabal.engine.kinds import Job, Report, Stop

SQL = load(__file__)
PROGRESSED = "job.progressed"
# An attempt's progress becomes a fact at most this often, and not before it has run so long: quick jobs tell none.
TELL_EVERY = 5.0


async def write(tx: Tx, worker: int | None, reports: Sequence[tuple[Job, Report]]) -> set[tuple[int, int]]:
    """Answers which attempts' were kept: a stale one's is not. Without a worker the token alone counts."""
    if not reports:
        return set()
    rows = await tx.rows(
        SQL.write,
        ids=[job.id for job, _ in reports],
        tokens=[job.token for job, _ in reports],
        worker=worker,
        progress=[report.progress for _, report in reports],
        checkpoints=[report.checkpoint for _, report in reports],
        percents=[percent_of(report.progress) for _, report in reports],
    )
    for job, _ in reports:
        job.has_reported = True
    return {(row["id"], row["token"]) for row in rows}


async def tell(tx: Tx, reports: Sequence[tuple[Job, Report]]) -> None:
    """In the transaction that writes them."""
    await facts.record_many(tx, [_fact(job, report.progress) for job, report in reports if report.progress is not None])


async def forget(tx: Tx, job_ids: Sequence[int]) -> None:
    """With a job's end."""
    if job_ids:
        await tx.run(SQL.forget, ids=list(job_ids))


async def forget_orphans(tx: Tx) -> int:
    return await tx.run(SQL.forget_orphans)


async def note_stops(tx: Tx, told: Sequence[tuple[Job, Stop]]) -> None:
    """For people to see, and for whoever takes away the leases of those who do not stop."""
    if told:
        await tx.run(
            SQL.note_stops,
            ids=[job.id for job, _ in told],
            tokens=[job.token for job, _ in told],
            stops=[stop.value for _, stop in told],
        )


def percent_of(progress: dict[str, Any] | None) -> float | None:
    """By convention under `percent`; a bar and an estimate are made from it."""
    percent = (progress or {}).get("percent")
    is_number = isinstance(percent, int | float) and not isinstance(percent, bool)
    return float(percent) if is_number and 0 <= percent <= 100 else None  # type: ignore[operator,arg-type]  # seen just now


def estimate(at: datetime, percent: float, since: datetime, since_percent: float) -> datetime | None:
    """When it will be through if it goes on as since its first report; None while that cannot be said."""
    done = percent - since_percent
    if done <= 0 or at <= since:
        return None
    return at + (at - since) * ((100 - percent) / done)


def _fact(job: Job, progress: dict[str, Any] | None) -> NewFact:
    shown = ids.show("job", job.id)
    told = {"job": shown, "kind": job.kind, "about": job.about, "progress": progress}
    return NewFact(PROGRESSED, shown, told, job.unit_id)
