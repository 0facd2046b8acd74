"""Actors by name, as they are now: for work that goes on after the request that asked for it."""

from pabal.base.database import Tx
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import store, tokens


async def find_actor(tx: Tx, name: str) -> Actor | None:
    """None: they may not sign in any more. The command line and the engine are administrators of the whole house."""
    kind, _, rest = name.partition(":")
    match kind:
        case "user":
            user = await store.find_user(tx, int(rest))
            return user.actor() if user is not None and user.is_active else None
        case "token":
            return await tokens.find_holder(tx, int(rest))
        case "cli":
            return Actor(name, None, Role.ADMIN, label=rest, origin="cli")
        case "engine":
            return ENGINE
    return None
