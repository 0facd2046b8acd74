"""Rooms by what the outside calls them."""

from pathlib import Path

from pabal.apps.messaging.store import rooms
from pabal.base.database import Database
from pabal.platform.tenants import Scope
from tests.support.messaging import add_room, make_world
from tests.support.plans import list_lookups


async def test_a_claimed_room_is_found_by_its_channel_by_those_who_see_it(db: Database, tmp_path: Path) -> None:
    world = await make_world(db, tmp_path)
    await add_room(db, world.tree.haeundae, "77", f"이름에 {world.channel_id}", bots=[])
    await add_room(db, None, "78", "아무도 맡지 않은 방", bots=[])
    house, own, other = (
        Scope(units, units and units[0]) for units in (None, (world.tree.haeundae.id,), (world.tree.gangnam.id,))
    )

    async with db.transaction() as tx:
        found = [await rooms.find_by_channel(tx, scope, world.channel_id) for scope in (house, own, other)]
        unclaimed = await rooms.find_by_channel(tx, house, "78")
        unknown = await rooms.find_by_channel(tx, house, "1820000")

    assert found == [world.room_id, world.room_id, None]
    assert (unclaimed, unknown) == (None, None)


async def test_a_channel_is_looked_up_by_index(db: Database) -> None:
    async with db.transaction() as tx:
        assert "room_channel_id_key" in await list_lookups(tx, rooms.SQL.find_by_channel)
