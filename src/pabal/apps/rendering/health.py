"""What `/health` says of a render worker, under the names of the requirements."""

from typing import Any

from pabal.apps.rendering.model.slots import Slot
from pabal.apps.rendering.store import slots
from pabal.base.database import Tx


async def read_health(tx: Tx) -> dict[str, Any]:
    """Each slot is a worker. Where there is one, its fields stand at the top level too."""
    shown = [show_slot(one, tx) for one in await slots.list_slots(tx) if one.is_alive(tx.now)]
    if not shown:
        return {"workers": []}
    alone = {name: value for name, value in shown[0].items() if name not in ("status", "name")}
    return {"workers": shown, **(alone if len(shown) == 1 else {})}


def show_slot(slot: Slot, tx: Tx) -> dict[str, Any]:
    uptime = None if slot.started_at is None else round((tx.now - slot.started_at).total_seconds(), 3)
    polled = None if slot.last_poll_at is None else slot.last_poll_at.isoformat()
    return {
        "status": slot.state(tx.now),
        "worker_id": str(slot.id),
        "name": slot.name,
        "uptime_seconds": uptime,
        "current_job_id": slot.render_id,
        "last_poll": polled,
        "job_count_completed": slot.job_count_completed,
    }
