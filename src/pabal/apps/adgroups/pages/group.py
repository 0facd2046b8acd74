"""One ad group: why it is so and where it may go, the days ahead and behind, its history as a file, its setup."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.adgroups.actions import adgroups, events
from pabal.apps.adgroups.actions.events import BY_HAND, Explained, explain_one
from pabal.apps.adgroups.errors import BadCreative, CreativeNotFound, InventoryNotFound, SetupLocked
from pabal.apps.adgroups.foresight import Stretch, foresee, foresee_life
from pabal.apps.adgroups.labels import STATES
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import AREA, TIMED, AdGroup, Event, State
from pabal.apps.adgroups.model.dayparts import count_hours, find_cell, make_cells
from pabal.apps.adgroups.pages.groups import make_rows
from pabal.apps.adgroups.pages.page_texts import DELAYED, LIST, MOST_CHOICES, TOPICS, tell_condition, tell_refusal
from pabal.apps.adgroups.store.adgroups import get_ad_group, list_creatives, list_inventories_of
from pabal.apps.adgroups.store.campaigns import get_inventories, list_inventories
from pabal.base.database import Tx
from pabal.base.errors import Conflict, PabalError
from pabal.engine import listing, machine, timers
from pabal.engine.listing import Page
from pabal.engine.listing.history import Wanted
from pabal.engine.timers import Timer
from pabal.engine.transitions import Transition
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web import diagrams
from pabal.platform.web.actors import name_actors
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, midnight, today, turn
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/groups", include_in_schema=False)
# how far back the picture knows the ways it took
REMEMBERED = 300
HISTORY = 20
MOST_STRETCHES = 100
HISTORY_COLUMNS = ("version", "at", "event", "from", "to", "actor", "name", "reason", "cause")
MANY = 200
_KNOWN = (BadCreative, CreativeNotFound, InventoryNotFound, SetupLocked)
DAYS = 7
# a field says no more than the second: all of it counts
_SECOND = timedelta(seconds=1)


class Filters(BaseModel):
    at: Word = ""
    cursor: str = ""


class Sending(BaseModel):
    """`version` is the one its sender looked at."""

    event: Event
    reason: Annotated[str, Form(max_length=2000)] = ""
    version: int | None = None


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event and what it would do now. `is_here`: its state has a move for it; `sources`: which states do."""

    event: Event
    target: State | None
    refusal: str
    conditions: list[tuple[bool, str]]
    is_here: bool
    is_by_hand: bool
    is_extension: bool
    sources: list[State]
    due_at: datetime | None

    @property
    def is_allowed(self) -> bool:
        return self.target is not None and self.is_by_hand


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one day in one state, as shares of the day."""

    state: State
    since: datetime
    until: datetime
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Ahead:
    day: date
    begins: datetime
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Then:
    """As it was at a moment: the change that led there, or None before its beginning."""

    moment: datetime
    change: Transition | None
    is_future: bool


@router.get("/{ad_group_id}")
async def show(visit: Visitor, ad_group_id: RowId, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await show_group(visit, ad_group_id, filters)


@router.get("/{ad_group_id}/send")
async def look_again(visit: Visitor, ad_group_id: RowId) -> Response:
    """Where one stands after a refusal; reloading looks, and sends nothing."""
    return visit.go(f"{LIST}/{ad_group_id}")


@router.post("/{ad_group_id}/send")
async def send(visit: Visitor, ad_group_id: RowId, sent: Annotated[Sending, Form()]) -> Response:
    try:
        async with visit.change() as tx:
            reason = sent.reason.strip() or None
            done = await events.send(
                tx, visit.actor, ad_group_id, sent.event, reason=reason, expect_version=sent.version
            )
    except Conflict as error:
        return await show_group(visit, ad_group_id, Filters(), failed=error, sent=sent)
    state = STATES[done.state]
    said: Pair = (f"{sent.event.upper()}: it is {state[0]} now", f"{sent.event.upper()}: 이제 {state[1]} 상태입니다")
    return visit.go(f"{LIST}/{ad_group_id}", said=said)


@router.get("/{ad_group_id}/life")
async def show_life(visit: Visitor, ad_group_id: RowId, event: Word = "") -> Response:
    visit.actor.require(Right.READ, AREA)
    asked = Event(event) if event in set(BY_HAND) else None
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
        [row] = await make_rows(tx, visit, [group])
        [subject] = await load_subjects(tx, [ad_group_id])
        now = tx.now
    explained = None if asked is None else explain_one(subject, asked, now, visit.actor)
    sent = None if explained is None or explained.target is None else (explained.event, explained.target)
    stretches = foresee_life(subject, now, after=sent)
    possible = [one for one in BY_HAND if explain_one(subject, one, now).target is not None]
    return await visit.show(
        "adgroups/life.html",
        group=group,
        row=row,
        asked=asked,
        explained=explained,
        conditions=[] if explained is None else [(one.holds, tell_condition(visit, one)) for one in explained.checked],
        possible=possible,
        stretches=stretches[:MOST_STRETCHES],
        last=stretches[-1] if len(stretches) > MOST_STRETCHES else None,
        left_out=max(len(stretches) - MOST_STRETCHES - 1, 0),
        is_cut=group.schedule.end_at > stretches[-1].until,
        until=stretches[-1].until,
        live_topics=TOPICS,
    )


@router.get("/{ad_group_id}/history.csv")
async def export_history(visit: Visitor, ad_group_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
    wanted = _history_of(visit, group)

    async def read(cursor: str | None) -> Page[Sequence[Any]]:
        async with visit.read() as tx:
            page = await listing.list_transitions(tx, wanted, cursor=cursor, limit=MANY)
            names = await name_actors(tx, visit, {one.actor for one in page.items})
        return Page([_history_row(one, names.get(one.actor, one.actor)) for one in page.items], page.cursor)

    return stream_csv(f"adgroup-{group.id}-history", HISTORY_COLUMNS, read)


@router.post("/{ad_group_id}/creatives")
async def add_creative(
    visit: Visitor,
    ad_group_id: RowId,
    name: Annotated[Word, Form()] = "",
    url: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    try:
        async with visit.change() as tx:
            await adgroups.add_creative(tx, visit.actor, ad_group_id, name=name, url=url.replace("\0", ""))
    except _KNOWN as error:
        return await show_group(visit, ad_group_id, Filters(), failed=error, typed={"name": name, "url": url})
    return _back(visit, ad_group_id, "creatives")


@router.post("/{ad_group_id}/creatives/{creative_id}/remove")
async def remove_creative(visit: Visitor, ad_group_id: RowId, creative_id: RowId) -> Response:
    async with visit.change() as tx:
        await adgroups.remove_creative(tx, visit.actor, ad_group_id, creative_id)
    return _back(visit, ad_group_id, "creatives")


@router.post("/{ad_group_id}/inventory")
async def add_inventory(visit: Visitor, ad_group_id: RowId, code: Annotated[Word, Form()] = "") -> Response:
    visit.actor.require(Right.WRITE, AREA)
    try:
        async with visit.change() as tx:
            [found] = await get_inventories(tx, visit.scope, [code])
            await adgroups.add_inventories(tx, visit.actor, ad_group_id, [found.id])
    except _KNOWN as error:
        return await show_group(visit, ad_group_id, Filters(), failed=error, typed={"code": code})
    return _back(visit, ad_group_id, "inventory")


@router.post("/{ad_group_id}/inventory/{inventory_id}/remove")
async def remove_inventory(visit: Visitor, ad_group_id: RowId, inventory_id: RowId) -> Response:
    async with visit.change() as tx:
        await adgroups.remove_inventories(tx, visit.actor, ad_group_id, [inventory_id])
    return _back(visit, ad_group_id, "inventory")


async def show_group(
    visit: Visit,
    ad_group_id: int,
    filters: Filters,
    *,
    failed: PabalError | None = None,
    sent: Sending | None = None,
    typed: dict[str, str] | None = None,
) -> Response:
    """Also after something went wrong: what, and with what was typed."""
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
        values = {
            **await _load_now(tx, visit, group),
            **await _load_past(tx, visit, group, filters),
            **await _load_setup(tx, visit, group),
        }
    return await visit.show(
        "adgroups/group.html",
        200 if failed is None else 422 if sent is None else 409,
        group=group,
        failed=failed,
        failure="" if failed is None else explain(failed, visit.lang),
        sent=sent,
        refused=None if sent is None else _find(values["events"], sent.event),
        typed=typed or {},
        delayed=DELAYED,
        live_topics=TOPICS,
        **values,
    )


async def _load_now(tx: Tx, visit: Visit, group: AdGroup) -> dict[str, Any]:
    """Where it is, where it may go, and what comes by itself."""
    [row] = await make_rows(tx, visit, [group])
    [subject] = await load_subjects(tx, [group.id])
    # what the clock sends has no button here, and is shown as the clock will meet it
    explained = [
        explain_one(subject, one, tx.now, None if one in TIMED else visit.actor) for one in map(Event, AD_GROUP.events)
    ]
    armed = await timers.list_timers(tx, AD_GROUP, group.id)
    taken = (await listing.list_transitions(tx, _history_of(visit, group), limit=REMEMBERED)).items
    drawn = [machine.Explained(one.event, one.target, one.refusal) for one in explained]
    stretches = foresee(subject, tx.now, end_of_week(visit))
    dayparts = group.schedule.dayparts
    return {
        "row": row,
        "events": make_event_rows(visit, group, explained, armed),
        "timers": armed,
        "drawing": diagrams.draw_one(visit, AD_GROUP, group.state, drawn, taken, tell_refusal),
        "last": taken[0] if taken else None,
        "stretches": stretches,
        "week": make_week(visit, stretches),
        "cells": None if dayparts is None else make_cells(dayparts),
        "weekly": None if dayparts is None else count_hours(dayparts),
        "now_cell": find_cell(tx.now, group.schedule.zone),
    }


async def _load_past(tx: Tx, visit: Visit, group: AdGroup, filters: Filters) -> dict[str, Any]:
    page = await _list_history(tx, visit, group, filters.cursor)
    then = await find_then(tx, visit, group, filters.at)
    changes = [*page.items, *([then.change] if then is not None and then.change is not None else [])]
    last = (await listing.list_transitions(tx, _history_of(visit, group), limit=1)).items
    names = await name_actors(tx, visit, {one.actor for one in (*changes, *last)} | {group.created_by})
    return {"history": page.items, "pager": turn(visit, page.cursor), "then": then, "names": names}


async def _load_setup(tx: Tx, visit: Visit, group: AdGroup) -> dict[str, Any]:
    inventories = await list_inventories_of(tx, group.id)
    all_there = (await list_inventories(tx, visit.scope, limit=MOST_CHOICES)).items
    used = {one.id for one in inventories}
    return {
        "creatives": await list_creatives(tx, group.id),
        "inventories": inventories,
        "more_inventories": [one for one in all_there if one.id not in used],
    }


async def _list_history(tx: Tx, visit: Visit, group: AdGroup, cursor: str) -> Page[Transition]:
    wanted = _history_of(visit, group)
    return await read_page(lambda at: listing.list_transitions(tx, wanted, cursor=at, limit=HISTORY), cursor)


def _history_of(visit: Visit, group: AdGroup) -> Wanted:
    return Wanted(visit.scope.listed, AD_GROUP.name, subject=group.id)


def _back(visit: Visit, ad_group_id: int, where: str) -> Response:
    return visit.go(f"{LIST}/{ad_group_id}#{where}")


def make_event_rows(
    visit: Visit, group: AdGroup, explained: Sequence[Explained], armed: Sequence[Timer]
) -> list[EventRow]:
    """What can be sent now comes first, then what is refused here, then what is of other states."""
    rows = [_event_row(visit, group, one, armed) for one in explained]
    return sorted(rows, key=lambda row: (not row.is_allowed, row.target is None, not row.is_here))


def _event_row(visit: Visit, group: AdGroup, one: Explained, armed: Sequence[Timer]) -> EventRow:
    return EventRow(
        event=one.event,
        target=one.target,
        refusal="" if one.refusal is None else tell_refusal(visit, one.refusal),
        conditions=[(checked.holds, tell_condition(visit, checked)) for checked in one.checked],
        is_here=AD_GROUP.find_move(group.state, one.event) is not None,
        is_by_hand=one.event in BY_HAND,
        is_extension=one.is_extension,
        sources=[state for state in State if AD_GROUP.find_move(state, one.event) is not None],
        due_at=next((timer.due_at for timer in armed if timer.event == one.event), None),
    )


def make_week(visit: Visit, stretches: Sequence[Stretch]) -> list[Ahead]:
    """The visitor's days from today on; what is past of today is left out."""
    first = today(visit)
    return [_day(visit, first + timedelta(days=number), stretches) for number in range(DAYS)]


