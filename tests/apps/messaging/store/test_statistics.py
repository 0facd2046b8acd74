from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pabal.apps.messaging.actions import reports
from pabal.apps.messaging.actions.reports import EffectReport, Summary, Usage
from pabal.apps.messaging.model.capacity import Hourly
from pabal.apps.messaging.store import statistics
from pabal.apps.messaging.store.statistics import Period
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import ticks
from pabal.platform.tenants import Scope
from tests.apps.messaging.asking import begin_at
from tests.apps.messaging.history import add_deliveries, add_parts, add_traffic, ended, use_template
from tests.support.botline import Desk
from tests.support.messaging import World, add_room, add_schedule, make_world

SEOUL = ZoneInfo("Asia/Seoul")
# a Monday, 12:00 in Seoul
NOON = datetime(2035, 6, 4, 3, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TODAY = Period(NOON - 12 * HOUR, NOON)
HOUSE = Scope(None, None)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    made = await make_world(db, tmp_path)
    await begin_at(db, NOON)
    return made


async def summarise(world: World, scope: Scope = HOUSE, period: Period = TODAY) -> Summary:
    async with world.db.transaction() as tx:
        return await reports.read_summary(tx, scope, period, SEOUL)


async def use(world: World, scope: Scope = HOUSE) -> Usage:
    async with world.db.transaction() as tx:
        return await reports.read_usage(tx, scope, TODAY)


async def effect(world: World) -> EffectReport:
    async with world.db.transaction() as tx:
        return await reports.read_effect(tx, HOUSE, TODAY, SEOUL)


async def test_an_hours_capacity_is_what_the_connected_bots_were_seen_to_do(world: World):
    schedule = await add_schedule(world)
    nobody = (await summarise(world)).capacity
    desk = await Desk.open(world)
    unmeasured = (await summarise(world)).capacity
    rows = [ended("sent", NOON - (number + 1) * MINUTE, took_ms=4000) for number in range(3)]
    for delivery_id in await add_deliveries(world.db, schedule, rows):
        await add_parts(world.db, delivery_id, "written", "written")

    measured = (await summarise(world)).capacity
    elsewhere = (await summarise(world, Scope((world.tree.gangnam.id,), world.tree.gangnam.id))).capacity
    await desk.disconnect()

    assert (nobody, unmeasured) == (Hourly(0.0, 0, 0), Hourly(0.0, 1, 1))
    assert (measured.sends, measured.bots, measured.unmeasured) == (pytest.approx(900.0), 1, 0)
    assert elsewhere == (await summarise(world)).capacity == Hourly(0.0, 0, 0)


@pytest.mark.req("A-163", "A-169")
async def test_the_success_rate_is_what_was_sent_of_all_that_ended(world: World):
    schedule = await add_schedule(world)
    assert (await summarise(world)).totals.rate == 0.0

    states = ["sent"] * 6 + ["partial", "failed", "unknown", "missed", "open"]
    rows = [ended(state, NOON - (number + 1) * MINUTE) for number, state in enumerate(states)]
    rows.append(ended("failed", NOON - HOUR, cause="test"))
    # what somebody paused is no success and no failure
    rows.append(ended("missed", NOON - HOUR - MINUTE, reason="paused"))
    await add_deliveries(world.db, schedule, rows)

    totals = (await summarise(world)).totals
    assert (totals.processed, totals.sent, totals.rate) == (10, 6, 60.0)
    assert totals.by_state == {"sent": 6, "partial": 1, "failed": 1, "unknown": 1, "missed": 1}


@pytest.mark.req("A-165")
async def test_delays_are_exact_and_stand_beside_those_of_the_period_before(world: World):
    schedule = await add_schedule(world)
    now = [ended("sent", NOON - n * MINUTE, late=timedelta(seconds=n)) for n in range(1, 101)]
    yesterday = [ended("sent", NOON - DAY - n * MINUTE, late=timedelta(seconds=2)) for n in range(1, 5)]
    later_yesterday = [ended("sent", NOON - DAY + MINUTE, late=timedelta(seconds=900))]
    await add_deliveries(world.db, schedule, [*now, *yesterday, *later_yesterday])

    found = await summarise(world)

    assert (found.delays.p50_ms, found.delays.p95_ms, found.delays.p99_ms) == (50_000, 95_000, 99_000)
    assert (found.delays.average_ms, found.delays.worst_ms) == (50_500, 100_000)
    # the day before counts until the same hour only
    assert (found.delays_before.deliveries, found.delays_before.p99_ms) == (4, 2_000)
    assert found.before.processed == 4


@pytest.mark.req("A-166", "A-213")
async def test_what_was_processed_is_told_by_the_hour_by_the_minute_and_by_the_weekday(world: World):
    schedule = await add_schedule(world)
    hourly = [ended("sent", NOON - n * HOUR) for n in range(1, 13)]
    at_once = [ended("sent", NOON - 30 * timedelta(seconds=1) + n * timedelta(milliseconds=1)) for n in range(7)]
    await add_deliveries(world.db, schedule, [*hourly, *at_once])

    found = await summarise(world)

    assert found.per_hour == pytest.approx(19 / 12)
    assert found.last_minute == 7
    # Monday in Seoul, from midnight on
    assert found.heat.due[0][:13] == [1] * 11 + [8, 0]
    assert [row.totals.processed for row in found.series] == [1] * 11 + [8]


@pytest.mark.req("A-214")
async def test_what_is_due_and_has_no_end_is_counted_with_its_delay(world: World):
    schedule = await add_schedule(world, at=NOON + MINUTE)
    await clock.advance(world.db, 3 * MINUTE)
    assert await ticks.tick_once(world.db) == 1
    await add_deliveries(world.db, schedule, [ended("open", NOON + 2 * MINUTE, cause="test")])

    unsent = (await summarise(world)).unsent

    assert unsent.deliveries == 2
    assert unsent.oldest_seconds == pytest.approx(120, abs=30)
    assert unsent.average_seconds < unsent.oldest_seconds


@pytest.mark.req("A-215")
async def test_prevented_duplicates_are_the_houses_numbers_only(world: World):
    async with world.db.transaction() as tx:
        await statistics.count(tx, "duplicates_prevented", "prepare", 2)
        await statistics.count(tx, "something else", "", 5)
    period = Period(NOON - HOUR, NOON + HOUR)
    branch = Scope((world.tree.haeundae.id,), world.tree.haeundae.id)

    assert (await summarise(world, period=period)).prevented == 2
    assert (await summarise(world, branch, period)).duplicates is None


async def test_limits_that_put_sends_off_are_counted_by_name(world: World):
    schedule = await add_schedule(world)
    rows = [ended("sent", NOON - n * MINUTE, deferred_by="min_gap_seconds") for n in range(1, 4)]
    await add_deliveries(world.db, schedule, [*rows, ended("missed", NOON - HOUR, deferred_by="messages_per_hour")])

    found = (await summarise(world)).limits

    assert [(one.name, one.deliveries) for one in found] == [("min_gap_seconds", 3), ("messages_per_hour", 1)]


@pytest.mark.req("A-187")
async def test_usage_is_told_by_unit_kind_template_and_hour_and_failures_by_reason(world: World):
    plain = await add_schedule(world)
    other = await add_room(world.db, world.tree.gangnam, "18200009", "강남방", bots=[world.bot_id])
    far = await add_schedule(world, unit_id=world.tree.gangnam.id, room_id=other)
    await use_template(world.db, world.tree.haeundae.id, "아침 틀", plain)
    paused = ended("missed", NOON - 3 * HOUR, reason="paused")
    sent = [ended("sent", NOON - HOUR), ended("sent", NOON - 2 * HOUR, cause="now")]
    await add_deliveries(world.db, plain, [*sent, paused])
    await add_deliveries(
        world.db, far, [ended("failed", NOON - HOUR, reason="bot_gone"), ended("missed", NOON - 2 * HOUR)]
    )

    found = await use(world)

    assert {row.key: row.totals.processed for row in found.units} == {
        world.tree.haeundae.id: 2,
        world.tree.gangnam.id: 2,
    }
    assert {row.key for row in found.kinds} == {("daily", "schedule"), ("daily", "now")}
    named = {found.names.templates.get(row.key or 0): row.totals.sent for row in found.templates}
    assert named == {"아침 틀": 2, None: 0}
    assert dict(found.reasons) == {("failed", "bot_gone"): 1, ("missed", ""): 1}
    assert [row.totals.rate for row in found.rooms if row.key == world.room_id] == [100.0]


async def test_another_branchs_sends_are_not_in_ones_statistics(world: World):
    await add_deliveries(world.db, await add_schedule(world), [ended("failed", NOON - HOUR, reason="bot_gone")])
    gangnam = Scope((world.tree.gangnam.id,), world.tree.gangnam.id)

    assert (await summarise(world, gangnam)).totals.processed == 0
    assert (await use(world, gangnam)).rooms == []


@pytest.mark.req("A-186")
async def test_the_effect_compares_the_hour_after_a_send_with_the_hour_before(world: World):
    schedule = await add_schedule(world)
    send = NOON - 3 * HOUR
    await add_deliveries(world.db, schedule, [ended("sent", send, late=timedelta(0)), ended("sent", NOON - MINUTE)])
    for minutes, messages in ((-61, 100), (-60, 1), (-1, 2), (0, 50), (1, 4), (60, 5), (62, 100)):
        await add_traffic(world.db, world.room_id, send + minutes * MINUTE, messages)

    found = await effect(world)

    # the other send is younger than its hour
    assert (found.whole.sends, found.whole.before, found.whole.after) == (1, 3, 9)
    assert {key: row.change for key, row in found.cells.items()} == {(0, 9): 6}
    assert [(found.names.rooms[row.key], row.change) for row in found.rooms] == [("해운대 손님방", 6)]


@pytest.mark.req("A-168")
async def test_the_seeds_counters_have_the_seeds_names(world: World):
    schedule = await add_schedule(world, at=NOON + MINUTE)
    rows = [ended("sent", NOON - HOUR, took_ms=1000), ended("failed", NOON - 40 * DAY, took_ms=3000)]
    await add_deliveries(world.db, schedule, [*rows, ended("missed", NOON - 2 * HOUR)])
    await clock.advance(world.db, 2 * MINUTE)
    await ticks.tick_once(world.db)

    async with world.db.transaction() as tx:
        found = await reports.seed_metrics(tx, HOUSE)
        polled = await statistics.find_last_poll(tx, HOUSE)

    assert (found["processed_count"], found["success_count"], found["failure_count"]) == (3, 1, 2)
    assert found["avg_processing_time"] == 2000
    assert found["success_rate"] == pytest.approx(100 / 3)
    assert found["last_poll_time"] == polled
    assert polled is not None
    assert polled > NOON + MINUTE
