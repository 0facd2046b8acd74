"""The engine's measures say what is so, and read a bounded number of rows however many jobs have ended."""

import json
import re
from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.base.sql import Statement, load
from pabal.engine import facts, schedules, workers
from pabal.engine.outcome import Cancel, Done, Retry
from pabal.engine.recurrence import Interval
from pabal.engine.schedules import NewSchedule
from pabal.platform.alerts import ENGINE_MEASURES, measures, sampling, store
from tests.engine.test_plans import nodes
from tests.support.adgroup import Event, add_groups, create_table, say
from tests.support.facts import create_seen, notebook, tell
from tests.support.work import PLAIN, begin_life, crash, enqueue, lapse, rescue, settle, start, undone

SQL = load(__file__)
OPEN_WORK = ("ready", "delayed", "waiting", "timer", "schedule", "alert")
GROWING = ("work", "outcome", "fact", "sample")
MINUTES = timedelta(minutes=1)


async def read(db: Database, name: str) -> float | None:
    [measure] = [one for one in ENGINE_MEASURES if one.name == name]
    async with db.transaction() as tx:
        value = await measure.read(tx)
    assert value is None or isinstance(value, float)
    return value


async def end(db: Database, *, good: int = 0, failed: int = 0, cancelled: int = 0) -> None:
    for outcome, count in ((Done(), good), (Retry("no paper"), failed), (Cancel("not needed"), cancelled)):
        for _ in range(count):
            await settle(db, await start(db, max_failures=1), outcome)


async def test_a_quiet_house_has_nothing_late_and_nothing_lost(db: Database) -> None:
    found = {one.name: await read(db, one.name) for one in ENGINE_MEASURES}

    size, connections, trip = (found.pop(f"database.{name}") for name in ("size", "connections", "round_trip"))
    assert {name: value for name, value in found.items() if value} == {}
    assert min(size or 0, connections or 0, trip or 0) > 0


async def test_jobs_are_counted_where_they_are(db: Database) -> None:
    await start(db)
    await enqueue(db, delay=timedelta(hours=1))
    await enqueue(db, lane="l")
    await enqueue(db, lane="l")

    found = [await read(db, f"work.{place}") for place in ("ready", "delayed", "waiting", "running")]

    assert found == [1.0, 1.0, 1.0, 1.0]


async def test_the_oldest_ready_job_of_all_queues_tells_how_long_work_is_stuck(db: Database) -> None:
    await enqueue(db, "test.other")
    await clock.advance(db, 5 * MINUTES)
    await enqueue(db, PLAIN)

    assert await read(db, "work.oldest_ready") == pytest.approx(300, abs=30)


async def test_the_longest_run_is_that_of_the_oldest_lease(db: Database) -> None:
    await start(db)
    await clock.advance(db, 10 * MINUTES)
    await start(db)

    assert await read(db, "work.longest_run") == pytest.approx(600, abs=30)


async def test_a_delayed_job_that_nobody_promotes_is_late(db: Database) -> None:
    await enqueue(db, delay=timedelta(minutes=1))
    await clock.advance(db, 3 * MINUTES)

    assert await read(db, "work.delay_lag") == pytest.approx(120, abs=30)


async def test_the_success_rate_is_that_of_jobs_not_of_attempts_and_forgets_the_withdrawn(db: Database) -> None:
    await end(db, good=9, failed=3, cancelled=2)
    await settle(db, await start(db, max_failures=5), Retry("once more"))

    assert await read(db, "work.success_rate") == 75.0


async def test_a_rate_of_a_few_is_no_rate(db: Database) -> None:
    await end(db, failed=9)

    assert await read(db, "work.success_rate") is None


async def test_what_ended_more_than_ten_minutes_ago_does_not_count(db: Database) -> None:
    await end(db, failed=10)
    await clock.advance(db, 5 * MINUTES)
    await end(db, good=10)
    halves = await read(db, "work.success_rate")
    await clock.advance(db, 6 * MINUTES)

    assert halves == 50.0
    assert await read(db, "work.success_rate") == 100.0


async def test_the_processing_time_is_nearly_that_of_the_slowest(db: Database) -> None:
    job = await start(db)
    await clock.advance(db, 2 * MINUTES)
    await settle(db, job, Done())

    assert await read(db, "work.processing_time") == pytest.approx(120, abs=30)


async def test_a_schedule_that_nobody_ticks_is_late(db: Database) -> None:
    async with db.transaction() as tx:
        new = NewSchedule(name="every minute", kind=PLAIN, recurrence=Interval(MINUTES, tx.now), zone="UTC")
        await schedules.put(tx, new)
    await clock.advance(db, 10 * MINUTES)

    assert (await read(db, "schedules.lag") or 0) > 500


async def test_a_timer_that_nobody_fires_is_late(db: Database) -> None:
    await create_table(db)
    [group] = await add_groups(db, starts_in=MINUTES)
    async with db.transaction() as tx:
        await tx.run(SQL.complete_groups)
    await say(db, group, Event.COMPLETE_SETUP, Event.APPROVE)
    await clock.advance(db, 3 * MINUTES)

    assert await read(db, "timers.lag") == pytest.approx(120, abs=30)


