"""What a webhook reads and writes: few statements, for Kakao waits five seconds at most."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pabal.apps.relay.machine import MESSAGE
from pabal.apps.relay.model.messages import ConversationState
from pabal.base.database import Database, Hint, Row, Tx
from pabal.base.sql import load
from pabal.engine.transitions import Because, begin_at_once, begin_inserted
from pabal.platform.actor import ENGINE

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Met:
    """A conversation, locked, with what its account is doing."""

    id: int
    unit_id: int | None
    state: ConversationState
    account_id: UUID | None
    account_name: str
    is_disabled: bool
    read_at: datetime | None
    asleep_at: datetime | None
    failures_since: datetime | None
    failures: int
    blocked_until: datetime | None
    settings: dict[str, str]

    def is_asleep(self, now: datetime, after: timedelta) -> bool:
        return self.read_at is None or self.read_at < now - after


def read_met(opened: Row) -> Met | None:
    """From the transaction's first statement; None: nobody has seen this conversation yet."""
    if opened["id"] is None:
        return None
    return Met(
        id=opened["id"],
        unit_id=opened["unit_id"],
        state=ConversationState(opened["state"]),
        account_id=opened["account_id"],
        account_name=opened["account_name"] or "",
        is_disabled=opened["disabled_at"] is not None,
        read_at=opened["read_at"],
        asleep_at=opened["asleep_at"],
        failures_since=opened["failures_since"],
        failures=opened["failures"],
        blocked_until=opened["blocked_until"],
        settings=opened["settings"],
    )


async def meet_again(tx: Tx, conversation_key: str) -> Met:
    [row] = await tx.rows(SQL.meet, conversation_key=conversation_key)
    found = read_met(row)
    if found is None:
        raise LookupError(conversation_key)
    return found


@dataclass(frozen=True, slots=True)
class NewMessage:
    uid: UUID
    unit_id: int | None
    account_id: UUID
    conversation_id: int
    conversation_key: str
    kakao_channel_id: str
    kakao_payload: dict[str, Any]
    normalized: dict[str, Any]
    callback_url: str | None
    callback_expires_at: datetime
    answer_by: datetime
    readable_until: datetime
    source_event_id: str | None
    join_key: str | None


async def insert_message(tx: Tx, new: NewMessage) -> int | None:
    """Queued, with its history begun. None: the same request was here before, or waits right now."""
    return await begin_inserted(tx, MESSAGE, SQL.insert_message, {**_fields(new), "now": tx.now}, Because(ENGINE.name))


@dataclass(frozen=True, slots=True)
class Asked:
    """What is known of a new message before anything is asked of the database. `life` is that of its address."""

    uid: UUID
    conversation_key: str
    kakao_channel_id: str
    kakao_payload: dict[str, Any]
    normalized: dict[str, Any]
    callback_url: str | None
    life: timedelta
    margin: timedelta
    queue_time: timedelta
    asleep_after: timedelta
    source_event_id: str | None
    join_key: str | None
    settings: dict[str, str]


async def queue_at_once(database: Database, asked: Asked, hint: Hint) -> Row | None:
    """None: it is no plain matter, and has to be looked at in a transaction."""
    given = {name: getattr(asked, name) for name in Asked.__slots__}
    return await begin_at_once(database, MESSAGE, SQL.queue_at_once, given, Because(ENGINE.name), hint)


def _fields(new: NewMessage) -> dict[str, Any]:
    return {name: getattr(new, name) for name in NewMessage.__slots__}


@dataclass(frozen=True, slots=True)
class Repeated:
    id: int
    uid: UUID
    state: str
    has_callback: bool
    end_reason: str | None


async def find_repeated(tx: Tx, new: NewMessage) -> Repeated | None:
    return await tx.one(
        Repeated,
        SQL.find_repeated,
        kakao_channel_id=new.kakao_channel_id,
        source_event_id=new.source_event_id,
        conversation_id=new.conversation_id,
        join_key=new.join_key,
    )


async def insert_conversation(
    tx: Tx, conversation_key: str, *, kakao_channel_id: str, plusfriend_user_key: str
) -> int | None:
    found: int | None = await tx.value(
        SQL.insert_conversation,
        conversation_key=conversation_key,
        kakao_channel_id=kakao_channel_id,
        plusfriend_user_key=plusfriend_user_key,
        now=tx.now,
    )
    return found


async def note_seen(tx: Tx, id: int) -> int:
    return await tx.run(SQL.note_seen, id=id, now=tx.now)


async def find_waiting(tx: Tx, uid: UUID) -> list[Row]:
    return await tx.rows(SQL.find_waiting, uid=uid)


async def find_open_uids(tx: Tx, uids: Sequence[UUID]) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.find_open_uids, uids=list(uids))]


def opening(database: Database, conversation_key: str) -> AbstractAsyncContextManager[Tx]:
    """A webhook's transaction: opened by its conversation, locked."""
    return database.transaction(SQL.meet, conversation_key=conversation_key)


def settings_of(tx: Tx) -> dict[str, str]:
    """As they were when it was opened."""
    found: dict[str, str] = tx.opened["settings"]
    return found


async def reopen(tx: Tx, conversation_key: str) -> None:
    """The same in a transaction that is open already."""
    tx.reopen(await tx.rows(SQL.meet, conversation_key=conversation_key))
