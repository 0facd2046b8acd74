"""Which slot of this server takes a render: one that is free, open, and not spared this template."""

from uuid import UUID

from pabal.apps.rendering.farm import Farm
from pabal.apps.rendering.store import slots
from pabal.base.database import Tx


async def take_slot(tx: Tx, farm: Farm, composition_id: str) -> UUID | None:
    """Locked until the commit, in which the render must be given it. None: no slot here may have it now."""
    free = await slots.hold_free(tx, list(farm.slots))
    if not free:
        return None
    spared = {
        one.slot_id
        for one in await slots.list_pauses(tx, free)
        if one.paused_at and one.composition_id == composition_id
    }
    usable = [one.id for one in await slots.list_slots(tx, free) if one.is_open(tx.now) and one.id not in spared]
    return min(usable, key=lambda one: farm.slots[one], default=None)
