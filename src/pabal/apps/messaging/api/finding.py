"""Rooms and bots by what the outside calls them: a channel id, a bot's name. Within what the caller sees."""

from pabal.apps.messaging.store import bots, rooms
from pabal.base.database import Tx
from pabal.platform.tenants import Scope

# no room and no bot has it: what is asked with it is refused as not found
NOBODY = 0


async def find_room_id(tx: Tx, scope: Scope, channel_id: str) -> int:
    return await rooms.find_by_channel(tx, scope, channel_id) or NOBODY


async def find_bot_id(tx: Tx, scope: Scope, name: str) -> int:
    return await bots.find_by_name(tx, scope, name) or NOBODY
