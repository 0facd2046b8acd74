"""One subject of a machine: where it is, where it may go and why not, what it went through; and sending it an event."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid
from pabal.engine import listing, timers
from pabal.engine.listing import Page
from pabal.engine.listing.history import Wanted
from pabal.engine.machine import Explained, Machine
from pabal.engine.timers import Timer
from pabal.engine.transitions import GuardRefused, Transition, subject_name
from pabal.platform import operating, tenants
from pabal.platform.controls import ByHand, MachineControls
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web import diagrams
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter()
# How far back the picture knows the ways it took.
REMEMBERED = 300

SubjectId = Annotated[int, Path(gt=0, lt=2**63)]


class Filters(BaseModel):
    simulate: Word = ""
    cursor: Word = ""


class Sending(BaseModel):
    """`version` is the one its sender looked at."""

    event: Word
    reason: Annotated[str, Form(max_length=2000)] = ""
    version: int | None = None


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event and what it would do now. `is_here`: the current state has a move for it; `sources`: which states do.

    `may_send`: it is sent by hand, and the visitor has the right to; `instead` names another verb that sends it.
    """

    event: str
    target: str | None
    refusal: str
    reason: str
    values: list[tuple[str, str]]
    guard: str
    is_here: bool
    sources: list[str]
    due_at: datetime | None
    is_by_hand: bool
    may_send: bool
    instead: str


@dataclass(frozen=True, slots=True)
class Refused:
    """What was sent and did not go through: nothing that was typed is lost."""

    sent: Sending
    what: str
    told: str
    code: str


@router.get("/machines/{name}/{subject_id}")
async def subject(visit: Visitor, name: Word, subject_id: SubjectId, filters: Annotated[Filters, Query()]) -> Response:
    return await _show(visit, name, subject_id, filters)


@router.get("/machines/{name}/{subject_id}/send")
async def look_again(visit: Visitor, name: Word, subject_id: SubjectId) -> Response:
    """Where one stands after a refusal; reloading looks, and sends nothing."""
    return visit.go(f"/machines/{name}/{subject_id}")


@router.post("/machines/{name}/{subject_id}/send")
async def send(visit: Visitor, name: Word, subject_id: SubjectId, sent: Annotated[Sending, Form()]) -> Response:
    controls = operating.find_machine(visit.actor, visit.site.controls, name)
    reason = sent.reason.strip() or None
    try:
        async with visit.change() as tx:
            done = await operating.send_event(
                tx, visit.actor, controls, subject_id, sent.event, reason=reason, expect_version=sent.version
            )
    except Conflict as error:
        return await _show(visit, name, subject_id, Filters(), refused=(sent, error))
    target = "" if done.made is None else visit.voice.status_word(name, done.made.target)
    said: Pair = ("Sent {event}: it is {state} now.", "{event}을(를) 보냈습니다. 이제 {state} 상태입니다.")
    return visit.go(f"/machines/{name}/{subject_id}", said=said, event=sent.event, state=target)


async def _show(  # long: the page from both ways in
    visit: Visit, name: str, subject_id: int, filters: Filters, *, refused: tuple[Sending, Conflict] | None = None
) -> Response:
    controls = operating.find_machine(visit.actor, visit.site.controls, name)
    machine = controls.machine
    about = subject_name(machine, subject_id)
    async with visit.read() as tx:
        found = await operating.get_subject(tx, visit.scope, machine, subject_id)
        explained = machine.explain(found, tx.now)
        armed = await timers.list_timers(tx, machine, subject_id)
        page = await _list_history(tx, visit, machine, subject_id, filters.cursor)
        taken = await listing.list_transitions(tx, _wanted(visit, machine, subject_id), limit=REMEMBERED)
        names = await name_actors(tx, visit, {one.actor for one in (*page.items, *taken.items[:1])})
        units = await tenants.list_units(tx, [found.unit_id]) if found.unit_id is not None else []
    rows = [_row(visit, controls, found.state, one, armed) for one in explained]
    return await visit.show(
        "subject.html",
        status_code=409 if refused is not None else 200,
        machine=machine,
        label=diagrams.name_machine(visit, machine),
        subject=found,
        about=about,
        unit=units[0].name if units else None,
        drawing=diagrams.draw_one(visit, machine, found.state, explained, taken.items),
        rows=sorted(rows, key=lambda row: (row.target is None, not row.is_here)),
        simulated=next((row for row in rows if row.event == filters.simulate and row.may_send), None),
        refused=None if refused is None else _tell_refused(visit, *refused),
        timers=armed,
        last=taken.items[0] if taken.items else None,
        history=page.items,
        names=names,
        own_page=visit.site.find_page(about),
        pager=turn(visit, page.cursor),
        live_topics=f"{name}.*",
    )


def _wanted(visit: Visit, machine: Machine, subject_id: int) -> Wanted:
    return Wanted(visit.scope.listed, machine.name, subject=subject_id)


async def _list_history(tx: Tx, visit: Visit, machine: Machine, subject_id: int, cursor: str) -> Page[Transition]:
    wanted = _wanted(visit, machine, subject_id)
    try:
        return await listing.list_transitions(tx, wanted, cursor=cursor or None)
    except Invalid:  # a cursor somebody mistyped: the first page
        return await listing.list_transitions(tx, wanted)


def _row(visit: Visit, controls: MachineControls, state: str, one: Explained, armed: list[Timer]) -> EventRow:
    machine, control = controls.machine, controls.events[one.event]
    move = machine.find_move(state, one.event)
    refusal = one.refusal
    values: dict[str, Any] = {} if refusal is None or move is None else dict(refusal.values)
    return EventRow(
        event=one.event,
        target=one.target,
        refusal="" if refusal is None else diagrams.tell_refusal(visit, refusal),
        reason="" if refusal is None else refusal.reason.replace("_", " "),
        values=[(key, diagrams.show_value(visit, value)) for key, value in values.items()],
        guard=diagrams.name_guard(move),
        is_here=move is not None,
        sources=[str(place) for place in machine.states if machine.find_move(str(place), one.event) is not None],
        due_at=next((timer.due_at for timer in armed if timer.event == one.event), None),
        is_by_hand=isinstance(control, ByHand),
        may_send=isinstance(control, ByHand) and visit.actor.may(control.right, controls.area),
        instead="" if isinstance(control, ByHand) else control.instead,
    )


def _tell_refused(visit: Visit, sent: Sending, error: Conflict) -> Refused:
    """With what the guard compared at that moment."""
    told = diagrams.tell_refusal(visit, error.refusal) if isinstance(error, GuardRefused) else ""
    return Refused(sent, explain(error, visit.lang), told, error.code)
