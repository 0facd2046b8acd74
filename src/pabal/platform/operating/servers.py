"""Draining servers. They belong to the house: only those who see everything see them."""

from collections.abc import Sequence

from pabal.base.database import Tx
from pabal.engine import ids, listing, workers
from pabal.engine.listing import ServerSeen
from pabal.engine.workers import ServerNotFound
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to

AREA = "servers"


async def list_servers(tx: Tx, scope: Scope) -> Sequence[ServerSeen]:
    return await listing.list_servers(tx) if scope.holds(None) else []


async def get_server(tx: Tx, scope: Scope, text: str) -> ServerSeen:
    server_id = ids.read("wrk", text)
    for server in await list_servers(tx, scope):
        if server.id == server_id:
            return server
    raise ServerNotFound(text)


async def drain_server(tx: Tx, actor: Actor, text: str) -> ServerSeen:
    """It takes nothing more, finishes what it has, then lets its routes go."""
    return await _set(tx, actor, text, is_draining=True)


async def undrain_server(tx: Tx, actor: Actor, text: str) -> ServerSeen:
    """It takes work again."""
    return await _set(tx, actor, text, is_draining=False)


async def _set(tx: Tx, actor: Actor, text: str, *, is_draining: bool) -> ServerSeen:
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    before = await get_server(tx, scope, text)
    await workers.set_drain(tx, before.id, is_draining=is_draining)
    after = await get_server(tx, scope, text)
    action = "servers.drain" if is_draining else "servers.undrain"
    await audit.record(tx, actor, action, text, before={"state": before.state}, after={"state": after.state})
    return after
