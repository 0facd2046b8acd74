"""How an attempt ends: for good, until a moment, or handed back. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.engine.kinds import Job, Kind
from pabal.engine.outcome import Cancel, Done, Fail, Limited, Miss, Outcome, Retry, Snooze


@dataclass(frozen=True, slots=True)
class Returned:
    """Handed back unharmed: a shutdown, or a lost route. Nothing is counted."""

    reason: str


Attempted = tuple[Job, Outcome | Returned]


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ends: for good, until `due_at`, or handed back."""

    job: Job
    result: str
    final: bool = False
    reason: str | None = None
    due_at: datetime | None = None
    waits_for: str = ""
    failed: int = 0
    snoozed: int = 0
    holds_lane: bool = False

    @property
    def error(self) -> dict[str, Any] | None:
        return None if self.reason is None else {"reason": self.reason}


def decide(job: Job, outcome: Outcome | Returned, kind: Kind, *, now: datetime, chance: float) -> Ending:
    """Pure: what an outcome means for a job with these counters."""
    match outcome:
        case Done(detail, partial):
            return Ending(job, "partial" if partial else "done", final=True, reason=detail)
        case Cancel(reason):
            return Ending(job, "cancelled", final=True, reason=reason)
        case Fail(reason):
            return Ending(job, "failed", final=True, reason=reason)
        case Miss(reason):
            return Ending(job, "expired", final=True, reason=reason)
        case Retry(reason) if job.failures + 1 >= job.max_failures:
            return Ending(job, "failed", final=True, reason=reason)
        case Retry(reason, after):
            wait = kind.backoff.wait(job.failures + 1, chance) if after is None else after
            return _later(job, kind, "retry", now + wait, "retry", reason=reason, failed=1)
        case Snooze(_, reason) if job.snoozes >= kind.max_snoozes:
            return Ending(job, "failed", final=True, reason=f"snoozed {job.snoozes} times: {reason}")
        case Snooze(until, reason):
            return _later(job, kind, "snoozed", until, "snooze", reason=reason, snoozed=1)
        case Limited(until, limit):
            return _later(job, kind, "limited", until, f"limit:{limit}", reason=limit)
        case Returned(reason):
            return Ending(job, "returned", reason=reason)


def _later(
    job: Job,
    kind: Kind,
    result: str,
    due_at: datetime,
    waits_for: str,
    *,
    reason: str,
    failed: int = 0,
    snoozed: int = 0,
) -> Ending:  # long: every wait differs in each of these
    holds = kind.on_wait == "hold"
    return Ending(job, result, False, reason, due_at, waits_for, failed, snoozed, holds)
