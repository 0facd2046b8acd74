"""What of a long answer is left, one to a conversation."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Rest:
    """Locked. `pressed_answer` is what the last press of its button, `pressed_event`, was answered."""

    outputs: list[dict[str, Any]] = field(repr=False)
    pressed_event: str | None
    pressed_answer: dict[str, Any] | None = field(repr=False)


async def keep_rest(
    tx: Tx, conversation_id: int, message_id: int | None, outputs: list[dict[str, Any]], *, keep_until: datetime
) -> None:
    """In place of an older one."""
    given = {"conversation_id": conversation_id, "message_id": message_id}
    await tx.run(SQL.keep_rest, **given, outputs=outputs, keep_until=keep_until)


async def hold_rest(tx: Tx, conversation_id: int) -> Rest | None:
    return await tx.one(Rest, SQL.hold_rest, conversation_id=conversation_id, now=tx.now)


async def note_pressed(
    tx: Tx,
    conversation_id: int,
    *,
    outputs: list[dict[str, Any]],
    event: str | None,
    answer: dict[str, Any],
    keep_until: datetime,
) -> None:
    given = {"outputs": outputs, "event": event, "answer": answer, "keep_until": keep_until}
    await tx.run(SQL.note_pressed, conversation_id=conversation_id, **given)


async def count_kept(tx: Tx, message_id: int) -> int:
    """Bubbles of its answer that its user may still ask for."""
    return await tx.value(SQL.count_kept, message_id=message_id, now=tx.now) or 0


async def drop_of_message(tx: Tx, message_id: int) -> int:
    return await tx.run(SQL.drop_of_message, message_id=message_id)


async def drop_of_conversation(tx: Tx, conversation_id: int) -> int:
    return await tx.run(SQL.drop_of_conversation, conversation_id=conversation_id)


async def delete_rests(tx: Tx) -> int:
    return await tx.run(SQL.delete_rests, now=tx.now)
