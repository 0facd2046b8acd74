"""Schedules: what is enqueued when. The apps that own them make them; here they are seen, paused and triggered."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.api.occurrences import OccurrenceShown, list_of, show_occurrence
from pabal.api.parts import Asked, DryRun, ScheduleId, Shown, UnitId, answer, fill, may_read, no_content, noun
from pabal.base.database import Tx
from pabal.engine import forecasts, listing, recurrence, why
from pabal.engine.listing import ScheduleLine
from pabal.engine.listing.schedules import Wanted
from pabal.engine.recurrence import Upcoming
from pabal.platform import operating
from pabal.platform.language.pairs import Lang
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Between, Listed, Moment, Word, split_commas
from pabal.platform.web.idempotency import KEY_REQUIRED, OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.visit import Visit

router = noun("schedules")
AREA = "schedules"
ScheduleState = Literal["active", "paused", "broken", "over"]


class ScheduleFilter(Listed):
    state: Annotated[
        tuple[ScheduleState, ...],
        BeforeValidator(split_commas),
        Field(description="Any of these, separated by commas."),
    ] = ()
    kind: Annotated[Word | None, Field(examples=["messaging.send"])] = None
    about: Annotated[Word | None, Field(description="The subject it concerns.")] = None
    q: Annotated[Word | None, Field(description="A part of its name.")] = None
    sort: Annotated[Literal["next_at", "id"], Field(description="What fires next first, or by id.")] = "next_at"


class ScheduleShown(Shown):
    """A schedule. `recent` are the states of its last occurrences, the newest first."""

    id: str = Field(examples=["sch_12"])
    unit_id: UnitId
    name: str = Field(examples=["아침 공지"])
    kind: str = Field(examples=["messaging.send"])
    about: str | None = Field(examples=["message:7"])
    state: str = Field(examples=["active"])
    says: str = Field(description="Its rule as a sentence.", examples=["Every day at 09:00"])
    recurrence: dict[str, Any] = Field(examples=[{"kind": "daily", "at": ["09:00"]}])
    timezone: str = Field(examples=["Asia/Seoul"])
    route: str | None = Field(examples=[None])
    lane: str | None = Field(examples=[None])
    misfire: str = Field(examples=["latest"])
    overlap: str = Field(examples=["skip"])
    valid_from: datetime | None
    valid_until: datetime | None
    next_at: datetime | None
    paused_at: datetime | None
    paused_by: str | None = Field(examples=[None])
    problem: str | None = Field(examples=[None])
    last_at: datetime | None
    last_reason: str | None = Field(examples=[None])
    recent: list[str] = Field(examples=[["done", "done"]])
    created_at: datetime


class NextShown(Shown):
    """A moment ahead. `excluded` says why it will not fire, `note` what daylight saving did to it."""

    at: datetime
    wall: str = Field(description="On the clock of the schedule's zone.", examples=["2026-07-03T09:00:00"])
    excluded: str | None = Field(examples=[None])
    note: str | None = Field(examples=[None])


class Skip(Asked):
    """Without a moment, the next one that would fire."""

    fire_at: Moment | None = Field(default=None, examples=["2026-07-03T00:00:00Z"])


class Skipped(Shown):
    fire_at: datetime
    occurrence: str = Field(examples=["occ_12@2026-07-03T00:00:00Z"])


class Keep(Asked):
    fire_at: Moment


@router.get("/schedules", response_model=Page[ScheduleShown])
async def list_schedules(visit: Visitor, wanted: Annotated[ScheduleFilter, Query()]) -> Response:
    """Lists schedules: what fires next first, then the paused, then those that are over."""
    may_read(visit, AREA)
    filters = Wanted(visit.scope.listed, wanted.kind, wanted.about, wanted.state, wanted.q, sort=wanted.sort)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[ScheduleLine]:
        return await listing.list_schedules(tx, filters, limit=limit, cursor=cursor)

    def show_one(line: ScheduleLine) -> ScheduleShown:
        return show(line, visit.lang)

    return await answer_list(visit, wanted, Source("schedules", ScheduleShown, load, show_one))


@router.get("/schedules/{id}", response_model=ScheduleShown)
async def get_schedule(visit: Visitor, id: ScheduleId) -> Response:
    """Shows one schedule."""
    async with visit.read() as tx:
        shown = await _find(tx, visit, id)
    return answer_one(visit, shown)


@router.get("/schedules/{id}/next", response_model=Page[NextShown])
async def preview_schedule(
    visit: Visitor, id: ScheduleId, limit: Annotated[int, Query(ge=1, le=200, description="How many that fire.")] = 5
) -> Response:
    """Lists the next moments of a schedule, with a reason beside those that will not fire."""
    async with visit.read() as tx:
        await _find(tx, visit, id)
        ahead = await forecasts.preview(tx, id, limit)
    return answer_all([_next(one) for one in ahead])


@router.get("/schedules/{id}/occurrences", response_model=Page[OccurrenceShown])
async def list_occurrences_of_schedule(visit: Visitor, id: ScheduleId, wanted: Annotated[Between, Query()]) -> Response:
    """Lists what was decided about a schedule's moments, the newest first."""
    async with visit.read() as tx:
        await _find(tx, visit, id)
    return await answer_list(visit, wanted, list_of(visit, wanted, schedule_id=id))