async def test_facts_wait_for_their_subscriber_until_it_takes_them(db: Database) -> None:
    await create_seen(db)
    reader = notebook()
    await facts.deliver_once(db, reader)
    await tell(db, 1, 2, 3)
    await clock.advance(db, 2 * MINUTES)

    late = await read(db, "facts.lag")
    await facts.deliver_once(db, reader)

    assert late == pytest.approx(120, abs=30)
    assert await read(db, "facts.lag") == 0.0


async def test_a_fact_put_aside_is_counted(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.run(facts.SQL.insert_aside, name="somebody", seq=1, error="no")

    assert await read(db, "facts.aside") == 1.0


async def test_a_server_that_dies_without_a_goodbye_is_lost_also_when_it_did_nothing(db: Database) -> None:
    await begin_life(db, host="here")
    dead = await begin_life(db, host="there")

    await crash(db, dead)

    assert [await read(db, f"servers.{name}") for name in ("alive", "lost")] == [1.0, 1.0]


async def test_a_server_that_says_goodbye_is_not_lost(db: Database) -> None:
    worker = await begin_life(db)

    async with db.transaction() as tx:
        await workers.leave(tx, worker)

    assert await read(db, "servers.lost") == 0.0


async def test_a_server_that_begins_again_on_its_host_is_lost_no_more(db: Database) -> None:
    await crash(db, await begin_life(db, host="there"))
    await begin_life(db, host="elsewhere")
    lost = await read(db, "servers.lost")

    await begin_life(db, host="there")

    assert (lost, await read(db, "servers.lost")) == (1.0, 0.0)


async def test_a_server_beside_it_on_its_host_is_not_its_return(db: Database) -> None:
    dead = await begin_life(db, host="there")
    await begin_life(db, host="there")

    await crash(db, dead)

    assert await read(db, "servers.lost") == 1.0


async def test_a_lost_server_is_forgotten_after_an_hour(db: Database) -> None:
    await crash(db, await begin_life(db))
    await clock.advance(db, 61 * MINUTES)

    assert await read(db, "servers.lost") == 0.0


async def test_each_lost_server_leaves_a_fact_with_its_host(db: Database) -> None:
    first, second = await begin_life(db, host="a"), await begin_life(db, host="b")
    await lapse(db, first)
    await lapse(db, second)

    await rescue(db)

    async with db.transaction() as tx:
        found = [(row["subject"], row["host"]) for row in await tx.rows(SQL.list_lost)]
    assert sorted(found) == [(f"server:{first}", "a"), (f"server:{second}", "b")]


async def explain(tx: Tx, statement: Statement) -> list[dict[str, object]]:
    """The nodes of its generic plan, as engine connections use it."""
    nulls = ", ".join("null" for _ in statement.parameters)
    await tx.script(f"prepare hot as {statement.text}")
    answer = await tx.value(
        Statement("explain", f"explain (format json) execute hot{f'({nulls})' if nulls else ''}", ())
    )
    await tx.script("deallocate hot")
    return list(nodes(json.loads(answer)[0]["Plan"]))


HOT = [
    measures.SQL.read_oldest_ready,
    measures.SQL.read_delay_lag,
    measures.SQL.read_ended,
    measures.SQL.read_processing_time,
    measures.SQL.read_schedule_lag,
    measures.SQL.read_timer_lag,
    measures.SQL.read_fact_lag,
    measures.SQL.count_lost_servers,
    sampling.SQL.read_series,
    store.SQL.list_stretches,
    store.SQL.find_untold,
    store.SQL.find_open_of,
    store.SQL.list_last,
]


@pytest.mark.parametrize("is_filled", [False, True], ids=["empty", "filled"])
async def test_no_statement_that_runs_every_few_seconds_reads_a_large_table_whole(
    db: Database, is_filled: bool
) -> None:
    async with undone(db) as tx:
        if is_filled:
            await tx.script(SQL.fill.text)
        found = {statement.name: whole(await explain(tx, statement)) for statement in HOT}

    assert {name: tables for name, tables in found.items() if tables} == {}


async def test_the_check_sees_a_statement_that_does(db: Database) -> None:
    async with db.transaction() as tx:
        assert whole(await explain(tx, SQL.read_all_ends)) != []


def whole(plan: list[dict[str, object]]) -> list[str]:
    """Large tables read from end to end: by a sequential scan, or what grows for ever along an index unbounded."""
    return [table_of(node) for node in plan if is_whole(node)]


def is_whole(node: dict[str, object]) -> bool:
    kind = str(node["Node Type"])
    if kind.endswith("Seq Scan"):
        return table_of(node) in (*OPEN_WORK, *GROWING)
    return table_of(node) in GROWING and kind.startswith("Index") and "Index Cond" not in node


def table_of(node: dict[str, object]) -> str:
    """Without the name of its week."""
    return re.sub(r"_(default|\d{4}w\d\d)$", "", str(node.get("Relation Name", "")))
