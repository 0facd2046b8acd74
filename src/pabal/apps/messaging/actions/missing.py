"""Occurrences nobody could send in time: each gets a delivery with the reason, and is offered to a person."""

from datetime import datetime
from typing import Any

from pabal.apps.messaging.actions import endings
from pabal.apps.messaging.actions.endings import End
from pabal.apps.messaging.machine import DELIVERY, DeliveryEvent
from pabal.apps.messaging.model.checks import list_picture_ids
from pabal.apps.messaging.model.deliveries import about_of
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.apps.messaging.store import errands, marks
from pabal.apps.messaging.store.errands import Errand
from pabal.base.database import Tx
from pabal.engine import routes
from pabal.engine.transitions import begin
from pabal.platform import storage
from pabal.platform.actor import ENGINE


async def open_delivery(
    tx: Tx, schedule_id: int, scheduled_at: datetime, *, job_id: int | None, must_be_active: bool = True
) -> Errand | None:
    """The occurrence's own delivery, made if there is none, brought up to date while nothing of it has begun.

    None: the schedule is gone or may not send; or what it has, has begun or ended, and is left as it is.
    """
    opened = await errands.open_errand(tx, schedule_id, scheduled_at, job_id=job_id, must_be_active=must_be_active)
    if opened is None:
        return None
    if opened.is_new:
        await begin(tx, DELIVERY, [opened.id], actor=ENGINE.name)
    errand = await errands.find_errand(tx, opened.id)
    if errand is not None:
        await marks.plan(tx, errand.id, errand.content, errand.image_mode, anew=not opened.is_new)
        # what was sent is shown as it was, and the rest may be sent later, whatever becomes of the schedule
        await storage.keep_many(tx, list_picture_ids(errand.content), about_of(errand.id))
    return errand


async def miss(tx: Tx, errand: Errand, reason: str, detail: dict[str, Any], *, job_id: int | None = None) -> None:
    """Where the schedule says that what is late is skipped, nobody is asked."""
    is_skipped = errand.late_policy == LatePolicy.SKIP
    told = {**detail, "dismissed_by": "policy"} if is_skipped else detail
    await endings.end(tx, errand, End(DeliveryEvent.MISS, reason, told), job_id=job_id)


async def find_reason(tx: Tx, errand: Errand, said: str) -> tuple[str, dict[str, Any]]:
    """Why it was not begun in time: a limit, the bot, or others before it in its lane."""
    last_ping_at = await errands.find_last_ping(tx, errand.bot_id)
    detail = {"last_ping_at": last_ping_at.isoformat()} if last_ping_at else {}
    if errand.deferred_by is not None:
        return errand.deferred_by, detail
    if errand.excluded_at is not None:
        return "bot_excluded", detail
    if await routes.find_route(tx, errand.route) is None:
        return "bot_offline", detail
    return ("too_late" if said == "too_late" else "lane_busy"), detail
