"""What is measured about messages, and what calls an administrator."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import SLICE, alert_rules
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.apps.messaging.store import statistics
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import routes, ticks, workers
from pabal.platform import alerts, notifications
from pabal.platform.actor import ENGINE, Role
from pabal.platform.alerts import Alert, Reading, check_rules
from pabal.platform.tenants import visible_to
from tests.apps.messaging.asking import begin_at
from tests.apps.messaging.bulking import fan_out, make_rooms, picked, save
from tests.apps.messaging.history import add_deliveries, add_server, ended, stop_schedule
from tests.support.messaging import World, add_schedule, make_world
from tests.support.people import person
from tests.support.work import crash

NOON = datetime(2035, 6, 4, 3, tzinfo=UTC)
MINUTE, SECOND = timedelta(minutes=1), timedelta(seconds=1)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    made = await make_world(db, tmp_path)
    await begin_at(db, NOON)
    return made


async def read(world: World) -> dict[str, float | Sequence[Reading] | None]:
    async with world.db.transaction() as tx:
        return {measure.name: await measure.read(tx) for measure in alert_rules.MEASURES}


async def watch(world: World) -> list[Alert]:
    """Long enough for every rule: measured each quarter of a minute, then judged."""
    for _ in range(6):
        await alerts.sample_once(world.db, alert_rules.MEASURES)
        await clock.advance(world.db, 15 * SECOND)
    await alerts.evaluate_once(world.db, alert_rules.RULES, alerts.tell_people)
    async with world.db.transaction() as tx:
        return await alerts.list_open(tx, await visible_to(tx, ENGINE))


@pytest.mark.req("A-171")
async def test_administrators_hear_of_a_low_success_rate_and_of_slow_sends(world: World):
    rows = [ended("sent", NOON - n * MINUTE, took_ms=6000) for n in range(1, 9)]
    rows += [ended("failed", NOON - n * MINUTE, took_ms=6000) for n in range(9, 11)]
    await add_deliveries(world.db, await add_schedule(world), rows)

    fired = {alert.rule: alert for alert in await watch(world)}

    assert set(fired) == {"messaging.success_rate", "messaging.processing_ms"}
    assert (fired["messaging.success_rate"].value, fired["messaging.success_rate"].threshold) == (80.0, 90.0)
    assert (fired["messaging.processing_ms"].value, fired["messaging.processing_ms"].threshold) == (6000.0, 5000.0)
    async with world.db.transaction() as tx:
        told = await notifications.list_notifications(tx, person(world.tree.hq))
    assert [notice.name for notice in told] == ["alerts.fired"] * 2


async def test_nine_of_ten_in_five_seconds_each_call_nobody(world: World):
    rows = [ended("sent", NOON - n * MINUTE, took_ms=5000) for n in range(1, 10)]
    await add_deliveries(
        world.db, await add_schedule(world), [*rows, ended("failed", NOON - 10 * MINUTE, took_ms=5000)]
    )

    assert await watch(world) == []


@pytest.mark.req("A-164", "A-170")
@pytest.mark.parametrize(("sent", "failed", "rate"), [(0, 1, 0.0), (17, 2, 100 * 17 / 19), (9, 1, None), (1, 0, None)])
async def test_below_90_percent_administrators_are_told_be_it_of_one_send(
    world: World, sent: int, failed: int, rate: float | None
):
    rows = [ended("sent", NOON - n * MINUTE) for n in range(1, 1 + sent)]
    rows += [ended("failed", NOON - n * MINUTE) for n in range(1 + sent, 1 + sent + failed)]
    await add_deliveries(world.db, await add_schedule(world), rows)

    fired = await watch(world)

    async with world.db.transaction() as tx:
        told = await notifications.list_notifications(tx, person(world.tree.hq, Role.ADMIN))
    assert [(alert.rule, alert.value, alert.threshold) for alert in fired] == (
        [] if rate is None else [("messaging.success_rate", pytest.approx(rate), 90.0)]
    )
    assert [notice.name for notice in told] == ["alerts.fired"] * len(fired)


async def test_without_a_send_there_is_no_rate(world: World):
    await add_schedule(world)

    assert (await read(world))["messaging.success_rate"] is None


async def test_an_alert_of_a_server_that_is_gone_ends(world: World):
    server = await add_server(world.db, port=1490, memory_mb=2000.0, cpu_percent=95.0)
    fired = await watch(world)

    await crash(world.db, server)
    left = await watch(world)

    assert {(alert.rule, alert.about) for alert in fired} == {
        ("messaging.memory_mb", "gw-1:1490"),
        ("messaging.cpu_percent", "gw-1:1490"),
    }
    assert left == []
    assert (await read(world))["messaging.active_bots"] == [], "where there is none, nothing is measured"


async def test_missed_sends_and_stopped_schedules_are_their_units_alerts(world: World):
    quiet = await add_schedule(world, late_policy=LatePolicy.SKIP)
    missed = ended("missed", NOON - MINUTE, reason="bot_offline")
    await add_deliveries(world.db, await add_schedule(world), [missed])
    await add_deliveries(
        world.db, await add_schedule(world), [ended("missed", NOON, detail={"dismissed_by": "user:1"})]
    )
    await add_deliveries(world.db, quiet, [missed])
    await stop_schedule(world.db, quiet)

    fired = await watch(world)

    unit = world.tree.haeundae.id
    assert {(alert.rule, alert.unit_id, alert.about, alert.value) for alert in fired} == {
        ("messaging.missed", unit, "해운대점", 1.0),
        ("messaging.schedules_in_error", unit, "해운대점", 1.0),
        # of the whole house: none of what ended went out
        ("messaging.success_rate", None, "", 0.0),
    }


async def test_an_alert_of_missed_sends_ends_when_there_are_none_any_more(world: World):
    await add_deliveries(world.db, await add_schedule(world), [ended("missed", NOON - MINUTE, reason="bot_offline")])
    fired = await watch(world)
    await clock.advance(world.db, 60 * MINUTE)

    assert {alert.rule for alert in fired} == {"messaging.missed", "messaging.success_rate"}
    assert await watch(world) == []


@pytest.mark.req("A-214")
async def test_a_due_send_whose_bot_is_away_is_counted_with_its_delay_until_the_bot_is_back(world: World):
    await add_schedule(world, at=NOON + MINUTE)
    await clock.advance(world.db, 3 * MINUTE)
    await ticks.tick_once(world.db)
    away = await read(world)
    async with world.db.transaction() as tx:
        await routes.hold_route(tx, world.route, worker=await add_server(world.db))
    back = await read(world)

    assert away["messaging.bots_offline"] == [Reading(1, "busan1", world.tree.haeundae.id)]
    assert away["messaging.unsent"] == 1
    assert away["messaging.unsent_delay"] == pytest.approx(120, abs=30)
    assert back["messaging.bots_offline"] == [Reading(0)]


@pytest.mark.req("A-199", "A-212", "A-216")
async def test_each_server_of_bots_tells_its_bots_memory_and_cpu_and_is_alerted_on_its_own(world: World):
    await add_server(world.db, port=1490, memory_mb=2000.0, cpu_percent=5.0)
    await add_server(world.db, port=1491, memory_mb=100.0, cpu_percent=95.0)

    found = await read(world)
    fired = await watch(world)

    assert found["messaging.active_bots"] == [Reading(2, "gw-1:1490"), Reading(2, "gw-1:1491")]
    assert found["messaging.total_connections"] == [Reading(3, "gw-1:1490"), Reading(3, "gw-1:1491")]
    assert {(alert.rule, alert.about) for alert in fired} == {
        ("messaging.memory_mb", "gw-1:1490"),
        ("messaging.cpu_percent", "gw-1:1491"),
    }


@pytest.mark.req("A-213", "A-215")
async def test_the_last_minute_and_prevented_duplicates_are_measured(world: World):
    await add_deliveries(world.db, await add_schedule(world), [ended("sent", NOON - n * SECOND) for n in range(5, 9)])
    async with world.db.transaction() as tx:
        await statistics.count(tx, "duplicates_prevented", "prepare", 3)

    found = await read(world)

    assert found["messaging.per_minute"] == 4
    assert found["messaging.duplicates_prevented"] == 3


def test_the_app_watches_all_of_it():
    check_rules(SLICE.measures, SLICE.alert_rules)

    assert set(alert_rules.RULES) <= set(SLICE.alert_rules)
    assert {setting.key for setting in alerts.list_rule_settings(alert_rules.RULES)} <= {
        one.key for one in SLICE.settings
    }


async def test_sends_to_many_rooms_that_wait_for_an_absent_bot_are_counted_room_by_room(world: World):
    rooms = await make_rooms(world, 3)
    await save(world, person(world.tree.haeundae), picked(rooms))
    await fan_out(world.db)

    waiting = (await read(world))["messaging.bots_offline"]
    async with world.db.transaction() as tx:
        worker = await workers.insert_worker(tx, host="here", meta={})
        await routes.hold_route(tx, world.route, worker=worker)

    assert waiting == [Reading(3, "busan1", world.tree.haeundae.id)]
    assert (await read(world))["messaging.bots_offline"] == [Reading(0, "", None)]
