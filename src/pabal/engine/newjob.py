"""A request for work as its enqueuer writes it down, and what is refused at once."""

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from typing import Any

from pabal.base.errors import Invalid
from pabal.engine.kinds import NAME

ROUTE = re.compile(r"[^\s:]+:\S+")


class BadJob(Invalid):
    """This job cannot be enqueued as it is."""


class Priority(IntEnum):
    """Smaller goes first."""

    URGENT = 0
    HIGH = 1
    NORMAL = 2
    LOW = 3


@dataclass(frozen=True, slots=True)
class NewJob:
    """A durable request for work.

    `key` may not be open twice (of one kind); `keep_key` remembers it after the end. `lane`: one at a time, in order.
    `route`: only on the server that holds this live connection. `about`: the subject it concerns.
    `deadline` bounds one attempt; `expires_at` bounds the waiting.
    """

    kind: str
    args: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    keep_key: timedelta | None = None
    lane: str | None = None
    route: str | None = None
    about: str | None = None
    priority: Priority = Priority.NORMAL
    delay: timedelta | None = None
    run_at: datetime | None = None
    expires_at: datetime | None = None
    deadline: timedelta | None = None
    max_failures: int = 5
    max_recoveries: int = 3
    unit_id: int | None = None
    cause: str | None = None


@lru_cache(maxsize=1000)
def _is_kind(name: str) -> bool:
    """Remembered: a bulk asks this for each of its jobs."""
    return NAME.fullmatch(name) is not None


def check(job: NewJob) -> None:
    if not _is_kind(job.kind):
        raise BadJob(f"a kind is named area.thing_to_do, not {job.kind!r}")
    if job.route is not None and ROUTE.fullmatch(job.route) is None:
        raise BadJob(f"a route is named thing:name, not {job.route!r}")
    if "" in (job.key, job.lane, job.about):
        raise BadJob("key, lane and about must not be empty")
    if job.delay is not None and job.run_at is not None:
        raise BadJob("give delay or run_at, not both")
    if job.keep_key is not None and job.key is None:
        raise BadJob("keep_key needs a key")
    for name in ("run_at", "expires_at"):
        moment: datetime | None = getattr(job, name)
        if moment is not None and moment.tzinfo is None:
            raise BadJob(f"{name} must have a time zone")
    if not 1 <= job.max_failures <= 32000 or not 0 <= job.max_recoveries <= 32000:
        raise BadJob("max_failures is 1 or more, max_recoveries 0 or more")
    if job.deadline is not None and job.deadline <= timedelta(0):
        raise BadJob("a deadline is longer than nothing")