@router.post("/schedules/{id}/pause", response_model=ScheduleShown)
async def pause_schedule(visit: Visitor, once: OnceOnly, id: ScheduleId, dry_run: DryRun = False) -> Response:
    """Pauses a schedule: nothing more is enqueued; what is enqueued already goes on."""

    async def act(tx: Tx) -> Response:
        check_match(visit, await _find(tx, visit, id))
        await operating.pause_schedule(tx, visit.actor, id, owners=visit.site.owners, dry_run=dry_run)
        return answer_one(visit, await _find(tx, visit, id))

    return await once.run(act)


@router.post("/schedules/{id}/resume", response_model=ScheduleShown)
async def resume_schedule(visit: Visitor, once: OnceOnly, id: ScheduleId, dry_run: DryRun = False) -> Response:
    """Resumes a schedule with its next moment; those that passed meanwhile are skipped."""

    async def act(tx: Tx) -> Response:
        check_match(visit, await _find(tx, visit, id))
        await operating.resume_schedule(tx, visit.actor, id, owners=visit.site.owners, dry_run=dry_run)
        return answer_one(visit, await _find(tx, visit, id))

    return await once.run(act)


@router.post("/schedules/{id}/skip", response_model=Skipped)
async def skip_occurrence(visit: Visitor, once: OnceOnly, id: ScheduleId, asked: Skip) -> Response:
    """Decides in advance that one moment is skipped."""

    async def act(tx: Tx) -> Response:
        moment = await operating.skip_occurrence(tx, visit.actor, id, asked.fire_at, owners=visit.site.owners)
        return answer(Skipped(fire_at=moment, occurrence=why.show_occurrence(id, moment)))

    return await once.run(act)


@router.post("/schedules/{id}/keep", status_code=204)
async def keep_occurrence(visit: Visitor, once: OnceOnly, id: ScheduleId, asked: Keep) -> Response:
    """Takes a skip back while its moment is ahead."""

    async def act(tx: Tx) -> Response:
        await operating.keep_occurrence(tx, visit.actor, id, asked.fire_at, owners=visit.site.owners)
        return no_content()

    return await once.run(act)


@router.post("/schedules/{id}/send-now", response_model=OccurrenceShown, status_code=202, openapi_extra=KEY_REQUIRED)
async def trigger_schedule(visit: Visitor, once: OnceOnly, id: ScheduleId) -> Response:
    """Triggers one more occurrence now. Needs an Idempotency-Key."""

    async def act(tx: Tx) -> Response:
        made = await operating.trigger_schedule(tx, visit.actor, id, owners=visit.site.owners)
        shown = await show_occurrence(tx, visit, id, made.fire_at)
        return answer(shown, 202, location=f"/occurrences/{shown.id}")

    return await once.required().run(act)


def show(line: ScheduleLine, lang: Lang) -> ScheduleShown:
    timing = line.timing
    says = "–" if timing is None else recurrence.describe(timing, lang)
    return fill(ScheduleShown, line, id=why.show_schedule(line.id), timezone=line.zone, says=says)


def _next(one: Upcoming) -> NextShown:
    return NextShown(at=one.moment, wall=one.wall.isoformat(), excluded=one.excluded, note=one.note)


async def _find(tx: Tx, visit: Visit, schedule_id: int) -> ScheduleShown:
    may_read(visit, AREA)
    await operating.get_schedule(tx, visit.scope, schedule_id)
    [line] = await listing.show_schedules(tx, [schedule_id])
    return show(line, visit.lang)
