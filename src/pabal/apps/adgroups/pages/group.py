"""The page of one ad group: why it is so, where it may go and why not, the days ahead and behind; its events."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.foresight import foresee
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import TIMED, AdGroup, Event
from pabal.apps.adgroups.pages.grid import count_hours, find_cell, make_cells
from pabal.apps.adgroups.pages.listing import AREA, DELAYED, LIST, MOST_CHOICES, TOPICS, tell_refusal
from pabal.apps.adgroups.pages.rows import make_rows
from pabal.apps.adgroups.pages.story import EventRow, end_of_week, find_then, make_event_rows, make_week
from pabal.apps.adgroups.store.adgroups import get_ad_group, list_creatives, list_inventories_of
from pabal.apps.adgroups.store.campaigns import list_inventories
from pabal.apps.adgroups.words import STATES
from pabal.base.database import Tx
from pabal.base.errors import Conflict, PabalError
from pabal.engine import listing, timers
from pabal.engine.listing import Page
from pabal.engine.listing.history import Wanted
from pabal.engine.machine import Explained
from pabal.engine.transitions import Transition
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web import diagrams
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/groups", include_in_schema=False)
# how far back the picture knows the ways it took
REMEMBERED = 300
HISTORY = 20


class Filters(BaseModel):
    at: Word = ""
    cursor: str = ""


class Sending(BaseModel):
    """`version` is the one its sender looked at."""

    event: Event
    reason: Annotated[str, Form(max_length=2000)] = ""
    version: int | None = None


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
        events.explain_one(subject, one, tx.now, None if one in TIMED else visit.actor)
        for one in map(Event, AD_GROUP.events)
    ]
    armed = await timers.list_timers(tx, AD_GROUP, group.id)
    taken = (await listing.list_transitions(tx, _history_of(visit, group), limit=REMEMBERED)).items
    drawn = [Explained(one.event, one.target, one.refusal) for one in explained]
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


def _find(rows: list[EventRow], event: Event) -> EventRow:
    return next(row for row in rows if row.event is event)
