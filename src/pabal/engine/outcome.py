"""What a handler may say about an attempt: values, not exceptions."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Done:
    """It is finished. `partial` says that not all of it could be done and nobody should try again."""

    detail: str | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Retry:
    """It failed; try again after the kind's waiting time, or after `after`. Counts as a failure."""

    reason: str
    after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Snooze:
    """Not now: come back then. Counts as a snooze, never as a failure."""

    until: datetime
    reason: str = "snoozed"


@dataclass(frozen=True, slots=True)
class Limited:
    """A limit was reached; the attempt did not start. Nothing is counted. `limits.take` makes these."""

    until: datetime
    limit: str


@dataclass(frozen=True, slots=True)
class Cancel:
    """It must not be done any more."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fail:
    """It failed for good: trying again could not help. Ends as failed, however many tries are left."""

    reason: str


@dataclass(frozen=True, slots=True)
class Miss:
    """It is too late for it: nothing was done, and nothing will be. Ends as expired, its occurrence as missed."""

    reason: str


# Plain success, one object: most attempts end with it, and nothing has to be decided about them.
DONE = Done()
Outcome = Done | Retry | Snooze | Limited | Cancel | Fail | Miss
