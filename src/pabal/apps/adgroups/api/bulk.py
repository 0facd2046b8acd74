"""One event to many ad groups: each has its own result, and can be seen before."""

from typing import Annotated, Literal

from fastapi.responses import Response

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.api.readings import OnlySay, noun
from pabal.apps.adgroups.model.adgroups import AREA, Event, State
from pabal.apps.adgroups.resources import views
from pabal.apps.adgroups.resources.events import BulkAsk, BulkSentView
from pabal.apps.adgroups.resources.names import read_event
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.engine.machine import Refusal
from pabal.platform.actor import Right
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of, read_body
from pabal.platform.web.paging import answer_json
from pabal.platform.web.rest import viewer_of
from pabal.platform.web.visit import Visit

router = noun()
BulkBody = Annotated[BulkAsk, read_body(BulkAsk)]


@router.post("/events/bulk", response_model=model_of(BulkSentView))
async def send_event_to_many(visit: Visitor, once: OnceOnly, asked: BulkBody, dry_run: OnlySay = False) -> Response:
    """Sends an event to many: all that can move do, the others are answered with why not."""
    event = read_event(asked.event)
    chosen = list(dict.fromkeys(asked.ids))

    async def act(tx: Tx) -> Response:
        visit.actor.require(Right.READ, AREA)
        ended = await _do(tx, visit, event, chosen, asked.reason, dry_run=dry_run)
        groups = {group.id: group for group in await store.load_ad_groups(tx, chosen)}
        results = [views.view_result(one, ended[one], groups.get(one), viewer_of(visit)) for one in chosen]
        moved = sum(one.result == "moved" for one in results)
        refused = len(results) - moved
        state: Literal["done", "partial", "failed"] = "done" if not refused else "partial" if moved else "failed"
        return answer_json(BulkSentView(state=state, moved=moved, refused=refused, is_dry_run=dry_run, results=results))

    return await once.run(act)


async def _do(
    tx: Tx, visit: Visit, event: Event, chosen: list[int], reason: str | None, *, dry_run: bool
) -> dict[int, State | Refusal]:
    if dry_run:
        return await events.preview_many(tx, visit.actor, chosen, event)
    moved = await events.send_many(tx, visit.actor, chosen, event, reason=reason)
    return {**{one.subject: State(one.target) for one in moved.transitions}, **moved.refused}
