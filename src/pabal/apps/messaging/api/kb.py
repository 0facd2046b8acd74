"""The eight endpoints of the system this replaces, by their own paths and words. They call what /api/v1 calls."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.apps.messaging.actions import schedules as actions
from pabal.apps.messaging.api.parts import AREA, Id, Number, Type, may_read, naming, noun
from pabal.apps.messaging.api.seed import (
    NAMES,
    KbLogShown,
    KbScheduleAsked,
    KbScheduleShown,
    LogStatus,
    Status,
    show_kb_log,
    show_kb_schedule,
)
from pabal.apps.messaging.errors import ScheduleRefused
from pabal.apps.messaging.model.deliveries import Delivery
from pabal.apps.messaging.model.findings import find as finding
from pabal.apps.messaging.model.schedules import Schedule, ScheduleType
from pabal.apps.messaging.model.seed import STATUS
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.resources.schedules import ListedState, MessageScheduleFilter
from pabal.apps.messaging.store import bots, deliveries, rooms
from pabal.apps.messaging.store import schedules as store
from pabal.apps.messaging.store.audiences import list_audience_rooms
from pabal.apps.messaging.store.groups import find_group
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.platform import tenants
from pabal.platform.actor import Right
from pabal.platform.tenants import Scope, Unit, visible_to
from pabal.platform.web.endpoints import answer, no_content
from pabal.platform.web.etags import answer_one, check_match, names_version
from pabal.platform.web.filters import Between, Listed, Word, split_commas
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.visit import Visit

router = noun("kb_schedule")
PREFIX = "/api"


class KbScheduleFilter(Listed):
    status: Annotated[
        tuple[Status, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()
    schedule_type: Annotated[tuple[Type, ...], BeforeValidator(split_commas), Field(description="Any of these.")] = ()
    target_bot_name: Annotated[Word | None, Field(description="Only by this bot.", examples=["busan1"])] = None
    target_room_id: Annotated[Word | None, Field(description="Only to this channel.", examples=["18390001"])] = None
    q: Annotated[Word | None, Field(description="A part of the title or the text.")] = None


class KbLogOfFilter(Between):
    """From and to are of the moment it was due."""

    status: Annotated[
        tuple[LogStatus, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()


class KbLogFilter(KbLogOfFilter):
    schedule_id: Annotated[Id | None, Field(description="Only of this schedule.", examples=[12])] = None
    target_room_id: Annotated[Word | None, Field(description="Only to this channel.", examples=["18390001"])] = None


@router.get("/schedules", response_model=Page[KbScheduleShown])
async def list_kb_schedules(visit: Visitor, wanted: Annotated[KbScheduleFilter, Query()]) -> Response:
    """Lists schedules (kb_schedule): what is sent next first, then those with nothing ahead."""
    may_read(visit)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[tuple[Schedule, Unit]]:
        filters = MessageScheduleFilter(
            state=tuple(ListedState(one) for one in wanted.status),
            type=tuple(ScheduleType(one) for one in wanted.schedule_type),
            q=wanted.q,
        )
        if wanted.target_room_id is not None:
            filters = replace(filters, room=await find_room_id(tx, visit.scope, wanted.target_room_id))
        if wanted.target_bot_name is not None:
            filters = replace(filters, bot=await find_bot_id(tx, visit.scope, wanted.target_bot_name))
        page = await store.list_schedules(tx, visit.scope, filters, cursor=cursor, limit=limit)
        units = {unit.id: unit for unit in await tenants.list_units(tx, [one.unit_id for one in page.items])}
        rows = [(row, units[one.unit_id]) for one in page.items for row in await _list_by_room(tx, one)]
        return Rows([row for row in rows if wanted.target_room_id in (None, row[0].channel_id)], page.cursor)

    def show(found: tuple[Schedule, Unit]) -> KbScheduleShown:
        return show_kb_schedule(*found)

    return await answer_list(visit, wanted, Source("kb_schedule", KbScheduleShown, load, show))


@router.post("/schedules", response_model=KbScheduleShown, status_code=201)
async def create_kb_schedule(visit: Visitor, once: OnceOnly, asked: KbScheduleAsked) -> Response:
    """Registers a schedule (kb_schedule), for oneself or on behalf of a unit below."""

    async def act(tx: Tx) -> Response:
        with naming(visit, NAMES):
            room_id, bot_id = await _look_up(tx, visit, asked)
            new = asked.as_new(room_id=room_id, bot_id=bot_id)
            await _check_owner(tx, visit, asked)
            made = await actions.create(tx, visit.actor, new)
        return answer(await _show(tx, made), 201, location=f"{PREFIX}/schedules/{made.id}")

    return await once.run(act)


@router.get("/schedules/{id}", response_model=KbScheduleShown)
async def get_kb_schedule(visit: Visitor, id: Number) -> Response:
    """Shows one schedule (kb_schedule)."""
    async with visit.read() as tx:
        shown = await _show(tx, await _find(tx, visit, id))
    return answer_one(visit, shown)


@router.put("/schedules/{id}", response_model=KbScheduleShown)
async def update_kb_schedule(visit: Visitor, once: OnceOnly, id: Number, asked: KbScheduleAsked) -> Response:
    """Updates a schedule (kb_schedule). What has begun goes on as it was."""

    async def act(tx: Tx) -> Response:
        await _match(tx, visit, id)
        with naming(visit, NAMES):
            room_id, bot_id = await _look_up(tx, visit, asked)
            await _check_owner(tx, visit, asked)
            merge = partial(asked.as_edit, room_id=room_id, bot_id=bot_id)
            edited = await actions.amend(tx, visit.actor, id, merge)
        return answer_one(visit, await _show(tx, edited))

    return await once.run(act)


@router.delete("/schedules/{id}", status_code=204)
async def delete_kb_schedule(visit: Visitor, id: Number) -> Response:
    """Deletes a schedule (kb_schedule). Its logs stay."""
    async with visit.change() as tx:
        await _match(tx, visit, id)
        await actions.delete(tx, visit.actor, id)
    return no_content()


@router.post("/schedules/{id}/toggle", response_model=KbScheduleShown)
async def toggle_kb_schedule(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Turns a schedule (kb_schedule) from active to inactive, or back."""

    async def act(tx: Tx) -> Response:
        await _match(tx, visit, id)
        return answer_one(visit, await _show(tx, await actions.toggle(tx, visit.actor, id)))

    return await once.run(act)


