"""The list of ad groups: state and why, what comes next and when, dates, hours, whose word counts."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.adgroups.actions.events import BY_HAND
from pabal.apps.adgroups.model.adgroups import AdGroup, Source, State
from pabal.apps.adgroups.pages.listing import AREA, MOST_CHOICES, TOPICS
from pabal.apps.adgroups.pages.rows import make_rows
from pabal.apps.adgroups.store.adgroups import Wanted, count_states, list_ad_groups
from pabal.apps.adgroups.store.campaigns import list_campaigns
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, read_number, turn
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


async def _load_page(tx: Tx, visit: Visit, filters: Filters) -> Page[AdGroup]:
    named = [one for one in filters.state.lower().split(",") if one in set(State)]
    wanted = Wanted(
        visit.scope.listed,
        states=named or VIEWS.get(filters.view, ()),
        campaign_id=read_number(filters.campaign),
        source=filters.source if filters.source in set(Source) else None,
        q=filters.q or None,
    )
    return await read_page(lambda cursor: list_ad_groups(tx, wanted, cursor), filters.cursor)
