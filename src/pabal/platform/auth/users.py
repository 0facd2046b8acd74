"""Managing people: an administrator those in their subtree, everybody their own preferences. Each verb is audited."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from pabal.base.database import Tx
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right, Role
from pabal.platform.auth import links, store
from pabal.platform.auth.links import IssuedLink
from pabal.platform.auth.model import (
    AREA,
    LastAdmin,
    NewUser,
    OwnAccount,
    Preferences,
    User,
    UserNotFound,
    check_display_name,
    check_login,
    check_preferences,
    own_id,
    require_may_give,
    require_own_id,
    shown,
)
from pabal.platform.auth.sessions import end_sessions
from pabal.platform.auth.tokens import revoke_tokens_of
from pabal.platform.auth.tries import forget_devices_of
from pabal.platform.tenants import UnitNotFound


async def add_user(tx: Tx, actor: Actor, new: NewUser) -> User:
    """Without a password: a sign-in link lets them in, and they choose one."""
    actor.require(Right.MANAGE, AREA)
    require_may_give(actor, new.role)
    await _require_unit(tx, actor, new.unit_id)
    check_preferences(new.preferences)
    made = await store.insert_user(tx, replace(new, login=check_login(new.login), name=check_display_name(new.name)))
    await audit.record(tx, actor, "users.add", f"user:{made.id}", unit_id=made.unit_id, after=shown(made))
    return made


async def edit_user(
    tx: Tx,
    actor: Actor,
    user_id: int,
    *,
    name: str | None = None,
    role: Role | None = None,
    unit_id: int | None = None,
    is_active: bool | None = None,
) -> User:
    """None leaves it as it is. Who is deactivated, moved or given another role loses their sessions and the tokens they
    made, in this commit: none of their keys sees what they saw before.
    """
    actor.require(Right.MANAGE, AREA)
    await store.hold_admins(tx)
    before = await _hold(tx, actor, user_id)
    wanted = replace(
        before,
        name=before.name if name is None else check_display_name(name),
        role=before.role if role is None else role,
        unit_id=before.unit_id if unit_id is None else unit_id,
        is_active=before.is_active if is_active is None else is_active,
    )
    await _check_edit(tx, actor, before, wanted)
    after = await store.update_user(tx, wanted)
    taken = await _take_keys(tx, before, after)
    await audit.record(
        tx,
        actor,
        "users.edit" if before.is_active == after.is_active else "users.activate" if is_active else "users.deactivate",
        f"user:{user_id}",
        unit_id=after.unit_id,
        before=shown(before),
        after={**shown(after), **taken},
    )
    return after


async def deactivate_user(tx: Tx, actor: Actor, user_id: int) -> User:
    """Ends their sessions, links and the tokens they made at once; open streams end when they are next looked at."""
    return await edit_user(tx, actor, user_id, is_active=False)


async def set_preferences(tx: Tx, actor: Actor, wanted: Preferences) -> User:
    """One's own."""
    check_preferences(wanted)
    before = await store.hold_user(tx, require_own_id(actor))
    if before is None:
        raise UserNotFound(actor.name)
    after = await store.update_user(tx, replace(before, language=wanted.language, zone=wanted.zone, theme=wanted.theme))
    if after.preferences != before.preferences:
        await audit.record(
            tx,
            actor,
            "users.preferences",
            actor.name,
            unit_id=after.unit_id,
            before=shown(before),
            after=shown(after),
        )
    return after


async def issue_link(tx: Tx, actor: Actor, user_id: int, *, valid_for: timedelta = links.VALID_FOR) -> IssuedLink:
    """For an invitation. The password, if there is one, stays."""
    actor.require(Right.MANAGE, AREA)
    return await links.issue(tx, actor, await _hold(tx, actor, user_id), valid_for)


async def reset_password(tx: Tx, actor: Actor, user_id: int, *, valid_for: timedelta = links.VALID_FOR) -> IssuedLink:
    """Forgotten or stolen: the password is void, every session over and every token they made revoked; the link lets
    them choose a new one.
    """
    actor.require(Right.MANAGE, AREA)
    user = await _hold(tx, actor, user_id)
    await store.clear_password(tx, user.id)
    taken = await _end_keys(tx, user.id)
    await forget_devices_of(tx, user.id)
    await audit.record(tx, actor, "users.reset_password", f"user:{user.id}", unit_id=user.unit_id, after=taken)
    return await links.issue(tx, actor, user, valid_for)


async def _hold(tx: Tx, actor: Actor, user_id: int) -> User:
    user = await store.hold_user(tx, user_id)
    if user is None or not await tenants.may_see(tx, actor, user.unit_id):
        raise UserNotFound(str(user_id))
    # Whoever has the keys of somebody with more rights has those rights.
    require_may_give(actor, user.role)
    return user


async def _check_edit(tx: Tx, actor: Actor, before: User, wanted: User) -> None:
    require_may_give(actor, wanted.role)
    if wanted.unit_id != before.unit_id:
        await _require_unit(tx, actor, wanted.unit_id)
    if own_id(actor) == before.id and _standing(wanted) != _standing(before):
        raise OwnAccount
    hq = await tenants.ensure_hq(tx)
    at_the_top = (hq.id, Role.ADMIN, True)
    leaves = _standing(before) == at_the_top and _standing(wanted) != at_the_top
    if leaves and not await store.has_other_admin(tx, before):
        raise LastAdmin(before.login)


def _standing(user: User) -> tuple[int, Role, bool]:
    return user.unit_id, user.role, user.is_active


async def _take_keys(tx: Tx, before: User, after: User) -> dict[str, Any]:
    """What the audit says of it. A link stays with who is moved: it lets them in as what they are now."""
    if _standing(before) == _standing(after):
        return {}
    if not after.is_active:
        await links.withdraw_links(tx, after.id)
        await forget_devices_of(tx, after.id)
    return await _end_keys(tx, after.id)


async def _end_keys(tx: Tx, user_id: int) -> dict[str, Any]:
    taken = {"sessions_ended": await end_sessions(tx, user_id), "tokens_revoked": await revoke_tokens_of(tx, user_id)}
    return {name: what for name, what in taken.items() if what}


async def _require_unit(tx: Tx, actor: Actor, unit_id: int) -> None:
    if not await tenants.may_see(tx, actor, unit_id):
        raise UnitNotFound(str(unit_id))
    await tenants.get_unit(tx, unit_id)
