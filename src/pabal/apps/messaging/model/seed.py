"""A delivery as the seed's kb_schedule_logs has it: for its endpoints, exports and the archive. Pure."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, TEXT
from pabal.apps.messaging.model.deliveries import Delivery, DeliveryPart, DeliveryState, show_components
from pabal.apps.messaging.model.reasons import explain_state
from pabal.platform.language.pairs import Lang, put

STATUS = {
    DeliveryState.SENT: "success",
    DeliveryState.PARTIAL: "partial",
    DeliveryState.UNKNOWN: "partial",
    DeliveryState.FAILED: "failed",
    DeliveryState.MISSED: "failed",
}


def as_seed(delivery: Delivery, lang: Lang = "ko") -> dict[str, Any]:
    """In the seed's columns and words; `outcome` is ours. One under way has no status yet."""
    is_over = delivery.ended_at is not None
    return {
        "id": delivery.id,
        "schedule_id": delivery.schedule_id,
        "target_room_id": delivery.channel_id,
        "sent_message_text": delivery.content.text if _out(delivery, TEXT) else None,
        "sent_images_1": _sent_images(delivery, IMAGES_1),
        "sent_images_2": _sent_images(delivery, IMAGES_2),
        "send_components": show_components(delivery.parts),
        "status": STATUS[DeliveryState(delivery.state)] if is_over else None,
        "error_message": _explain(delivery, lang),
        "api_response": {
            "parts": [_show_part(part) for part in delivery.parts],
            "attempts": delivery.attempts,
            "errors": delivery.detail.get("errors", []),
        },
        "scheduled_at": delivery.scheduled_at,
        # of one that was never begun: when that was known
        "started_at": delivery.started_at or delivery.ended_at or delivery.created_at,
        "completed_at": delivery.ended_at,
        "duration_ms": delivery.duration_ms,
        "created_at": delivery.created_at,
        "is_catch_up": delivery.is_catch_up,
        "outcome": delivery.state,
        "lock": lock_name(delivery.schedule_id),
    }


def lock_name(schedule_id: int) -> str:
    """What the seed calls the lock on a schedule that is being sent; ours is the lease of its job."""
    return f"schedule_lock_{schedule_id}"


def _explain(delivery: Delivery, lang: Lang) -> str | None:
    if delivery.state in (DeliveryState.SENT, DeliveryState.OPEN):
        return None
    said = put(lang, explain_state(delivery.state, delivery.reason, bot=delivery.bot_name))
    errors = delivery.detail.get("errors") or []
    last = errors[-1].get("error") if errors else delivery.detail.get("error")
    return f"{said} ({delivery.reason}: {last})" if last else f"{said} ({delivery.reason})"


def _out(delivery: Delivery, component: str) -> Sequence[DeliveryPart]:
    return [part for part in delivery.parts if part.component == component and part.is_out]


def _sent_images(delivery: Delivery, component: str) -> list[dict[str, Any]]:
    """What is known of each image that went out; never its bytes."""
    pictures = delivery.content.images(component)
    return [
        asdict(picture) for part in _out(delivery, component) for picture in pictures[part.from_image : part.to_image]
    ]


def _show_part(part: DeliveryPart) -> dict[str, Any]:
    return {
        "no": part.no,
        "component": part.component,
        "state": part.state.value,
        "began_at": _show(part.began_at),
        "written_at": _show(part.written_at),
        "handled_at": _show(part.handled_at),
        "resent": part.resent,
    }


def _show(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
