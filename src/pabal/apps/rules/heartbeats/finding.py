"""Finds heartbeats as the descriptions ask for them: lists by their filters, one by its number or its name."""

from pabal.apps.rules.heartbeats import store
from pabal.apps.rules.heartbeats.errors import HeartbeatNotFound
from pabal.apps.rules.heartbeats.model import Heartbeat
from pabal.apps.rules.heartbeats.resources import HeartbeatFilter
from pabal.base.database import Tx
from pabal.base.settings import parse_duration
from pabal.engine.listing import Page
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope


async def list_heartbeats(
    tx: Tx, scope: Scope, wanted: HeartbeatFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Heartbeat]:
    return await store.list_heartbeats(tx, scope, states=wanted.state, q=wanted.q, cursor=cursor, limit=limit)


async def find_heartbeat(tx: Tx, scope: Scope, text: str) -> Heartbeat:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return await store.get_heartbeat(tx, scope, int(text))
    found = await store.find_named(tx, scope, text.strip())
    if not found:
        raise HeartbeatNotFound(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(map(str, found)))
    return await store.get_heartbeat(tx, scope, found[0])


async def read_seconds(tx: Tx, scope: Scope, text: str) -> int:
    """A span as people write it: 10m, 24h."""
    return int(parse_duration(text).total_seconds())
