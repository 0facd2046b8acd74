"""Messages as people see them, what there is of them, and what is cleaned up."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pabal.apps.relay.errors import MessageNotFound
from pabal.apps.relay.model.messages import Message
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Queue:
    depth: int
    oldest_seconds: float | None
    accounts: int


async def get_message(tx: Tx, scope: Scope, uid: UUID) -> Message:
    found = await tx.one(Message, SQL.find_message, uid=uid)
    if found is None or not scope.holds(found.unit_id):
        raise MessageNotFound(str(uid))
    return found


async def get_message_by_id(tx: Tx, scope: Scope, message_id: int) -> Message:
    """By the number facts and jobs know it by."""
    uid = await find_uid(tx, message_id)
    if uid is None:
        raise MessageNotFound(str(message_id))
    return await get_message(tx, scope, uid)


async def find_uid(tx: Tx, message_id: int) -> UUID | None:
    found: UUID | None = await tx.value(SQL.find_uid, id=message_id)
    return found


async def name_message(tx: Tx, scope: Scope, text: str) -> Message:
    try:
        uid = UUID(text)
    except ValueError as error:
        raise MessageNotFound(text[:100]) from error
    return await get_message(tx, scope, uid)


async def list_messages(
    tx: Tx,
    scope: Scope,
    *,
    states: Sequence[str] | None = None,
    account_id: UUID | None = None,
    conversation_id: int | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    q: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Message]:  # long: what a list may be asked for
    found = await tx.all(
        Message,
        SQL.list_messages,
        units=scope.listed,
        states=list(states) if states else None,
        account_id=account_id,
        conversation_id=conversation_id,
        since=since,
        until=until,
        q=q or None,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def read_queue(tx: Tx, scope: Scope) -> Queue:
    found = await tx.one(Queue, SQL.read_queue, units=scope.listed)
    return found or Queue(0, None, 0)


async def delete_messages(tx: Tx, until: datetime, *, most: int) -> int:
    return await tx.run(SQL.delete_messages, until=until, most=most)


async def forget_unread(tx: Tx) -> int:
    return await tx.run(SQL.forget_unread, now=tx.now)


async def delete_codes(tx: Tx, used_before: datetime) -> int:
    return await tx.run(SQL.delete_codes, now=tx.now, used_before=used_before)


async def delete_sessions(tx: Tx, until: datetime) -> int:
    return await tx.run(SQL.delete_sessions, until=until)


async def delete_conversations(tx: Tx, until: datetime, *, most: int) -> int:
    return await tx.run(SQL.delete_conversations, until=until, most=most)


async def delete_tries(tx: Tx, until: datetime) -> int:
    return await tx.run(SQL.delete_tries, until=until)


async def find_id(tx: Tx, uid: UUID) -> int:
    found: int = await tx.value(SQL.find_id, uid=uid)
    return found
