"""What a handler may say about an attempt: values, not exceptions."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pabal.base.errors import Invalid

LARGEST = 8_192


class DataTooLarge(Invalid, code="data_too_large"):
    """What a job gives or reports is JSON of at most 8,192 bytes. Keep more in a file or a table, and name it here."""


def check_size(data: dict[str, Any]) -> None:
    size = len(json.dumps(data, ensure_ascii=False).encode())
    if size > LARGEST:
        raise DataTooLarge(f"{size} bytes")


@dataclass(frozen=True, slots=True)
class Done:
    """It is finished. `partial` says that not all of it could be done and nobody should try again.

    `data` is what it gives to those who look at the job, or wait for its end.
    """

    detail: str | None = None
    partial: bool = False
    data: dict[str, Any] | None = None

    def __post_init__(self) -> None:
        if self.data is not None:
            check_size(self.data)


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


@dataclass(frozen=True, slots=True)
class Stopped:
    """It stopped because it was told to. Why it was told decides what that means; a shutdown counts nothing."""


# Plain success, one object: most attempts end with it, and nothing has to be decided about them.
DONE = Done()
Outcome = Done | Retry | Snooze | Limited | Cancel | Fail | Miss | Stopped
# What steps may say: their prepare and record are not what is told to stop.
OUTCOMES = (Done, Retry, Snooze, Limited, Cancel, Fail, Miss)


class BadOutcome(TypeError):
    """A handler must say Done, Retry, Snooze, Limited, Cancel, Fail or Miss; a plain function may say nothing."""


def check(answer: Any) -> Outcome:
    if not isinstance(answer, OUTCOMES):
        raise BadOutcome(f"{BadOutcome.__doc__} (got {answer!r})")
    return answer
