"""One event for many: first who would move, and who would be refused and why, guard by guard; then it is sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.actions.events import BY_HAND, MOST_AT_ONCE, explain_one
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, State
from pabal.apps.adgroups.pages.listing import AREA, LIST, tell_condition
from pabal.apps.adgroups.store.adgroups import load_ad_groups
from pabal.base.database import Tx
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, back_to, read_number
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/groups/bulk", include_in_schema=False)
Ids = Annotated[list[Word], Form()]


@dataclass(frozen=True, slots=True)
class Fate:
    """What would become of one: its new state, or every condition with whether it holds. `is_here`: its state has a
    move for this event at all."""

    group: AdGroup
    target: State | None
    conditions: list[tuple[bool, str]]
    is_here: bool
    is_extension: bool


@router.get("")
async def preview(
    visit: Visitor, event: Word = "", id: Annotated[list[Word] | None, Query()] = None, back: Word = LIST
) -> Response:
    """Nothing is changed by looking; the page can be reloaded."""
    visit.actor.require(Right.WRITE, AREA)
    wanted = _read_event(event)
    async with visit.read() as tx:
        fates = await _foresee(tx, visit, wanted, _read_ids(id or ())) if wanted is not None else []
    return await visit.show(
        "adgroups/bulk.html",
        event=wanted,
        moving=[one for one in fates if one.target is not None],
        refused=[one for one in fates if one.target is None],
        sources=[] if wanted is None else [state for state in State if AD_GROUP.find_move(state, wanted) is not None],
        back=back_to(back, LIST),
    )


@router.post("")
async def choose(
    visit: Visitor, event: Annotated[Word, Form()], id: Ids | None = None, back: Annotated[Word, Form()] = LIST
) -> Response:
    asked = [("event", event), ("back", back), *(("id", str(one)) for one in _read_ids(id or ()))]
    return visit.go(f"{LIST}/bulk?{urlencode(asked)}")


@router.post("/send")
async def send(
    visit: Visitor,
    event: Annotated[Event, Form()],
    id: Ids | None = None,
    reason: Annotated[str, Form(max_length=2000)] = "",
    back: Annotated[Word, Form()] = LIST,
) -> Response:
    async with visit.change() as tx:
        done = await events.send_many(tx, visit.actor, _read_ids(id or ()), event, reason=reason.strip() or None)
    moved, refused = len(done.transitions), len(done.refused)
    said = ("{event}: {moved} done, {refused} refused", "{event}: {moved}개 처리, {refused}개 거절")
    if not refused:
        said = ("{event}: {moved} done", "{event}: {moved}개 처리")
    return visit.go(back_to(back, LIST), said=said, event=event.upper(), moved=moved, refused=refused)


async def _foresee(tx: Tx, visit: Visit, event: Event, ids: Sequence[int]) -> list[Fate]:
    groups = [one for one in await load_ad_groups(tx, ids) if visit.scope.holds(one.unit_id)]
    subjects = {one.id: one for one in await load_subjects(tx, [group.id for group in groups])}
    fates = []
    for group in groups:
        explained = explain_one(subjects[group.id], event, tx.now, visit.actor)
        conditions = [(one.holds, tell_condition(visit, one)) for one in explained.checked]
        is_here = AD_GROUP.find_move(group.state, event) is not None
        fates.append(Fate(group, explained.target, conditions, is_here, explained.is_extension))
    return fates


def _read_event(text: str) -> Event | None:
    return Event(text) if text in set(BY_HAND) else None


def _read_ids(given: Sequence[str]) -> list[int]:
    return list(dict.fromkeys(number for one in given if (number := read_number(one)) is not None))[:MOST_AT_ONCE]
