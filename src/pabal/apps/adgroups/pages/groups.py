"""The list of ad groups: state and why, what comes next; and one event for many of them, previewed guard by guard."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.actions.events import BY_HAND, MOST_AT_ONCE, explain_one
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import AREA, AdGroup, Event, Source, State
from pabal.apps.adgroups.model.calculator import calculated_of
from pabal.apps.adgroups.pages.page_texts import LIST, MOST_CHOICES, TOPICS, tell, tell_condition
from pabal.apps.adgroups.resources.groups import AdGroupFilter
from pabal.apps.adgroups.resources.names import show_statuses
from pabal.apps.adgroups.sentences import describe_hours, explain_state, next_event
from pabal.apps.adgroups.store.adgroups import count_states, list_ad_groups, load_ad_groups
from pabal.apps.adgroups.store.campaigns import list_campaigns
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, back_to, read_number, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/groups", include_in_schema=False)
VIEWS: dict[str, tuple[State, ...]] = {
    "approval": (State.READY,),
    "running": (State.RUNNING,),
    "waiting": (State.APPROVED, State.PENDING),
    "paused": (State.PAUSED,),
    "setup": (State.DRAFT,),
    "over": (State.EXPIRED, State.DELETED),
}
Ids = Annotated[list[Word], Form()]


class Filters(BaseModel):
    view: Word = ""
    state: Word = ""
    campaign: Word = ""
    source: Word = ""
    q: Word = ""
    cursor: str = ""

    @property
    def is_any(self) -> bool:
        return any((self.view, self.state, self.campaign, self.source, self.q))


@dataclass(frozen=True, slots=True)
class Row:
    """`path` is its owner, from the top one may see. `shown` is the state whose word counts, `calculated` what the old
    calculator says."""

    group: AdGroup
    shown: State
    calculated: State
    reason: str
    hours: str
    path: list[str]
    next_event: Event | None = None
    next_at: datetime | None = None


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
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
        rows = await make_rows(tx, visit, page.items)
        campaigns = (await list_campaigns(tx, visit.scope, limit=MOST_CHOICES)).items
        counts = await count_states(tx, visit.scope)
    return await visit.show(
        "adgroups/groups.html",
        rows=rows,
        filters=filters,
        counts={view: sum(counts.get(state, 0) for state in states) for view, states in VIEWS.items()},
        total=sum(count for state, count in counts.items() if state != State.DELETED),
        campaigns=[(str(one.id), one.name) for one in campaigns],
        events=BY_HAND,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.get("/bulk")
async def preview_many(
    visit: Visitor, event: Word = "", id: Annotated[list[Word] | None, Query()] = None, back: Word = LIST
) -> Response:
    """Nothing is changed by looking; the page can be reloaded."""
    visit.actor.require(Right.WRITE, AREA)
    wanted = _read_event(event)
    async with visit.read() as tx:
        fates = await _foresee_many(tx, visit, wanted, _read_ids(id or ())) if wanted is not None else []
    return await visit.show(
        "adgroups/bulk.html",
        event=wanted,
        moving=[one for one in fates if one.target is not None],
        refused=[one for one in fates if one.target is None],
        sources=[] if wanted is None else [state for state in State if AD_GROUP.find_move(state, wanted) is not None],
        back=back_to(back, LIST),
    )


@router.post("/bulk")
async def choose_many(
    visit: Visitor, event: Annotated[Word, Form()], id: Ids | None = None, back: Annotated[Word, Form()] = LIST
) -> Response:
    asked = [("event", event), ("back", back), *(("id", str(one)) for one in _read_ids(id or ()))]
    return visit.go(f"{LIST}/bulk?{urlencode(asked)}")


@router.post("/bulk/send")
async def send_many(
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


async def _load_page(tx: Tx, visit: Visit, filters: Filters) -> Page[AdGroup]:
    named = [one for one in filters.state.lower().split(",") if one in set(State)]
    wanted = AdGroupFilter(
        status=show_statuses(named or VIEWS.get(filters.view, ())),
        campaign=read_number(filters.campaign),
        source=Source(filters.source) if filters.source in set(Source) else None,
        q=filters.q or None,
    )
    return await read_page(lambda cursor: list_ad_groups(tx, visit.scope, wanted, cursor), filters.cursor)


async def make_rows(tx: Tx, visit: Visit, found: Sequence[AdGroup]) -> list[Row]:
    tree = await load_tree(tx, visit.scope)
    return [_row(visit, group, tree.names(group.unit_id), tx.now) for group in found]


def _row(visit: Visit, group: AdGroup, path: list[str], now: datetime) -> Row:
    coming, calculated = next_event(group, now), calculated_of(group, now)
    shown = group.state if group.source is Source.MACHINE else calculated
    return Row(
        group,
        shown,
        calculated,
        # the reason is of the state that is shown
        tell(visit, explain_state(replace(group, state=shown), now)),
        visit.say(*describe_hours(group.schedule.dayparts, group.schedule.zone, now)),
        path,
        coming[0] if coming else None,
        coming[1] if coming else None,
    )


async def _foresee_many(tx: Tx, visit: Visit, event: Event, ids: Sequence[int]) -> list[Fate]:
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
