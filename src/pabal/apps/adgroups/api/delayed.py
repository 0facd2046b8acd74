"""Delayed events under the seed's names: exported, fired, moved, taken out. They are the engine's timers."""

import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response, StreamingResponse

from pabal.apps.adgroups.actions import delayed as actions
from pabal.apps.adgroups.api.groups import match, reporting
from pabal.apps.adgroups.api.readings import AdGroupId, DelayedName, noun
from pabal.apps.adgroups.model.adgroups import AREA
from pabal.apps.adgroups.resources import views
from pabal.apps.adgroups.resources.events import MoveAsk
from pabal.apps.adgroups.resources.groups import GROUP, AdGroupView
from pabal.apps.adgroups.resources.names import read_event
from pabal.base.database import Tx
from pabal.platform.actor import Right
from pabal.platform.resources import plain
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of, read_body
from pabal.platform.web.rest import DryRun, answer_row, viewer_of
from pabal.platform.web.visit import Visit

router = noun()
JSON_LINES = "application/x-ndjson"
AT_ONCE = 500
_LINES: dict[int | str, dict[str, Any]] = {200: {"content": {JSON_LINES: {}}}}
_SEEDS = ("key", "member", "score")
MoveBody = Annotated[MoveAsk, read_body(MoveAsk)]


@router.get("/delayed-events/export", response_class=Response, responses=_LINES)
async def export_delayed_events(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Sends all of them as JSON lines, as the seed's Redis would hold them: key, member, score."""
    visit.actor.require(Right.READ, AREA)
    headers = {"Content-Disposition": 'attachment; filename="delayed-events.jsonl"', "Cache-Control": "no-store"}
    return StreamingResponse(_lines(visit), headers=headers, media_type=JSON_LINES)


@router.post("/delayed-events/{id}/{event}/fire", response_model=model_of(AdGroupView))
async def fire_delayed_event(
    visit: Visitor, once: OnceOnly, id: AdGroupId, event: DelayedName, dry_run: DryRun = False
) -> Response:
    """Sends it now instead of then; its guard decides as it would."""
    named = read_event(event)

    async def act(tx: Tx) -> Response:
        await match(tx, visit, id)
        async with reporting(tx, visit, id, named):
            return answer_row(visit, GROUP, await actions.fire(tx, visit.actor, id, named))

    return await once.run(act, dry_run=dry_run)


@router.post("/delayed-events/{id}/{event}/move", response_model=model_of(AdGroupView))
async def move_delayed_event(
    visit: Visitor, once: OnceOnly, id: AdGroupId, event: DelayedName, asked: MoveBody, dry_run: DryRun = False
) -> Response:
    """Moves it to another moment, and what it comes from with it: the start, the end, or one boundary of its hours."""

    async def act(tx: Tx) -> Response:
        await match(tx, visit, id)
        return answer_row(visit, GROUP, await actions.move(tx, visit.actor, id, read_event(event), asked.to))

    return await once.run(act, dry_run=dry_run)


@router.post("/delayed-events/{id}/{event}/cancel", response_model=model_of(AdGroupView))
async def cancel_delayed_event(
    visit: Visitor, once: OnceOnly, id: AdGroupId, event: DelayedName, dry_run: DryRun = False
) -> Response:
    """Takes it out. A start waits for another word; a boundary of the day is passed over; an ad group must end."""

    async def act(tx: Tx) -> Response:
        await match(tx, visit, id)
        return answer_row(visit, GROUP, await actions.cancel(tx, visit.actor, id, read_event(event)))

    return await once.run(act, dry_run=dry_run)


async def _lines(visit: Visit) -> AsyncIterator[str]:
    """No transaction is open while somebody slow reads."""
    cursor: str | None = None
    while True:
        async with visit.read() as tx:
            page = await actions.list_delayed(tx, visit.scope, cursor=cursor, limit=AT_ONCE)
        shown = [plain(views.view_delayed(one, viewer_of(visit))) for one in page.items]
        lines = ({name: one[name] for name in _SEEDS} for one in shown)
        yield "".join(f"{json.dumps(one, ensure_ascii=False, separators=(',', ':'))}\n" for one in lines)
        cursor = page.cursor
        if cursor is None:
            return
