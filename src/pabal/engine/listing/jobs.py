"""Jobs as a list shows them: newest first, each with where it is and what comes next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import Statement, load
from pabal.engine import ids
from pabal.engine.listing.paging import CAP, FEW, LAST, LOOK, BadCursor, Page, cut, one_more
from pabal.engine.queue import JobNotFound
from pabal.engine.reports import estimate

SQL = load(__file__)


def _in(place: str) -> Statement:
    return replace(SQL.find_in_place, text=SQL.find_in_place.text.replace("a_place", place))


_PLACES: Mapping[str, Statement] = {place: _in(place) for place in ("ready", "delayed", "waiting")}
OPEN = (*_PLACES, "running")
RESULTS = ("done", "partial", "failed", "cancelled", "expired", "quarantined")
STATES = (*OPEN, *RESULTS)


class IdAmbiguous(Conflict, code="id_ambiguous"):
    """More than one id begins like this; give more of its letters."""


class BadState(Invalid, code="bad_state"):
    """A job is waiting, delayed, ready, running, or ended: done, partial, failed, cancelled, expired, quarantined."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which jobs. `units` None is everything; no states is any; a `worker` narrows to what it runs now.

    `queue` is a kind, or a route such as bot:busan1. `veiled`: kinds that are not for this reader, as LIKE has them.
    """

    units: Sequence[int] | None
    states: Sequence[str] = ()
    kind: str | None = None
    queue: str | None = None
    lane: str | None = None
    about: str | None = None
    worker: int | None = None
    since: datetime | None = None
    until: datetime | None = None
    veiled: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class JobLine:
    """`lane_holder`: whose turn it is in the lane this one waits in. `host`: the server's that has it, or ended it.

    `stop`: why a running attempt was told to stop. `since` and `since_percent`: the running attempt's first report.
    """

    id: int
    unit_id: int | None
    kind: str
    queue: str
    lane: str | None
    about: str | None
    cause: str | None
    priority: int
    created_at: datetime
    expires_at: datetime | None
    state: str
    failures: int
    max_failures: int
    token: int | None
    worker: int | None
    host: str | None
    lane_holder: int | None
    ready_at: datetime | None
    due_at: datetime | None
    reason: str | None
    started_at: datetime | None
    deadline: datetime | None
    progress: dict[str, Any] | None
    cancel_at: datetime | None
    stop: str | None
    reported_at: datetime | None
    percent: float | None
    since: datetime | None
    since_percent: float | None
    ended_at: datetime | None
    error: str | None

    @property
    def estimated_at(self) -> datetime | None:
        """When it will be through, as far as its reports tell; None when it does not run, or they do not."""
        if self.reported_at is None or self.percent is None or self.since is None or self.since_percent is None:
            return None
        return estimate(self.reported_at, self.percent, self.since, self.since_percent)


async def list_jobs(tx: Tx, wanted: Wanted, *, limit: int = 50, cursor: str | None = None) -> Page[JobLine]:
    """Newest first. The cursor is the id of the last one, as people see it."""
    most = one_more(limit)
    found = await _find(tx, wanted, before=LAST if cursor is None else _read(cursor), most=most)
    page = cut(found, limit, lambda job_id: ids.show("job", job_id))
    return Page(await show_jobs(tx, page.items), page.cursor)


async def count_jobs(tx: Tx, wanted: Wanted, *, cap: int = CAP) -> int:
    """Up to one more than the cap, which means more than it. In a scope a thousand cost a few milliseconds."""
    filters = {**_filters(wanted, LAST), "most": cap + 1}
    if wanted.worker is not None or _is_contrary(wanted):
        return len(await _find(tx, wanted, before=LAST, most=cap + 1))
    if not wanted.states:
        return await _count(tx, SQL.find_jobs, **filters)
    is_whole = (
        not any(filters[name] for name in ("kind", "route", "lane", "about"))
        and wanted.units is None
        and not wanted.veiled
    )
    is_whole = is_whole and wanted.since is None and wanted.until is None
    counts = [await _count_in(tx, state, filters, is_whole=is_whole) for state in dict.fromkeys(wanted.states)]
    return min(sum(counts), cap + 1)


async def show_jobs(tx: Tx, job_ids: Sequence[int]) -> list[JobLine]:
    """In the order given; those that are gone are left out."""
    return await tx.all(JobLine, SQL.show_jobs, ids=list(job_ids)) if job_ids else []


async def resolve_job(tx: Tx, text: str, units: Sequence[int] | None = None, veiled: Sequence[str] = ()) -> int:
    """The one job a whole or shortened id means, among those of these units."""
    first, end = ids.read_range("job", text)
    given = None if units is None else list(units)
    wanted = {"first": first, "last": min(end - 1, LAST), "units": given, "veiled": list(veiled)}
    found = [] if first > LAST else await tx.rows(SQL.find_between, **wanted)
    if not found:
        raise JobNotFound(text)
    if len(found) > 1:
        raise IdAmbiguous(", ".join(ids.show("job", row["id"]) for row in found))
    job_id: int = found[0]["id"]
    return job_id


def _read(cursor: str) -> int:
    before = ids.read("job", cursor)
    if before > LAST:
        raise BadCursor(cursor)
    return before


async def _find(tx: Tx, wanted: Wanted, *, before: int, most: int) -> list[int]:
    if _is_contrary(wanted):
        return []
    filters = {**_filters(wanted, before), "most": most}
    if wanted.worker is not None:
        if wanted.states and "running" not in wanted.states:
            return []
        return await _ids(tx, SQL.find_running, **filters, worker=wanted.worker)
    if not wanted.states:
        return await _find_any(tx, filters)
    found: set[int] = set()
    for state in dict.fromkeys(wanted.states):
        found.update(await _find_in(tx, state, filters))
    return sorted(found, reverse=True)[:most]


def _is_apart(queue: str) -> bool:
    """A route, or jobs that need a label: not simply those of a kind."""
    return ":" in queue or "@" in queue


def _is_contrary(wanted: Wanted) -> bool:
    """A queue that is a kind, and another kind."""
    is_kind = wanted.queue is not None and not _is_apart(wanted.queue)
    return is_kind and wanted.kind not in (None, wanted.queue)


async def _find_any(tx: Tx, filters: dict[str, Any]) -> list[int]:
    is_bare = not any(filters[name] for name in ("kind", "route", "lane", "about"))
    if filters["units"] is not None and is_bare:
        window = {name: filters[name] for name in ("units", "veiled", "first", "before", "most")}
        recent = (
            await _ids(tx, SQL.find_recent, **window, look=LOOK * window["most"]) if len(window["units"]) > FEW else []
        )
        return recent if len(recent) >= window["most"] else await _ids(tx, SQL.find_of_units, **window)
    return await _ids(tx, SQL.find_jobs, **filters)


async def _find_in(tx: Tx, state: str, filters: dict[str, Any]) -> list[int]:
    statement, more = _statement(state)
    return await _ids(tx, statement, **filters, **more)


async def _count_in(tx: Tx, state: str, filters: dict[str, Any], *, is_whole: bool) -> int:
    statement, more = _statement(state)
    if not is_whole:
        return await _count(tx, statement, **filters, **more)
    if state in RESULTS:
        return int(await tx.value(SQL.count_result, result=state, most=filters["most"]))
    place = "lease" if state == "running" else state
    counting = replace(SQL.count_place, text=SQL.count_place.text.replace("a_place", place))
    return int(await tx.value(counting, most=filters["most"]))


def _statement(state: str) -> tuple[Statement, dict[str, Any]]:
    """What finds the jobs in this state, and what it takes besides the filters."""
    if state in _PLACES:
        return _PLACES[state], {}
    if state == "running":
        return SQL.find_running, {"worker": None}
    if state in RESULTS:
        return SQL.find_ended, {"result": state}
    raise BadState(state)


async def _count(tx: Tx, statement: Statement, **given: Any) -> int:
    text = SQL.count_found.text.replace("a_list", statement.text.rstrip().rstrip(";"))
    return int(await tx.value(replace(statement, text=text), **given))


async def _ids(tx: Tx, statement: Statement, **given: Any) -> list[int]:
    return [row["id"] for row in await tx.rows(statement, **given)]


def _filters(wanted: Wanted, before: int) -> dict[str, Any]:
    # An id carries the moment of its creation, so that a range of time is a range of ids.
    end = LAST if wanted.until is None else ids.first_at(wanted.until)
    is_route = wanted.queue is not None and _is_apart(wanted.queue)
    return {
        "units": None if wanted.units is None else list(wanted.units),
        "veiled": list(wanted.veiled),
        "kind": wanted.kind if is_route or wanted.queue is None else wanted.queue,
        "route": wanted.queue if is_route else None,
        "lane": wanted.lane,
        "about": wanted.about,
        "first": 0 if wanted.since is None else ids.first_at(wanted.since),
        "before": min(before, end),
    }


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


async def read_depths(tx: Tx) -> Depths:
    [row] = await tx.rows(SQL.count_places)
    return Depths(**row)


async def list_queues(tx: Tx, *, most: int = 100) -> list[QueueDepth]:
    return await tx.all(QueueDepth, SQL.list_queues, most=most)
