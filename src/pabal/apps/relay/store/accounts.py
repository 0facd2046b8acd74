"""Accounts, their tokens as hashes, the sessions instances open by themselves, and pairing codes."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pabal.apps.relay import settings as own
from pabal.apps.relay.errors import AccountNotFound, CodeNotFound
from pabal.apps.relay.model.messages import Account, PairingCode
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform import settings
from pabal.platform.tenants import Scope

SQL = load(__file__)


def hash_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class HeldAccount:
    """An account, locked."""

    id: UUID
    unit_id: int
    name: str
    relay_token_hash: str
    disabled_at: datetime | None
    session_until: datetime | None
    asks_owner: bool


@dataclass(frozen=True, slots=True)
class SessionSeen:
    id: UUID
    session_until: datetime | None
    disabled_at: datetime | None
    now: datetime
    paired: int
    paired_at: datetime | None
    kakao_user_id: str | None

    @property
    def status(self) -> str:
        if self.session_until is not None:
            return "pending_pairing" if self.session_until > self.now else "expired"
        return "paired" if self.paired and self.disabled_at is None else "disconnected"


async def get_account(tx: Tx, scope: Scope, account_id: UUID) -> Account:
    found = await find_account(tx, account_id)
    if found is None or not scope.holds(found.unit_id):
        raise AccountNotFound(str(account_id))
    return found


async def find_account(tx: Tx, account_id: UUID) -> Account | None:
    """Whoever asks: for the app's own work."""
    return await tx.one(Account, SQL.find_account, id=account_id, awake_since=await _awake_since(tx))


async def find_named(tx: Tx, scope: Scope, name: str) -> list[UUID]:
    """Whose name or OpenClaw user is exactly this, the newest first; a few are enough to see that it is not one."""
    rows = await tx.rows(SQL.find_named, name=name, units=scope.listed, most=5)
    return [row["id"] for row in rows]


async def list_accounts(
    tx: Tx,
    scope: Scope,
    *,
    q: str | None = None,
    with_waiting: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Account]:
    found = await tx.all(
        Account,
        SQL.list_accounts,
        units=scope.listed,
        q=q or None,
        with_waiting=with_waiting,
        awake_since=await _awake_since(tx),
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.number))


async def _awake_since(tx: Tx) -> datetime:
    """Whoever last read before this is asleep, also where nobody has written and noticed it yet."""
    asleep_after: timedelta = await settings.value(tx, own.ASLEEP_AFTER)
    return tx.now - asleep_after


async def hold_account(tx: Tx, account_id: UUID) -> HeldAccount | None:
    return await tx.one(HeldAccount, SQL.hold_account, id=account_id)


async def find_session(tx: Tx, token: str) -> SessionSeen | None:
    return await tx.one(SessionSeen, SQL.find_session, token_hash=hash_token(token))


async def hold_code(tx: Tx, code: str) -> PairingCode | None:
    return await tx.one(PairingCode, SQL.hold_code, code=code)


async def get_code(tx: Tx, scope: Scope, code: str) -> PairingCode:
    found = await tx.one(PairingCode, SQL.find_code, code=code)
    if found is None or not scope.holds(found.unit_id):
        raise CodeNotFound(code[:20])
    return found


async def list_codes(
    tx: Tx,
    scope: Scope,
    *,
    account_id: UUID | None = None,
    with_ended: bool = False,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[PairingCode]:
    found = await tx.all(
        PairingCode,
        SQL.list_codes,
        units=scope.listed,
        account_id=account_id,
        with_ended=with_ended,
        before=None if cursor is None else paging.read_cursor(cursor, str)[0],
        most=paging.one_more(limit),
        now=tx.now,
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.code))


@dataclass(frozen=True, slots=True)
class NewAccount:
    unit_id: int
    openclaw_user_id: str
    name: str
    token: str = field(repr=False)
    rate_limit: int
    asks_owner: bool = False
    session_until: datetime | None = None


async def insert_account(tx: Tx, new: NewAccount) -> UUID:
    made: UUID = await tx.value(
        SQL.insert_account,
        unit_id=new.unit_id,
        openclaw_user_id=new.openclaw_user_id,
        name=new.name,
        token_hash=hash_token(new.token),
        rate_limit=new.rate_limit,
        asks_owner=new.asks_owner,
        session_until=new.session_until,
        now=tx.now,
    )
    return made


async def insert_code(
    tx: Tx, account_id: UUID, codes: Sequence[str], *, expires_at: datetime, metadata: dict[str, Any]
) -> str:
    """The first of these that nobody has."""
    for code in codes:
        given = {"code": code, "account_id": account_id, "expires_at": expires_at, "metadata": metadata}
        if await tx.value(SQL.insert_code, **given, now=tx.now) is not None:
            return code
    raise RuntimeError("no free pairing code")


async def update_account(tx: Tx, id: UUID, *, name: str, unit_id: int, rate_limit: int, asks_owner: bool) -> int:
    return await tx.run(
        SQL.update_account, id=id, name=name, unit_id=unit_id, rate_limit=rate_limit, asks_owner=asks_owner
    )


async def move_things(tx: Tx, account_id: UUID, *, unit_id: int) -> int:
    return await tx.run(SQL.move_things, account_id=account_id, unit_id=unit_id)


async def update_token(tx: Tx, id: UUID, *, token_hash: str, old_until: datetime) -> int:
    return await tx.run(SQL.update_token, id=id, token_hash=token_hash, old_until=old_until, now=tx.now)


async def update_disabled(tx: Tx, id: UUID, *, disabled_at: datetime | None) -> int:
    return await tx.run(SQL.update_disabled, id=id, disabled_at=disabled_at)


async def end_session(tx: Tx, id: UUID) -> int:
    return await tx.run(SQL.end_session, id=id)


async def count_tries(tx: Tx, address: str, *, since: datetime) -> int:
    found: int = await tx.value(SQL.count_tries, address=address, since=since)
    return found


async def insert_try(tx: Tx, address: str) -> int:
    return await tx.run(SQL.insert_try, address=address, now=tx.now)


async def count_active_codes(tx: Tx, account_id: UUID) -> int:
    found: int = await tx.value(SQL.count_active_codes, account_id=account_id, now=tx.now)
    return found


async def use_code(tx: Tx, code: str, *, used_by: str) -> int:
    return await tx.run(SQL.use_code, code=code, used_by=used_by, now=tx.now)


async def revoke_code(tx: Tx, code: str) -> int:
    return await tx.run(SQL.revoke_code, code=code, now=tx.now)
