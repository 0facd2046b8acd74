import asyncio
import re
from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.base.telemetry import metrics_text
from pabal.engine import facts, housekeeping
from pabal.engine.facts import Subscriber
from pabal.engine.housekeeping import Retention
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob, enqueue
from pabal.testing import Parts, drain

SQL = load(__file__)
KEEP = Retention(jobs=timedelta(days=14), facts=timedelta(days=14), occurrences=timedelta(days=14))
kinds = Kinds()


@kinds.plain("tests.nothing")
async def nothing(job: Job) -> None:
    pass


async def partitions(db: Database, parent: str) -> list[str]:
    async with db.transaction() as tx:
        return [row["name"] for row in await tx.rows(housekeeping.SQL.list_partitions, parent=parent)]


async def count(db: Database, table: str) -> int:
    async with db.transaction() as tx:
        statement = {"work": SQL.count_work, "outcome": SQL.count_outcome, "fact": SQL.count_fact}[table]
        return await tx.value(statement)


async def weeks_pass(db: Database, weeks: int) -> None:
    """A week at a time, with housekeeping in between, as it would be."""
    for _ in range(weeks):
        await clock.advance(db, timedelta(weeks=1))
        await housekeeping.run_once(db, KEEP)


@pytest.mark.usefixtures("without_partitions")
async def test_this_week_and_four_ahead_are_made_once(db: Database):
    made = await housekeeping.make_partitions(db)
    again = await housekeeping.make_partitions(db)

    assert (made, again) == (15, 0)
    for parent in ("work", "outcome", "fact"):
        assert len(await partitions(db, parent)) == 5


@pytest.mark.usefixtures("without_partitions")
async def test_a_week_that_already_has_rows_in_the_default_partition_is_left_there(db: Database):
    async with db.transaction() as tx:
        await enqueue(tx, NewJob("tests.nothing"))

    await housekeeping.make_partitions(db)

    assert len(await partitions(db, "work")) == 4
    assert len(await partitions(db, "outcome")) == 5
    assert await count(db, "work") == 1


async def test_ended_jobs_are_dropped_with_their_week_after_the_retention(db: Database):
    await housekeeping.make_partitions(db)
    async with db.transaction() as tx:
        await enqueue(tx, NewJob("tests.nothing"))
    await drain(Parts(db, kinds))

    await weeks_pass(db, 2)
    assert (await count(db, "work"), await count(db, "outcome")) == (1, 1)

    await weeks_pass(db, 2)
    assert (await count(db, "work"), await count(db, "outcome")) == (0, 0)


async def test_a_week_with_an_open_job_is_never_dropped(db: Database):
    await housekeeping.make_partitions(db)
    async with db.transaction() as tx:
        await enqueue(tx, NewJob("tests.unknown_here"))

    await weeks_pass(db, 6)

    assert await count(db, "work") == 1


async def test_facts_are_dropped_only_when_every_subscriber_has_seen_them(db: Database):
    async def take(tx, batch) -> None:
        return None

    subscriber = Subscriber("reader", ("tests.*",), take)
    await housekeeping.make_partitions(db)
    await facts.deliver_once(db, subscriber)
    async with db.transaction() as tx:
        await facts.record(tx, "tests.happened", "thing:1", {})

    await weeks_pass(db, 5)
    assert await count(db, "fact") == 1

    while await facts.deliver_once(db, subscriber):
        pass
    await housekeeping.run_once(db, KEEP)
    assert await count(db, "fact") == 0


@pytest.mark.usefixtures("without_partitions")
async def test_two_servers_do_it_at_once_without_harm(db: Database, database_url: str):
    other = await Database.open(database_url)

    made = await asyncio.gather(housekeeping.make_partitions(db), housekeeping.make_partitions(other))

    await other.close()
    assert sorted(made) == [0, 15]


async def test_the_pressure_on_the_database_is_shown(db: Database):
    async with db.transaction() as tx:
        await enqueue(tx, NewJob("tests.nothing"))

    await housekeeping.measure(db)

    text = metrics_text().decode()
    assert 'pabal_place_depth{place="ready"} 1.0' in text
    assert "pabal_oldest_snapshot_seconds" in text
    # the whole cluster's, and other tests listen on it
    assert re.search(r"^pabal_notification_queue_usage (0\.\d+|\d(\.\d+)?e-\d+)$", text, re.MULTILINE)
