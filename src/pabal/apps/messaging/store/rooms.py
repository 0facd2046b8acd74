"""Rooms: claimed and unclaimed, the bots in them, and what is said there by the minute."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any, NamedTuple

from pabal.apps.messaging.errors import RoomNotFound
from pabal.apps.messaging.model.rooms import Dependant, Namesake, Room, RoomBot, RoomLimits, RoomType
from pabal.apps.messaging.resources.rooms import RoomFilter
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)
_ANY = RoomFilter()


class Sighting(NamedTuple):
    """A bot heard something in a room it calls so."""

    channel_id: str
    bot_id: int
    room_name: str


class Found(NamedTuple):
    room_id: int
    channel_id: str
    name: str


class Minute(NamedTuple):
    minute: datetime
    messages: int


async def get_room(tx: Tx, scope: Scope, room_id: int) -> Room:
    """What nobody has claimed is the house's to see."""
    found = await find_room(tx, room_id)
    if found is None or not scope.holds(found.unit_id):
        raise RoomNotFound(str(room_id))
    return found


async def find_room(tx: Tx, room_id: int) -> Room | None:
    """Whoever asks: for the app's own work."""
    rooms = await _complete(tx, await tx.rows(SQL.find_room, id=room_id))
    return rooms[0] if rooms else None


async def find_by_channel(tx: Tx, scope: Scope, channel_id: str) -> int | None:
    """The id of a room somebody in sight has claimed."""
    found: int | None = await tx.value(SQL.find_by_channel, channel_id=channel_id, units=scope.listed)
    return found


async def hold_room(tx: Tx, room_id: int) -> Room | None:
    """Locked until the commit: for who changes it."""
    rooms = await _complete(tx, await tx.rows(SQL.hold_room, id=room_id))
    return rooms[0] if rooms else None


async def list_rooms(
    tx: Tx, scope: Scope, wanted: RoomFilter = _ANY, *, cursor: str | None = None, limit: int = 50
) -> Page[Room]:
    """Those somebody claimed, by name; or those nobody has."""
    if wanted.unclaimed:
        return await list_unclaimed(tx, scope, cursor=cursor, limit=limit)
    name, last = ("", 0) if cursor is None else paging.read_cursor(cursor, str, int)
    rows = await tx.rows(
        SQL.list_rooms,
        units=scope.listed,
        q=wanted.q or None,
        room_type=None if wanted.type is None else wanted.type.value,
        bot_id=wanted.bot,
        tag=wanted.tag or None,
        after_name=name,
        after_id=last,
        most=paging.one_more(limit),
    )
    page = paging.cut(rows, limit, lambda row: paging.show_cursor(row["name"], row["id"]))
    return Page(await _complete(tx, page.items), page.cursor)


async def list_named(tx: Tx, scope: Scope, name: str, *, most: int) -> list[Room]:
    """Those of exactly this name or channel id; what nobody claimed too, for who sees the whole house."""
    given = {"units": scope.listed, "is_all": scope.holds(None)}
    return await _complete(tx, await tx.rows(SQL.list_named, **given, name=name, most=most))


async def list_unclaimed(tx: Tx, scope: Scope, *, cursor: str | None = None, limit: int = 50) -> Page[Room]:
    """Discovered and nobody's yet, newest first. None for who does not see the whole house."""
    if not scope.holds(None):
        return Page([], None)
    before = paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0]
    rows = await tx.rows(SQL.list_unclaimed, before=before, most=paging.one_more(limit))
    page = paging.cut(rows, limit, lambda row: paging.show_cursor(row["id"]))
    return Page(await _complete(tx, page.items), page.cursor)


async def insert_room(tx: Tx, *, unit_id: int, channel_id: str, name: str, room_type: RoomType, by: str) -> int | None:
    """None when its channel is known already."""
    made: int | None = await tx.value(
        SQL.insert_room,
        unit_id=unit_id,
        channel_id=channel_id,
        name=name,
        room_type=room_type.value,
        by=by,
        now=tx.now,
    )
    return made


