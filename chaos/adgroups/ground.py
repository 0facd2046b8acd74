"""What a run begins with: ad groups approved for one midnight, and others whose hours and days end while it lasts."""

import json
import random
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.adgroups.model.adgroups import moved_to_json
from pabal.apps.adgroups.model.calendars import Moved
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine.recurrence import Weekday
from pabal.platform import tenants
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Level

SQL = load(__file__)
# Time enough to write them all before it.
AHEAD = timedelta(seconds=2)
FAR = timedelta(days=30)


@dataclass(frozen=True)
class Wanted:
    """`seconds`: how long after midnight something is due."""

    seed: int
    ad_groups: int
    seconds: float


@dataclass(frozen=True)
class Laid:
    ids: list[int]
    midnight: datetime


@dataclass(frozen=True)
class _New:
    start_at: datetime
    end_at: datetime
    dayparts: str | None = None
    moved: str = "[]"


async def lay(database: Database, wanted: Wanted) -> Laid:
    """In one commit, while the servers run."""
    chance = random.Random(f"ground {wanted.seed}")
    async with database.transaction() as tx:
        midnight = tx.now.replace(microsecond=0) + AHEAD
        hq = await tenants.ensure_hq(tx)
        unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.BRANCH, name="Survival")
        new = [_draw(chance, number, midnight, wanted.seconds) for number in range(wanted.ad_groups)]
        rows = await tx.rows(
            SQL.insert_ad_groups,
            unit_id=unit.id,
            starts=[one.start_at for one in new],
            ends=[one.end_at for one in new],
            dayparts=[one.dayparts for one in new],
            moved=[one.moved for one in new],
        )
        tx.hint("timers", midnight)
    return Laid([row["id"] for row in rows], midnight)


async def count_left(database: Database, said: list[str]) -> int:
    """What is due or begun, and of these events from outside those that have no end."""
    async with database.transaction() as tx:
        left: int = await tx.value(SQL.count_left, said=said)
    return left


def _draw(chance: random.Random, number: int, midnight: datetime, seconds: float) -> _New:
    """Half of them only start, all at midnight; a quarter ends soon; a quarter leaves its hours and comes back."""
    first, second = sorted(timedelta(seconds=chance.uniform(0, seconds)) for _ in range(2))
    match number % 4:
        case 0 | 1:
            return _New(midnight, midnight + FAR)
        case 2:
            return _New(midnight + first, midnight + max(second, first + timedelta(seconds=0.5)))
        case _:
            return _with_hours(midnight, midnight + first, midnight + second)


def _with_hours(midnight: datetime, leaves: datetime, returns: datetime) -> _New:
    """Boundaries of hours are whole minutes; moved by hand they may be at any moment."""
    start = midnight.replace(minute=0, second=0) - timedelta(hours=2)
    end = start + timedelta(hours=6)
    hours = {day.name.lower(): [[f"{start:%H:%M}", f"{end:%H:%M}"]] for day in Weekday}
    moved = (
        Moved("daily_end", end, leaves, "chaos"),
        Moved("daily_start", start + timedelta(days=1), returns, "chaos"),
    )
    return _New(midnight, midnight + FAR, json.dumps(hours), json.dumps(moved_to_json(moved)))
