"""What the list of schedules shows beside each row."""

from datetime import timedelta
from pathlib import Path

from pabal.apps.messaging.store import schedules
from pabal.base.database import Database
from tests.support.messaging import add_bot, add_schedule, make_world
from tests.support.work import begin_life, hold_route


async def test_a_bot_is_online_while_a_server_holds_its_route_and_a_schedule_counts_on_its_day(
    db: Database, tmp_path: Path
) -> None:
    world = await make_world(db, tmp_path)
    away, _ = await add_bot(db, world.tree.nampo, "away")
    schedule_id = await add_schedule(world)

    await hold_route(db, await begin_life(db), world.route)

    async with db.transaction() as tx:
        assert await schedules.show_bot_states(tx, [world.bot_id, away]) == {world.bot_id: "online", away: "offline"}
        assert await schedules.count_today(tx, None, tx.now + timedelta(hours=1)) == 1
        assert await schedules.count_today(tx, None, tx.now) == 0
        assert await schedules.count_today(tx, [world.tree.nampo.id], tx.now + timedelta(hours=1)) == 0
        assert await schedules.list_last(tx, [schedule_id]) == {}
