"""Sessions: who holds this cookie, until when, and how to end it. A session that ended is gone; nothing revives it."""

from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.platform import audit
from pabal.platform.actor import Actor, Role
from pabal.platform.auth.keys import csrf_of, digest, is_same, new_secret
from pabal.platform.auth.model import Caller, Lifetimes, Preferences, SessionNotFound, User, require_own_id
from pabal.platform.auth.tries import remember_device

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Session:
    """What a request needs to know of the person behind it."""

    id: int
    actor: Actor
    user_id: int
    login: str
    preferences: Preferences
    csrf: str
    created_at: datetime
    expires_at: datetime

    def has_csrf(self, given: str) -> bool:
        return is_same(given, self.csrf)


@dataclass(frozen=True, slots=True)
class OpenSession:
    """One's own, as a list shows it."""

    id: int
    created_at: datetime
    seen_at: datetime
    expires_at: datetime
    origin: str
    agent: str


@dataclass(frozen=True, slots=True)
class SignedIn:
    """`key` and `device` go into cookies and are stored nowhere else."""

    key: str
    device: str
    session_id: int
    expires_at: datetime
    user: User


async def find_session(
    where: Tx | Database,
    key: str,
    *,
    origin: str = "",
    with_demo: bool = False,
    lifetimes: Lifetimes | None = None,
) -> Session | None:
    """One statement. Given the Database, it is a transaction of its own: the fewest round trips there are.

    Without `with_demo` a session of the demo's people is none.
    """
    life = lifetimes or Lifetimes()
    rows = await where.rows(
        SQL.find_session, key_hash=digest(key), with_demo=with_demo, idle=life.idle, longest=life.longest
    )
    if not rows:
        return None
    row = rows[0]
    return Session(
        id=row["id"],
        actor=Actor(f"user:{row['user_id']}", row["unit_id"], Role(row["role"]), label=row["name"], origin=origin),
        user_id=row["user_id"],
        login=row["login"],
        preferences=Preferences(row["language"], row["zone"], row["theme"]),
        csrf=csrf_of(key),
        created_at=row["created_at"],
        expires_at=row["expires_at"],
    )


async def begin_session(tx: Tx, user: User, caller: Caller, lifetimes: Lifetimes) -> SignedIn:
    """For a user that is held and active."""
    key = new_secret()
    expires_at = tx.now + min(lifetimes.idle, lifetimes.longest)
    made = await tx.value(
        SQL.insert_session,
        key_hash=digest(key),
        user_id=user.id,
        now=tx.now,
        expires_at=expires_at,
        origin=caller.short_address,
        agent=caller.short_agent,
    )
    return SignedIn(key, await remember_device(tx, user.id, caller.device), made, expires_at, user)


async def list_sessions(tx: Tx, actor: Actor) -> list[OpenSession]:
    """One's own, the one used last first."""
    return await tx.all(OpenSession, SQL.list_sessions, user_id=require_own_id(actor), now=tx.now)


async def revoke_session(tx: Tx, actor: Actor, session_id: int) -> None:
    """One of one's own. Signing out is this for the session one is in."""
    if not await tx.run(SQL.delete_session, id=session_id, user_id=require_own_id(actor)):
        raise SessionNotFound(str(session_id))
    await audit.record(tx, actor, "sessions.revoke", f"session:{session_id}", unit_id=actor.unit_id)


async def revoke_other_sessions(tx: Tx, actor: Actor, *, keep: int) -> int:
    ended = await end_sessions(tx, require_own_id(actor), but=keep)
    await audit.record(
        tx, actor, "sessions.revoke_others", actor.name, unit_id=actor.unit_id, after={"sessions_ended": ended}
    )
    return ended


async def end_sessions(tx: Tx, user_id: int, *, but: int | None = None) -> int:
    return await tx.run(SQL.delete_sessions, user_id=user_id, but=but)


async def forget_sessions(tx: Tx) -> int:
    return await tx.run(SQL.forget_sessions, now=tx.now)
