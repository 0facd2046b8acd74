"""The budget of a room: what is used, what binds, and when the next send may begin."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from pabal.apps.messaging.actions.checking import read_budget
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.rooms import Budget
from pabal.apps.messaging.store.rooms import find_room
from pabal.base.database import Database
from tests.support.botline import Desk, send_now
from tests.support.messaging import World, add_schedule, make_world, set_limit


async def look(world: World, components: int) -> Budget:
    async with world.db.transaction() as tx:
        room = await find_room(tx, world.room_id)
        assert room is not None
        return await read_budget(tx, room, components=components)


async def test_it_counts_what_went_out_and_says_which_limit_lets_go_last(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk = await Desk.open(world)
    content = Content(text="안녕", images_1=(world.picture,), images_2=(world.picture,), send_interval_seconds=0)
    before = await look(world, 3)
    await send_now(db, await add_schedule(world, content))
    await desk.run()

    small, large = await look(world, 1), await look(world, 3)
    await set_limit(db, world.room_id, gap=0, per_minute=0)
    free = await look(world, 3)

    assert (before.binds, before.next_allowed_at) == (None, None)
    assert [(row.name, row.used, row.most) for row in large.rows] == [
        ("min_gap_seconds", 1, 1),
        ("dispatches_per_day", 1, 50),
        ("messages_per_minute", 3, 5),
        ("messages_per_hour", 3, 50),
        ("messages_per_day", 3, 200),
    ]
    assert (small.binds, large.binds) == ("min_gap_seconds", "messages_per_minute")
    assert small.next_allowed_at is not None
    assert large.next_allowed_at is not None
    assert large.next_allowed_at - small.next_allowed_at == timedelta(seconds=30)
    assert (free.binds, [row.name for row in free.rows]) == (
        None,
        ["dispatches_per_day", "messages_per_hour", "messages_per_day"],
    )


async def test_a_message_that_never_fits_still_has_a_budget(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await set_limit(db, world.room_id, per_minute=2)

    assert replace(await look(world, 3), rows=()) == Budget((), None, None)
