"""API tokens: what programs hold. Never more than their maker has, and never longer than their maker has it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pabal.base.database import Database, Row, Tx
from pabal.base.sql import load
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, NotAllowed, Right, Role
from pabal.platform.auth import store
from pabal.platform.auth.keys import digest, new_secret
from pabal.platform.auth.model import (
    AREA,
    BadExpiry,
    TokenNotFound,
    TokenOver,
    check_display_name,
    check_scopes,
    own_id,
    require_may_give,
)
from pabal.platform.tenants import Scope, UnitNotFound

SQL = load(__file__)
PREFIX = "pbl_"
LONGEST = timedelta(days=400)
OVERLAP = timedelta(hours=24)
KEPT_FOR = timedelta(days=90)
LAST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Token:
    """`start` is how its secret begins, to recognise it by. `maker` None: made at the command line."""

    id: int
    unit_id: int
    name: str
    role: Role
    scopes: list[str]
    made_by: int | None
    maker: str | None
    start: str
    replaces: int | None
    replaced_by: int | None
    created_at: datetime
    expires_at: datetime
    last_used_at: datetime | None
    revoked_at: datetime | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "role", Role(self.role))

    def is_alive(self, now: datetime) -> bool:
        return self.revoked_at is None and self.expires_at > now


@dataclass(frozen=True, slots=True)
class NewToken:
    name: str
    unit_id: int
    role: Role
    scopes: tuple[str, ...]
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class MadeToken:
    """`secret` is shown once."""

    secret: str
    token: Token


async def find_token(where: Tx | Database, secret: str, *, origin: str = "", with_demo: bool = False) -> Actor | None:
    """One statement. Given the Database, it is a transaction of its own: the fewest round trips there are.

    Without `with_demo` a token that one of the demo's people made is none.
    """
    if not secret.startswith(PREFIX):
        return None
    rows = await where.rows(SQL.find_token, secret_hash=digest(secret), with_demo=with_demo)
    return _actor(rows[0], origin) if rows else None


async def find_holder(tx: Tx, token_id: int) -> Actor | None:
    """Who a token is now, for work that was asked for with it."""
    rows = await tx.rows(SQL.find_holder, id=token_id)
    return _actor(rows[0], "") if rows else None


def _actor(row: Row, origin: str) -> Actor:
    return Actor(
        name=f"token:{row['id']}",
        unit_id=row["unit_id"],
        role=Role(row["role"]),
        scopes=tuple(row["scopes"]),
        label=row["name"],
        origin=origin,
    )


async def get_token(tx: Tx, scope: Scope, token_id: int) -> Token:
    found = await tx.one(Token, SQL.get_token, id=token_id)
    if found is None or not scope.holds(found.unit_id):
        raise TokenNotFound(str(token_id))
    return found


async def list_tokens(tx: Tx, scope: Scope, *, before: int = LAST, limit: int = 50) -> list[Token]:
    """Newest first, those that are over included; `before` is the last id of the page before."""
    return await tx.all(Token, SQL.list_tokens, units=scope.listed, before=before, most=limit)


async def make_token(tx: Tx, actor: Actor, new: NewToken) -> MadeToken:
    actor.require(Right.MANAGE, AREA)
    made_by = await _hold_maker(tx, actor)
    await _require_unit(tx, actor, new.unit_id)
    made = await _insert(tx, actor, new, made_by=made_by)
    await _record(tx, actor, "tokens.make", made.token, after=_shown(made.token))
    return made


async def rotate_token(
    tx: Tx, actor: Actor, token_id: int, *, expires_at: datetime | None = None, overlap: timedelta = OVERLAP
) -> MadeToken:
    """A new secret for the same rights, by default for as long again. The old one works until the overlap is over."""
    actor.require(Right.MANAGE, AREA)
    made_by = await _hold_maker(tx, actor)
    old = await _hold_token(tx, actor, token_id)
    if not old.is_alive(tx.now) or old.replaced_by is not None:
        raise TokenOver(old.name)
    if overlap < timedelta(0):
        raise BadExpiry(str(overlap))
    until = expires_at or tx.now + (old.expires_at - old.created_at)
    made = await _insert(
        tx, actor, NewToken(old.name, old.unit_id, old.role, tuple(old.scopes), until), made_by=made_by, replaces=old.id
    )
    await tx.run(SQL.end_token, id=old.id, at=tx.now + overlap)
    after = {**_shown(made.token), "replaces": old.id, "old_until": min(old.expires_at, tx.now + overlap).isoformat()}
    await _record(tx, actor, "tokens.rotate", made.token, after=after)
    return made


async def revoke_token(tx: Tx, actor: Actor, token_id: int) -> Token:
    actor.require(Right.MANAGE, AREA)
    token = await _hold_token(tx, actor, token_id)
    if not await tx.run(SQL.revoke_token, id=token_id, now=tx.now):
        raise TokenOver(token.name)
    await _record(tx, actor, "tokens.revoke", token, before=_shown(token))
    return await get_token(tx, await tenants.visible_to(tx, actor), token_id)


async def revoke_tokens_of(tx: Tx, user_id: int) -> list[int]:
    """Everything this user made, by themselves or by a token of theirs."""
    return [row["id"] for row in await tx.rows(SQL.revoke_tokens, made_by=user_id, now=tx.now)]


async def forget_tokens(tx: Tx) -> int:
    return await tx.run(SQL.forget_tokens, before=tx.now - KEPT_FOR)


async def _hold_maker(tx: Tx, actor: Actor) -> int | None:
    """Whose rights a new token rests on, held so that they are not taken away meanwhile."""
    if actor.name.startswith("token:"):
        return await _hold_maker_of(tx, actor)
    user_id = own_id(actor)
    if user_id is None:
        return None
    user = await store.hold_user(tx, user_id)
    if user is None or not user.is_active or (user.role, user.unit_id) != (actor.role, actor.unit_id):
        raise NotAllowed(actor.name)
    return user_id


async def _hold_maker_of(tx: Tx, actor: Actor) -> int | None:
    """A token makes for its own maker; once that user is held, it is alive or was revoked with them."""
    token_id = int(actor.name.removeprefix("token:"))
    token = await tx.one(Token, SQL.get_token, id=token_id)
    if token is not None and token.made_by is not None:
        await store.hold_user(tx, token.made_by)
        token = await tx.one(Token, SQL.get_token, id=token_id)
    if token is None or not token.is_alive(tx.now):
        raise NotAllowed(actor.name)
    return token.made_by


async def hold_token(tx: Tx, token_id: int) -> None:
    """Locked until the commit."""
    await tx.run(SQL.hold_token, id=token_id)


async def _hold_token(tx: Tx, actor: Actor, token_id: int) -> Token:
    await hold_token(tx, token_id)
    return await get_token(tx, await tenants.visible_to(tx, actor), token_id)


async def _require_unit(tx: Tx, actor: Actor, unit_id: int) -> None:
    if not await tenants.may_see(tx, actor, unit_id):
        raise UnitNotFound(str(unit_id))
    await tenants.get_unit(tx, unit_id)


async def _insert(
    tx: Tx, actor: Actor, new: NewToken, *, made_by: int | None, replaces: int | None = None
) -> MadeToken:
    scopes = check_scopes(new.scopes)
    require_may_give(actor, new.role, scopes)
    if not tx.now < new.expires_at <= tx.now + LONGEST:
        raise BadExpiry(new.expires_at.isoformat())
    secret = new_secret(PREFIX)
    made = await tx.value(
        SQL.insert_token,
        unit_id=new.unit_id,
        name=check_display_name(new.name),
        role=new.role.value,
        scopes=list(scopes),
        made_by=made_by,
        start=secret[: len(PREFIX) + 8],
        secret_hash=digest(secret),
        replaces=replaces,
        now=tx.now,
        expires_at=new.expires_at,
    )
    return MadeToken(secret, await get_token(tx, Scope(None, None), made))


async def _record(tx: Tx, actor: Actor, action: str, token: Token, **said: dict[str, Any]) -> None:
    await audit.record(tx, actor, action, f"token:{token.id}", unit_id=token.unit_id, **said)


def _shown(token: Token) -> dict[str, Any]:
    return {
        "name": token.name,
        "unit_id": token.unit_id,
        "role": token.role.value,
        "scopes": list(token.scopes),
        "start": token.start,
        "expires_at": token.expires_at.isoformat(),
    }
