"""What those who run it rely on: backups with the schedules in them, a pool of its size, steps taken one by one."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pabal import main
from pabal.apps.messaging.model.deliveries import SEND
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.base.sql import load
from pabal.engine import claims, ticks
from pabal.engine.outcome import DONE
from pabal.main import App
from pabal.platform import backup
from pabal.platform.actor import ENGINE
from pabal.testing import Parts, advance, drain
from tests.support.botline import Desk, find_deliveries, send_now
from tests.support.database import list_loaded
from tests.support.messaging import SQL, World, add_schedule, make_world
from tests.support.servers import until
from tests.support.web import SECRET

OWN = load(__file__)
DAY = timedelta(days=1)


@pytest.mark.req("A-176")
async def test_the_daily_backup_holds_the_schedules_and_can_be_brought_back(db: Database, tmp_path: Path) -> None:
    world = await make_world(db, tmp_path)
    await add_schedule(world)
    parts = Parts(db, backup.make_kinds(db, tmp_path / "backups", list_loaded()), subscribers=[backup.SUBSCRIBER])
    async with db.transaction() as tx:
        await backup.ensure_schedule(tx)

    await advance(parts, DAY)
    async with db.transaction() as tx:
        [taken] = await backup.list_backups(tx, ENGINE)
        await backup.check_now(tx, ENGINE, taken.id)
    await drain(parts)

    async with db.transaction() as tx:
        checked = await backup.get_backup(tx, taken.id)
    assert taken.counts is not None
    assert (taken.ending, taken.counts["message_schedule"], taken.counts["room"]) == ("done", 1, 2)
    assert checked.check_result == "good"


@pytest.mark.req("A-137")
async def test_a_server_keeps_five_to_twenty_connections(db: Database, tmp_path: Path) -> None:
    app = await main.build(Settings(database_url=db.url, data_dir=tmp_path, secret_key=SECRET), frozenset({"worker"}))

    sizes = app.database.sizes

    await app.stop()
    assert sizes == (5, 20)


@pytest.mark.req("A-132")
async def test_each_step_of_the_scheduler_can_be_taken_by_itself(db: Database, tmp_path: Path) -> None:
    """Poll, process one, send, the next time, the log: the seed's scheduler, by hand."""
    world = await make_world(db, tmp_path)
    schedule_id = await add_schedule(world)
    desk = await Desk.open(world)
    before = await read_next(world, schedule_id)

    nothing_due = [await ticks.tick_once(db), await desk.claim()]
    await clock.advance(db, timedelta(minutes=1))
    polled = [await ticks.tick_once(db), await ticks.tick_once(db)]
    job = await desk.claim()
    assert job is not None
    async with claims.fenced(db, job) as tx:
        [ready] = await desk.kinds[SEND].handler.prepare_all(tx, [job])
    begun = await find_deliveries(db)
    sent = [list(desk.line.sent), await desk.kinds[SEND].handler.perform(job, ready), list(desk.line.sent)]
    async with claims.fenced(db, job) as tx:
        logged = await desk.kinds[SEND].handler.record_all(tx, [(ready, sent[1])])

    assert (nothing_due, polled) == ([0, None], [1, 0])
    assert (job.kind, job.args["message_schedule"]) == (SEND, schedule_id)
    assert await read_next(world, schedule_id) == before + DAY
    assert [(one.state, one.scheduled_at, one.attempts) for one in begun] == [("open", before, 1)]
    assert (sent[0], [one.what for one in sent[2]]) == ([], ["오늘도 좋은 하루 되세요"])
    assert logged == [DONE]
    assert [(one.state, one.scheduled_at) for one in await find_deliveries(db)] == [("sent", before)]


@pytest.mark.req("A-132")
async def test_the_scheduler_works_from_its_start_to_its_stop(db: Database, tmp_path: Path) -> None:
    world = await make_world(db, tmp_path)
    schedule_id = await add_schedule(world)
    first = await read_next(world, schedule_id)
    app = await build_scheduler(db, tmp_path)

    before = list_loops("schedules")
    await app.start()
    await clock.advance(db, timedelta(minutes=1))
    await until(lambda: has_moved_on(world, schedule_id, first))
    during = list_loops("schedules")
    await app.stop()
    await clock.advance(db, DAY)

    assert (len(before), len(during), list_loops("schedules")) == (0, 1, [])
    assert await read_next(world, schedule_id) == first + DAY, "nobody looked any more"


@pytest.mark.req("A-190")
async def test_a_scheduler_that_has_died_is_started_again_and_does_what_fell_due(db: Database, tmp_path: Path) -> None:
    world = await make_world(db, tmp_path)
    schedule_id = await add_schedule(world)
    first = await read_next(world, schedule_id)
    app = await build_scheduler(db, tmp_path)
    await app.start()

    [loop] = list_loops("schedules")
    loop.cancel()
    await until(loop.done)
    await clock.advance(db, timedelta(minutes=1))
    await until(lambda: has_moved_on(world, schedule_id, first))
    states = {one.name: one for one in app.server.loop_states()}
    await app.stop()

    assert (states["schedules"].restarts, states["schedules"].is_healthy) == (1, True)
    assert states["timers"].restarts == 0


async def build_scheduler(db: Database, folder: Path) -> App:
    asked = Settings(database_url=db.url, data_dir=folder, secret_key=SECRET, apps="pabal.apps.messaging")
    return await main.build(asked, frozenset({"scheduler"}))


def list_loops(name: str) -> list[asyncio.Task[object]]:
    return [task for task in asyncio.all_tasks() if task.get_name() == f"loop:{name}" and not task.done()]


async def read_next(world: World, schedule_id: int) -> datetime:
    async with world.db.transaction() as tx:
        found: datetime = await tx.value(SQL.find_next, id=schedule_id)
        return found


async def has_moved_on(world: World, schedule_id: int, since: datetime) -> bool:
    return await read_next(world, schedule_id) > since


@pytest.mark.req("A-131", "A-219")
async def test_a_bot_goes_from_server_to_server_without_a_table_of_bots_and_servers_and_without_a_lock(
    db: Database, tmp_path: Path
) -> None:
    """Where a phone is connected is in its own row, and who sends for it in the engine's one row of routes."""
    world = await make_world(db, tmp_path)
    schedule_id = await add_schedule(world)
    locks: list[int] = []

    async def look(_number: int) -> None:
        async with db.transaction() as tx:
            locks.append(await tx.value(OWN.count_locks))

    sent = []
    for _ in range(2):
        desk = await Desk.open(world)
        desk.line.before = look
        await send_now(db, schedule_id)
        await clock.advance(db, timedelta(minutes=1))
        await desk.run()
        sent.append(len(desk.line.sent))
        await desk.disconnect()

    async with db.transaction() as tx:
        tables = {row["name"] for row in await tx.rows(OWN.list_mappings)}
    assert sent == [1, 1]
    assert locks == [0, 0]
    assert tables == {"bot_device", "route"}
