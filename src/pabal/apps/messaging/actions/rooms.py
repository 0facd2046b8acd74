"""What people do with rooms: claim what a bot discovered, add one by hand, edit it, let it go."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from pabal.apps.messaging.errors import (
    BadRoom,
    BotNotFound,
    RoomClaimed,
    RoomInUse,
    RoomKnown,
    RoomNameRepeated,
    RoomNameTaken,
    RoomNotFound,
    SchedulesDepend,
)
from pabal.apps.messaging.model.rooms import LONGEST_TAG, MOST_TAGS, NewRoom, Room, RoomChange
from pabal.apps.messaging.store import bots, rooms
from pabal.apps.messaging.store.rooms import Sighting
from pabal.base.database import Tx
from pabal.engine import facts
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, UnitNotFound, visible_to

AREA = "messaging"
_MOST = {"min_gap_seconds": 86_400, "max_text_length": 65_000}


async def claim(tx: Tx, actor: Actor, room_id: int, change: RoomChange) -> Room:
    """Gives a room that is nobody's to a unit. Such rooms are the house's, so its administrators do this."""
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    room = await _hold(tx, scope, room_id)
    if room.unit_id is not None:
        raise RoomClaimed(room.name)
    after = _apply(room, change, await _owner(tx, change.unit_id))
    await _check_unit(tx, scope, after.unit_id)
    await _check_names(tx, scope, _addresses(room), but=room_id, confirm=change.confirm)
    return await _change(tx, actor, room, replace(after, claimed_by=actor.name), "claimed")


async def edit(tx: Tx, actor: Actor, room_id: int, change: RoomChange) -> Room:
    """Name, type and note are its operators' business; the limits and whose it is, its administrators'.

    The name is what people here call it; what a bot calls it, and a text is addressed by, comes from the bot alone.
    """
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    room = await _hold(tx, scope, room_id)
    if room.unit_id is None:
        raise RoomNotFound(str(room_id))
    after = _apply(room, change, change.unit_id or room.unit_id)
    if (after.unit_id, after.limits) != (room.unit_id, room.limits):
        actor.require(Right.MANAGE, AREA)
        await _check_unit(tx, scope, after.unit_id)
    if after.unit_id != room.unit_id:
        await _check_names(tx, scope, _addresses(room), but=room_id, confirm=change.confirm)
        await _check_schedules(tx, scope, room_id, after.unit_id, confirm=change.confirm)
    if change.bot_order is not None:
        await _set_order(tx, room, change.bot_order)
    return await _change(tx, actor, room, after, "edited")


async def add(tx: Tx, actor: Actor, new: NewRoom) -> Room:
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    unit_id = await _owner(tx, new.unit_id)
    await _check_unit(tx, scope, unit_id)
    bot = await bots.get_bot(tx, scope, new.bot_id)
    name, channel_id = _line(new.name, most=200), _line(new.channel_id, most=100)
    async with tx.savepoint():
        made = await rooms.insert_room(
            tx, unit_id=unit_id, channel_id=channel_id, name=name, room_type=new.room_type, by=actor.name
        )
        if made is None:
            raise RoomKnown(channel_id)
        await _check_names(tx, scope, [(bot.id, name)], but=made, confirm=new.confirm)
    await rooms.note_bots(tx, [Sighting(channel_id, bot.id, name)])
    room = await _get(tx, made)
    await _tell(tx, actor, room, "claimed", after={**_shown(room), "channel_id": channel_id, "bot": bot.name})
    return room


async def release(tx: Tx, actor: Actor, room_id: int) -> Room:
    """Nobody's again, as if it had just been discovered."""
    actor.require(Right.MANAGE, AREA)
    room = await _hold(tx, await visible_to(tx, actor), room_id)
    if room.unit_id is None:
        raise RoomNotFound(str(room_id))
    dependants = await rooms.list_dependants(tx, await visible_to(tx, actor), room_id=room_id)
    if dependants:
        raise RoomInUse(", ".join(one.title or "another unit's" for one in dependants))
    return await _change(tx, actor, room, replace(room, unit_id=None, claimed_by=None), "released")


async def remove_bot(tx: Tx, actor: Actor, room_id: int, bot_id: int, *, confirm: bool = False) -> Room:
    """The bot is not in this room any more, and its name is free again. A message it hears there brings it back.

    While a room out of sight has the same name this is not one's own decision: the text would go there.
    """
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    room = await _hold(tx, scope, room_id)
    removed = [each for each in room.bots if each.bot_id == bot_id]
    if not removed:
        raise BotNotFound(str(bot_id))
    names = [(each.bot_id, each.room_name) for each in removed]
    await _check_names(tx, scope, names, but=room_id, confirm=True)
    dependants = await rooms.list_dependants(tx, scope, room_id=room_id, bot_id=bot_id)
    if dependants and not confirm:
        raise SchedulesDepend(dependants)
    await rooms.delete_room_bot(tx, room_id, bot_id)
    after = await _get(tx, room_id)
    shown = {"bot": removed[0].bot_name, "called": removed[0].room_name}
    await _tell(tx, actor, after, "left", before=shown, after={})
    return after


