"""Slots and what they are told: who is there, who is free, what each is spared."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.rendering.errors import SlotNotFound
from pabal.apps.rendering.model.slots import Slot, TemplatePause
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


async def open_slot(
    tx: Tx, slot_id: UUID, *, worker_id: str, number: int, name: str, host: str, server: int, nexrender_url: str
) -> int:  # long: what is told of a slot when its server starts
    return await tx.run(
        SQL.open_slot,
        id=slot_id,
        worker_id=worker_id,
        number=number,
        name=name,
        host=host,
        server=server,
        nexrender_url=nexrender_url,
        now=tx.now,
    )


async def beat(tx: Tx, ids: Sequence[UUID], server: int) -> int:
    return await tx.run(SQL.beat, ids=list(ids), server=server, now=tx.now)


async def leave(tx: Tx, ids: Sequence[UUID]) -> int:
    return await tx.run(SQL.leave, ids=list(ids))


async def close_others(tx: Tx, worker_id: str, ids: Sequence[UUID]) -> int:
    return await tx.run(SQL.close_others, worker_id=worker_id, ids=list(ids))


async def list_slots(tx: Tx, ids: Sequence[UUID] | None = None) -> list[Slot]:
    return await tx.all(Slot, SQL.list_slots, ids=None if ids is None else list(ids))


async def get_slot(tx: Tx, slot_id: UUID) -> Slot:
    found = await list_slots(tx, [slot_id])
    if not found:
        raise SlotNotFound(str(slot_id))
    return found[0]


async def hold_slot(tx: Tx, slot_id: UUID) -> Slot:
    """Locked until the commit."""
    if await tx.value(SQL.hold_slot, id=slot_id) is None:
        raise SlotNotFound(str(slot_id))
    return await get_slot(tx, slot_id)


async def hold_free(tx: Tx, ids: Sequence[UUID]) -> list[UUID]:
    """Locked: of two attempts that begin together, the second sees what the first took."""
    await tx.rows(SQL.hold_free, ids=list(ids))
    # once more, with what was committed while this one waited for the locks
    return [row["id"] for row in await tx.rows(SQL.hold_free, ids=list(ids))]


async def set_paused(tx: Tx, slot_id: UUID, *, at: datetime | None, by: str | None, reason: str | None) -> int:
    return await tx.run(SQL.set_paused, id=slot_id, at=at, by=by, reason=reason)


async def set_draining(tx: Tx, slot_id: UUID, at: datetime | None) -> int:
    return await tx.run(SQL.set_draining, id=slot_id, at=at)


async def set_hours(tx: Tx, slot_id: UUID, hours: dict[str, Any] | None) -> int:
    return await tx.run(SQL.set_hours, id=slot_id, hours=hours)


async def note_poll(tx: Tx, ids: Sequence[UUID], *, next_at: datetime, empties: int) -> int:
    return await tx.run(SQL.note_poll, ids=list(ids), at=tx.now, next_at=next_at, empties=empties)


async def note_nexrender(tx: Tx, ids: Sequence[UUID], *, is_there: bool, latency_ms: float | None) -> int:
    return await tx.run(SQL.note_nexrender, ids=list(ids), ok=is_there, at=tx.now, latency=latency_ms)


async def ask_poll(tx: Tx, slot_id: UUID) -> int:
    return await tx.run(SQL.ask_poll, id=slot_id, now=tx.now)


async def take_poll(tx: Tx, ids: Sequence[UUID]) -> bool:
    """Whether a person asked one of these to look now."""
    return bool(await tx.rows(SQL.take_poll, ids=list(ids)))


async def count_completed(tx: Tx, slot_id: UUID) -> int:
    return await tx.run(SQL.count_completed, id=slot_id)


async def list_pauses(tx: Tx, ids: Sequence[UUID] | None = None) -> list[TemplatePause]:
    return await tx.all(TemplatePause, SQL.list_pauses, slots=None if ids is None else list(ids))


async def list_shown_pauses(
    tx: Tx, ids: Sequence[UUID], *, units: list[int] | None, usable: list[int] | None
) -> list[TemplatePause]:
    """What these slots do not get, as far as it concerns who sees these units and may use what those others have."""
    return await tx.all(TemplatePause, SQL.list_shown_pauses, slots=list(ids), units=units, usable=usable)


async def note_failure(
    tx: Tx, slot_id: UUID, composition_id: str, *, reason: str, render_id: int, most: int
) -> tuple[int, bool]:
    """How many in a row, and whether the slot is spared this composition from now on."""
    [row] = await tx.rows(
        SQL.note_failure,
        slot_id=slot_id,
        composition_id=composition_id,
        reason=reason,
        render_id=render_id,
        most=most,
        now=tx.now,
    )
    return row["failures"], bool(row["is_new"])


async def forget_failures(tx: Tx, slot_id: UUID, composition_id: str) -> int:
    return await tx.run(SQL.forget_failures, slot_id=slot_id, composition_id=composition_id)
