"""What there is to do: enqueue in the caller's transaction, singly and in bulk; find a job and where it is."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Invalid, NotFound
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import ids, lanes
from pabal.engine.kinds import NAME

SQL = load(__file__)
ROUTE = re.compile(r"[^\s:]+:\S+")

declare("queue.enqueued", "Jobs enqueued", amount="count", level=10)


class BadJob(Invalid):
    """This job cannot be enqueued as it is."""


class JobNotFound(NotFound):
    """There is no such job, or it was dropped with its week."""


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


@dataclass(frozen=True, slots=True)
class Enqueued:
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
    place: str
    result: str | None
    ended_at: datetime | None
    error: dict[str, Any] | None
    due_at: datetime | None
    reason: str | None
    worker: int | None
    started_at: datetime | None
    progress: dict[str, Any] | None
    cancel_at: datetime | None
    token: int | None
    failures: int | None
    recoveries: int | None
    snoozes: int | None


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
        check(job)
    if not jobs:
        return []
    if any(job.key or job.lane or job.delay or job.run_at or job.expires_at for job in jobs):
        answers = await _insert(tx, jobs)
    else:
        answers = await _insert_plain(tx, jobs)
    _announce(tx, [job for job, answer in zip(jobs, answers, strict=True) if answer.is_new])
    emit("queue.enqueued", count=len(jobs))
    return answers


def check(job: NewJob) -> None:
    if NAME.fullmatch(job.kind) is None:
        raise BadJob(f"a kind is named area.thing_to_do, not {job.kind!r}")
    if job.route is not None and ROUTE.fullmatch(job.route) is None:
        raise BadJob(f"a route is named thing:name, not {job.route!r}")
    for name in ("key", "lane", "about"):
        if getattr(job, name) == "":
            raise BadJob(f"{name} must not be empty")
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


async def find_open_keys(tx: Tx, kind: str, keys: Sequence[str]) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.find_open_keys, kind=kind, keys=list(keys))]


async def _insert_plain(tx: Tx, jobs: Sequence[NewJob]) -> list[Enqueued]:
    rows = await tx.rows(SQL.insert_plain_jobs, **_columns(jobs))
    return [Enqueued(row[0], is_new=True) for row in rows]


async def _insert(tx: Tx, jobs: Sequence[NewJob]) -> list[Enqueued]:
    answers: dict[int, Enqueued] = {}
    left = list(range(len(jobs)))
    await _forget_old_keys(tx, jobs)
    # A key found open may be released before we have read whose it is; then its turn is ours.
    while left:
        chosen, repeated = _one_per_key(jobs, left)
        rows = await tx.rows(
            SQL.insert_jobs, **_columns([jobs[n] for n in chosen]), **_conditions(tx, [jobs[n] for n in chosen])
        )
        answers.update({chosen[row["n"] - 1]: Enqueued(row["id"], is_new=True) for row in rows})
        left = await _existing(tx, jobs, answers, [n for n in chosen if n not in answers] + repeated)
    return [answers[n] for n in range(len(jobs))]


async def _existing(tx: Tx, jobs: Sequence[NewJob], answers: dict[int, Enqueued], missing: list[int]) -> list[int]:
    if not missing:
        return []
    kinds, keys = [jobs[n].kind for n in missing], [jobs[n].key for n in missing]
    rows = await tx.rows(SQL.find_keys, scopes=kinds, keys=keys)
    open_keys = {(row["scope"], row["key"]): row["id"] for row in rows}
    for n in missing:
        found = open_keys.get((jobs[n].kind, jobs[n].key))
        if found is not None:
            answers[n] = Enqueued(found, is_new=False)
    return [n for n in missing if n not in answers]


def _one_per_key(jobs: Sequence[NewJob], numbers: list[int]) -> tuple[list[int], list[int]]:
    """The first of each key, and those that repeat one: a bulk may name a key twice."""
    seen: set[tuple[str, str]] = set()
    first, repeated = [], []
    for n in numbers:
        key = jobs[n].key
        if key is not None and (jobs[n].kind, key) in seen:
            repeated.append(n)
            continue
        if key is not None:
            seen.add((jobs[n].kind, key))
        first.append(n)
    return first, repeated


async def _forget_old_keys(tx: Tx, jobs: Sequence[NewJob]) -> None:
    keyed = [job for job in jobs if job.key is not None]
    if keyed:
        await tx.run(SQL.forget_old_keys, scopes=[job.kind for job in keyed], keys=[job.key for job in keyed])


def _columns(jobs: Sequence[NewJob]) -> dict[str, list[Any]]:
    return {
        "kinds": [job.kind for job in jobs],
        "queues": [job.route or job.kind for job in jobs],
        "priorities": [job.priority for job in jobs],
        "abouts": [job.about for job in jobs],
        "args": [job.args for job in jobs],
        "units": [job.unit_id for job in jobs],
        "causes": [job.cause for job in jobs],
        "failures": [job.max_failures for job in jobs],
        "recoveries": [job.max_recoveries for job in jobs],
        "deadlines": [job.deadline for job in jobs],
    }


def _conditions(tx: Tx, jobs: Sequence[NewJob]) -> dict[str, list[Any]]:
    return {
        "lanes": [job.lane for job in jobs],
        "dues": [_due_at(tx, job) for job in jobs],
        "expiries": [job.expires_at for job in jobs],
        "keys": [job.key for job in jobs],
        "keeps": [None if job.keep_key is None else tx.now + job.keep_key for job in jobs],
    }


def _due_at(tx: Tx, job: NewJob) -> datetime | None:
    due = job.run_at if job.delay is None else tx.now + job.delay
    return due if due is not None and due > tx.now else None


def _announce(tx: Tx, jobs: Sequence[NewJob]) -> None:
    for job in jobs:
        due = _due_at(tx, job)
        if due is not None:
            tx.hint("delayed", due)
        elif job.lane is None:
            tx.hint(f"queue:{job.route or job.kind}", tx.now)
    behind = sorted({job.lane for job in jobs if job.lane is not None and _due_at(tx, job) is None})
    if behind:
        tx.after_commit(lambda database: lanes.promote_lanes(database, behind))
