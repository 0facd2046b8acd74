"""The table of users."""

import re
from dataclasses import dataclass

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.actor import Role
from pabal.platform.auth.model import LoginTaken, NewUser, User, UserNotFound
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Known:
    """What a sign-in is checked against."""

    id: int
    password: str | None


async def get_user(tx: Tx, scope: Scope, user_id: int) -> User:
    found = await find_user(tx, user_id)
    if found is None or not scope.holds(found.unit_id):
        raise UserNotFound(str(user_id))
    return found


async def find_login(tx: Tx, scope: Scope, login: str) -> User | None:
    """By the whole login; None also for one that is not in sight."""
    number = await tx.value(SQL.find_login, login=login)
    found = None if number is None else await find_user(tx, number)
    return found if found is not None and scope.holds(found.unit_id) else None


async def list_users(
    tx: Tx,
    scope: Scope,
    *,
    after: str = "",
    words: str | None = None,
    role: Role | None = None,
    is_active: bool | None = None,
    limit: int = 50,
) -> list[User]:  # long: three filters, where to go on, and how many
    """By login; `after` is the last login of the page before."""
    return await tx.all(
        User,
        SQL.list_users,
        units=scope.listed,
        words=_as_like(words) if words else None,
        role=role,
        is_active=is_active,
        after=after,
        most=limit,
    )


async def find_user(tx: Tx, user_id: int) -> User | None:
    return await tx.one(User, SQL.find_user, id=user_id)


async def hold_user(tx: Tx, user_id: int) -> User | None:
    """Until the commit nobody else changes this user or their keys."""
    return await tx.one(User, SQL.hold_user, id=user_id)


async def find_password(tx: Tx, login: str) -> Known | None:
    return await tx.one(Known, SQL.find_password, login=login)


async def insert_user(tx: Tx, new: NewUser) -> User:
    made = await tx.value(
        SQL.insert_user,
        unit_id=new.unit_id,
        login=new.login,
        name=new.name,
        role=new.role.value,
        language=new.preferences.language,
        zone=new.preferences.zone,
        theme=new.preferences.theme,
        is_demo=new.is_demo,
        now=tx.now,
    )
    if made is None:
        raise LoginTaken(new.login)
    return await _again(tx, made)


async def update_user(tx: Tx, user: User) -> User:
    await tx.run(
        SQL.update_user,
        id=user.id,
        unit_id=user.unit_id,
        name=user.name,
        role=user.role.value,
        is_active=user.is_active,
        language=user.language,
        zone=user.zone,
        theme=user.theme,
    )
    return await _again(tx, user.id)


async def update_password(tx: Tx, known: Known, password: str) -> bool:
    """False when somebody changed it meanwhile."""
    changed = await tx.run(SQL.update_password, id=known.id, seen=known.password, password=password)
    return changed == 1


async def clear_password(tx: Tx, user_id: int) -> None:
    await tx.run(SQL.clear_password, id=user_id)


async def note_sign_in(tx: Tx, user_id: int) -> None:
    await tx.run(SQL.note_sign_in, id=user_id, now=tx.now)


async def hold_admins(tx: Tx) -> None:
    await tx.run(SQL.hold_admins)


async def has_other_admin(tx: Tx, user: User) -> bool:
    """Somebody else who can sign in and manages the same unit."""
    found = await tx.value(SQL.has_other_admin, unit_id=user.unit_id, but=user.id, with_password=user.has_password)
    return bool(found)


async def find_first_admin(tx: Tx, unit_id: int) -> User | None:
    """One with a password before one without."""
    return await tx.one(User, SQL.find_first_admin, unit_id=unit_id)


async def remove_demo_users(tx: Tx) -> int:
    """With their sessions, links and tokens."""
    return await tx.run(SQL.delete_demo_users)


def _as_like(words: str) -> str:
    return "%" + re.sub(r"([\\%_])", r"\\\1", words.lower()) + "%"


async def _again(tx: Tx, user_id: int) -> User:
    found = await find_user(tx, user_id)
    if found is None:
        raise UserNotFound(str(user_id))
    return found
