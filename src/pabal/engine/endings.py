"""What the outcome of an attempt means for its job: it ends for good, comes back later, or is handed back. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.engine.kinds import Job, Kind
from pabal.engine.outcome import Cancel, Done, Fail, Limited, Miss, Outcome, Retry, Snooze, Stopped


@dataclass(frozen=True, slots=True)
class Returned:
    """Handed back unharmed: a shutdown, a lost route. Nothing is counted. What had not begun keeps its turn."""

    reason: str
    keeps_turn: bool = False


@dataclass(frozen=True, slots=True)
class Lost:
    """It took its process or its connection with it while the database was there. Counts as a recovery."""

    reason: str


Attempted = tuple[Job, Outcome | Returned | Lost]


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
    data: dict[str, Any] | None = None
    turn: datetime | None = None
    recovered: int = 0

    @property
    def error(self) -> dict[str, Any] | None:
        return None if self.reason is None else {"reason": self.reason}


def decide(job: Job, outcome: Outcome | Returned | Lost, kind: Kind, *, now: datetime, chance: float) -> Ending:
    """Pure: what an outcome means for a job with these counters."""
    match outcome:
        case Done(detail, partial, data):
            return Ending(job, "partial" if partial else "done", final=True, reason=detail, data=data)
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
        case Lost(reason) if job.recoveries >= job.max_recoveries:
            return Ending(job, "quarantined", final=True, reason=reason)
        case Lost(reason):
            return Ending(job, "lost", reason=reason, recovered=1)
        case Returned(reason, keeps_turn):
            return Ending(job, "returned", reason=reason, turn=job.ready_at if keeps_turn else None)
        case Stopped():
            return Ending(job, "returned", reason="stopped")


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