def end_of_week(visit: Visit) -> datetime:
    return midnight(visit, today(visit), days=DAYS)


def _day(visit: Visit, day: date, stretches: Sequence[Stretch]) -> Ahead:
    begins, ends = midnight(visit, day), midnight(visit, day, days=1)
    parts = []
    for one in stretches:
        since, until = max(one.since, begins), min(one.until, ends)
        if since < until:
            parts.append(
                Part(one.state, since, until, (since - begins) / (ends - begins), (until - since) / (ends - begins))
            )
    return Ahead(day, begins, parts)


async def find_then(tx: Tx, visit: Visit, group: AdGroup, at: str) -> Then | None:
    """`at` is a moment of the visitor's wall clock; None for what is none."""
    try:
        local = datetime.fromisoformat(at)
    except ValueError:
        return None
    if not FIRST_YEAR <= local.year <= LAST_YEAR:
        return None
    moment = local.replace(tzinfo=visit.zone) if local.tzinfo is None else local
    wanted = replace(_history_of(visit, group), until=moment.replace(microsecond=0) + _SECOND)
    found = (await listing.list_transitions(tx, wanted, limit=1)).items
    return Then(moment, found[0] if found else None, moment > tx.now)


def _find(rows: list[EventRow], event: Event) -> EventRow:
    return next(row for row in rows if row.event is event)


def _history_row(one: Transition, name: str) -> Sequence[Any]:
    source = "" if one.source is None else one.source.upper()
    return (
        *(one.version, one.at.isoformat(), one.event.upper(), source, one.target.upper()),
        *(one.actor, name, one.reason or "", one.cause or ""),
    )
