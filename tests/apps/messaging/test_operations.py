"""What those who run it rely on: backups with the schedules in them, a pool of its size, steps taken one by one."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal import main
from pabal.apps.messaging.model.deliveries import SEND
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import schedules, ticks
from pabal.platform import backup
from pabal.platform.actor import ENGINE
from pabal.testing import Parts, advance, drain
from tests.support.botline import Desk, fall_due, find_deliveries
from tests.support.database import list_loaded
from tests.support.messaging import SQL, add_schedule, make_world
from tests.support.web import SECRET

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
    """Start, poll, process one, send, the next time, the log, stop: the seed's scheduler, by hand."""
    world = await make_world(db, tmp_path)
    schedule_id = await add_schedule(world)
    async with db.transaction() as tx:
        timetable_id = await tx.value(SQL.find_timetable, id=schedule_id)
        before = await schedules.get(tx, timetable_id)

    nothing_due = await ticks.tick_once(db)
    await fall_due(db)
    desk = await Desk.open(world)
    polled = await desk.claim()
    assert polled is not None
    await desk.perform(polled)

    async with db.transaction() as tx:
        after = await schedules.get(tx, timetable_id)
    assert (nothing_due, polled.kind) == (0, SEND)
    assert before.next_at is not None
    assert after.next_at == before.next_at + DAY
    assert [one.what for one in desk.line.sent] == ["오늘도 좋은 하루 되세요"]
    assert [(one.state, one.scheduled_at) for one in await find_deliveries(db)] == [("sent", before.next_at)]
