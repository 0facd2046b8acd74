"""Its life from here: the machine run ahead of the clock until the end, also with an event that somebody might send."""

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.adgroups.actions.events import BY_HAND, explain_one
from pabal.apps.adgroups.foresight import foresee_life
from pabal.apps.adgroups.machine import load_subjects
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.pages.listing import AREA, TOPICS, tell_condition
from pabal.apps.adgroups.pages.rows import make_rows
from pabal.apps.adgroups.store.adgroups import get_ad_group
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, Word

router = APIRouter(prefix="/ads/groups", include_in_schema=False)
SHOWN = 100


@router.get("/{ad_group_id}/life")
async def show(visit: Visitor, ad_group_id: RowId, event: Word = "") -> Response:
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
        stretches=stretches[:SHOWN],
        last=stretches[-1] if len(stretches) > SHOWN else None,
        left_out=max(len(stretches) - SHOWN - 1, 0),
        is_cut=group.schedule.end_at > stretches[-1].until,
        until=stretches[-1].until,
        live_topics=TOPICS,
    )
