"""Whom a schedule is for when it goes to many rooms, and who may speak in each of them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from pabal.apps.messaging.model.bulks import MOST_ROOMS, Audience, BulkRoom, RoomGroup, Speaker, Target
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.apps.messaging.store.bots import list_connected
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.tenants import Scope, list_subtrees

SQL = load(__file__)
_SAID = ("group_id", "rooms_csv", "share_bots", "spread_minutes", "window_minutes")
_LIMITS = tuple(RoomLimits.__dataclass_fields__)


async def load_audiences(tx: Tx, schedules: Sequence[int]) -> dict[int, Audience]:
    """Of those that go to many rooms."""
    rows = await tx.rows(SQL.load_audiences, schedules=list(schedules))
    if not rows:
        return {}
    targets: dict[int, list[Target]] = {row["schedule_id"]: [] for row in rows}
    for row in await tx.rows(SQL.load_targets, schedules=list(targets)):
        targets[row["schedule_id"]].append(Target(row["room_id"], row["columns"], row["is_picked"]))
    return {
        row["schedule_id"]: Audience(
            tuple(targets[row["schedule_id"]]),
            **{name: row[name] for name in _SAID},
        )
        for row in rows
    }


async def put_audience(tx: Tx, schedule_id: int, audience: Audience | None) -> None:
    """None: it goes to its one room."""
    if audience is None:
        await tx.run(SQL.delete_audience, schedule_id=schedule_id)
        return
    await tx.run(SQL.put_audience, schedule_id=schedule_id, **{name: getattr(audience, name) for name in _SAID})
    await tx.run(SQL.delete_targets, schedule_id=schedule_id)
    await tx.run(
        SQL.insert_targets,
        schedule_id=schedule_id,
        rooms=[one.room_id for one in audience.targets],
        columns=[dict(one.columns) for one in audience.targets],
        picked=[one.is_picked for one in audience.targets],
    )


async def list_audience_rooms(tx: Tx, audience: Audience, group: RoomGroup | None) -> list[BulkRoom]:
    """As they are now: those named, in their order, then the group's by name; each once, at most one too many."""
    [rooms] = await list_rooms_of_each(tx, [audience], {} if group is None else {group.id: group})
    return rooms


async def list_rooms_of_each(
    tx: Tx, audiences: Sequence[Audience], groups: Mapping[int, RoomGroup]
) -> list[list[BulkRoom]]:
    """Of many audiences with as many statements as of one."""
    held = await list_group_rooms(tx, groups.values())
    named = [{one.room_id: one.columns for one in audience.targets} for audience in audiences]
    ids = [
        [*columns, *(one for one in held.get(audience.group_id or 0, ()) if one not in columns)][: MOST_ROOMS + 1]
        for audience, columns in zip(audiences, named, strict=True)
    ]
    rooms = await _load_rooms(tx, {room_id for each in ids for room_id in each})
    return [
        [replace(rooms[one], columns=columns.get(one, {})) for one in each if one in rooms]
        for each, columns in zip(ids, named, strict=True)
    ]


async def _load_rooms(tx: Tx, ids: Collection[int]) -> dict[int, BulkRoom]:
    speakers = await list_speakers(tx, list(ids))
    return {
        row["id"]: BulkRoom(
            row["id"],
            row["name"],
            row["unit_id"],
            row["unit_name"],
            row["channel_id"],
            row["room_type"],
            {},
            tuple(speakers.get(row["id"], ())),
            RoomLimits(**{name: row[name] for name in _LIMITS}),
        )
        for row in await tx.rows(SQL.list_rooms, ids=list(ids))
    }


async def find_named_rooms(tx: Tx, scope: Scope, names: Sequence[str]) -> dict[str, list[int]]:
    """Rooms in sight by their channel id or their name; a channel id comes before a name like it."""
    given = {"units": scope.listed, "is_all": scope.holds(None)}
    rows = await tx.rows(SQL.find_named_rooms, **given, names=list(dict.fromkeys(names)))
    found: dict[str, list[int]] = {row["asked"]: [row["id"]] for row in rows if row["is_channel"]}
    by_name = {row["asked"] for row in rows} - found.keys()
    return found | {name: [row["id"] for row in rows if row["asked"] == name] for name in by_name}


async def list_group_rooms(
    tx: Tx, groups: Collection[RoomGroup], *, most: int = MOST_ROOMS + 1
) -> dict[int, list[int]]:
    """Of each group, by name."""
    found: dict[int, list[int]] = {one.id: [] for one in groups}
    if not found:
        return found
    below = await list_subtrees(tx, {one.root_id for one in groups})
    units = [(one.id, unit_id) for one in groups for unit_id in below[one.root_id]]
    rows = await tx.rows(
        SQL.list_group_rooms,
        groups=[one.id for one in groups],
        room_types=[one.room_type for one in groups],
        tags=[one.tag for one in groups],
        owners=[group_id for group_id, _ in units],
        units=[unit_id for _, unit_id in units],
        most=most,
    )
    for row in rows:
        found[row["group_id"]].append(row["id"])
    return found


async def list_speakers(tx: Tx, rooms: Sequence[int]) -> dict[int, list[Speaker]]:
    """The bots in each room, and which of them are connected now."""
    rows = await tx.rows(SQL.list_speakers, rooms=list(rooms))
    here = await list_connected(tx, {row["bot_name"] for row in rows})
    found: dict[int, list[Speaker]] = {}
    for row in rows:
        values = {name: row[name] for name in ("bot_id", "bot_name", "turn", "is_excluded")}
        speaker = Speaker(**values, is_connected=row["bot_name"] in here)
        found.setdefault(row["room_id"], []).append(speaker)
    return found
