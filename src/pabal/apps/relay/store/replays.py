"""Replays: messages with nobody outside at their other end, and what was answered to them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.relay.model.skill import REPLAY_CHANNEL, replay_key
from pabal.apps.relay.store.replies import Answerable
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class NewReplay:
    """Without a callback address: a table's own check refuses one."""

    uid: UUID
    replay_of: UUID
    unit_id: int
    account_id: UUID
    payload: dict[str, Any]
    normalized: dict[str, Any]
    expires_at: datetime
    answer_by: datetime
    readable_until: datetime


@dataclass(frozen=True, slots=True)
class ReplayConversation:
    id: int
    is_new: bool


async def ensure_conversation(tx: Tx, key: str, channel: str, *, account_id: UUID, unit_id: int) -> ReplayConversation:
    """The account's own, for everything that is replayed to it, or asked by workflows."""
    given = {"conversation_key": key, "channel": channel, "account_id": account_id}
    [row] = await tx.rows(SQL.find_conversation, **given, unit_id=unit_id, now=tx.now)
    return ReplayConversation(row["id"], row["is_new"])


async def insert_replay(tx: Tx, new: NewReplay, conversation_id: int) -> int:
    given = {name: getattr(new, name) for name in NewReplay.__slots__}
    key, channel = replay_key(new.account_id), REPLAY_CHANNEL
    made: int = await tx.value(
        SQL.insert_replay,
        **given,
        conversation_id=conversation_id,
        conversation_key=key,
        channel=channel,
        now=tx.now,
    )
    return made


async def insert_shown(tx: Tx, message: Answerable, *, digest: str, response: Any, detail: str) -> None:
    await tx.run(
        SQL.insert_shown,
        message_id=message.id,
        conversation_id=message.conversation_id,
        digest=digest,
        response=response,
        keep_until=message.readable_until,
        detail=detail,
        now=tx.now,
    )
