"""Accounts, their tokens, the sessions instances open by themselves, and pairing codes."""

import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions.receiving import GONE
from pabal.apps.relay.errors import (
    AccountDisabled,
    AccountEnabled,
    AccountNameTaken,
    AccountNotFound,
    BadAccount,
    BadCodeLife,
    CodeEnded,
    CodeNotFound,
    SessionsClosed,
    TooManyCodes,
    TooManySessions,
)
from pabal.apps.relay.model.messages import ACCOUNT_ABOUT, AREA, Account, PairingCode
from pabal.apps.relay.model.pairing import make_code, read_code
from pabal.apps.relay.store import accounts
from pabal.apps.relay.store.accounts import NewAccount
from pabal.base.database import ConstraintBroken, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts
from pabal.platform import audit, settings, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.resources import KEPT, Kept, chosen
from pabal.platform.tenants import Scope, UnitNotFound, visible_to

declare("relay.pairing.created", "Pairing codes created")
declare("relay.session.created", "Sessions that instances opened by themselves")
LONGEST_NAME, LONGEST_USER = 100, 200
SHORTEST_LIFE, LONGEST_LIFE = timedelta(seconds=60), timedelta(days=1)
SESSION_WINDOW = timedelta(minutes=5)
_TRIES = 5


def new_token() -> str:
    """64 hexadecimal digits, as published clients expect them."""
    return secrets.token_hex(32)


@dataclass(frozen=True, slots=True)
class AccountToken:
    """`token` is shown once."""

    account: Account
    token: str = field(repr=False)
    old_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewSession:
    token: str = field(repr=False)
    account_id: UUID
    code: str
    expires_at: datetime
    life: timedelta


async def create_account(
    tx: Tx,
    actor: Actor,
    *,
    name: str,
    openclaw_user_id: str | None = None,
    unit_id: int | None = None,
    rate_limit_per_minute: int | None = None,
    asks_owner: bool = False,
) -> AccountToken:  # long: what one may say of a new account
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    owner = unit_id or scope.unit_id
    if owner is None or not scope.holds(owner):
        raise UnitNotFound(str(owner))
    await tenants.get_unit(tx, owner)
    limit = rate_limit_per_minute or await settings.value(tx, own.RATE_LIMIT)
    said, user = _check(name, openclaw_user_id or str(uuid4()), limit)
    token = new_token()
    try:
        async with tx.savepoint():
            made = await accounts.insert_account(tx, NewAccount(owner, user, said, token, limit, asks_owner))
    except ConstraintBroken as error:
        raise AccountNameTaken(user) from error
    account = await accounts.get_account(tx, scope, made)
    await _record(tx, actor, "create", account, after=_shown(account))
    return AccountToken(account, token)


async def edit_account(
    tx: Tx,
    actor: Actor,
    account_id: UUID,
    *,
    name: str | Kept = KEPT,
    unit_id: int | Kept = KEPT,
    rate_limit_per_minute: int | Kept = KEPT,
    asks_owner: bool | Kept = KEPT,
) -> Account:  # long: what one may change
    scope = await _hold(tx, actor, account_id)
    before = await accounts.get_account(tx, scope, account_id)
    owner = chosen(unit_id, before.unit_id)
    limit = chosen(rate_limit_per_minute, before.rate_limit_per_minute)
    said, _ = _check(chosen(name, before.name), before.openclaw_user_id, limit)
    if not scope.holds(owner):
        raise UnitNotFound(str(owner))
    await tenants.get_unit(tx, owner)
    asks = chosen(asks_owner, before.asks_owner)
    await accounts.update_account(tx, account_id, name=said, unit_id=owner, rate_limit=limit, asks_owner=asks)
    if owner != before.unit_id:
        await accounts.move_things(tx, account_id, unit_id=owner)
    after = await accounts.get_account(tx, scope, account_id)
    await _record(tx, actor, "edit", after, before=_shown(before), after=_shown(after))
    return after


async def rotate_token(tx: Tx, actor: Actor, account_id: UUID, *, overlap: timedelta | None = None) -> AccountToken:
    """The old token works on for a while, so that nobody is cut off who changes it in time."""
    scope = await _hold(tx, actor, account_id)
    lasts = await settings.value(tx, own.TOKEN_OVERLAP) if overlap is None else overlap
    if not timedelta(0) <= lasts <= timedelta(days=7):
        raise BadAccount("overlap")
    token = new_token()
    hashed = accounts.hash_token(token)
    await accounts.update_token(tx, account_id, token_hash=hashed, old_until=tx.now + lasts)
    tx.hint(f"{GONE}{account_id}")
    account = await accounts.get_account(tx, scope, account_id)
    until = account.old_token_until
    await _record(tx, actor, "rotate", account, after={"old_token_until": None if until is None else str(until)})
    return AccountToken(account, token, until)


async def disable_account(tx: Tx, actor: Actor, account_id: UUID, *, reason: str | None = None) -> Account:
    """At once: open streams of it end, its tokens are refused, its users are told that nobody is there."""
    scope = await _hold(tx, actor, account_id)
    if (await accounts.get_account(tx, scope, account_id)).disabled_at is not None:
        raise AccountDisabled(str(account_id))
    return await _switch(tx, actor, scope, account_id, tx.now, "disable", reason)


async def enable_account(tx: Tx, actor: Actor, account_id: UUID) -> Account:
    scope = await _hold(tx, actor, account_id)
    if (await accounts.get_account(tx, scope, account_id)).disabled_at is None:
        raise AccountEnabled(str(account_id))
    return await _switch(tx, actor, scope, account_id, None, "enable", None)


