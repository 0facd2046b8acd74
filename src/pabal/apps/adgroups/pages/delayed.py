"""The inspector of delayed events: everything ad groups wait for, the next one first; also as CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.adgroups.actions.delayed import find_delayed
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import TIMED, AdGroup
from pabal.apps.adgroups.pages.listing import AREA, DELAYED, MOST_CHOICES, TOPICS
from pabal.apps.adgroups.store.adgroups import list_open_of_campaign
from pabal.apps.adgroups.store.campaigns import list_campaigns
from pabal.base.database import Tx
from pabal.engine import ids, timers
from pabal.engine.listing import Page
from pabal.engine.timers import ArmedTimer, Timer, WantedTimers
from pabal.platform.actor import Right
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, keep_filters, read_number, turn
from pabal.platform.web.paging import AT_ONCE
from pabal.platform.web.tree import Tree, load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
KEY = "adgroup:delayed:events"
COLUMNS = (
    *("key", "adGroupId", "event", "score", "dueAt", "lateSeconds", "scheduleVersion", "tries", "error"),
    *("name", "status", "campaign", "unit"),
)


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
