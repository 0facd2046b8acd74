"""Mailboxes: who may read, what waits for them, what they were handed and where they go on from."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pabal.apps.relay.machine import MESSAGE, MessageEvent
from pabal.apps.relay.model.messages import MessageState
from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load
from pabal.engine.transitions import Because, Noting, Picking, move_at_once
from pabal.platform.actor import ENGINE

SQL = load(__file__)
WINDOW = timedelta(seconds=60)
# Handed out at once, at most: numbers of one batch lie between two batches.
MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class TokenHolder:
    """Who holds a token, and how often they asked in this minute."""

    id: UUID
    unit_id: int
    name: str
    limit: int
    used: int
    window_ends_at: datetime
    session_until: datetime | None
    is_disabled: bool
    is_back: bool
    now: datetime

    @property
    def remaining(self) -> int:
        return max(0, self.limit - self.used)

    @property
    def reset_seconds(self) -> int:
        return max(1, round((self.window_ends_at - self.now).total_seconds()))


@dataclass(frozen=True, slots=True)
class Letter:
    """A message as its reader gets it."""

    id: int
    unit_id: int | None
    state: str
    version: int
    account_id: UUID
    uid: UUID
    conversation_key: str
    kakao_payload: dict[str, Any] = field(repr=False)
    normalized: dict[str, Any] = field(repr=False)
    created_at: datetime
    callback_url: str | None = field(repr=False)
    callback_expires_at: datetime
    answer_by: datetime
    handed_out: int


async def take_request(database: Database, token_hash: str) -> TokenHolder | None:
    rows = await database.rows(SQL.take_request, token_hash=token_hash, window=WINDOW)
    if not rows:
        return None
    row = rows[0]
    return TokenHolder(
        id=row["id"],
        unit_id=row["unit_id"],
        name=row["name"],
        limit=row["rate_limit_per_minute"],
        used=row["used"],
        window_ends_at=row["window_ends_at"],
        session_until=row["session_until"],
        is_disabled=row["disabled_at"] is not None,
        is_back=row["asleep_at"] is not None,
        now=row["now"],
    )


@dataclass(frozen=True, slots=True)
class Back:
    """An account that was asleep, and is read from again."""

    id: UUID
    unit_id: int
    name: str
    asleep_at: datetime


async def note_read(tx: Tx, accounts: Sequence[UUID]) -> list[Back]:
    return await tx.all(Back, SQL.note_read, accounts=list(accounts), now=tx.now)


async def list_due_accounts(database: Database) -> set[UUID]:
    return {row["account_id"] for row in await database.rows(SQL.list_due_accounts)}


News = tuple[str, dict[str, Any]]
_OVER: News = ("pairing_expired", {"reason": "Nobody paired in time. Create a new session."})
_DISABLED: News = ("error", {"code": "INSTANCE_DISABLED", "message": "The account was switched off."})
_REPLACED: News = ("error", {"code": "TOKEN_INVALID", "message": "The token was replaced or is gone."})


async def list_gone(database: Database, readers: Sequence[tuple[UUID, str]]) -> dict[tuple[UUID, str], News]:
    """Of readers, by account and token, those who may read no longer, and what they are told."""
    accounts, hashes = [one for one, _ in readers], [one for _, one in readers]
    rows = await database.rows(SQL.list_gone, accounts=accounts, hashes=hashes)
    return {
        (row["account_id"], row["token_hash"]): _DISABLED
        if row["is_disabled"]
        else _OVER
        if row["is_over"]
        else _REPLACED
        for row in rows
    }


Rooms = Mapping[UUID, int]


def opening(database: Database, rooms: Rooms) -> AbstractAsyncContextManager[Tx]:
    """A transaction that hands out: opened with its number, and with what these accounts have not read, locked."""
    return database.transaction(SQL.open_batch, **_columns(rooms))


async def reopen(tx: Tx, rooms: Rooms) -> None:
    """The same in a transaction that is open already."""
    tx.reopen(await tx.rows(SQL.open_batch, **_columns(rooms)))


async def hand_out_at_once(
    database: Database, readers: Mapping[UUID, tuple[str, int]], *, visibility: timedelta, settings: dict[str, str]
) -> list[tuple[Letter, str, int]]:
    """What is new for accounts with one reader each, as a transaction of its own: letter, reader and number."""
    given = {
        "accounts": list(readers),
        "readers": [name for name, _ in readers.values()],
        "rooms": [room for _, room in readers.values()],
        "most": MOST_AT_ONCE,
        "settings": settings,
        "visibility": visibility,
    }
    picking = Picking(SQL.pick_new, SQL.handed_out_at_once, given)
    move = (MessageEvent.HAND_OUT, MessageState.QUEUED, MessageState.DELIVERED)
    rows = await move_at_once(database, MESSAGE, move, picking, Because(ENGINE.name))
    return [(Letter(*(row[name] for name in Letter.__slots__)), row["taker"], row["number"]) for row in rows]


def list_unread(tx: Tx) -> list[Letter]:
    """What it was opened with; so are `number_batch` and `settings_of`."""
    rows = [row for row in tx.all_opened if row["id"] is not None]
    return [Letter(*(row[name] for name in Letter.__slots__)) for row in rows[:MOST_AT_ONCE]]


async def lock_unanswered(tx: Tx, rooms: Rooms) -> list[Letter]:
    return (await tx.all(Letter, SQL.lock_unanswered, **_columns(rooms)))[:MOST_AT_ONCE]


def _columns(rooms: Rooms) -> dict[str, list[Any]]:
    return {"accounts": list(rooms), "rooms": list(rooms.values())}


async def lock_after(tx: Tx, account_id: UUID, reader: str, after: int, room: int) -> list[Letter]:
    return await tx.all(Letter, SQL.lock_after, account_id=account_id, reader=reader, after=after, room=room)


def number_batch(tx: Tx, behind: int, count: int) -> list[int]:
    batch: int = tx.opened["number"]
    return [batch * MOST_AT_ONCE + behind + place for place in range(count)]


def settings_of(tx: Tx) -> dict[str, str]:
    found: dict[str, str] = tx.opened["settings"]
    return found


async def note_handed_out(
    tx: Tx, ids: Sequence[int], readers: Sequence[str], numbers: Sequence[int], *, visible_at: datetime
) -> None:
    named = {"ids": list(ids), "readers": list(readers), "numbers": list(numbers)}
    await tx.run(SQL.note_handed_out, **named, visible_at=visible_at, now=tx.now)


def noting_handed_out(tx: Tx, readers: Sequence[str], numbers: Sequence[int], *, visible_at: datetime) -> Noting:
    """The same for those that are moved on, in that statement."""
    given = {"readers": list(readers), "numbers": list(numbers), "visible_at": visible_at, "now": tx.now}
    return Noting(SQL.handed_out, given)


async def hand_back(tx: Tx, ids: Sequence[int]) -> set[UUID]:
    return {row["account_id"] for row in await tx.rows(SQL.hand_back, ids=list(ids), now=tx.now)}


async def ack(tx: Tx, account_id: UUID, uids: Sequence[UUID], *, visible_at: datetime) -> int:
    return len(await tx.rows(SQL.ack, account_id=account_id, uids=list(uids), visible_at=visible_at))


async def note_asleep(tx: Tx, account_id: UUID) -> int:
    return await tx.run(SQL.note_asleep, account_id=account_id, now=tx.now)


async def is_known(database: Database, token_hash: str) -> bool:
    return bool(await database.rows(SQL.find_token, token_hash=token_hash))


async def list_paired(database: Database, accounts: Sequence[UUID]) -> list[Row]:
    """Of each account the user who paired last."""
    return await database.rows(SQL.list_paired, accounts=list(accounts))
