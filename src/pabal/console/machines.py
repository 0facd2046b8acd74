"""Machines: which ways a state may change, who is where, and what changed lately."""

from collections import Counter
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.engine import listing
from pabal.engine.listing import Page, SubjectLine
from pabal.engine.listing.history import Wanted
from pabal.engine.machine import Machine
from pabal.engine.transitions import Transition
from pabal.platform import demo, operating, tenants
from pabal.platform.language.status import find_status
from pabal.platform.web import diagrams
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, turn, words
from pabal.platform.web.visit import Visit

router = APIRouter()
LATELY = 20
LOOKS = ("wait", "work", "good", "attn", "fail", "end")
DEMO = "demo"


class Filters(BaseModel):
    state: Word = ""
    cursor: Word = ""


@dataclass(frozen=True, slots=True)
class Pick:
    """A machine in the list beside the pictures: how many are in which class of state."""

    machine: Machine
    label: str
    counts: dict[str, int]
    total: str
    parts: list[tuple[str, int]]
    said: str


@router.get("/machines")
async def machines(visit: Visitor) -> Response:
    """The first of them is drawn beside the list."""
    async with visit.read() as tx:
        picks = await _list_picks(tx, visit)
        made = await _list_lately(tx, visit, picks[0].machine) if picks else []
    first = picks[0] if picks else None
    drawing = None if first is None else diagrams.draw_many(visit, first.machine, first.counts, made)
    return await visit.show("machines.html", picks=picks, first=first, drawing=drawing, live_topics=_topics(picks))


@router.get("/machines/{name}")
async def machine(visit: Visitor, name: Word, filters: Annotated[Filters, Query()]) -> Response:
    found = operating.find_machine(visit.actor, visit.site.controls, name).machine
    async with visit.read() as tx:
        picks = await _list_picks(tx, visit, keep=name)
        page = await _list_subjects(tx, visit, found, filters)
        made = await _list_lately(tx, visit, found)
        units = await tenants.list_units(tx, sorted({one.unit_id for one in page.items if one.unit_id is not None}))
        names = await name_actors(tx, visit, {one.actor or "" for one in page.items} | {one.actor for one in made})
    pick = next(one for one in picks if one.machine is found)
    return await visit.show(
        "machine.html",
        picks=picks,
        pick=pick,
        machine=found,
        drawing=diagrams.draw_many(visit, found, pick.counts, made),
        moves=diagrams.list_moves(found),
        subjects=page.items,
        states=[(str(one), visit.voice.status_word(name, one)) for one in found.states],
        filters=filters,
        made=made,
        names=names,
        units={unit.id: unit.name for unit in units},
        pager=turn(visit, page.cursor),
        live_topics=f"{name}.*",
    )


async def _list_picks(tx: Tx, visit: Visit, keep: str = "") -> list[Pick]:
    """The demo's own machine is shown only where there is something of it to see, or when it is asked for."""
    is_demo = await demo.is_loaded(tx)
    demos = {machine.name for one in visit.site.slices if one.name == DEMO for machine in one.machines}
    found = []
    for one in operating.list_readable(visit.actor, visit.site.controls):
        name = one.machine.name
        pick = _pick(visit, one.machine, await listing.count_states(tx, one.machine, visit.scope.listed))
        if name not in demos or is_demo or name == keep or any(pick.counts.values()):
            found.append(pick)
    return found


def _pick(visit: Visit, machine: Machine, counts: dict[str, int]) -> Pick:
    by_look: Counter[str] = Counter()
    for state, count in counts.items():
        by_look[find_status(visit.site.words, machine.name, state).look] += count
    shown = [f"{visit.voice.status_word(machine.name, state)} {count}" for state, count in counts.items() if count]
    total = sum(counts.values())
    is_capped = any(count > listing.CAP for count in counts.values())
    return Pick(
        machine,
        diagrams.name_machine(visit, machine),
        counts,
        words(listing.CAP + 1, listing.CAP) if is_capped else f"{total:,}",
        [(look, by_look[look]) for look in LOOKS],
        ", ".join(shown) or visit.say("nobody is in it", "아무것도 없음"),
    )


async def _list_subjects(tx: Tx, visit: Visit, machine: Machine, filters: Filters) -> Page[SubjectLine]:
    states = (filters.state,) if filters.state in list(machine.states) else ()
    units = visit.scope.listed
    try:
        return await listing.list_subjects(tx, machine, units, states=states, cursor=filters.cursor or None)
    except Invalid:  # a cursor somebody mistyped: the first page
        return await listing.list_subjects(tx, machine, units, states=states)


async def _list_lately(tx: Tx, visit: Visit, machine: Machine) -> list[Transition]:
    return (await listing.list_transitions(tx, Wanted(visit.scope.listed, machine.name), limit=LATELY)).items


def _topics(picks: list[Pick]) -> str:
    return ",".join(f"{pick.machine.name}.*" for pick in picks)
