"""What people do to slots: pause, resume, drain, hours, look now, and give a template back. Slots are the house's."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pabal.apps.rendering.errors import SlotBusyWith
from pabal.apps.rendering.model.renders import AREA, SLOT_ABOUT, SLOTS
from pabal.apps.rendering.model.slots import Slot, read_hours
from pabal.apps.rendering.store import slots
from pabal.base.database import Tx
from pabal.engine import facts
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right


async def pause_slot(tx: Tx, actor: Actor, slot_id: UUID, *, reason: str | None = None) -> Slot:
    """It takes nothing more, and finishes what it has."""
    slot = await _hold(tx, actor, slot_id)
    if slot.paused_at is not None:
        raise SlotBusyWith("paused")
    await slots.set_paused(tx, slot_id, at=tx.now, by=actor.name, reason=reason)
    return await _record(tx, actor, slot_id, "pause", {"reason": reason})


async def resume_slot(tx: Tx, actor: Actor, slot_id: UUID) -> Slot:
    """It takes work again, whether it was paused or drained."""
    slot = await _hold(tx, actor, slot_id)
    if slot.paused_at is None and slot.draining_at is None:
        raise SlotBusyWith("open")
    await slots.set_paused(tx, slot_id, at=None, by=None, reason=None)
    await slots.set_draining(tx, slot_id, None)
    return await _record(tx, actor, slot_id, "resume", {})


async def drain_slot(tx: Tx, actor: Actor, slot_id: UUID) -> Slot:
    """It finishes what it has and is then free to be switched off."""
    slot = await _hold(tx, actor, slot_id)
    if slot.draining_at is not None:
        raise SlotBusyWith("draining")
    await slots.set_draining(tx, slot_id, tx.now)
    return await _record(tx, actor, slot_id, "drain", {})


async def set_slot_hours(tx: Tx, actor: Actor, slot_id: UUID, hours: Mapping[str, Any] | None) -> Slot:
    """None: always."""
    await _hold(tx, actor, slot_id)
    given = None if hours is None else read_hours(hours).to_json()
    await slots.set_hours(tx, slot_id, given)
    return await _record(tx, actor, slot_id, "hours", {"hours": given})


async def look_now(tx: Tx, actor: Actor, slot_id: UUID) -> Slot:
    """A poll by hand, at once; counting empty ones begins again."""
    await _hold(tx, actor, slot_id, right=Right.WRITE)
    await slots.ask_poll(tx, slot_id)
    return await _record(tx, actor, slot_id, "look", {})


async def allow_template(tx: Tx, actor: Actor, slot_id: UUID, composition_id: str) -> Slot:
    """A slot that failed at a composition again and again gets it once more."""
    await _hold(tx, actor, slot_id)
    if not await slots.forget_failures(tx, slot_id, composition_id):
        raise SlotBusyWith(composition_id[:100])
    return await _record(tx, actor, slot_id, "allow", {"composition_id": composition_id})


async def _hold(tx: Tx, actor: Actor, slot_id: UUID, *, right: Right = Right.MANAGE) -> Slot:
    await tenants.require_house(tx, actor, right, AREA)
    return await slots.hold_slot(tx, slot_id)


async def _record(tx: Tx, actor: Actor, slot_id: UUID, verb: str, after: dict[str, Any]) -> Slot:
    about = f"{SLOT_ABOUT}:{slot_id}"
    await facts.record(tx, f"render_slot.{verb}", about, after, None)
    await audit.record(tx, actor, f"rendering.slot_{verb}", about, after=after)
    tx.hint(SLOTS)
    return await slots.get_slot(tx, slot_id)
