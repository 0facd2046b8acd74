"""Finished months of deliveries go into the file store; old ones that are there go from the table."""

import gzip
import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging.jobs.archive import ABOUT, ARCHIVE, Archiver, ensure_archive
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import Delivery
from pabal.apps.messaging.store.deliveries import list_archives
from pabal.base.database import Database
from pabal.engine import schedules
from pabal.engine.kinds import Job
from pabal.platform.storage import get_file, read
from pabal.platform.tenants import Scope
from tests.support.botline import Desk, fall_due, find_deliveries, make_services, send_now
from tests.support.messaging import SEOUL, SQL, add_schedule, make_world, set_limit

COLUMNS = {
    "id",
    "schedule_id",
    "target_room_id",
    "sent_message_text",
    "sent_images_1",
    "sent_images_2",
    "send_components",
    "status",
    "error_message",
    "api_response",
    "scheduled_at",
    "started_at",
    "completed_at",
    "duration_ms",
    "created_at",
}


@pytest.mark.req("A-177")
async def test_a_finished_month_is_put_away_and_what_is_old_goes_only_afterwards(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk = await Desk.open(world)
    await add_schedule(world, Content(text="아침 🌅"))
    await fall_due(db)
    await desk.run()
    [sent] = await find_deliveries(db)
    archiver = Archiver(make_services(db, world.files))
    recent, old = first_of_month(sent, 62), first_of_month(sent, 5 * 365)
    await move(db, sent, recent)

    await archiver.run(a_job())
    await archiver.run(a_job())

    async with db.transaction() as tx:
        [archive] = await list_archives(tx)
        file = await get_file(tx, Scope(None, None), archive.file_id)
    assert (archive.month, archive.deliveries) == (recent.date(), 1), "a month begins in Seoul, not in Greenwich"
    content = b"".join([chunk async for chunk in (await read(world.files, file)).chunks])
    [row] = [json.loads(line) for line in gzip.decompress(content).splitlines()]
    assert set(row) >= COLUMNS
    assert (row["sent_message_text"], row["status"]) == ("아침 🌅", "success")
    assert file.unit_id == world.tree.hq.id
    assert len(await find_deliveries(db)) == 1, "it is younger than logs are kept"

    await move(db, sent, old)
    await archiver.run(a_job())
    assert await find_deliveries(db) == [], "its month was put away first"
    async with db.transaction() as tx:
        assert [one.month for one in await list_archives(tx)] == [old.date(), recent.date()]


@pytest.mark.req("A-177")
async def test_what_came_after_its_month_was_put_away_is_in_no_file_and_stays(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk = await Desk.open(world)
    archiver = Archiver(make_services(db, world.files))
    schedule_id = await add_schedule(world, Content(text="아침 🌅"))
    await set_limit(db, world.room_id, gap=0)
    await send_now(db, schedule_id)
    await desk.run()
    [first] = await find_deliveries(db)
    old = first_of_month(first, 5 * 365)
    await move(db, first, old)
    await archiver.run(a_job())
    assert await find_deliveries(db) == []

    await send_now(db, schedule_id)
    await desk.run()
    [late] = await find_deliveries(db)
    await move(db, late, old + timedelta(hours=1))
    await archiver.run(a_job())

    assert [one.id for one in await find_deliveries(db)] == [late.id]


@pytest.mark.req("A-177")
async def test_it_runs_every_month_by_itself(db: Database):
    for _ in range(2):
        async with db.transaction() as tx:
            await ensure_archive(tx)

    async with db.transaction() as tx:
        [plan] = await schedules.list_schedules(tx, about=ABOUT, kind=ARCHIVE)
    first = plan.timing.next_after(plan.created_at)
    assert first is not None
    second = plan.timing.next_after(first)
    assert second is not None
    assert timedelta(days=28) <= second - first <= timedelta(days=31)


def first_of_month(delivery: Delivery, days_before: int) -> datetime:
    """Half past midnight in Seoul: the day before, in UTC."""
    day = (delivery.scheduled_at - timedelta(days=days_before)).astimezone(SEOUL)
    return day.replace(day=1, hour=0, minute=30, second=0)


async def move(db: Database, delivery: Delivery, to: datetime) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.move_delivery, id=delivery.id, to=to)


def a_job() -> Job:
    return Job(1, 1, ARCHIVE, {}, ARCHIVE, None, None, None, 0, 0, 0, 5, 3, None, None)