async def _switch(
    tx: Tx, actor: Actor, scope: Scope, account_id: UUID, at: datetime | None, verb: str, reason: str | None
) -> Account:  # long: two verbs in one
    await accounts.update_disabled(tx, account_id, disabled_at=at)
    tx.hint(f"{GONE}{account_id}")
    account = await accounts.get_account(tx, scope, account_id)
    await facts.record(tx, f"relay.account_{verb}d", f"{ACCOUNT_ABOUT}:{account_id}", {}, account.unit_id)
    await _record(tx, actor, verb, account, after={"reason": reason} if reason else None)
    return account


async def new_code(
    tx: Tx,
    actor: Actor,
    *,
    account_id: UUID,
    expires_in: timedelta | None = None,
    metadata: dict[str, Any] | None = None,
) -> PairingCode:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    held = await accounts.hold_account(tx, account_id)
    if held is None or not scope.holds(held.unit_id):
        raise AccountNotFound(str(account_id))
    code = await make_pairing_code(tx, held, expires_in=expires_in, metadata=metadata)
    made = await accounts.get_code(tx, scope, code)
    await facts.record(tx, "relay.code_made", f"{ACCOUNT_ABOUT}:{account_id}", {}, held.unit_id)
    about, after = f"{ACCOUNT_ABOUT}:{account_id}", {"expires_at": str(made.expires_at)}
    await audit.record(tx, actor, "relay.code_new", about, unit_id=held.unit_id, after=after)
    return made


async def make_pairing_code(
    tx: Tx,
    account: accounts.HeldAccount,
    *,
    expires_in: timedelta | None = None,
    metadata: dict[str, Any] | None = None,
) -> str:
    """Of a locked account, so that two at once cannot both be the fifth."""
    if account.disabled_at is not None:
        raise AccountDisabled(account.name)
    values = await settings.values(tx, [own.CODE_TTL, own.MOST_CODES])
    life = values[own.CODE_TTL] if expires_in is None else expires_in
    if not SHORTEST_LIFE <= life <= LONGEST_LIFE:
        raise BadCodeLife(str(life))
    if await accounts.count_active_codes(tx, account.id) >= values[own.MOST_CODES]:
        raise TooManyCodes(account.name)
    tried = [make_code() for _ in range(_TRIES)]
    code = await accounts.insert_code(tx, account.id, tried, expires_at=tx.now + life, metadata=metadata or {})
    emit("relay.pairing.created", account=str(account.id))
    return code


async def revoke_code(tx: Tx, actor: Actor, code: str) -> PairingCode:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    found = await accounts.hold_code(tx, read_code(code))
    if found is None or not scope.holds(found.unit_id):
        raise CodeNotFound(code[:20])
    if found.used_at is not None or found.revoked_at is not None or found.expires_at <= tx.now:
        raise CodeEnded(found.code)
    await accounts.revoke_code(tx, found.code)
    about = f"{ACCOUNT_ABOUT}:{found.account_id}"
    await facts.record(tx, "relay.code_revoked", about, {}, found.unit_id)
    await audit.record(tx, actor, "relay.code_revoke", about, unit_id=found.unit_id)
    return await accounts.get_code(tx, scope, found.code)


async def create_session(tx: Tx, address: str) -> NewSession:
    """For an instance without a token: an account of the head office that is gone again unless somebody pairs."""
    values = await settings.values(tx, [own.OPEN_SESSIONS, own.SESSION_TTL, own.SESSIONS_PER_ADDRESS, own.RATE_LIMIT])
    if not values[own.OPEN_SESSIONS]:
        raise SessionsClosed
    since = tx.now - SESSION_WINDOW
    if await accounts.count_tries(tx, address, since=since) >= values[own.SESSIONS_PER_ADDRESS]:
        raise TooManySessions
    await accounts.insert_try(tx, address)
    token, life = new_token(), values[own.SESSION_TTL]
    house = await tenants.ensure_hq(tx)
    user = f"session:{uuid4()}"
    new = NewAccount(
        house.id, user, f"OpenClaw {user[8:16]}", token, values[own.RATE_LIMIT], session_until=tx.now + life
    )
    made = await accounts.insert_account(tx, new)
    held = await accounts.hold_account(tx, made)
    if held is None:
        raise AccountNotFound(str(made))
    code = await make_pairing_code(tx, held, expires_in=life, metadata={"session": True})
    emit("relay.session.created", address=address)
    return NewSession(token, made, code, tx.now + life, life)


async def _hold(tx: Tx, actor: Actor, account_id: UUID) -> Scope:
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    held = await accounts.hold_account(tx, account_id)
    if held is None or not scope.holds(held.unit_id):
        raise AccountNotFound(str(account_id))
    return scope


def _check(name: str, user: str, limit: int) -> tuple[str, str]:
    said, who = " ".join(name.split()), user.strip()
    is_good = 1 <= len(said) <= LONGEST_NAME and said.isprintable() and 1 <= len(who) <= LONGEST_USER
    if not is_good or not who.isprintable() or not 1 <= limit <= 1_000_000:
        raise BadAccount(said[:LONGEST_NAME])
    return said, who


def _shown(account: Account) -> dict[str, Any]:
    return {
        "name": account.name,
        "unit_id": account.unit_id,
        "rate_limit_per_minute": account.rate_limit_per_minute,
        "asks_owner": account.asks_owner,
    }


async def _record(
    tx: Tx,
    actor: Actor,
    verb: str,
    account: Account,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    about, unit_id = f"{ACCOUNT_ABOUT}:{account.id}", account.unit_id
    await audit.record(tx, actor, f"relay.account_{verb}", about, unit_id=unit_id, before=before, after=after)
