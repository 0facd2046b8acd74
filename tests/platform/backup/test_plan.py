import asyncio
from datetime import UTC, datetime, time, timedelta

import pytest

from pabal.base.database import Database
from pabal.base.errors import Invalid
from pabal.engine import schedules
from pabal.engine.recurrence import Daily, UnknownZone
from pabal.engine.schedules import Schedule
from pabal.platform import backup, settings
from pabal.platform.actor import ENGINE
from pabal.platform.backup import BadTimeOfDay
from pabal.platform.backup.plan import CHECK_DAY, KEEP_DAYS, TIME, ZONE, is_check_due
from pabal.testing import Parts, drain


async def list_plans(db: Database) -> list[Schedule]:
    async with db.transaction() as tx:
        return await schedules.list_schedules(tx, kind=backup.TAKE)


async def start(db: Database) -> None:
    async with db.transaction() as tx:
        await backup.ensure_schedule(tx)


async def test_servers_that_start_together_make_one_daily_schedule(db: Database) -> None:
    await asyncio.gather(*(start(db) for _ in range(4)))
    await start(db)

    [plan] = await list_plans(db)

    assert plan.recurrence == Daily((time(3, 30),))
    assert plan.zone == "Asia/Seoul"


async def test_a_changed_time_or_zone_moves_the_schedule_without_a_restart(db: Database) -> None:
    await start(db)
    parts = Parts(db, subscribers=[backup.SUBSCRIBER])
    await drain(parts)

    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, TIME, "04:15")
        await settings.change(tx, ENGINE, ZONE, "UTC")
    await drain(parts)

    [plan] = await list_plans(db)
    assert (plan.recurrence, plan.zone) == (Daily((time(4, 15),)), "UTC")
    assert plan.next_at is not None
    assert (plan.next_at.hour, plan.next_at.minute) == (4, 15)


async def test_a_paused_schedule_stays_paused(db: Database) -> None:
    await start(db)
    async with db.transaction() as tx:
        [plan] = await schedules.list_schedules(tx, kind=backup.TAKE)
        await schedules.pause(tx, plan.id, actor="user:1")
        await settings.change(tx, ENGINE, TIME, "04:15")

    await start(db)

    [plan] = await list_plans(db)
    assert plan.is_paused
    assert plan.recurrence == Daily((time(4, 15),))


@pytest.mark.parametrize("text", ["", "3:30", "24:00", "03:60", "0330", "03:30:00", "٠٣:٣٠", "+3:-1"])
def test_a_time_of_day_is_hours_and_minutes(text: str) -> None:
    with pytest.raises(BadTimeOfDay):
        TIME.parse(text)


def test_a_zone_that_does_not_exist_is_refused() -> None:
    with pytest.raises(UnknownZone):
        ZONE.parse("Asia/Atlantis")


def test_backups_are_kept_for_a_day_at_least() -> None:
    with pytest.raises(Invalid):
        KEEP_DAYS.parse("0")


async def test_the_check_follows_the_backup_of_its_day_in_the_zone_of_the_plan(db: Database) -> None:
    sunday_in_seoul = datetime(2026, 7, 18, 18, 30, tzinfo=UTC)

    async with db.transaction() as tx:
        assert await is_check_due(tx, sunday_in_seoul)
        assert not await is_check_due(tx, sunday_in_seoul + timedelta(days=1))
        await settings.change(tx, ENGINE, CHECK_DAY, "never")
        assert not any([await is_check_due(tx, sunday_in_seoul + timedelta(days=day)) for day in range(7)])
