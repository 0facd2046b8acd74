"""Signing in and changing one's password. These open their own short transactions, which no other action does:
a password takes tens of milliseconds to check, and no transaction may be open meanwhile.
"""

from dataclasses import dataclass, field
from typing import Any

from pabal.base.database import Database, Tx
from pabal.platform import audit
from pabal.platform.actor import Actor, Role
from pabal.platform.auth import links, passwords, sessions, store, tokens, tries
from pabal.platform.auth.model import (
    Caller,
    Lifetimes,
    SignInFailed,
    TooManyTries,
    WeakPassword,
    WrongPassword,
    as_login,
    is_login,
    require_own_id,
)
from pabal.platform.auth.passwords import Checked
from pabal.platform.auth.sessions import SignedIn
from pabal.platform.auth.store import Known
from pabal.platform.auth.tries import Refused, Slowing, Taken


@dataclass(frozen=True, slots=True)
class Terms:
    """What settings may change about sign-ins."""

    lifetimes: Lifetimes = field(default_factory=Lifetimes)
    slowing: Slowing = field(default_factory=Slowing)


async def sign_in(
    database: Database, login: str, password: str, caller: Caller, *, terms: Terms | None = None
) -> SignedIn:
    """SignInFailed says neither whether the login exists nor what was wrong; it takes as long either way."""
    terms, name = terms or Terms(), as_login(login)
    async with database.transaction() as tx:
        known = await store.find_password(tx, name) if is_login(name) else None
        device = await _find_device(tx, known, caller)
        taken = await tries.take(tx, name, caller.address, terms.slowing, device=device)
    if isinstance(taken, Refused):
        raise TooManyTries(taken.until)
    checked = await passwords.check_password(password, known.password if known else None)
    async with database.transaction() as tx:
        signed = await _begin(tx, known, checked, caller, terms) if known and checked.is_right else None
        if signed is None:
            await _record_failure(tx, taken, known)
        else:
            await tries.forgive(tx, taken)
    if signed is None:
        raise SignInFailed
    return signed


async def change_password(
    database: Database,
    actor: Actor,
    *,
    current: str | None,
    new: str,
    keep: int | None,
    revoke_tokens: bool = False,
) -> None:
    """One's own. Who has one must know it; `keep` is the session one is in, every other ends, and links with them. The
    tokens one made stay unless one says otherwise; who had no password, because it was reset, has none of them left.
    """
    user_id = require_own_id(actor)
    async with database.transaction() as tx:
        user = await store.find_user(tx, user_id)
        known = await store.find_password(tx, user.login) if user else None
    if user is None or known is None:
        raise SignInFailed
    passwords.check_policy(new, login=user.login)
    if new == current:
        raise WeakPassword("the old one")
    taken = await _check_current(database, actor, user.login, known, current or "")
    hashed = await passwords.hash_password(new)
    async with database.transaction() as tx:
        await _remember(tx, actor, known, hashed, keep=keep, revoke_tokens=revoke_tokens or known.password is None)
        if taken is not None:
            await tries.forgive(tx, taken)


async def prune_once(database: Database, *, slowing: Slowing | None = None) -> int:
    """Forgets what is over: sessions at once, tries after their window, links after one month, tokens after three,
    devices after six.
    """
    async with database.transaction() as tx:
        return (
            await sessions.forget_sessions(tx)
            + await links.forget_links(tx)
            + await tokens.forget_tokens(tx)
            + await tries.forget(tx, slowing or Slowing())
            + await tries.forget_devices(tx)
        )


async def _find_device(tx: Tx, known: Known | None, caller: Caller) -> str | None:
    """What the browser holds, if this person signed in with it before."""
    is_known = known is not None and caller.device and await tries.is_known(tx, known.id, caller.device)
    return caller.device if is_known else None


async def _begin(tx: Tx, known: Known, checked: Checked, caller: Caller, terms: Terms) -> SignedIn | None:
    user = await store.hold_user(tx, known.id)
    # It was checked before we held the user: it may be another by now, or none.
    if user is None or not user.is_active or await store.find_password(tx, user.login) != known:
        return None
    caller.check_demo(is_demo=user.is_demo)
    if checked.renewed:
        await store.update_password(tx, known, checked.renewed)
    await store.note_sign_in(tx, user.id)
    signed = await sessions.begin_session(tx, user, caller, terms.lifetimes)
    await audit.record(
        tx, user.actor(caller.short_address), "sessions.begin", f"session:{signed.session_id}", unit_id=user.unit_id
    )
    return signed


async def _record_failure(tx: Tx, taken: Taken, known: Known | None) -> None:
    """Only from where it is slowed on, so that nobody fills the audit. What was typed for a login is not kept: it may
    have been a password.
    """
    if not taken.is_slowed:
        return
    user = await store.find_user(tx, known.id) if known else None
    guest = Actor("guest", None, Role.VIEWER, label="guest", origin=Caller(taken.address).short_address)
    about, unit_id = (f"user:{user.id}", user.unit_id) if user else ("sign_in", None)
    await audit.record(tx, guest, "sign_in.slowed", about, unit_id=unit_id)


async def _check_current(database: Database, actor: Actor, login: str, known: Known, current: str) -> Taken | None:
    """Slowed like a sign-in: whoever finds a screen unlocked shall not guess here either."""
    if known.password is None:
        return None
    async with database.transaction() as tx:
        taken = await tries.take(tx, login, actor.origin, Slowing())
    if isinstance(taken, Refused):
        raise TooManyTries(taken.until)
    if not (await passwords.check_password(current, known.password)).is_right:
        async with database.transaction() as tx:
            await _record_failure(tx, taken, known)
        raise WrongPassword
    return taken


async def _remember(tx: Tx, actor: Actor, known: Known, hashed: str, *, keep: int | None, revoke_tokens: bool) -> None:
    user = await store.hold_user(tx, known.id)
    if user is None or not user.is_active or not await store.update_password(tx, known, hashed):
        raise WrongPassword
    taken: dict[str, Any] = {"sessions_ended": await sessions.end_sessions(tx, known.id, but=keep)}
    if revoke_tokens:
        taken["tokens_revoked"] = await tokens.revoke_tokens_of(tx, known.id)
    await links.withdraw_links(tx, known.id)
    await audit.record(tx, actor, "users.password", actor.name, unit_id=user.unit_id, after=taken)
