"""Bots by what the outside calls them."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging.model.bots import route_of
from pabal.apps.messaging.store import bots
from pabal.base.database import Database
from pabal.engine.queue import NewJob, enqueue_many
from pabal.platform.tenants import Scope
from tests.support.messaging import add_bot, add_room, make_world
from tests.support.plans import list_lookups


async def test_a_bot_is_found_by_its_name_by_those_who_own_it_or_have_it_in_a_room(
    db: Database, tmp_path: Path
) -> None:
    world = await make_world(db, tmp_path)
    await add_bot(db, world.tree.haeundae, f"{world.bot_name}0")
    await add_room(db, world.tree.nampo, "77", "남포 손님방", bots=[world.bot_id])
    house, own, using, other = (
        Scope(units, units and units[0])
        for units in (None, (world.tree.haeundae.id,), (world.tree.nampo.id,), (world.tree.gangnam.id,))
    )

    async with db.transaction() as tx:
        found = [await bots.find_by_name(tx, scope, world.bot_name) for scope in (house, own, using, other)]
        unknown = await bots.find_by_name(tx, house, "busan")

    assert found == [world.bot_id, world.bot_id, world.bot_id, None]
    assert unknown is None


async def test_a_name_is_looked_up_by_index(db: Database) -> None:
    async with db.transaction() as tx:
        assert "bot_name_key" in await list_lookups(tx, bots.SQL.find_by_name)


async def test_what_waits_for_others_leaves_a_bots_own_count_alone(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = await make_world(db, tmp_path)
    monkeypatch.setattr(bots, "MOST_COUNTED", 3)
    async with db.transaction() as tx:
        later = tx.now + timedelta(hours=1)
        await enqueue_many(tx, [NewJob("test.other", run_at=later) for _ in range(5)])
        await enqueue_many(tx, [NewJob("test.other", lane="one") for _ in range(5)])
        await enqueue_many(tx, [NewJob("test.bot", route=route_of(world.bot_name), run_at=later) for _ in range(2)])

    async with db.transaction() as tx:
        bot = await bots.get_bot(tx, Scope(None, None), world.bot_id)

    assert bot.lane == 2
