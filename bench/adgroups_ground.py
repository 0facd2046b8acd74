"""What the figures of ad groups stand on: a branch with campaigns and inventory, ad groups approved for one moment."""

import json
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.pools import Purpose
from pabal.base.sql import load
from pabal.engine import housekeeping
from pabal.engine.recurrence import Weekday
from pabal.platform import tenants
from pabal.platform.actor import ENGINE
from pabal.platform.slice import list_migrations, load_slices
from pabal.platform.tenants import Level

SQL = load(__file__)
APP = "pabal.apps.adgroups"
CAMPAIGNS, INVENTORIES = 100, 20
ZONES = ("Asia/Seoul", "UTC")
# Every fourth has no hours, so no end of the day.
KINDS_OF_HOURS = 16
# Longer than filling takes.
AHEAD = timedelta(hours=1)


async def lay(url: str, count: int) -> None:
    """Ad groups with all their rows, approved for the same whole second, to which `approach` moves the clock."""
    database = await Database.open(url, size=2)
    await migrate(database, list_migrations(load_slices([APP])))
    await housekeeping.make_partitions(database)
    await clock.make_movable(database)
    await _fill(database, count)
    await database.close()


async def approach(database: Database, lead: timedelta = timedelta(0)) -> float:
    """Moves the clock to so long before their moment, and wakes every server; answers the seconds that are left."""
    left = await _read_left(database)
    await clock.advance(database, max(left - lead, timedelta(0)))
    return (await _read_left(database)).total_seconds()


async def _read_left(database: Database) -> timedelta:
    async with database.transaction() as tx:
        midnight: datetime = await tx.value(SQL.read_midnight)
        return midnight - tx.now


async def has_all_started(database: Database) -> bool:
    async with database.transaction() as tx:
        return bool(await tx.value(SQL.find_next_event) != "start")


async def count_written(url: str) -> dict[str, Any]:
    """What a start of all of them leaves; every side must have done the same."""
    database = await Database.open(url, purpose=Purpose.PAGES, size=1)
    async with database.transaction() as tx:
        [row] = await tx.rows(SQL.count_written)
    await database.close()
    return dict(row)


def expect_written(count: int) -> dict[str, int]:
    with_hours = count - count // 4
    return {"moved": count, "history": count, "facts": count, "expire": count, "daily_end": with_hours, "start": 0}


async def _fill(database: Database, count: int) -> None:
    async with database.transaction() as tx:
        start_at = tx.now.replace(microsecond=0) + AHEAD
        hq = await tenants.ensure_hq(tx)
        unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.BRANCH, name="Bench")
        await tx.run(SQL.insert_campaigns, unit_id=unit.id, count=CAMPAIGNS)
        await tx.run(SQL.insert_inventories, unit_id=unit.id, count=INVENTORIES)
        hours = [json.dumps(_hours_around(start_at, number)) for number in range(KINDS_OF_HOURS)]
        await tx.run(SQL.insert_ad_groups, count=count, start_at=start_at, hours=hours, zones=list(ZONES))
        for statement in (SQL.insert_creatives, SQL.insert_links, SQL.insert_history, SQL.insert_timers):
            await tx.run(statement)


def _hours_around(moment: datetime, number: int) -> dict[str, list[list[str]]]:
    """One span every day in which this moment lies, whenever the figure is measured; some go over midnight."""
    # the kinds alternate with the zones, so each kind has one zone
    local = moment.astimezone(ZoneInfo(ZONES[number % len(ZONES)])).replace(minute=0)
    start, end = local - timedelta(hours=2), local + timedelta(hours=4 + number // 2)
    return {day.name.lower(): [[f"{start:%H:%M}", f"{end:%H:%M}"]] for day in Weekday}
