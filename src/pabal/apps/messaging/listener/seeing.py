"""What bots hear: rooms nobody knew, and how much is said by the minute. Gathered here, written every few seconds."""

from collections import OrderedDict

from pabal.apps.messaging.listener.protocol import Chat
from pabal.apps.messaging.store import rooms
from pabal.apps.messaging.store.rooms import Sighting
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts

# A room and a bot that were written so lately are not written again, unless the name has changed.
FRESH_SECONDS = 60.0
REMEMBERED = 20_000
# One step writes no more than this; a phone that makes up rooms cannot make one statement endless.
SLICE = 500
MOST_GATHERED = 10_000
NAME_LENGTH, CHANNEL_LENGTH = 200, 100

declare("rooms.seen", "Rooms discovered from messages", amount="count")
declare("rooms.overrun", "Messages not counted: too many rooms at once", level=30)


class Seeing:
    def __init__(self, database: Database) -> None:
        self._database = database
        # (bot, channel) -> the name it has for it, and when that was written
        self._known: OrderedDict[tuple[int, str], tuple[str, float]] = OrderedDict()
        self._sightings: dict[tuple[int, str], str] = {}
        self._counts: dict[str, int] = {}
        self._logged: OrderedDict[tuple[str, str], int] = OrderedDict()

    def note(self, bot_id: int, chat: Chat) -> None:
        """Costs no look at the database."""
        channel, name = chat.channel_id, chat.room[:NAME_LENGTH].strip()
        if not name or not 1 <= len(channel) <= CHANNEL_LENGTH:
            return
        if len(self._counts) >= MOST_GATHERED and channel not in self._counts:
            emit("rooms.overrun", bot=bot_id)
            return
        known_as, written_at = self._known.get((bot_id, channel), ("", 0.0))
        if known_as != name or elapsed() - written_at > FRESH_SECONDS:
            self._sightings[bot_id, channel] = name
        if self._is_first(bot_id, chat):
            self._counts[channel] = self._counts.get(channel, 0) + 1

    async def write_once(self) -> int:
        """The step of the loop `messaging.seen`; answers whether there was more than one step writes."""
        is_more = len(self._sightings) > SLICE or len(self._counts) > SLICE
        await self._write_sightings()
        await self._write_counts()
        return int(is_more)

    def _is_first(self, bot_id: int, chat: Chat) -> bool:
        """Two bots in a room hear the same message: it was said once."""
        if not chat.log_id:
            return True
        heard_by = self._logged.setdefault((chat.channel_id, chat.log_id), bot_id)
        _forget_oldest(self._logged)
        return heard_by == bot_id

    async def _write_sightings(self) -> None:
        taken = dict(list(self._sightings.items())[:SLICE])
        if not taken:
            return
        seen = [Sighting(channel, bot_id, name) for (bot_id, channel), name in taken.items()]
        async with self._database.transaction() as tx:
            await self._tell(tx, await rooms.note_seen(tx, seen))
        for key, name in taken.items():
            self._known[key] = (name, elapsed())
            self._known.move_to_end(key)
            if self._sightings.get(key) == name:
                del self._sightings[key]
        _forget_oldest(self._known)

    async def _write_counts(self) -> None:
        taken = dict(list(self._counts.items())[:SLICE])
        if not taken:
            return
        async with self._database.transaction() as tx:
            there = await rooms.count_messages(tx, taken)
        for channel, number in taken.items():
            left = self._counts[channel] - number
            if left:
                self._counts[channel] = left
            else:
                del self._counts[channel]
        self._forget_missing(set(taken) - there)

    def _forget_missing(self, channels: set[str]) -> None:
        """Somebody deleted their rooms: the next message discovers them anew."""
        for key in [key for key in self._known if channels and key[1] in channels]:
            del self._known[key]

    async def _tell(self, tx: Tx, found: list[rooms.Found]) -> None:
        for room in found:
            said = {"name": room.name, "channel_id": room.channel_id}
            await facts.record(tx, "messaging.room_seen", f"room:{room.room_id}", said)
        if found:
            emit("rooms.seen", count=len(found))


def _forget_oldest(kept: OrderedDict[tuple[str, str], int] | OrderedDict[tuple[int, str], tuple[str, float]]) -> None:
    while len(kept) > REMEMBERED:
        kept.popitem(last=False)
