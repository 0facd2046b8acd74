"""What instances answered, and what became of it: with Kakao, kept for the next message, or over."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.relay.model.messages import End, Reply, ReplyState
from pabal.apps.relay.model.skill import read_lang
from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load
from pabal.engine.headstart import Prepared
from pabal.engine.subjects import Plain
from pabal.engine.transitions import Picking

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class EarlierReply:
    """One that was taken in before, to the same message."""

    digest: str
    is_late: bool
    response: Any = field(repr=False)


@dataclass(frozen=True, slots=True)
class Answerable:
    """A message, locked, as its reply finds it."""

    id: int
    unit_id: int | None
    state: str
    account_id: UUID
    conversation_id: int
    conversation_key: str
    callback_url: str | None = field(repr=False)
    lang: str
    created_at: datetime
    answer_by: datetime
    callback_expires_at: datetime
    readable_until: datetime
    answered_at: datetime | None
    called_at: datetime | None
    # late answers of the conversation wait for it
    has_late: bool
    settings: dict[str, str]
    replies: list[EarlierReply]


@dataclass(frozen=True, slots=True)
class Called:
    """A message, locked, as it was before its callback address was marked as used, if that could be."""

    id: int
    uid: UUID
    state: str
    conversation_id: int
    kakao_payload: dict[str, Any] = field(repr=False)
    callback_url: str | None = field(repr=False)
    callback_expires_at: datetime
    created_at: datetime
    called_at: datetime | None
    settings: dict[str, str]
    # late answers of the conversation wait for it
    has_late: bool


@dataclass(frozen=True, slots=True)
class Held:
    id: int
    state: str
    called_at: datetime | None


def read_answerable(opened: Row) -> Answerable | None:
    """From the transaction's first statement; None: there is no such message in this account's mailbox."""
    if opened["id"] is None:
        return None
    earlier = [EarlierReply(**one) for one in opened["replies"]]
    named = {name: opened[name] for name in Answerable.__slots__ if name not in ("replies", "lang")}
    return Answerable(**named, lang=read_lang(opened["lang"]), replies=earlier)


async def use_address(tx: Tx, message_id: int) -> Called | None:
    """Only of a message that is open, with an address that lives and was not used before."""
    return await tx.one(Called, SQL.use_address, id=message_id, now=tx.now)


async def hold_for_call(tx: Tx, message_id: int) -> Held | None:
    return await tx.one(Held, SQL.hold_for_call, id=message_id)


async def list_replies(tx: Tx, message_id: int) -> list[Reply]:
    return await tx.all(Reply, SQL.list_replies, message_id=message_id)


async def list_in_time(tx: Tx, message_id: int) -> list[Reply]:
    return await tx.all(Reply, SQL.list_in_time, message_id=message_id)


async def insert_reply(tx: Tx, message: Answerable, *, state: ReplyState, digest: str, response: Any) -> int | None:
    """None: the same was said before."""
    made: int | None = await tx.value(
        SQL.insert_reply,
        message_id=message.id,
        conversation_id=message.conversation_id,
        state=state.value,
        digest=digest,
        response=response,
        keep_until=message.readable_until,
        now=tx.now,
    )
    return made


def using_address(message: Answerable, call: object, *, digest: str, response: Any, now: datetime) -> Prepared:
    """`insert_reply` and `use_address`, with the statement that begins the callback."""
    given = {
        "message_id": message.id,
        "conversation_id": message.conversation_id,
        "digest": digest,
        "response": response,
        "keep_until": message.readable_until,
        "now": now,
    }
    return Prepared(call, SQL.reply_and_use, given)


async def lock_deferred(tx: Tx, conversation_id: int, *, most: int) -> list[Reply]:
    return await tx.all(Reply, SQL.lock_deferred, conversation_id=conversation_id, now=tx.now, most=most)


async def carry(tx: Tx, replies: Sequence[Reply], carried_by: int) -> None:
    if replies:
        await tx.run(SQL.carry, ids=[one.id for one in replies], carried_by=carried_by)


async def end_replies(tx: Tx, message_id: int, state: ReplyState, detail: End) -> None:
    await tx.run(SQL.end_replies, message_id=message_id, state=state.value, detail=detail.value, now=tx.now)


async def defer_replies(tx: Tx, message_id: int, detail: End) -> list[int]:
    """Answers which are kept for the user's next message."""
    rows = await tx.rows(SQL.defer_replies, message_id=message_id, detail=detail.value, now=tx.now)
    return [row["id"] for row in rows if row["state"] == ReplyState.DEFERRED]


