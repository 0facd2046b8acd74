"""The page of one schedule: what it is, its next moments, what became of the last ones, and who changed it."""

import secrets
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.messaging.actions.checking import Checked, survey
from pabal.apps.messaging.machine import SCHEDULE
from pabal.apps.messaging.model.content import ImageMode, Pace
from pabal.apps.messaging.model.preview import Bubble
from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.pages.deliveries import show_line
from pabal.apps.messaging.pages.listing import AREA
from pabal.apps.messaging.pages.rows import make_rows
from pabal.apps.messaging.pages.schedules import TOPICS
from pabal.apps.messaging.pages.sheet import load_limits, show_bubbles
from pabal.apps.messaging.store.bots import find_bot
from pabal.apps.messaging.store.deliveries import Wanted, list_deliveries
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.base.database import Tx
from pabal.engine.listing.history import Wanted as WantedHistory
from pabal.engine.listing.history import list_transitions
from pabal.platform.actor import Right
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/schedules", include_in_schema=False)
RECENT = 10
_LOOKS = {"active": "good", "inactive": "end", "completed": "end", "error": "fail", "deleted": "end"}


@router.get("/{schedule_id}")
async def show(visit: Visitor, schedule_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        schedule = await get_schedule(tx, visit.scope, schedule_id)
        [row] = await make_rows(tx, visit, [schedule])
        checked = (await survey(tx, visit.actor, schedule.as_new(), schedule)).checked
        sends = await list_deliveries(tx, Wanted(visit.scope.listed, schedule_id=schedule_id), limit=RECENT)
        shown = await _show_bubbles(tx, schedule, checked)
        history = await _load_history(tx, visit, schedule)
    return await visit.show(
        "messaging/schedule.html",
        row=row,
        upcoming=checked.upcoming,
        warnings=[*checked.problems, *checked.warnings] if schedule.is_active else checked.problems,
        budget=checked.budget,
        bubbles=shown,
        lines=[show_line(visit, one) for one in sends.items],
        history=history,
        nonce=secrets.token_urlsafe(12),
        live_topics=TOPICS,
    )


async def _show_bubbles(tx: Tx, schedule: Schedule, checked: Checked) -> list[Bubble]:
    limits = await load_limits(tx)
    bot = await find_bot(tx, schedule.bot_id)
    pace = Pace(bot.image_mode if bot else ImageMode.SINGLE, limits.image_gap)
    at = next((one.moment for one in checked.upcoming if one.is_sent), tx.now)
    return show_bubbles(schedule.content, pace, schedule.bot_name, at, limits.fold)


async def _load_history(tx: Tx, visit: Visit, schedule: Schedule) -> list[dict[str, Any]]:
    wanted = WantedHistory(visit.scope.listed, SCHEDULE.name, subject=schedule.id)
    found = (await list_transitions(tx, wanted, limit=RECENT)).items
    names = await name_actors(tx, visit, {one.actor for one in found})
    return [
        {
            "at": visit.voice.when(one.at, "1", relative=False),
            "cls": _LOOKS.get(one.target, "wait"),
            "text": visit.voice.status_word("message_schedule", one.target),
            "fact": " · ".join(filter(None, (names[one.actor], one.reason))),
        }
        for one in found
    ]
