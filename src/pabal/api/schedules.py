"""Schedules and their occurrences. The apps that own them make them; here they are seen, paused and triggered."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from pabal.api.parts import (
    OccurrenceId,
    ScheduleId,
    may_read,
    noun,
    read_occurrence,
)
from pabal.engine import forecasts
from pabal.platform import operating
from pabal.platform.web.filters import Between
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all, answer_list
from pabal.platform.web.rest import answer_row, find_row, rest, source_of
from pabal.resources import rows
from pabal.resources.schedules import OCCURRENCE, SCHEDULE, NextView, OccurrenceFilter, OccurrenceView, view_next

router = noun("schedules")
occurrences = noun("occurrences")
AREA = SCHEDULE.area
rest(router, SCHEDULE)
rest(occurrences, OCCURRENCE)


@occurrences.get("/occurrences/{id}", response_model=model_of(OccurrenceView))
async def get_occurrence(visit: Visitor, id: OccurrenceId) -> Response:
    """Shows one occurrence."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await operating.get_occurrence(tx, visit.scope, *read_occurrence(id))
        line = await rows.find_occurrence(tx, visit.scope, found.schedule_id, found.fire_at)
    return answer_row(visit, OCCURRENCE, line)


@router.get("/schedules/{id}/next", response_model=Page[model_of(NextView)])  # type: ignore[misc]  # made from the view
async def preview_schedule(
    visit: Visitor, id: ScheduleId, limit: Annotated[int, Query(ge=1, le=200, description="How many that fire.")] = 5
) -> Response:
    """Lists the next moments of a schedule, with a reason beside those that will not fire."""
    async with visit.read() as tx:
        await find_row(tx, visit, SCHEDULE, id)
        ahead = await forecasts.preview(tx, id, limit)
    return answer_all([view_next(one) for one in ahead])


@router.get("/schedules/{id}/occurrences", response_model=Page[model_of(OccurrenceView)])  # type: ignore[misc]  # made from the view
async def list_occurrences_of_schedule(visit: Visitor, id: ScheduleId, wanted: Annotated[Between, Query()]) -> Response:
    """Lists what was decided about a schedule's moments, the newest first."""
    async with visit.read() as tx:
        await find_row(tx, visit, SCHEDULE, id)
    [listed] = OCCURRENCE.listings
    asked = OccurrenceFilter.make({"schedule": id, "since": wanted.since, "until": wanted.until})
    return await answer_list(visit, wanted, source_of(visit, OCCURRENCE, listed, asked))