@router.get("/schedules/{id}/logs", response_model=Page[KbLogShown])
async def list_kb_logs_of_schedule(visit: Visitor, id: Number, wanted: Annotated[KbLogOfFilter, Query()]) -> Response:
    """Lists the send logs (kb_schedule_logs) of one schedule, the newest first."""
    async with visit.read() as tx:
        await _find(tx, visit, id)
    return await _answer_logs(visit, wanted, replace(_wanted(wanted), schedule=id))


@router.get("/logs/send", response_model=Page[KbLogShown], responses={200: {"content": {"text/csv": {}}}})
async def list_kb_logs(visit: Visitor, wanted: Annotated[KbLogFilter, Query()]) -> Response:
    """Lists all send logs (kb_schedule_logs) in sight, the newest first."""
    may_read(visit)
    filters = replace(_wanted(wanted), schedule=wanted.schedule_id)
    if wanted.target_room_id is not None:
        async with visit.read() as tx:
            filters = replace(filters, room=await find_room_id(tx, visit.scope, wanted.target_room_id))
    return await _answer_logs(visit, wanted, filters)


async def _answer_logs(visit: Visit, wanted: Listed, filters: MessageDeliveryFilter) -> Response:
    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Delivery]:
        return await deliveries.list_deliveries(tx, visit.scope, filters, cursor=cursor, limit=limit)

    def show(delivery: Delivery) -> KbLogShown:
        return show_kb_log(delivery, visit.lang)

    return await answer_list(visit, wanted, Source("kb_schedule_logs", KbLogShown, load, show), has_csv=True)


def _wanted(wanted: KbLogOfFilter) -> MessageDeliveryFilter:
    """Only what has ended is in the log."""
    states = tuple(state for state, status in STATUS.items() if not wanted.status or status in wanted.status)
    return MessageDeliveryFilter.make({"state": states, "since": wanted.since, "until": wanted.until})


async def _look_up(tx: Tx, visit: Visit, asked: KbScheduleAsked) -> tuple[int, int]:
    visit.actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, visit.actor)
    room_id = await find_room_id(tx, scope, asked.target_room_id)
    return room_id, await find_bot_id(tx, scope, asked.target_bot_name)


async def _check_owner(tx: Tx, visit: Visit, asked: KbScheduleAsked) -> None:
    """The unit named must be of the level named; whether it may own this is for the action to say."""
    if asked.owner is None or asked.created_by_type is None:
        return
    scope: Scope = await visible_to(tx, visit.actor)
    unit = await tenants.get_unit(tx, asked.owner) if asked.owner != NOBODY and scope.holds(asked.owner) else None
    if unit is None or unit.level != asked.created_by_type:
        raise ScheduleRefused([finding("unit_not_found", "unit_id")])


async def _find(tx: Tx, visit: Visit, schedule_id: int) -> Schedule:
    may_read(visit)
    return await store.get_schedule(tx, await visible_to(tx, visit.actor), schedule_id)


async def _match(tx: Tx, visit: Visit, schedule_id: int) -> None:
    """As the caller read it, if they say which that was. The action locks it."""
    visit.actor.require(Right.WRITE, AREA)
    if names_version(visit):
        await store.lock_schedule(tx, schedule_id)
    check_match(visit, await _show(tx, await _find(tx, visit, schedule_id)))


async def _list_by_room(tx: Tx, schedule: Schedule) -> list[Schedule]:
    """A kb_schedule has one room: one that goes to many is a row for each, all of its number."""
    if schedule.audience is None:
        return [schedule]
    group = await find_group(tx, schedule.audience.group_id)
    found = await list_audience_rooms(tx, schedule.audience, group)
    return [
        replace(schedule, room_id=one.room_id, room_name=one.name, channel_id=one.channel_id, room_type=one.room_type)
        for one in found
    ]


async def _show(tx: Tx, schedule: Schedule) -> KbScheduleShown:
    return show_kb_schedule(schedule, await tenants.get_unit(tx, schedule.unit_id))


# no room and no bot has it: what is asked with it is refused as not found
NOBODY = 0


async def find_room_id(tx: Tx, scope: Scope, channel_id: str) -> int:
    return await rooms.find_by_channel(tx, scope, channel_id) or NOBODY


async def find_bot_id(tx: Tx, scope: Scope, name: str) -> int:
    return await bots.find_by_name(tx, scope, name) or NOBODY
