"""What there is, for people who look: lists, depths and what comes next. Reads only; for connections made for pages."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import Statement, load
from pabal.engine import ids
from pabal.engine.queue import JobNotFound
from pabal.engine.workers import TTL

SQL = load(__file__)
CAP = 10_000
LAST = 2**63 - 1

_PLACES: Mapping[str, Statement] = {
    "ready": SQL.find_ready,
    "delayed": SQL.find_delayed,
    "waiting": SQL.find_waiting,
    "running": SQL.find_running,
}
RESULTS = ("done", "partial", "failed", "cancelled", "expired", "quarantined")
STATES = (*_PLACES, *RESULTS)


class IdAmbiguous(Conflict):
    """More than one id begins like this; give more of its letters."""


class BadState(Invalid):
    """A job is waiting, delayed, ready, running, or ended: done, partial, failed, cancelled, expired, quarantined."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which jobs; `before` is the last id of the page before."""

    kind: str | None = None
    about: str | None = None
    state: str | None = None
    before: int = LAST
    most: int = 50


@dataclass(frozen=True, slots=True)
class Listed:
    id: int
    kind: str
    queue: str
    lane: str | None
    about: str | None
    cause: str | None
    created_at: datetime
    state: str
    failures: int
    due_at: datetime | None
    reason: str | None
    started_at: datetime | None
    ended_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Depths:
    """How many jobs are in each place; a number over 10,000 means "more than that"."""

    ready: int
    delayed: int
    waiting: int
    running: int


@dataclass(frozen=True, slots=True)
class QueueDepth:
    queue: str
    ready: int
    oldest_at: datetime


@dataclass(frozen=True, slots=True)
class ServerSeen:
    """One life of one process. `heard_seconds`: how long ago it last beat."""

    id: int
    host: str
    started_at: datetime
    meta: dict[str, Any]
    is_alive: bool
    running: int
    heard_seconds: float


@dataclass(frozen=True, slots=True)
class NextMoments:
    delayed_at: datetime | None
    schedule_at: datetime | None
    timer_at: datetime | None


@dataclass(frozen=True, slots=True)
class DelayedJob:
    at: datetime
    id: int
    kind: str
    about: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class DueTimer:
    at: datetime
    machine: str
    subject: int
    event: str


async def list_jobs(tx: Tx, wanted: Wanted) -> list[Listed]:
    """Newest first. The next page begins before the last id of this one."""
    filters = {"kind": wanted.kind, "about": wanted.about, "before": wanted.before, "most": wanted.most}
    if wanted.state is None:
        rows = await tx.rows(SQL.find_jobs, **filters)
    elif wanted.state in _PLACES:
        rows = await tx.rows(_PLACES[wanted.state], **filters)
    elif wanted.state in RESULTS:
        rows = await tx.rows(SQL.find_ended, **filters, result=wanted.state)
    else:
        raise BadState(wanted.state)
    return await tx.all(Listed, SQL.show_jobs, ids=[row["id"] for row in rows])


async def resolve_job(tx: Tx, text: str) -> int:
    """The one job a whole or shortened id means."""
    first, end = ids.read_range("job", text)
    found = [] if first > LAST else await tx.rows(SQL.find_between, first=first, last=min(end - 1, LAST))
    if not found:
        raise JobNotFound(text)
    if len(found) > 1:
        raise IdAmbiguous(", ".join(ids.show("job", row["id"]) for row in found))
    job_id: int = found[0]["id"]
    return job_id


async def read_depths(tx: Tx) -> Depths:
    [row] = await tx.rows(SQL.count_places)
    return Depths(**row)


async def list_queues(tx: Tx, *, most: int = 100) -> list[QueueDepth]:
    return await tx.all(QueueDepth, SQL.list_queues, most=most)


async def list_servers(tx: Tx, *, ttl: timedelta = TTL) -> list[ServerSeen]:
    return await tx.all(ServerSeen, SQL.list_servers, ttl=ttl)


async def read_next_moments(tx: Tx) -> NextMoments:
    [row] = await tx.rows(SQL.find_next_moments)
    return NextMoments(**row)


async def list_delayed(tx: Tx, until: datetime, *, most: int) -> list[DelayedJob]:
    return await tx.all(DelayedJob, SQL.list_delayed_until, until=until, most=most)


async def list_timers(tx: Tx, until: datetime, *, most: int) -> list[DueTimer]:
    return await tx.all(DueTimer, SQL.list_timers_until, until=until, most=most)
