"""Groups of rooms that are kept."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from pabal.apps.messaging.errors import GroupNotFound
from pabal.apps.messaging.model.bulks import NewGroup, RoomGroup
from pabal.apps.messaging.store.audiences import list_group_rooms
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope

SQL = load(__file__)


async def get_group(tx: Tx, scope: Scope, group_id: int) -> RoomGroup:
    found = await find_group(tx, group_id)
    if found is None or not scope.holds(found.unit_id):
        raise GroupNotFound(str(group_id))
    return (await _count(tx, [found]))[0]


async def find_group(tx: Tx, group_id: int | None) -> RoomGroup | None:
    """Whoever asks: for the app's own work."""
    return None if group_id is None else (await find_groups(tx, [group_id])).get(group_id)


async def find_groups(tx: Tx, group_ids: Collection[int]) -> dict[int, RoomGroup]:
    found = await tx.all(RoomGroup, SQL.load_groups, ids=list(group_ids)) if group_ids else []
    return {one.id: one for one in found}


async def lock_group(tx: Tx, group_id: int) -> None:
    await tx.value(SQL.lock_group, id=group_id)


async def list_groups(
    tx: Tx, scope: Scope, _: Filter | None = None, *, cursor: str | None = None, limit: int = 50
) -> Page[RoomGroup]:
    """By name."""
    name, last = ("", 0) if cursor is None else paging.read_cursor(cursor, str, int)
    most = paging.one_more(limit)
    rows = await tx.rows(SQL.find_groups, units=scope.listed, after_name=name, after_id=last, most=most)
    page = paging.cut(rows, limit, lambda row: paging.show_cursor(row["name"], row["id"]))
    found = await tx.all(RoomGroup, SQL.load_groups, ids=[row["id"] for row in page.items])
    return Page(await _count(tx, found), page.cursor)


async def list_named(tx: Tx, scope: Scope, name: str, *, most: int) -> list[RoomGroup]:
    rows = await tx.rows(SQL.list_named, units=scope.listed, name=name, most=most)
    return await tx.all(RoomGroup, SQL.load_groups, ids=[row["id"] for row in rows]) if rows else []


async def insert_group(tx: Tx, new: NewGroup, *, unit_id: int, created_by: str) -> int:
    given = {"unit_id": unit_id, "created_by": created_by, "now": tx.now}
    rule = {"name": new.name, "within_id": new.within_id, "room_type": new.room_type, "tag": new.tag}
    made: int = await tx.value(SQL.insert_group, **given, **rule)
    return made


async def update_group(tx: Tx, group_id: int, new: NewGroup, *, unit_id: int) -> None:
    rule = {"name": new.name, "within_id": new.within_id, "room_type": new.room_type, "tag": new.tag}
    await tx.run(SQL.update_group, id=group_id, unit_id=unit_id, now=tx.now, **rule)


async def delete_group(tx: Tx, group_id: int) -> None:
    await tx.run(SQL.release_audiences, id=group_id)
    await tx.run(SQL.delete_group, id=group_id)


async def _count(tx: Tx, found: Sequence[RoomGroup]) -> list[RoomGroup]:
    rooms = await list_group_rooms(tx, found)
    return [replace(one, rooms=len(rooms[one.id])) for one in found]
