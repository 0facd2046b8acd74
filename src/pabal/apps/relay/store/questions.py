"""Questions of workflows: messages with nobody outside at their other end, whose answer somebody here waits for."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.relay.model.skill import QUESTION_CHANNEL, question_key
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class NewQuestion:
    uid: UUID
    asked_by: str
    asked_key: str
    unit_id: int
    account_id: UUID
    payload: dict[str, Any]
    normalized: dict[str, Any]
    until: datetime


async def insert_question(tx: Tx, new: NewQuestion, conversation_id: int) -> int:
    given = {name: getattr(new, name) for name in NewQuestion.__slots__}
    where = {"conversation_id": conversation_id, "channel": QUESTION_CHANNEL}
    key = question_key(new.account_id)
    made: int = await tx.value(SQL.insert_question, **given, **where, conversation_key=key, now=tx.now)
    return made


async def find_open_question(tx: Tx, asked_key: str) -> int | None:
    """Locked."""
    found: int | None = await tx.value(SQL.find_open_question, asked_key=asked_key)
    return found
