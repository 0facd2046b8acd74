"""Occurrences: what was decided about each moment of a schedule, and how it ended."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.api.parts import OccurrenceId, ScheduleId, Shown, UnitId, fill, may_read, noun, read_occurrence, show_job
from pabal.base.database import Tx
from pabal.engine import listing, why
from pabal.engine.listing import OccurrenceLine
from pabal.engine.listing.occurrences import Wanted
from pabal.platform import operating
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Between, Word, split_commas
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.visit import Visit

router = noun("occurrences")
AREA = "schedules"
OccurrenceState = Literal["enqueued", "skipped", "coalesced", "done", "partial", "failed", "missed", "cancelled"]


class OccurrenceFilter(Between):
    """From and to are of its moment."""

    state: Annotated[
        tuple[OccurrenceState, ...],
        BeforeValidator(split_commas),
        Field(description="Any of these, separated by commas."),
    ] = ()
    schedule: Annotated[ScheduleId | None, Field(description="Of this schedule.")] = None
    kind: Word | None = None


class OccurrenceShown(Shown):
    """One moment of a schedule. With `through` it stands for `count` moments up to that one."""

    id: str = Field(examples=["occ_12@2026-07-03T00:00:00Z"])
    schedule: str = Field(examples=["sch_12"])
    name: str | None = Field(examples=["아침 공지"])
    unit_id: UnitId
    kind: str | None = Field(examples=["messaging.send"])
    about: str | None = Field(examples=["message:7"])
    timezone: str | None = Field(examples=["Asia/Seoul"])
    fire_at: datetime
    state: str = Field(examples=["done"])
    decision: str = Field(examples=["enqueued"])
    reason: str = Field(examples=["due"])
    job: str | None = Field(examples=["job_01h2xcejqtf2n"])
    decided_at: datetime
    ended_at: datetime | None
    into_at: datetime | None = Field(description="The moment that runs in its place.")
    through: datetime | None
    count: int = Field(examples=[1])
    actor: str | None = Field(examples=["user:12"])


@router.get("/occurrences", response_model=Page[OccurrenceShown], responses={200: {"content": {"text/csv": {}}}})
async def list_occurrences(visit: Visitor, wanted: Annotated[OccurrenceFilter, Query()]) -> Response:
    """Lists occurrences of all schedules, the newest first."""
    may_read(visit, AREA)
    source = list_of(visit, wanted, schedule_id=wanted.schedule, kind=wanted.kind, states=wanted.state)
    return await answer_list(visit, wanted, source, has_csv=True)


@router.get("/occurrences/{id}", response_model=OccurrenceShown)
async def get_occurrence(visit: Visitor, id: OccurrenceId) -> Response:
    """Shows one occurrence."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await operating.get_occurrence(tx, visit.scope, *read_occurrence(id))
        shown = await show_occurrence(tx, visit, found.schedule_id, found.fire_at)
    return answer_one(visit, shown)


def list_of(
    visit: Visit,
    wanted: Between,
    *,
    schedule_id: int | None = None,
    kind: str | None = None,
    states: tuple[str, ...] = (),
) -> Source[OccurrenceLine, OccurrenceShown]:
    filters = Wanted(visit.scope.listed, schedule_id, kind, states, wanted.since, wanted.until)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[OccurrenceLine]:
        return await listing.list_occurrences(tx, filters, limit=limit, cursor=cursor)

    async def count(tx: Tx) -> int:
        return await listing.count_occurrences(tx, filters)

    return Source("occurrences", OccurrenceShown, load, show, count)


async def show_occurrence(tx: Tx, visit: Visit, schedule_id: int, fire_at: datetime) -> OccurrenceShown:
    """One that is known to be there."""
    scope = await visible_to(tx, visit.actor)
    wanted = Wanted(scope.listed, schedule_id, since=fire_at, until=fire_at + timedelta(microseconds=1))
    page = await listing.list_occurrences(tx, wanted, limit=1)
    return show(page.items[0])


def show(line: OccurrenceLine) -> OccurrenceShown:
    return fill(
        OccurrenceShown,
        line,
        id=why.show_occurrence(line.schedule_id, line.fire_at),
        schedule=why.show_schedule(line.schedule_id),
        job=show_job(line.work_id),
        timezone=line.zone,
    )
