"""Rooms and bots by what the outside calls them: a channel id, a bot's name. Within what the caller sees."""

from pabal.apps.messaging.store import bots, rooms
from pabal.base.database import Tx
from pabal.platform.tenants import Scope

# no room and no bot has it: what is asked with it is refused as not found
NOBODY = 0


async def find_room_id(tx: Tx, scope: Scope, channel_id: str) -> int:
    """Looks through those whose name holds the same digits, too."""
    wanted, cursor = rooms.Wanted(scope.listed, q=channel_id), None
    while True:
        page = await rooms.list_rooms(tx, wanted, cursor=cursor, limit=200)
        found = next((room.id for room in page.items if room.channel_id == channel_id), None)
        if found is not None or page.cursor is None:
            return found or NOBODY
        cursor = page.cursor


async def find_bot_id(tx: Tx, scope: Scope, name: str) -> int:
    wanted, cursor = bots.Wanted(scope.listed, q=name), None
    while True:
        page = await bots.list_bots(tx, wanted, cursor=cursor, limit=200)
        found = next((bot.id for bot in page.items if bot.name == name), None)
        if found is not None or page.cursor is None:
            return found or NOBODY
        cursor = page.cursor
