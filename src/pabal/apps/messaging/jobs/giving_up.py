"""What it means for a delivery that its job ended without success: missed, failed, or broken off in the middle."""

from datetime import datetime

from pabal.apps.messaging.actions import endings, missing
from pabal.apps.messaging.actions.endings import End
from pabal.apps.messaging.machine import DeliveryEvent
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.store import errands, marks
from pabal.apps.messaging.store.errands import Errand, Occurrence
from pabal.base.database import Tx
from pabal.engine import queue
from pabal.engine.kinds import Job

CODES = (
    "bot_error",
    "bot_not_in_room",
    "deadline",
    "file_missing",
    "limit_too_small",
    "room_not_allowed",
    "store_failed",
)


async def give_up(tx: Tx, job: Job, reason: str) -> None:
    """In the commit that ends the job."""
    place = await queue.find_place(tx, job.id)
    result = "failed" if place is None else place.result
    errand = await _find(tx, job, make=result != "cancelled")
    if errand is None or errand.state != DeliveryState.OPEN or errand.job_id not in (None, job.id):
        return
    await marks.settle_writing(tx, errand.id, resend=False)
    event = endings.judge((await marks.list_parts(tx, [errand.id]))[errand.id])
    if event is not DeliveryEvent.FAIL:
        await endings.end(tx, errand, End(event, _broken_off(event, result, reason)), job_id=job.id)
    elif result == "expired":
        why, detail = await missing.find_reason(tx, errand, reason)
        await missing.miss(tx, errand, why, detail, job_id=job.id)
    elif result == "cancelled":
        # somebody withdrew it: nobody has to decide about it again
        end = End(DeliveryEvent.MISS, "cancelled", {"dismissed_by": "engine", "said": reason})
        await endings.end(tx, errand, end, job_id=job.id)
    else:
        end = End(event, _code(result, reason), {"error": reason})
        await endings.end(tx, errand, end, job_id=job.id)


async def _find(tx: Tx, job: Job, *, make: bool) -> Errand | None:
    """What nobody even began gets its delivery now, to say so; what was withdrawn before needs none."""
    delivery_id = job.args.get("delivery_id")
    if delivery_id is None:
        schedule_id, fire_at = job.args["message_schedule"], datetime.fromisoformat(job.args["fire_at"])
        delivery_id = await errands.find_at(tx, schedule_id, fire_at)
        if delivery_id is None:
            if not make:
                return None
            return await missing.open_delivery(tx, Occurrence(schedule_id, fire_at), job_id=job.id)
    return await errands.find_errand(tx, delivery_id)


def _broken_off(event: DeliveryEvent, result: str | None, reason: str) -> str | None:
    if event is DeliveryEvent.SEND:
        return None
    return "bot_gone" if result == "expired" else _code(result, reason)


def _code(result: str | None, reason: str) -> str:
    match result:
        case "cancelled":
            return "cancelled"
        case "quarantined":
            return "server_died"
        case _:
            return reason if reason in CODES else "error"