async def _check_schedules(tx: Tx, scope: Scope, room_id: int, unit_id: int | None, *, confirm: bool) -> None:
    """A schedule sends to rooms of its own unit and below: with another owner, some may not any more."""
    above = {unit.id for unit in await tenants.list_path(tx, unit_id or 0)}
    dependants = await rooms.list_dependants(tx, scope, room_id=room_id)
    lost = [one for one in dependants if one.unit_id not in above]
    if lost and not confirm:
        raise SchedulesDepend(lost)


async def _set_order(tx: Tx, room: Room, order: Sequence[int]) -> None:
    known = {each.bot_id for each in room.bots}
    strangers = [bot_id for bot_id in order if bot_id not in known]
    if strangers or len(set(order)) != len(order):
        raise BadRoom(f"order of bots {list(order)}")
    await rooms.set_turns(tx, room.id, order)


def _addresses(room: Room) -> list[tuple[int, str]]:
    return [(each.bot_id, each.room_name) for each in room.bots]


async def _check_names(tx: Tx, scope: Scope, names: Sequence[tuple[int, str]], *, but: int, confirm: bool) -> None:
    """A bot's name for a room out of sight is refused; for one in sight it must be confirmed."""
    await rooms.hold_bots(tx, [bot_id for bot_id, _ in names])
    found = await rooms.list_namesakes(tx, names, but=but)
    if not all(scope.holds(one.unit_id) for one in found):
        raise RoomNameTaken
    if found and not confirm:
        raise RoomNameRepeated(found)


async def _hold(tx: Tx, scope: Scope, room_id: int) -> Room:
    room = await rooms.hold_room(tx, room_id)
    if room is None or not scope.holds(room.unit_id):
        raise RoomNotFound(str(room_id))
    return room


async def _owner(tx: Tx, wanted: int | None) -> int:
    """What nobody owned is the head office's, unless a unit is named."""
    return (await tenants.ensure_hq(tx)).id if wanted is None else wanted


async def _check_unit(tx: Tx, scope: Scope, unit_id: int | None) -> None:
    if unit_id is None or not scope.holds(unit_id):
        raise UnitNotFound(str(unit_id))
    await tenants.get_unit(tx, unit_id)


def _apply(room: Room, change: RoomChange, unit_id: int | None) -> Room:
    limits = replace(room.limits, **change.limits)
    for name, value in asdict(limits).items():
        least = 1 if name == "max_text_length" else 0
        if value is not None and not least <= value <= _MOST.get(name, 100_000):
            raise BadRoom(f"{name} {value}")
    note = room.note if change.note is None else change.note.strip()
    if len(note) > 500 or "\x00" in note:
        raise BadRoom(f"note of {len(note)} characters")
    name = _line(room.name if change.name is None else change.name, most=200)
    room_type = change.room_type or room.room_type
    tags = room.tags if change.tags is None else _tags(change.tags)
    return replace(room, unit_id=unit_id, name=name, room_type=room_type, note=note, limits=limits, tags=tags)


def _tags(given: Sequence[str]) -> tuple[str, ...]:
    tags = tuple(dict.fromkeys(_line(one, most=LONGEST_TAG) for one in given if one.strip()))
    if len(tags) > MOST_TAGS:
        raise BadRoom(f"{len(tags)} tags")
    return tags


def _line(text: str, *, most: int) -> str:
    text = text.strip()
    if not 1 <= len(text) <= most or any(ord(sign) < 32 for sign in text):
        raise BadRoom(text[:most])
    return text


async def _change(tx: Tx, actor: Actor, before: Room, after: Room, verb: str) -> Room:
    await rooms.update_room(tx, after)
    room = await _get(tx, before.id)
    await _tell(
        tx, actor, room, verb, before=_shown(before), after=_shown(after), unit_id=after.unit_id or before.unit_id
    )
    return room


async def _get(tx: Tx, room_id: int) -> Room:
    room = await rooms.find_room(tx, room_id)
    if room is None:
        raise RoomNotFound(str(room_id))
    return room


async def _tell(
    tx: Tx,
    actor: Actor,
    room: Room,
    verb: str,
    *,
    after: dict[str, Any],
    before: dict[str, Any] | None = None,
    unit_id: int | None = None,
) -> None:  # long: what the fact and the audit say together
    about, unit = f"room:{room.id}", unit_id or room.unit_id
    await facts.record(tx, f"messaging.room_{verb}", about, {"name": room.name, "channel_id": room.channel_id}, unit)
    await audit.record(tx, actor, f"messaging.room_{verb}", about, unit_id=unit, before=before, after=after)


def _shown(room: Room) -> dict[str, Any]:
    return {
        "unit_id": room.unit_id,
        "name": room.name,
        "room_type": room.room_type.value,
        "note": room.note,
        "tags": list(room.tags),
        "bot_order": [each.bot_name for each in room.bots if each.turn is not None],
        **asdict(room.limits),
    }
