"""One-time sign-in links: for people who have no password yet or no longer. A new link replaces the one before it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform import audit, tenants
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import store
from pabal.platform.auth.keys import digest, new_secret
from pabal.platform.auth.model import BadExpiry, Caller, Lifetimes, LinkSpent, NewUser, User, UserInactive, shown
from pabal.platform.auth.sessions import SignedIn, begin_session

SQL = load(__file__)
VALID_FOR = timedelta(hours=1)
LONGEST = timedelta(days=7)
KEPT_FOR = timedelta(days=30)
FIRST_LOGIN = "admin"
FIRST_NAME = "관리자"


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """`secret` is shown once."""

    secret: str
    user: User
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class OpenLink:
    """Whom a link would sign in, until when."""

    user_id: int
    expires_at: datetime
    login: str
    name: str
    language: str | None
    is_demo: bool


async def find_link(tx: Tx, secret: str) -> OpenLink | None:
    """Looks without using: messengers open links for a preview, so only a button's POST may use one."""
    return await tx.one(OpenLink, SQL.find_link, secret_hash=digest(secret), now=tx.now)


async def use_link(tx: Tx, secret: str, caller: Caller, *, lifetimes: Lifetimes | None = None) -> SignedIn:
    found = await find_link(tx, secret)
    # The user before the link: whoever takes links away holds them in this order too.
    user = await store.hold_user(tx, found.user_id) if found else None
    caller.check_demo(is_demo=user is not None and user.is_demo)
    if user is None or not user.is_active or not await tx.run(SQL.use_link, secret_hash=digest(secret), now=tx.now):
        raise LinkSpent
    await store.note_sign_in(tx, user.id)
    signed = await begin_session(tx, user, caller, lifetimes or Lifetimes())
    await audit.record(tx, user.actor(caller.short_address), "links.use", f"user:{user.id}", unit_id=user.unit_id)
    return signed


async def first_link(tx: Tx, *, valid_for: timedelta = VALID_FOR) -> IssuedLink | None:
    """At each start: a way in for the HQ's administrator, made if there is none; None once one has a password."""
    await store.hold_admins(tx)
    hq = await tenants.ensure_hq(tx)
    admin = await store.find_first_admin(tx, hq.id) or await _make_admin(tx, hq.id)
    return None if admin.has_password else await issue(tx, ENGINE, admin, valid_for)


async def issue(tx: Tx, by: Actor, user: User, valid_for: timedelta = VALID_FOR) -> IssuedLink:
    """Asks nobody for the right: `users.issue_link` and `users.reset_password` do."""
    if not timedelta(0) < valid_for <= LONGEST:
        raise BadExpiry(str(valid_for))
    held = await store.hold_user(tx, user.id)
    if held is None or not held.is_active:
        raise UserInactive(user.login)
    await withdraw_links(tx, user.id)
    secret, expires_at = new_secret(), tx.now + valid_for
    await tx.run(
        SQL.insert_link,
        secret_hash=digest(secret),
        user_id=user.id,
        issued_by=by.name,
        now=tx.now,
        expires_at=expires_at,
    )
    after = {"expires_at": expires_at.isoformat()}
    await audit.record(tx, by, "links.issue", f"user:{user.id}", unit_id=user.unit_id, after=after)
    return IssuedLink(secret, held, expires_at)


async def withdraw_links(tx: Tx, user_id: int) -> int:
    return await tx.run(SQL.delete_open_links, user_id=user_id)


async def forget_links(tx: Tx) -> int:
    return await tx.run(SQL.forget_links, before=tx.now - KEPT_FOR)


async def _make_admin(tx: Tx, hq_id: int) -> User:
    made = await store.insert_user(tx, NewUser(FIRST_LOGIN, FIRST_NAME, hq_id, Role.ADMIN))
    await audit.record(tx, ENGINE, "users.add", f"user:{made.id}", unit_id=hq_id, after=shown(made))
    return made
