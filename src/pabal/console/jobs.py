"""Jobs: everything the engine has to do or did, where each is, and what a person may do about it."""

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.console.why import show_line
from pabal.engine import ids, listing, queue
from pabal.engine.listing import JobLine
from pabal.engine.listing.jobs import OPEN, RESULTS, STATES, Wanted
from pabal.engine.queue import Priority
from pabal.platform import operating
from pabal.platform.actor import Right
from pabal.platform.controls import may_operate
from pabal.platform.language.pairs import Pair
from pabal.platform.operating.jobs import AREA, RETRYABLE
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, back_to, turn, words
from pabal.platform.web.visit import Visit

router = APIRouter()
# how far counts on top of the list go: a page must not grow slower with the house
CAP, SCOPED_CAP = 1_000, 100
VIEWS: dict[str, tuple[Pair, tuple[str, ...]]] = {
    "open": (("Open", "열린 것"), OPEN),
    "running": (("Running", "진행"), ("running",)),
    "failed": (("Went wrong", "다시 할 것"), ("failed", "expired", "quarantined")),
    "ended": (("Ended", "끝남"), RESULTS),
    "all": (("All", "전체"), ()),
}


class Filters(BaseModel):
    """What the address says; empty means any."""

    view: str = "open"
    state: str = ""
    kind: Word = ""
    lane: Word = ""
    about: Word = ""
    queue: Word = ""
    cursor: Word = ""

    def wanted(self, visit: Visit) -> Wanted:
        states = (self.state,) if self.state in STATES else VIEWS.get(self.view, VIEWS["open"])[1]
        return Wanted(
            units=visit.scope.listed,
            states=states,
            kind=self.kind or None,
            lane=self.lane or None,
            about=self.about or None,
            queue=self.queue or None,
            veiled=visit.scope.veiled,
        )


@dataclass(frozen=True, slots=True)
class Row:
    """A job as its row shows it."""

    job: JobLine
    shown: str
    link: str | None
    may_operate: bool
    may_cancel: bool
    may_retry: bool
    may_prioritise: bool


@router.get("/jobs")
async def jobs(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        try:
            page = await listing.list_jobs(tx, filters.wanted(visit), cursor=filters.cursor or None)
        except Invalid:  # a cursor somebody mistyped: the first page
            page = await listing.list_jobs(tx, filters.wanted(visit))
        counts = await _count(tx, visit)
        coming = await listing.read_next_moments(tx) if visit.scope.units is None else None
    return await visit.show(
        "jobs.html",
        rows=[_row(visit, job) for job in page.items],
        filters=filters,
        views=VIEWS,
        states=[(state, visit.voice.status_word("job", state)) for state in STATES],
        counts=counts,
        next_at=None if coming is None else coming.delayed_at,
        pager=turn(visit, page.cursor),
        live_topics="*",
    )


@router.get("/jobs/{job_id}")
async def job(visit: Visitor, job_id: str) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        place = await operating.get_job(tx, visit.scope, job_id)
        [line] = await listing.show_jobs(tx, [place.id])
        attempts = await queue.list_attempts(tx, place.id)
        shared = await listing.show_lanes(tx, [place.lane]) if place.lane else []
        story = await operating.why(tx, visit.actor, visit.scope, ids.show("job", place.id), owners=visit.site.owners)
    return await visit.show(
        "job.html",
        row=_row(visit, line),
        place=place,
        attempts=attempts,
        width=shared[0].width if shared else None,
        items=[show_line(visit, one) for one in story.lines],
        worker=lambda number: ids.show("wrk", number),
        live_topics="*",
    )


@router.post("/jobs/bulk")
async def bulk(
    visit: Visitor,
    action: Annotated[str, Form()],
    id: Annotated[list[str], Form()] = [],  # noqa: B006 -- FastAPI copies it
    back: Annotated[str, Form()] = "/jobs",
) -> Response:
    async with visit.change() as tx:
        if action == "retry":
            done = await operating.retry_jobs(tx, visit.actor, id, owners=visit.site.owners)
        else:
            done = await operating.cancel_jobs(tx, visit.actor, id, kinds=visit.site.kinds, owners=visit.site.owners)
    good = sum(one.error is None for one in done)
    said: Pair = ("{good} of {n} done.", "{n}개 중 {good}개를 했습니다.")
    return visit.go(back_to(back, "/jobs"), said=said, good=good, n=len(done))


@router.post("/jobs/{job_id}/cancel")
async def cancel(visit: Visitor, job_id: str, back: Annotated[str, Form()] = "/jobs") -> Response:
    async with visit.change() as tx:
        done = await operating.cancel_job(tx, visit.actor, job_id, kinds=visit.site.kinds, owners=visit.site.owners)
    said = (
        ("It is being stopped.", "멈추라고 알렸습니다.")
        if done.result == "signalled"
        else ("Cancelled.", "취소했습니다.")
    )
    return visit.go(back_to(back, "/jobs"), said=said)


@router.post("/jobs/{job_id}/retry")
async def retry(visit: Visitor, job_id: str) -> Response:
    async with visit.change() as tx:
        done = await operating.retry_job(tx, visit.actor, job_id, owners=visit.site.owners)
    return visit.go(f"/jobs/{done.made}", said=("Enqueued again as this job.", "이 작업으로 다시 등록했습니다."))


@router.post("/jobs/{job_id}/priority")
async def prioritise(visit: Visitor, job_id: str, priority: Annotated[Literal["urgent", "normal"], Form()]) -> Response:
    async with visit.change() as tx:
        to = Priority[priority.upper()]
        await operating.prioritise_job(tx, visit.actor, job_id, to, owners=visit.site.owners)
    said = (
        ("It is urgent now.", "급한 작업으로 바꾸었습니다.")
        if priority == "urgent"
        else ("It is normal now.", "보통으로 바꾸었습니다.")
    )
    return visit.go(f"/jobs/{job_id}", said=said)


def _row(visit: Visit, line: JobLine) -> Row:
    may = may_operate(visit.actor, visit.site.owners, line.kind, AREA)
    return Row(
        job=line,
        shown=ids.show("job", line.id),
        link=visit.site.link(line.about),
        may_operate=may,
        may_cancel=may and line.state in (*OPEN, "moving") and line.cancel_at is None,
        may_retry=may and line.state in RETRYABLE,
        may_prioritise=may and line.state in ("ready", "waiting", "delayed"),
    )


async def _count(tx: Tx, visit: Visit) -> dict[str, str]:
    """Of each place, and of what went wrong, capped: 1,000+. In a scope each row must be looked at, so sooner."""
    units = visit.scope.listed
    cap = CAP if units is None else SCOPED_CAP
    return {
        state: words(
            await listing.count_jobs(tx, Wanted(units=units, states=(state,), veiled=visit.scope.veiled), cap=cap), cap
        )
        for state in (*OPEN, "failed", "quarantined")
    }
