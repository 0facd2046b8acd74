"""Delayed events under the seed's names: the list, and one with what its guard would say; fired, moved, cancelled."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.adgroups.actions import delayed as actions
from pabal.apps.adgroups.actions.delayed import find_delayed
from pabal.apps.adgroups.actions.events import Explained, explain_one
from pabal.apps.adgroups.errors import AlreadyStarted, CannotMoveThere, MustEnd, NoSuchDelayedEvent
from pabal.apps.adgroups.labels import STATES
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import AREA, TIMED, AdGroup, Event
from pabal.apps.adgroups.pages.page_texts import (
    DELAYED,
    MOST_CHOICES,
    NO_MOMENT,
    TOPICS,
    Fault,
    read_local,
    show_local,
    tell_condition,
)
from pabal.apps.adgroups.store.adgroups import get_ad_group, list_open_of_campaign
from pabal.apps.adgroups.store.campaigns import list_campaigns
from pabal.base.database import Tx
from pabal.engine import ids, timers
from pabal.engine.listing import Page
from pabal.engine.timers import ArmedTimer, Timer, WantedTimers
from pabal.engine.transitions import GuardRefused, MoveNotAllowed
from pabal.platform.actor import Right
from pabal.platform.findings import find_wrong
from pabal.platform.language.pairs import Pair
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, keep_filters, read_number, turn
from pabal.platform.web.paging import AT_ONCE
from pabal.platform.web.tree import Tree, load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
KEY = "adgroup:delayed:events"
COLUMNS = (
    *("key", "adGroupId", "event", "score", "dueAt", "lateSeconds", "scheduleVersion", "tries", "error"),
    *("name", "status", "campaign", "unit"),
)
ONE = DELAYED + "/{ad_group_id}/{event}"
_REFUSED = (GuardRefused, MoveNotAllowed, MustEnd, AlreadyStarted)


class Filters(BaseModel):
    event: Word = ""
    late: Word = ""
    campaign: Word = ""
    cursor: str = ""

    @property
    def is_any(self) -> bool:
        return any((self.event, self.late, self.campaign))


@dataclass(frozen=True, slots=True)
class Line:
    """One of them: whose it is, how it stands (`wait`, `late`, `stuck`), and the seed's names for it."""

    timer: Timer | ArmedTimer
    group: AdGroup
    path: list[str]
    now: datetime

    @property
    def href(self) -> str:
        return f"{DELAYED}/{self.group.id}/{self.timer.event}"

    @property
    def standing(self) -> str:
        if self.timer.due_at is None:
            return "stuck"
        return "late" if self.timer.due_at < self.now else "wait"

    @property
    def ad_group_id(self) -> str:
        return ids.show("adg", self.group.id)

    @property
    def score(self) -> float | None:
        return None if self.timer.due_at is None else self.timer.due_at.timestamp()

    @property
    def late_seconds(self) -> float:
        due_at = self.timer.due_at
        return 0.0 if due_at is None else max(0.0, (self.now - due_at).total_seconds())


