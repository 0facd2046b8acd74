"""What there is to do: enqueue in the caller's transaction, singly and in bulk; find a job and where it is."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from pabal.base.database import Tx
from pabal.base.errors import Invalid, NotFound
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import ids, lanes
from pabal.engine.kinds import LABEL, NAME

SQL = load(__file__)

ROUTE = re.compile(r"[^\s:]+:\S+")


class BadJob(Invalid, code="bad_job"):
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
    `route`: only on the server that holds this live connection; `label`: only on those that have it. `about`: the
    subject it concerns.
    `deadline` bounds one attempt; `expires_at` bounds the waiting. `records_end`: its end becomes the fact `job.ended`.
    """

    kind: str
    args: dict[str, Any] = field(default_factory=dict)
    key: str | None = None
    keep_key: timedelta | None = None
    lane: str | None = None
    route: str | None = None
    label: str | None = None
    about: str | None = None
    priority: Priority = Priority.NORMAL
    delay: timedelta | None = None
    run_at: datetime | None = None
    expires_at: datetime | None = None
    deadline: timedelta | None = None
    max_failures: int = 5
    max_recoveries: int = 3
    records_end: bool = False
    unit_id: int | None = None
    cause: str | None = None

    @property
    def queue(self) -> str:
        return self.route or (self.kind if self.label is None else f"{self.kind}@{self.label}")


@lru_cache(maxsize=1000)
def _is_kind(name: str) -> bool:
    """Remembered: a bulk asks this for each of its jobs."""
    return NAME.fullmatch(name) is not None


def check_job(job: NewJob) -> None:
    if not _is_kind(job.kind):
        raise BadJob(f"a kind is named area.thing_to_do, not {job.kind!r}")
    if job.route is not None and ROUTE.fullmatch(job.route) is None:
        raise BadJob(f"a route is named thing:name, not {job.route!r}")
    if job.label is not None and (LABEL.fullmatch(job.label) is None or job.route is not None):
        raise BadJob(f"a label is a word in small letters, and a route names its server already: {job.label!r}")
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


# The kind and the key; a key is only unique among jobs of its kind.
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WantedKey:
    """The id its job gets if the key is free, and until when the key is kept after the end."""

    id: int
    until: datetime | None


async def take_keys(tx: Tx, wanted: Mapping[Key, WantedKey]) -> dict[Key, tuple[int, bool]]:
    """For each key the id of its job, and whether it is new."""
    taken: dict[Key, tuple[int, bool]] = {}
    left = sorted(wanted)
    await tx.run(SQL.forget_old_keys, **_key_columns(left))
    # A key found open may be released before we have read whose it is; then its turn is ours.
    while left:
        ids, keeps = [wanted[each].id for each in left], [wanted[each].until for each in left]
        rows = await tx.rows(SQL.take_keys, **_key_columns(left), ids=ids, keeps=keeps)
        taken.update({(row["scope"], row["key"]): (row["id"], True) for row in rows})
        left = [each for each in left if each not in taken]
        if left:
            rows = await tx.rows(SQL.find_keys, **_key_columns(left))
            taken.update({(row["scope"], row["key"]): (row["id"], False) for row in rows})
            left = [each for each in left if each not in taken]
    return taken


async def find_open_keys(tx: Tx, kind: str, keys: Sequence[str]) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.find_open_keys, kind=kind, keys=list(keys))]


def _key_columns(keys: Sequence[Key]) -> dict[str, list[str]]:
    return {"scopes": [scope for scope, _ in keys], "keys": [key for _, key in keys]}


CHUNK = 10_000
# More groups of alike jobs than this go in one statement with an array for each column.
MANY = 8
_SHARED = attrgetter(
    "kind", "route", "label", "priority", "unit_id", "max_failures", "max_recoveries", "deadline", "records_end"
)

declare("queue.enqueued", "Jobs enqueued", amount="count", level=10)


class JobNotFound(NotFound, code="job_not_found"):
    """There is no such job, it was dropped with its week, or it is not yours to see."""


class Enqueued(NamedTuple):
    """The answer to enqueue: `is_new` is False when the key was open already, and `id` then names that job."""

    id: int
    is_new: bool

    def __str__(self) -> str:
        return ids.show("job", self.id)


@dataclass(frozen=True, slots=True)
class Place:
    """A job and where it is: waiting, delayed, ready, lease or ended."""

    id: int
    unit_id: int | None
    kind: str
    queue: str
    priority: int
    lane: str | None
    about: str | None
    args: dict[str, Any]
    max_failures: int
    max_recoveries: int
    deadline: timedelta | None
    expires_at: datetime | None
    cause: str | None
    created_at: datetime
    records_end: bool
    data: dict[str, Any] | None
    place: str
    result: str | None
    ended_at: datetime | None
    error: dict[str, Any] | None
    due_at: datetime | None
    reason: str | None
    worker: int | None
    started_at: datetime | None
    progress: dict[str, Any] | None
    checkpoint: dict[str, Any] | None
    cancel_at: datetime | None
    stop: str | None
    token: int | None
    failures: int | None
    recoveries: int | None
    snoozes: int | None

    @property
    def label(self) -> str | None:
        """What a server must have besides what its kind needs."""
        kind, _, label = self.queue.partition("@")
        return label if label and kind == self.kind else None

    @property
    def route(self) -> str | None:
        return None if self.queue == self.kind or self.label is not None else self.queue


@dataclass(frozen=True, slots=True)
class Attempt:
    token: int
    final: bool
    result: str
    worker: int | None
    started_at: datetime | None
    ended_at: datetime
    error: dict[str, Any] | None


