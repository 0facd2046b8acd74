"""What the descriptions do with units, users and channels, where a verb of the platform is called otherwise."""

from pabal.base.database import Tx
from pabal.platform import auth, notifications, tenants
from pabal.platform.actor import Actor, Right, Role
from pabal.platform.auth import NewUser, User
from pabal.platform.notifications import Channel
from pabal.platform.tenants import Level, Unit, visible_to
from pabal.resources.rows import get_unit


async def add_unit(tx: Tx, actor: Actor, *, parent_id: int, level: str, name: str) -> Unit:
    return await tenants.add_unit(tx, actor, parent_id=parent_id, level=Level(level), name=name)


async def edit_unit(
    tx: Tx, actor: Actor, unit_id: int, *, name: str | None = None, parent_id: int | None = None
) -> Unit:
    actor.require(Right.MANAGE, tenants.AREA)
    unit = await get_unit(tx, await visible_to(tx, actor), unit_id)
    if name is not None:
        unit = await tenants.rename_unit(tx, actor, unit_id, name)
    if parent_id is not None:
        unit = await tenants.move_unit(tx, actor, unit_id, parent_id=parent_id)
    return unit


async def remove_unit(tx: Tx, actor: Actor, unit_id: int) -> Unit:
    """As it was."""
    actor.require(Right.MANAGE, tenants.AREA)
    unit = await get_unit(tx, await visible_to(tx, actor), unit_id)
    await tenants.remove_unit(tx, actor, unit_id)
    return unit


async def add_user(tx: Tx, actor: Actor, *, login: str, name: str, unit_id: int, role: Role) -> User:
    return await auth.add_user(tx, actor, NewUser(login, name, unit_id, role))


async def remove_channel(tx: Tx, actor: Actor, channel_id: int) -> Channel:
    """As it was."""
    actor.require(Right.MANAGE, notifications.AREA)
    channel = await notifications.get_channel(tx, actor, channel_id)
    await notifications.remove_channel(tx, actor, channel_id)
    return channel
