"""Partitions made ahead and dropped, old rows forgotten, the pressure on the database shown. Safe on every server."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit, gauge
from pabal.engine import reports, withdrawals
from pabal.engine.limits import LONGEST

SQL = load(__file__)
AHEAD = 4
PARENTS = ("work", "outcome", "fact")

declare("housekeeping.made", "Weekly partitions made ahead", labels=("parent",))
declare("housekeeping.dropped", "Weekly partitions dropped", labels=("parent",))
declare("housekeeping.forgot", "Old rows deleted", labels=("what",), amount="count", level=10)
_oldest_snapshot = gauge("oldest_snapshot_seconds", "Age of the oldest snapshot; an old one makes every table bloat")
_notifications = gauge("notification_queue_usage", "How full PostgreSQL's NOTIFY queue is, from 0 to 1")
_dead_rows = gauge("hot_dead_rows", "Dead rows in the tables of open jobs")
_depth = gauge("place_depth", "Jobs per place, counted up to 10,001", labels=("place",))


@dataclass(frozen=True)
class Retention:
    jobs: timedelta = timedelta(days=35)
    facts: timedelta = timedelta(days=35)
    occurrences: timedelta = timedelta(days=400)


async def run_once(database: Database, keep: Retention) -> int:
    """One round; a part that must wait for a lock fails alone and is tried in the next round."""
    await make_partitions(database)
    await drop_partitions(database, keep)
    await forget(database, keep)
    await measure(database)
    return 0


async def make_partitions(database: Database) -> int:
    async with database.transaction() as tx:
        await tx.value(SQL.lock_partitions)
        rows = await tx.rows(SQL.make_partitions, parents=list(PARENTS), ahead=AHEAD)
    for row in rows:
        emit("housekeeping.made", parent=row["parent"], week=row["week"])
    return len(rows)


async def drop_partitions(database: Database, keep: Retention) -> int:
    """Never a week that holds an open job, nor one with a fact somebody has not seen."""
    async with database.transaction() as tx:
        await tx.value(SQL.lock_partitions)
        smallest = await tx.value(SQL.find_smallest_open)
        kept_from = await tx.value(SQL.id_at, moment=tx.now - keep.jobs)
        floor = kept_from if smallest is None else min(kept_from, smallest)
        old = [name for parent in ("work", "outcome") for name in await _older(tx, parent, _week(_moment_of(floor)))]
        old += await _older(tx, "fact", await _facts_week(tx, keep))
        for name in old:
            await tx.rows(SQL.drop_partition, name=name)
    for name in old:
        emit("housekeeping.dropped", parent=name.partition("_")[0], name=name)
    return len(old)


async def forget(database: Database, keep: Retention) -> int:
    async with database.transaction() as tx:
        counts = {
            "starts": await tx.run(SQL.forget_starts, before=tx.now - LONGEST),
            "stale": await tx.run(SQL.forget_stale, before=tx.now - keep.jobs),
            "occurrences": await tx.run(SQL.forget_occurrences, before=tx.now - keep.occurrences),
            "keys": await tx.run(SQL.forget_keys),
            "expiries": await withdrawals.forget_orphans(tx),
            "reports": await reports.forget_orphans(tx),
        }
    for what, count in counts.items():
        emit("housekeeping.forgot", what=what, count=count)
    return sum(counts.values())


async def measure(database: Database) -> None:
    async with database.transaction() as tx:
        [pressure] = await tx.rows(SQL.read_pressure)
        places = await tx.rows(SQL.count_places)
    _oldest_snapshot.set(pressure["oldest_snapshot_seconds"])
    _notifications.set(pressure["notification_queue"])
    _dead_rows.set(pressure["dead_rows"])
    for row in places:
        _depth.labels(place=row["place"]).set(row["depth"])


async def _older(tx: Tx, parent: str, week: str) -> list[str]:
    """Partition names sort like their weeks."""
    names = [row["name"] for row in await tx.rows(SQL.list_partitions, parent=parent)]
    return [name for name in names if name < f"{parent}_{week}"]


async def _facts_week(tx: Tx, keep: Retention) -> str:
    before = tx.now - keep.facts
    return _week(before) if await tx.value(SQL.is_delivered, before=before) else ""


def _moment_of(job_id: int) -> datetime:
    """The other way round of pabal.id_at."""
    return datetime.fromisoformat("2024-01-01T00:00:00+00:00") + timedelta(milliseconds=job_id >> 22)


def _week(moment: datetime) -> str:
    year, week, _ = moment.isocalendar()
    return f"{year}w{week:02}"
