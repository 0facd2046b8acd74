"""One delayed event: what it is under the seed's names, what its guard would say now; fired, moved or taken out."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.adgroups.actions import delayed as actions
from pabal.apps.adgroups.actions.events import Explained, explain_one
from pabal.apps.adgroups.errors import AlreadyStarted, CannotMoveThere, MustEnd, NoSuchDelayedEvent
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import TIMED, AdGroup, Event
from pabal.apps.adgroups.pages.delayed import KEY, Line, make_line
from pabal.apps.adgroups.pages.faults import Fault, tell_fault
from pabal.apps.adgroups.pages.listing import AREA, DELAYED, TOPICS, tell_condition
from pabal.apps.adgroups.pages.local import read_local, show_local
from pabal.apps.adgroups.store.adgroups import get_ad_group
from pabal.apps.adgroups.words import STATES
from pabal.base.database import Tx
from pabal.engine import timers
from pabal.engine.transitions import GuardRefused, MoveNotAllowed
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, Word
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=DELAYED + "/{ad_group_id}/{event}", include_in_schema=False)
_REFUSED = (GuardRefused, MoveNotAllowed, MustEnd, AlreadyStarted)
_NO_MOMENT: Pair = ("A moment reads 2026-07-03T09:20.", "날짜와 시각은 2026-07-03T09:20처럼 적으세요.")


@dataclass(frozen=True, slots=True)
class Shown:
    line: Line
    explained: Explained
    now: datetime


@router.get("")
async def show(visit: Visitor, ad_group_id: RowId, event: Word) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show(visit, ad_group_id, _read_event(event))


@router.get("/{verb}")
async def look_again(visit: Visitor, ad_group_id: RowId, event: Word, verb: Word) -> Response:
    """Where one stands after a refusal; reloading looks, and changes nothing."""
    return visit.go(f"{DELAYED}/{ad_group_id}/{event}")


@router.post("/fire")
async def fire(visit: Visitor, ad_group_id: RowId, event: Word) -> Response:
    named = _read_event(event)
    try:
        async with visit.change() as tx:
            done = await actions.fire(tx, visit.actor, ad_group_id, named)
    except _REFUSED as error:
        what = ("It was not fired: its guard refused", "보내지 못했습니다. 조건이 맞지 않습니다")
        return await _show(visit, ad_group_id, named, tell_fault(visit, error, what))
    state = STATES[done.state]
    said: Pair = ("{event}: {name} is " + state[0] + " now", "{event}: {name} 이제 " + state[1])
    return visit.go(DELAYED, said=said, event=named.upper(), name=done.name)


@router.post("/move")
async def move(visit: Visitor, ad_group_id: RowId, event: Word, to: Annotated[Word, Form()] = "") -> Response:
    named, moment = _read_event(event), read_local(visit, to)
    what = ("It was not moved", "옮기지 못했습니다")
    if moment is None:
        fault = Fault(what, visit.say(*_NO_MOMENT), "cannot_move_there", "to", to)
        return await _show(visit, ad_group_id, named, fault)
    try:
        async with visit.change() as tx:
            done = await actions.move(tx, visit.actor, ad_group_id, named, moment)
    except (CannotMoveThere, AlreadyStarted) as error:
        return await _show(visit, ad_group_id, named, tell_fault(visit, error, what, field="to", typed=to))
    said = ("{event} of {name}: moved to {to}", "{name}의 {event}: 옮겼습니다. {to}")
    return _back(visit, done, named, said, to=visit.voice.moment(moment))


@router.post("/cancel")
async def cancel(visit: Visitor, ad_group_id: RowId, event: Word) -> Response:
    named = _read_event(event)
    try:
        async with visit.change() as tx:
            done = await actions.cancel(tx, visit.actor, ad_group_id, named)
    except _REFUSED as error:
        return await _show(
            visit, ad_group_id, named, tell_fault(visit, error, ("It was not taken out", "취소하지 못했습니다"))
        )
    return _back(visit, done, named, ("{event} of {name}: taken out", "{name}의 {event}: 취소했습니다"))


async def _show(visit: Visit, ad_group_id: int, event: Event, fault: Fault | None = None) -> Response:
    async with visit.read() as tx:
        shown = await _load(tx, visit, ad_group_id, event)
    line, explained = shown.line, shown.explained
    return await visit.show(
        "adgroups/delayed_one.html",
        200 if fault is None else 422 if fault.field else 409,
        line=line,
        event=event,
        target=explained.target,
        conditions=[(one.holds, tell_condition(visit, one)) for one in explained.checked],
        key=KEY,
        fault=fault,
        to=fault.typed if fault and fault.field else show_local(visit, line.timer.due_at or shown.now),
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