async def update_room(tx: Tx, room: Room) -> None:
    await tx.run(
        SQL.update_room,
        id=room.id,
        unit_id=room.unit_id,
        name=room.name,
        room_type=room.room_type.value,
        note=room.note,
        claimed_by=room.claimed_by,
        tags=list(room.tags),
        now=tx.now,
        **asdict(room.limits),
    )


async def list_dependants(
    tx: Tx, scope: Scope, *, room_id: int | None = None, bot_id: int | None = None
) -> list[Dependant]:
    """Schedules that are not over and send there, or by it. Of those out of sight, only that they are."""
    found = await tx.all(Dependant, SQL.list_dependants, room_id=room_id, bot_id=bot_id)
    return [one if scope.holds(one.unit_id) else replace(one, title=None) for one in found]


async def set_turns(tx: Tx, room_id: int, bots: Sequence[int]) -> None:
    """Which of its bots speaks first; those not named have no turn."""
    await tx.run(SQL.set_turns, room_id=room_id, bots=list(bots))


async def hold_bots(tx: Tx, bot_ids: Iterable[int]) -> None:
    """Until the commit nobody else gives a room a name on these bots; what phones report is not kept waiting."""
    await tx.rows(SQL.hold_bots, ids=sorted(set(bot_ids)))


async def list_namesakes(tx: Tx, names: Sequence[tuple[int, str]], *, but: int) -> list[Namesake]:
    """Whoever's they are: the rooms, except `but`, that a bot calls by the name given with it."""
    bot_ids, called = [bot_id for bot_id, _ in names], [name for _, name in names]
    return await tx.all(Namesake, SQL.list_namesakes, bots=bot_ids, names=called, but=but)


async def delete_room_bot(tx: Tx, room_id: int, bot_id: int) -> None:
    await tx.run(SQL.delete_room_bot, room_id=room_id, bot_id=bot_id)


async def note_seen(tx: Tx, sightings: Sequence[Sighting]) -> list[Found]:
    """Rooms and which bots are in them, many at once; answers the rooms nobody knew."""
    names = {seen.channel_id: seen.room_name for seen in sightings}
    rows = await tx.rows(SQL.insert_seen, channels=list(names), names=list(names.values()), now=tx.now)
    await note_bots(tx, sightings)
    return [Found(row["id"], row["channel_id"], row["name"]) for row in rows if row["is_new"]]


async def note_bots(tx: Tx, sightings: Sequence[Sighting]) -> None:
    """Each pair of room and bot once."""
    await tx.run(
        SQL.upsert_room_bots,
        channels=[seen.channel_id for seen in sightings],
        bots=[seen.bot_id for seen in sightings],
        names=[seen.room_name for seen in sightings],
        now=tx.now,
    )


async def count_messages(tx: Tx, counts: Mapping[str, int]) -> set[str]:
    """Adds to this minute's, by channel id; answers the channels there are."""
    rows = await tx.rows(SQL.count_messages, channels=list(counts), counts=list(counts.values()), now=tx.now)
    return {row["channel_id"] for row in rows}


async def list_traffic(tx: Tx, room_id: int, *, since: datetime, until: datetime) -> list[Minute]:
    """Minutes in which something was said."""
    return await tx.all(Minute, SQL.list_traffic, room_id=room_id, since=since, until=until)


_LIMITS = tuple(RoomLimits.__dataclass_fields__)


async def _complete(tx: Tx, rows: Sequence[Row]) -> list[Room]:
    if not rows:
        return []
    rooms = [_room(dict(row)) for row in rows]
    bots: dict[int, list[RoomBot]] = {}
    for row in await tx.rows(SQL.list_room_bots, rooms=[room.id for room in rooms]):
        room_id, *values = row.values()
        bots.setdefault(room_id, []).append(RoomBot(*values))
    return [replace(room, bots=tuple(bots.get(room.id, ()))) for room in rooms]


def _room(values: dict[str, Any]) -> Room:
    limits = RoomLimits(**{name: values.pop(name) for name in _LIMITS})
    values |= {"room_type": RoomType(values["room_type"]), "tags": tuple(values["tags"])}
    return Room(**values, limits=limits)