async def enqueue(tx: Tx, job: NewJob) -> Enqueued:
    [answer] = await enqueue_many(tx, [job])
    return answer


async def enqueue_many(tx: Tx, jobs: Sequence[NewJob]) -> list[Enqueued]:
    """All of them or, when the caller rolls back, none. Answers in the order given."""
    for job in jobs:
        check_job(job)
    if not jobs:
        return []
    if any(job.key or job.lane or job.delay or job.run_at or job.expires_at for job in jobs):
        answers = await _insert(tx, jobs)
    else:
        groups = [list(alike) for _, alike in groupby(jobs, key=_SHARED)]
        answers = await (_insert_alike(tx, groups) if len(groups) <= MANY else _insert(tx, jobs))
    _announce(tx, [job for job, answer in zip(jobs, answers, strict=True) if answer.is_new])
    emit("queue.enqueued", count=len(jobs))
    kill_point("enqueue.written")
    return answers


async def find_place(tx: Tx, job_id: int) -> Place | None:
    return await tx.one(Place, SQL.find_place, id=job_id)


async def get_place(tx: Tx, job_id: int) -> Place:
    place = await find_place(tx, job_id)
    if place is None:
        raise JobNotFound(ids.show("job", job_id))
    return place


async def list_attempts(tx: Tx, job_id: int) -> list[Attempt]:
    return await tx.all(Attempt, SQL.list_attempts, id=job_id)


async def find_open(tx: Tx, *, about: str) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.find_open_about, about=about)]


async def _insert_alike(tx: Tx, groups: Sequence[Sequence[NewJob]]) -> list[Enqueued]:
    """What the jobs of a group share is sent once."""
    answers: list[Enqueued] = []
    for group in groups:
        first = group[0]
        for start in range(0, len(group), CHUNK):
            part = group[start : start + CHUNK]
            rows = await tx.rows(
                SQL.insert_plain_jobs,
                kind=first.kind,
                queue=first.queue,
                priority=first.priority,
                unit=first.unit_id,
                failures=first.max_failures,
                recoveries=first.max_recoveries,
                deadline=first.deadline,
                records=first.records_end or None,
                abouts=[job.about for job in part] if any(job.about for job in part) else None,
                causes=[job.cause for job in part] if any(job.cause for job in part) else None,
                args=[job.args for job in part],
            )
            answers += [Enqueued(row[0], is_new=True) for row in rows]
    return answers


async def _insert(tx: Tx, jobs: Sequence[NewJob]) -> list[Enqueued]:
    """Ids are given out first, in the order of the jobs: that is the order of a lane, with keys or without."""
    answers = [Enqueued(row["id"], is_new=True) for row in await tx.rows(SQL.new_ids, count=len(jobs))]
    if any(job.key is not None for job in jobs):
        answers = await _without_open_keys(tx, jobs, answers)
    fresh = [(job, answer.id) for job, answer in zip(jobs, answers, strict=True) if answer.is_new]
    if fresh:
        chosen = [job for job, _ in fresh]
        job_ids = [job_id for _, job_id in fresh]
        await tx.run(SQL.insert_jobs, ids=job_ids, **_columns(chosen), **_conditions(tx, chosen))
    return answers


async def _without_open_keys(tx: Tx, jobs: Sequence[NewJob], answers: list[Enqueued]) -> list[Enqueued]:
    """A key that is open already answers with its job; so does one that the bulk names a second time."""
    wanted: dict[Key, WantedKey] = {}
    for job, answer in zip(jobs, answers, strict=True):
        if job.key is not None:
            until = None if job.keep_key is None else tx.now + job.keep_key
            wanted.setdefault((job.kind, job.key), WantedKey(answer.id, until))
    taken = await take_keys(tx, wanted)
    return [
        answer
        if job.key is None
        else Enqueued(taken[job.kind, job.key][0], taken[job.kind, job.key] == (answer.id, True))
        for job, answer in zip(jobs, answers, strict=True)
    ]


def _columns(jobs: Sequence[NewJob]) -> dict[str, list[Any]]:
    return {
        "kinds": [job.kind for job in jobs],
        "queues": [job.queue for job in jobs],
        "priorities": [job.priority for job in jobs],
        "abouts": [job.about for job in jobs],
        "args": [job.args for job in jobs],
        "units": [job.unit_id for job in jobs],
        "causes": [job.cause for job in jobs],
        "failures": [job.max_failures for job in jobs],
        "recoveries": [job.max_recoveries for job in jobs],
        "deadlines": [job.deadline for job in jobs],
        "records": [job.records_end or None for job in jobs],
    }


def _conditions(tx: Tx, jobs: Sequence[NewJob]) -> dict[str, list[Any]]:
    return {
        "lanes": [job.lane for job in jobs],
        "dues": [_due_at(tx, job) for job in jobs],
        "expiries": [job.expires_at for job in jobs],
    }


def _due_at(tx: Tx, job: NewJob) -> datetime | None:
    due = job.run_at if job.delay is None else tx.now + job.delay
    return due if due is not None and due > tx.now else None


def _announce(tx: Tx, jobs: Sequence[NewJob]) -> None:
    delayed = [(job, _due_at(tx, job)) for job in jobs if job.delay is not None or job.run_at is not None]
    later = {id(job): due for job, due in delayed if due is not None}
    if later:
        tx.hint("delayed", min(later.values()))
    due_now = [job for job in jobs if id(job) not in later] if later else jobs
    for queue in {job.queue for job in due_now if job.lane is None}:
        tx.hint(f"queue:{queue}", tx.now)
    behind = sorted({job.lane for job in due_now if job.lane is not None})
    if behind:
        tx.after_commit(lambda database: lanes.promote_lanes(database, behind))