@router.get(DELAYED)
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        wanted = await _read_wanted(tx, visit, filters)
        page = await read_page(lambda cursor: find_delayed(tx, wanted, cursor), filters.cursor)
        tree = await load_tree(tx, visit.scope)
        campaigns = (await list_campaigns(tx, visit.scope, limit=MOST_CHOICES)).items
        late = [one for one in await timers.count_late(tx, AD_GROUP, tx.now) if visit.scope.holds(one.unit_id)]
        lines = [make_line(one.timer, one.group, tree, tx.now) for one in page.items]
    return await visit.show(
        "adgroups/delayed.html",
        lines=lines,
        filters=filters,
        late=sum(one.late + one.stuck for one in late),
        stuck=sum(one.stuck for one in late),
        events=[(str(one), one.upper()) for one in TIMED],
        campaigns=[(str(one.id), one.name) for one in campaigns],
        export=keep_filters(visit, f"{DELAYED}.csv"),
        key=KEY,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.get(f"{DELAYED}.csv")
async def export(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    """All that the filters leave, under the seed's names; streamed."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)

    async def read(cursor: str | None) -> Page[Sequence[Any]]:
        async with visit.read() as tx:
            page = await find_delayed(tx, await _read_wanted(tx, visit, filters), cursor, AT_ONCE)
        return Page([_csv_row(make_line(one.timer, one.group, tree, visit.now)) for one in page.items], page.cursor)

    return stream_csv("delayed-events", COLUMNS, read)


def make_line(timer: Timer | ArmedTimer, group: AdGroup, tree: Tree, now: datetime) -> Line:
    return Line(timer, group, tree.names(group.unit_id), now)


async def _read_wanted(tx: Tx, visit: Visit, filters: Filters) -> WantedTimers:
    """What is not known is not minded; of a campaign that is not theirs nobody sees anything."""
    campaign_id = read_number(filters.campaign)
    return WantedTimers(
        visit.scope.listed,
        [filters.event.lower()] if filters.event.lower() in set(TIMED) else (),
        tx.now if filters.late else None,
        None if campaign_id is None else await list_open_of_campaign(tx, campaign_id),
    )


def _csv_row(line: Line) -> tuple[Any, ...]:
    timer, group = line.timer, line.group
    due_at = None if timer.due_at is None else timer.due_at.astimezone(UTC).isoformat()
    return (
        *(KEY, line.ad_group_id, timer.event.upper(), line.score, due_at, line.late_seconds),
        *(group.schedule_version, timer.tries, timer.error, group.name, group.state.upper(), group.campaign_name),
        " › ".join(line.path),
    )


@dataclass(frozen=True, slots=True)
class Shown:
    line: Line
    explained: Explained
    now: datetime


@router.get(ONE)
async def show(visit: Visitor, ad_group_id: RowId, event: Word) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show(visit, ad_group_id, _read_event(event))


@router.get(ONE + "/{verb}")
async def look_again(visit: Visitor, ad_group_id: RowId, event: Word, verb: Word) -> Response:
    """Where one stands after a refusal; reloading looks, and changes nothing."""
    return visit.go(f"{DELAYED}/{ad_group_id}/{event}")


@router.post(ONE + "/fire")
async def fire(visit: Visitor, ad_group_id: RowId, event: Word) -> Response:
    named = _read_event(event)
    try:
        async with visit.change() as tx:
            done = await actions.fire(tx, visit.actor, ad_group_id, named)
    except _REFUSED as error:
        what = ("It was not fired: its guard refused", "보내지 못했습니다. 조건이 맞지 않습니다")
        return await _show(visit, ad_group_id, named, Fault(what, find_wrong(error)))
    state = STATES[done.state]
    said: Pair = ("{event}: {name} is " + state[0] + " now", "{event}: {name} 이제 " + state[1])
    return visit.go(DELAYED, said=said, event=named.upper(), name=done.name)


@router.post(ONE + "/move")
async def move(visit: Visitor, ad_group_id: RowId, event: Word, to: Annotated[Word, Form()] = "") -> Response:
    named, moment = _read_event(event), read_local(visit, to)
    what = ("It was not moved", "옮기지 못했습니다")
    if moment is None:
        fault = Fault(what, replace(NO_MOMENT, code="cannot_move_there", field="to"), to)
        return await _show(visit, ad_group_id, named, fault)
    try:
        async with visit.change() as tx:
            done = await actions.move(tx, visit.actor, ad_group_id, named, moment)
    except (CannotMoveThere, AlreadyStarted) as error:
        return await _show(visit, ad_group_id, named, Fault(what, find_wrong(error, "to"), to))
    said = ("{event} of {name}: moved to {to}", "{name}의 {event}: 옮겼습니다. {to}")
    return _back(visit, done, named, said, to=visit.voice.moment(moment))


@router.post(ONE + "/cancel")
async def cancel(visit: Visitor, ad_group_id: RowId, event: Word) -> Response:
    named = _read_event(event)
    try:
        async with visit.change() as tx:
            done = await actions.cancel(tx, visit.actor, ad_group_id, named)
    except _REFUSED as error:
        return await _show(
            visit, ad_group_id, named, Fault(("It was not taken out", "취소하지 못했습니다"), find_wrong(error))
        )
    return _back(visit, done, named, ("{event} of {name}: taken out", "{name}의 {event}: 취소했습니다"))


async def _show(visit: Visit, ad_group_id: int, event: Event, fault: Fault | None = None) -> Response:
    async with visit.read() as tx:
        shown = await _load(tx, visit, ad_group_id, event)
    line, explained = shown.line, shown.explained
    return await visit.show(
        "adgroups/delayed_one.html",
        200 if fault is None else 422 if fault.finding.field else 409,
        line=line,
        event=event,
        target=explained.target,
        conditions=[(one.holds, tell_condition(visit, one)) for one in explained.checked],
        key=KEY,
        fault=fault,
        to=fault.typed if fault and fault.finding.field else show_local(visit, line.timer.due_at or shown.now),
        live_topics=TOPICS,
    )


async def _load(tx: Tx, visit: Visit, ad_group_id: int, event: Event) -> Shown:
    group = await get_ad_group(tx, visit.scope, ad_group_id)
    armed = [one for one in await timers.list_timers(tx, AD_GROUP, group.id) if one.event == event]
    if not armed:
        raise NoSuchDelayedEvent(f"{group.about} {event}")
    [subject] = await load_subjects(tx, [group.id])
    line = make_line(armed[0], group, await load_tree(tx, visit.scope), tx.now)
    return Shown(line, explain_one(subject, event, tx.now), tx.now)


def _back(visit: Visit, group: AdGroup, event: Event, said: Pair, **values: Any) -> Response:
    return visit.go(DELAYED, said=said, event=event.upper(), name=group.name, **values)


def _read_event(text: str) -> Event:
    if text not in set(TIMED):
        raise NoSuchDelayedEvent(text)
    return Event(text)
