"""Conversations: KakaoTalk users and whom they are paired with."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from pabal.apps.relay.errors import ConversationNotFound
from pabal.apps.relay.model.messages import Conversation
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class HeldConversation:
    """A conversation, locked."""

    id: int
    unit_id: int | None
    state: str
    account_id: UUID | None
    conversation_key: str


async def get_conversation(tx: Tx, scope: Scope, conversation_id: int) -> Conversation:
    found = await tx.one(Conversation, SQL.find_conversation, id=conversation_id)
    if found is None or not scope.holds(found.unit_id):
        raise ConversationNotFound(str(conversation_id))
    return found


async def name_conversation(tx: Tx, scope: Scope, text: str) -> Conversation:
    """By its number or by its key."""
    number = int(text) if text.isdigit() and len(text) < 19 else await tx.value(SQL.find_by_key, conversation_key=text)
    return await get_conversation(tx, scope, number or 0)


async def list_conversations(
    tx: Tx,
    scope: Scope,
    *,
    states: Sequence[str] | None = None,
    account_id: UUID | None = None,
    q: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Conversation]:
    found = await tx.all(
        Conversation,
        SQL.list_conversations,
        units=scope.listed,
        states=list(states) if states else None,
        account_id=account_id,
        q=q or None,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def hold_conversation(tx: Tx, conversation_id: int) -> HeldConversation | None:
    return await tx.one(HeldConversation, SQL.hold_conversation, id=conversation_id)


async def update_pairing(
    tx: Tx, id: int, *, account_id: UUID | None, unit_id: int | None, paired_at: datetime | None
) -> int:
    return await tx.run(SQL.update_pairing, id=id, account_id=account_id, unit_id=unit_id, paired_at=paired_at)


async def note_failure(
    tx: Tx, id: int, *, failures: int, since: datetime | None, blocked_until: datetime | None
) -> int:
    return await tx.run(SQL.note_failure, id=id, failures=failures, since=since, blocked_until=blocked_until)


async def list_of_account(tx: Tx, account_id: UUID | None, *, most: int, skip: int) -> list[Row]:
    return await tx.rows(SQL.list_of_account, account_id=account_id, most=most, skip=skip)


async def find_of_account(tx: Tx, account_id: UUID | None, *, conversation_key: str) -> int | None:
    found: int | None = await tx.value(SQL.find_of_account, account_id=account_id, conversation_key=conversation_key)
    return found
