"""Schedules and their occurrences. The apps that own them make them; here they are seen, paused and triggered."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import (
    Asked,
    DryRun,
    OccurrenceId,
    ScheduleId,
    Shown,
    answer,
    may_read,
    no_content,
    noun,
    read_occurrence,
)
from pabal.base.database import Tx
from pabal.engine import forecasts, listing, why
from pabal.engine.listing.occurrences import Wanted
from pabal.platform import operating
from pabal.platform.resources import View
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Between, Moment
from pabal.platform.web.idempotency import KEY_REQUIRED, OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all, answer_list
from pabal.platform.web.rest import rest, source_of, view_row, viewer_of
from pabal.platform.web.visit import Visit
from pabal.resources.work import (
    OCCURRENCE,
    SCHEDULE,
    NextView,
    OccurrenceFilter,
    OccurrenceView,
    ScheduleView,
    view_next,
    view_occurrence,
)

router = noun("schedules")
occurrences = noun("occurrences")
AREA = SCHEDULE.area
rest(router, SCHEDULE)
rest(occurrences, OCCURRENCE)
ShownSchedule = model_of(ScheduleView)


class Skip(Asked):
    """Without a moment, the next one that would fire."""

    fire_at: Moment | None = Field(default=None, examples=["2026-07-03T00:00:00Z"])


class Skipped(Shown):
    fire_at: datetime
    occurrence: str = Field(examples=["occ_12@2026-07-03T00:00:00Z"])


class Keep(Asked):
    fire_at: Moment


@occurrences.get("/occurrences/{id}", response_model=model_of(OccurrenceView))
async def get_occurrence(visit: Visitor, id: OccurrenceId) -> Response:
    """Shows one occurrence."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await operating.get_occurrence(tx, visit.scope, *read_occurrence(id))
        shown = await _occurrence(tx, visit, found.schedule_id, found.fire_at)
    return answer_one(visit, shown)


@router.get("/schedules/{id}", response_model=ShownSchedule)
async def get_schedule(visit: Visitor, id: ScheduleId) -> Response:
    """Shows one schedule."""
    async with visit.read() as tx:
        shown = await _find(tx, visit, id)
    return answer_one(visit, shown)


@router.get("/schedules/{id}/next", response_model=Page[model_of(NextView)])  # type: ignore[misc]  # made from the view
async def preview_schedule(
    visit: Visitor, id: ScheduleId, limit: Annotated[int, Query(ge=1, le=200, description="How many that fire.")] = 5
) -> Response:
    """Lists the next moments of a schedule, with a reason beside those that will not fire."""
    async with visit.read() as tx:
        await _find(tx, visit, id)
        ahead = await forecasts.preview(tx, id, limit)
    return answer_all([view_next(one) for one in ahead])


@router.get("/schedules/{id}/occurrences", response_model=Page[model_of(OccurrenceView)])  # type: ignore[misc]  # made from the view
async def list_occurrences_of_schedule(visit: Visitor, id: ScheduleId, wanted: Annotated[Between, Query()]) -> Response:
    """Lists what was decided about a schedule's moments, the newest first."""
    async with visit.read() as tx:
        await _find(tx, visit, id)
    [listed] = OCCURRENCE.listings
    asked = OccurrenceFilter.make({"schedule": id, "since": wanted.since, "until": wanted.until})
    return await answer_list(visit, wanted, source_of(visit, OCCURRENCE, listed, asked))


@router.post("/schedules/{id}/pause", response_model=ShownSchedule)
async def pause_schedule(visit: Visitor, once: OnceOnly, id: ScheduleId, dry_run: DryRun = False) -> Response:
    """Pauses a schedule: nothing more is enqueued; what is enqueued already goes on."""
    return await once.run(_change(visit, id, operating.pause_schedule, dry_run=dry_run))


@router.post("/schedules/{id}/resume", response_model=ShownSchedule)
async def resume_schedule(visit: Visitor, once: OnceOnly, id: ScheduleId, dry_run: DryRun = False) -> Response:
    """Resumes a schedule with its next moment; those that passed meanwhile are skipped."""
    return await once.run(_change(visit, id, operating.resume_schedule, dry_run=dry_run))


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


@router.post(
    "/schedules/{id}/send-now", response_model=model_of(OccurrenceView), status_code=202, openapi_extra=KEY_REQUIRED
)
async def trigger_schedule(visit: Visitor, once: OnceOnly, id: ScheduleId) -> Response:
    """Triggers one more occurrence now. Needs an Idempotency-Key."""

    async def act(tx: Tx) -> Response:
        made = await operating.trigger_schedule(tx, visit.actor, id, owners=visit.site.owners)
        shown = await _occurrence(tx, visit, id, made.fire_at)
        return answer(shown, 202, location=f"/occurrences/{shown.id}")

    return await once.required().run(act)


def _change(visit: Visit, schedule_id: int, verb: Any, *, dry_run: bool) -> Callable[[Tx], Awaitable[Response]]:
    async def act(tx: Tx) -> Response:
        check_match(visit, await _find(tx, visit, schedule_id))
        await verb(tx, visit.actor, schedule_id, owners=visit.site.owners, dry_run=dry_run)
        return answer_one(visit, await _find(tx, visit, schedule_id))

    return act


async def _find(tx: Tx, visit: Visit, schedule_id: int) -> View:
    may_read(visit, AREA)
    await operating.get_schedule(tx, visit.scope, schedule_id)
    [line] = await listing.show_schedules(tx, [schedule_id])
    return view_row(visit, SCHEDULE, line)


async def _occurrence(tx: Tx, visit: Visit, schedule_id: int, fire_at: datetime) -> OccurrenceView:
    """One that is known to be there."""
    scope = await visible_to(tx, visit.actor)
    wanted = Wanted(scope.listed, schedule_id, since=fire_at, until=fire_at + timedelta(microseconds=1))
    page = await listing.list_occurrences(tx, wanted, limit=1)
    return view_occurrence(page.items[0], viewer_of(visit))
