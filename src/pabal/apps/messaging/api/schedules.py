"""Message schedules: what is sent to which room, and when."""

from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.apps.messaging.actions import schedules as actions
from pabal.apps.messaging.api.asked import (
    NAMES,
    MessageScheduleShown,
    ScheduleAsked,
    ScheduleChange,
    show_schedule,
    with_owner,
)
from pabal.apps.messaging.api.fields import Type
from pabal.apps.messaging.api.parts import BASE, DryRun, Id, Number, Shown, answer, may_read, naming, no_content, noun
from pabal.apps.messaging.api.previews import CheckShown, check
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule
from pabal.apps.messaging.store import schedules as store
from pabal.apps.messaging.store.schedules import Wanted
from pabal.base.database import Tx
from pabal.engine import forecasts
from pabal.engine.listing import Page as Rows
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Listed, Word, split_commas
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.visit import Visit

router = noun()
State = Literal["active", "inactive", "completed", "error"]
_CHECKED: dict[int | str, dict[str, Any]] = {
    200: {"model": CheckShown, "description": "With `dry_run`: what would come of it."}
}


class ScheduleFilter(Listed):
    state: Annotated[
        tuple[State, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()
    type: Annotated[
        tuple[Type, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()
    room: Annotated[Id | None, Field(description="Only to this room.", examples=[3])] = None
    bot: Annotated[Id | None, Field(description="Only by this bot.", examples=[1])] = None
    q: Annotated[Word | None, Field(description="A part of the title or the text.")] = None
    due: Annotated[bool, Field(description="Only those whose moment has come and that were not sent yet.")] = False
    sort: Annotated[
        Literal["next_send_at", "-created_at"], Field(description="What is sent next first, or the newest first.")
    ] = "next_send_at"


class NextSendShown(Shown):
    """A moment ahead. `excluded` says why it will not be sent, `note` what daylight saving did to it."""

    at: datetime
    wall: str = Field(description="On the clock of the schedule's zone.", examples=["2026-07-03T09:00:00"])
    excluded: str | None = Field(examples=[None])
    note: str | None = Field(examples=[None])


@router.get("/schedules", response_model=Page[MessageScheduleShown], responses={200: {"content": {"text/csv": {}}}})
async def list_message_schedules(visit: Visitor, wanted: Annotated[ScheduleFilter, Query()]) -> Response:
    """Lists message schedules: what is sent next first, then those with nothing ahead."""
    may_read(visit)
    filters = Wanted(
        visit.scope.listed,
        states=wanted.state,
        types=wanted.type,
        room_id=wanted.room,
        bot_id=wanted.bot,
        q=wanted.q,
        is_due=wanted.due,
        sort="next" if wanted.sort == "next_send_at" else "newest",
    )

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Schedule]:
        return await store.list_schedules(tx, filters, cursor, limit)

    def show(schedule: Schedule) -> MessageScheduleShown:
        return show_schedule(schedule, visit.lang)

    return await answer_list(visit, wanted, Source("message_schedules", MessageScheduleShown, load, show), has_csv=True)


@router.post("/schedules", response_model=MessageScheduleShown, status_code=201, responses=_CHECKED)
async def create_message_schedule(
    visit: Visitor, once: OnceOnly, asked: ScheduleAsked, dry_run: DryRun = False
) -> Response:
    """Saves a new schedule, or refuses it with what is wrong beside each field."""
    new = asked.as_new()
    if dry_run:
        return await _only_check(visit, new)

    async def act(tx: Tx) -> Response:
        with naming(visit, NAMES):
            made = await actions.create(tx, visit.actor, new)
        return answer(show_schedule(made, visit.lang), 201, location=f"{BASE}/schedules/{made.id}")

    return await once.run(act)


@router.post("/schedules/preview", response_model=CheckShown)
async def preview_message_schedule(visit: Visitor, asked: ScheduleAsked) -> Response:
    """Says what would come of it: next moments, limits, conflicts, bubbles. Nothing is saved."""
    return await _only_check(visit, asked.as_new())


@router.get("/schedules/{id}", response_model=MessageScheduleShown)
async def get_message_schedule(visit: Visitor, id: Number) -> Response:
    """Shows one message schedule."""
    async with visit.read() as tx:
        found = await find(tx, visit, id)
    return answer_one(visit, show_schedule(found, visit.lang))


@router.put("/schedules/{id}", response_model=MessageScheduleShown | CheckShown)
async def replace_message_schedule(
    visit: Visitor, once: OnceOnly, id: Number, asked: ScheduleAsked, dry_run: DryRun = False
) -> Response:
    """Replaces a schedule; what is not given is as if it were new. What has begun goes on as it was."""

    async def act(tx: Tx) -> Response:
        old = await hold(tx, visit, id)
        return await _edit(tx, visit, old, with_owner(asked.as_new(), old), dry_run=dry_run)

    return await once.run(act)


@router.patch("/schedules/{id}", response_model=MessageScheduleShown | CheckShown)
async def edit_message_schedule(
    visit: Visitor, once: OnceOnly, id: Number, asked: ScheduleChange, dry_run: DryRun = False
) -> Response:
    """Changes only what is given (JSON merge patch)."""

    async def act(tx: Tx) -> Response:
        old = await hold(tx, visit, id)
        return await _edit(tx, visit, old, asked.apply(old), dry_run=dry_run)

    return await once.run(act)


@router.delete("/schedules/{id}", status_code=204)
async def delete_message_schedule(
    visit: Visitor,
    id: Number,
    purge: Annotated[bool, Query(description="Also its deliveries, for good. Administrators only.")] = False,
) -> Response:
    """Deletes a schedule. Nothing more of it is sent; its deliveries stay in the log."""
    async with visit.change() as tx:
        if purge:
            await actions.purge(tx, visit.actor, id)
        else:
            await hold(tx, visit, id)
            await actions.delete(tx, visit.actor, id)
    return no_content()


@router.get("/schedules/{id}/next", response_model=Page[NextSendShown])
async def list_next_sends(
    visit: Visitor, id: Number, limit: Annotated[int, Query(ge=1, le=200, description="How many that are sent.")] = 5
) -> Response:
    """Lists the next moments of a schedule, with a reason beside those that are not sent."""
    async with visit.read() as tx:
        found = await find(tx, visit, id)
        ahead = [] if found.timetable_id is None else await forecasts.preview(tx, found.timetable_id, limit)
    shown = [
        NextSendShown(at=one.moment, wall=one.wall.isoformat(), excluded=one.excluded, note=one.note) for one in ahead
    ]
    return answer_all(shown)


async def find(tx: Tx, visit: Visit, schedule_id: int) -> Schedule:
    may_read(visit)
    return await store.get_schedule(tx, await visible_to(tx, visit.actor), schedule_id)


async def hold(tx: Tx, visit: Visit, schedule_id: int) -> Schedule:
    """Locked and as the caller read it: nobody changes it between the comparison and the change."""
    await store.lock_schedule(tx, schedule_id)
    found = await find(tx, visit, schedule_id)
    check_match(visit, show_schedule(found, visit.lang))
    return found


async def _edit(tx: Tx, visit: Visit, old: Schedule, new: NewSchedule, *, dry_run: bool) -> Response:
    if dry_run:
        return answer(await check(tx, visit, new, NAMES, schedule_id=old.id))
    with naming(visit, NAMES):
        edited = await actions.edit(tx, visit.actor, old.id, new)
    return answer_one(visit, show_schedule(edited, visit.lang))


async def _only_check(visit: Visit, new: NewSchedule) -> Response:
    async with visit.read() as tx:
        return answer(await check(tx, visit, new, NAMES))