async def note_end(tx: Tx, message_id: int, reason: End, *, detail: str | None = None, is_acked: bool = False) -> None:
    acked_at = tx.now if is_acked else None
    await tx.run(SQL.note_end, id=message_id, reason=reason.value, detail=detail, acked_at=acked_at)


async def lock_expired(tx: Tx, *, most: int) -> list[Plain]:
    return await tx.all(Plain, SQL.lock_expired, now=tx.now, most=most)


async def lock_left(tx: Tx, until: datetime, *, most: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.lock_left, until=until, most=most)]


async def find_reply_state(tx: Tx, account_id: UUID, uid: UUID) -> dict[str, Any] | None:
    rows = await tx.rows(SQL.find_reply_state, account_id=account_id, uid=uid)
    return dict(rows[0]) if rows else None


async def hold_deferred_reply(tx: Tx, reply_id: int) -> Reply | None:
    return await tx.one(Reply, SQL.hold_deferred_reply, id=reply_id)


async def forget_call(tx: Tx, id: int) -> int:
    return await tx.run(SQL.forget_call, id=id)


async def expire_replies(tx: Tx, most: int) -> int:
    return len(await tx.rows(SQL.expire_replies, now=tx.now, most=most))


async def drop_deferred(tx: Tx, conversation_id: int) -> int:
    return await tx.run(SQL.drop_deferred, conversation_id=conversation_id, now=tx.now)


async def note_expired(tx: Tx, ids: Sequence[int], *, reason: str) -> int:
    return await tx.run(SQL.note_expired, ids=list(ids), reason=reason)


async def lock_open_of(tx: Tx, conversation_id: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.lock_open_of, conversation_id=conversation_id)]


async def find_address(tx: Tx, conversation_id: int) -> Row:
    [found] = await tx.rows(SQL.find_address, conversation_id=conversation_id)
    return found


async def end_reply(tx: Tx, id: int, *, state: str, detail: str) -> int:
    return await tx.run(SQL.end_reply, id=id, state=state, detail=detail, now=tx.now)


async def let_go(tx: Tx, message_id: int) -> int:
    return await tx.run(SQL.let_go, message_id=message_id)


async def let_go_one(tx: Tx, id: int) -> int:
    return await tx.run(SQL.let_go_one, id=id)


async def note_acked(tx: Tx, id: int, *, reason: str) -> Plain | None:
    """Locks it too."""
    return await tx.one(Plain, SQL.note_acked, id=id, reason=reason, now=tx.now)


def acking(message_id: int, uid: UUID, *, reason: str) -> Picking:
    """The same for one that was handed out, in the statement that ends its callback."""
    given = {"message_id": message_id, "uid": uid, "detail": reason, "end_reason": reason}
    return Picking(SQL.pick_called, SQL.acked, given)


def opening(database: Database, *, account_id: UUID, uid: UUID) -> AbstractAsyncContextManager[Tx]:
    """A reply's transaction: opened by its message, locked."""
    return database.transaction(SQL.open_message, account_id=account_id, uid=uid)


async def reopen(tx: Tx, *, account_id: UUID, uid: UUID) -> None:
    """The same in a transaction that is open already."""
    tx.reopen(await tx.rows(SQL.open_message, account_id=account_id, uid=uid))
