"""What every end of a job brings with it, wherever it happens: the fact for those who wait, the reports forgotten."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pabal.base.database import Tx
from pabal.engine import facts, ids, reports
from pabal.engine.facts import NewFact
from pabal.engine.kinds import Job

ENDED = "job.ended"


class End(NamedTuple):
    """`result` is the job's: done, partial, failed, cancelled, expired or quarantined."""

    job: Job
    result: str
    reason: str | None = None
    data: dict[str, Any] | None = None


async def record(tx: Tx, ends: Sequence[End]) -> None:
    """Only of jobs that ask for it. After give_up, so that what an application records of the end comes first.

    What was reported goes with the job.
    """
    await facts.record_many(tx, [_fact(*end) for end in ends if end.job.records_end])
    await reports.forget(tx, [end.job.id for end in ends if end.job.may_have_reported])


def _fact(job: Job, result: str, reason: str | None, data: dict[str, Any] | None) -> NewFact:
    """The subject is the job, so that one who waits for this job alone finds it by that."""
    shown = ids.show("job", job.id)
    told = {"job": shown, "kind": job.kind, "about": job.about, "result": result, "reason": reason, "data": data}
    return NewFact(ENDED, shown, told, job.unit_id)
