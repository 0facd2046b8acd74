"""Jobs: what there is to do, what is being done and how it ended."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.api.parts import (
    DryRun,
    JobId,
    JobName,
    Shown,
    UnitId,
    answer,
    fill,
    house_of,
    may_read,
    noun,
    show_job,
    show_worker,
)
from pabal.base.database import Tx
from pabal.engine import ids, listing, queue
from pabal.engine.listing import JobLine
from pabal.engine.listing.jobs import Wanted
from pabal.engine.queue import Attempt, Place
from pabal.platform import operating
from pabal.platform.operating import Done
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Between, Word, split_commas
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.visit import Visit

router = noun("jobs")
AREA = "jobs"

JobState = Literal[
    "ready", "delayed", "waiting", "running", "done", "partial", "failed", "cancelled", "expired", "quarantined"
]


class JobFilter(Between):
    """From and to are of its creation."""

    state: Annotated[
        tuple[JobState, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()
    kind: Annotated[Word | None, Field(examples=["messaging.send"])] = None
    queue: Annotated[Word | None, Field(description="A kind, or a route such as bot:busan1.")] = None
    lane: Word | None = None
    about: Annotated[Word | None, Field(description="The subject it concerns.", examples=["schedule:7"])] = None


class JobShown(Shown):
    """A job and where it is now."""

    id: JobName
    unit_id: UnitId
    kind: str = Field(examples=["messaging.send"])
    state: str = Field(examples=["delayed"])
    queue: str = Field(examples=["messaging.send"])
    lane: str | None = Field(examples=["bot:busan1"])
    about: str | None = Field(examples=["schedule:7"])
    cause: str | None = Field(description="What led to it.", examples=["schedule:7"])
    priority: int = Field(examples=[1])
    failures: int = Field(examples=[1])
    max_failures: int = Field(examples=[5])
    reason: str | None = Field(description="Why it waits.", examples=["retry"])
    error: str | None = Field(description="Why it ended badly.", examples=[None])
    worker: str | None = Field(examples=["wrk_01h2xcejqtf2n"])
    host: str | None = Field(examples=["server-1"])
    progress: dict[str, Any] | None = Field(examples=[{"percent": 45}])
    created_at: datetime
    ready_at: datetime | None
    due_at: datetime | None = Field(description="When it is tried next.")
    started_at: datetime | None
    deadline: datetime | None
    cancel_at: datetime | None = Field(description="When somebody asked to cancel it while it ran.")
    expires_at: datetime | None
    ended_at: datetime | None


class JobWhole(JobShown):
    """With what it was given."""

    args: dict[str, Any] = Field(examples=[{"room": "부산-운영"}])


class AttemptShown(Shown):
    """One try and its end."""

    token: int = Field(examples=[1])
    result: str = Field(examples=["retry"])
    final: bool = Field(examples=[False])
    worker: str | None = Field(examples=["wrk_01h2xcejqtf2n"])
    started_at: datetime | None
    ended_at: datetime
    error: dict[str, Any] | None = Field(examples=[{"reason": "the bot does not answer"}])


class JobDone(Shown):
    """What became of it. `job` is the new one that a retry made."""

    id: str = Field(examples=["job_01h2xcejqtf2n"])
    result: str = Field(examples=["cancelled"])
    job: str | None = Field(default=None, examples=[None])


@router.get("/jobs", response_model=Page[JobShown], responses={200: {"content": {"text/csv": {}}}})
async def list_jobs(visit: Visitor, wanted: Annotated[JobFilter, Query()]) -> Response:
    """Lists jobs, the newest first."""
    may_read(visit, AREA)
    filters = Wanted(
        visit.scope.listed,
        wanted.state,
        wanted.kind,
        wanted.queue,
        wanted.lane,
        wanted.about,
        since=wanted.since,
        until=wanted.until,
    )

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[JobLine]:
        return await listing.list_jobs(tx, filters, limit=limit, cursor=cursor)

    async def count(tx: Tx) -> int:
        return await listing.count_jobs(tx, filters)

    return await answer_list(visit, wanted, Source("jobs", JobShown, load, show, count), has_csv=True)


@router.get("/jobs/{id}", response_model=JobWhole)
async def get_job(visit: Visitor, id: JobId) -> Response:
    """Shows one job."""
    async with visit.read() as tx:
        place = await _find(tx, visit, id)
        [line] = await listing.show_jobs(tx, [place.id])
    return answer_one(visit, JobWhole(**show(line).model_dump(), args=place.args))


@router.get("/jobs/{id}/attempts", response_model=Page[AttemptShown])
async def list_attempts(visit: Visitor, id: JobId) -> Response:
    """Lists the tries of a job, the first one first."""
    async with visit.read() as tx:
        place = await _find(tx, visit, id)
        found = await queue.list_attempts(tx, place.id)
    return answer_all([_attempt(one) for one in found])


@router.post("/jobs/{id}/cancel", response_model=JobDone)
async def cancel_job(visit: Visitor, once: OnceOnly, id: JobId, dry_run: DryRun = False) -> Response:
    """Cancels a job: at once if it waits, by a signal if it runs."""

    async def act(tx: Tx) -> Response:
        known = house_of(visit).kinds
        [done] = await operating.cancel_jobs(
            tx, visit.actor, [ids.show("job", id)], kinds=known, owners=visit.site.owners, dry_run=dry_run
        )
        return _done(done)

    return await once.run(act)


@router.post("/jobs/{id}/retry", response_model=JobDone, status_code=202)
async def retry_job(visit: Visitor, once: OnceOnly, id: JobId, dry_run: DryRun = False) -> Response:
    """Enqueues a job that went wrong again, as a new job."""

    async def act(tx: Tx) -> Response:
        done = await operating.retry_job(
            tx, visit.actor, ids.show("job", id), owners=visit.site.owners, dry_run=dry_run
        )
        return answer(show_done(done), 202, location=f"/jobs/{done.made or done.id}")

    return await once.run(act)


def show(line: JobLine) -> JobShown:
    return fill(JobShown, line, id=show_job(line.id), worker=show_worker(line.worker))


def show_done(done: Done) -> JobDone:
    return JobDone(id=done.id, result=done.result, job=done.made)


def _done(done: Done) -> Response:
    if done.error is not None:
        raise done.error
    return answer(show_done(done))


def _attempt(attempt: Attempt) -> AttemptShown:
    return AttemptShown(
        token=attempt.token,
        result=attempt.result,
        final=attempt.final,
        worker=show_worker(attempt.worker),
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        error=attempt.error,
    )


async def _find(tx: Tx, visit: Visit, job_id: int) -> Place:
    may_read(visit, AREA)
    return await operating.get_job(tx, visit.scope, ids.show("job", job_id))
