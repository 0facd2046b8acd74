"""Who is called: delayed events late, ad servers' Redis away or differing, mismatches nobody decided about."""

from datetime import timedelta

import pytest

from pabal import testing
from pabal.apps.adgroups import SLICE, alert_rules
from pabal.apps.adgroups.legacy import shadow
from pabal.apps.adgroups.legacy.model import Cause
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event, Schedule, Source
from pabal.apps.adgroups.resources.migration import MismatchFilter
from pabal.apps.adgroups.serving import actions
from pabal.apps.adgroups.serving.actions import ABOUT, REFRESH
from pabal.apps.adgroups.settings import LATE_AFTER
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import queue
from pabal.engine.timers import fire_once
from pabal.platform import alerts, notifications
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import Alert, check_rules
from pabal.platform.tenants import Scope, visible_to
from tests.apps.adgroups.actions.world import HOUR, LATER, World
from tests.apps.adgroups.making import add_approved
from tests.apps.adgroups.serving.world import World as ServingWorld
from tests.apps.adgroups.serving.world import make_world as make_serving_world
from tests.apps.adgroups.serving.world import redis_of, snapshot
from tests.support.people import person, plant

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
# nobody listens there
NOBODY_LISTENS = "redis://127.0.0.1:1"
QUARTER = timedelta(seconds=15)
SERVING = "adgroups.serving_"


async def watch(db: Database) -> list[Alert]:
    await alerts.sample_once(db, alert_rules.MEASURES)
    await alerts.evaluate_once(db, alert_rules.RULES, alerts.tell_people)
    async with db.transaction() as tx:
        return await alerts.list_open(tx, await visible_to(tx, ENGINE))


@pytest.mark.req("E-88", "E-101")
async def test_late_events_are_their_units_alert_until_they_have_happened(db: Database) -> None:
    haeundae = (await plant(db)).haeundae
    async with db.transaction() as tx:
        await add_approved(tx, person(haeundae), Schedule(tx.now + DAY, tx.now + 2 * DAY))
    await clock.advance(db, DAY + 2 * SECOND)
    assert await watch(db) == []

    await clock.advance(db, 20 * SECOND)
    [alert] = await watch(db)
    assert (alert.rule, alert.about, alert.unit_id) == ("adgroups.late_events", "해운대점", haeundae.id)
    async with db.transaction() as tx:
        told = await notifications.list_notifications(tx, person(haeundae))
    assert [(one.name, one.unit_id) for one in told] == [("alerts.fired", haeundae.id)]
    assert LATE_AFTER.default == 10 * SECOND

    assert await fire_once(db, [AD_GROUP]) == 1
    await watch(db)
    await clock.advance(db, 20 * SECOND)
    assert await watch(db) == []


def test_the_app_watches_all_of_it() -> None:
    check_rules(SLICE.measures, SLICE.alert_rules)

    assert SLICE.alert_rules == alert_rules.RULES
    assert {"adgroups.late_events", "adgroups.stuck_events"} <= {rule.name for rule in SLICE.alert_rules}


async def read_serving(world: ServingWorld) -> dict[str, float | None]:
    async with world.db.transaction() as tx:
        serving = [one for one in alert_rules.MEASURES if one.name.startswith(SERVING)]
        return {one.name.removeprefix(SERVING): await one.read(tx) for one in serving}


async def list_fired(world: ServingWorld) -> set[str]:
    for _ in range(6):
        await alerts.sample_once(world.db, alert_rules.MEASURES)
        await clock.advance(world.db, timedelta(seconds=15))
    await alerts.evaluate_once(world.db, alert_rules.RULES, alerts.tell_people)
    async with world.db.transaction() as tx:
        return {alert.rule for alert in await alerts.list_open(tx, Scope(None, None))}


@pytest.mark.req("E-71", "E-16")
async def test_while_redis_is_away_somebody_is_called_and_nothing_is_lost(db: Database, redis_url: str):
    world = await make_serving_world(db, redis_url)
    stays, leaves = await world.add("seoul.top"), await world.add("seoul.top")
    await world.drain()
    assert await read_serving(world) == {"differences": None, "remaining": None, "check_age": None, "away": 0}

    await world.send(leaves, Event.PAUSE)
    comes = await world.add("busan.top")
    async with db.transaction() as tx:
        await actions.check_now(tx, ENGINE)
    await testing.drain(world.parts_with(NOBODY_LISTENS))

    async with db.transaction() as tx:
        told = await actions.describe(tx, ENGINE)
        places = [await queue.get_place(tx, each) for each in await queue.find_open(tx, about=ABOUT)]
    [waiting] = [one for one in places if one.kind == REFRESH]
    assert (waiting.place, waiting.failures) == ("delayed", 1)
    assert told.last is not None
    assert told.last.error is not None
    assert told.standing.away_error == told.last.error
    assert "adgroups.serving_away" in await list_fired(world)

    await clock.advance(db, timedelta(seconds=1))
    await world.drain()
    found = await snapshot(redis_url)
    assert (found["running"], found["inventory:seoul.top"]) == ({stays, comes}, {stays})
    assert (await read_serving(world))["away"] == 0


async def test_differences_are_measured_and_what_remains_calls_somebody(db: Database, redis_url: str):
    world = await make_serving_world(db, redis_url)
    await world.add("seoul.top")
    await world.drain()
    async with db.transaction() as tx:
        await actions.check_now(tx, ENGINE)

    async with redis_of(redis_url) as (redis, _):
        await redis.flushall()
        # it refuses whatever needs memory
        await redis.config_set("maxmemory", 1)
        try:
            await world.drain()
        finally:
            await redis.config_set("maxmemory", 0)

    now = await read_serving(world)
    assert (now["differences"], now["remaining"]) == (1, 1)
    assert await list_fired(world) == {"adgroups.serving_remaining", "adgroups.serving_away"}
    await clock.advance(db, timedelta(hours=1))
    assert ((await read_serving(world))["check_age"] or 0) > 3600


async def watch_after(world: World, by: timedelta) -> list[Alert]:
    await clock.advance(world.db, by)
    return await watch(world.db)


@pytest.mark.req("E-83", "E-88")
async def test_differences_are_their_units_alert_until_somebody_decides(world: World):
    await world.make(Event.COMPLETE_SETUP, Event.APPROVE, Event.PAUSE)
    await world.make(Event.COMPLETE_SETUP)
    await world.pass_to(LATER.start_at + HOUR)
    await shadow.compare_all(world.db)

    assert await watch_after(world, timedelta(0)) == []
    for _ in range(9):
        open_ = await watch_after(world, QUARTER)
    async with world.db.transaction() as tx:
        scope = await visible_to(tx, world.admin)
        [found] = (await shadow.list_mismatches(tx, scope, MismatchFilter(cause=Cause.NEVER_APPROVED))).items
    await world.do(shadow.decide, found.id, Source.MACHINE)
    for _ in range(9):
        left = await watch_after(world, QUARTER)

    [alert] = open_
    assert (alert.rule, alert.about, alert.value) == (alert_rules.MISMATCHES.name, "해운대점", 1), (
        "who was paused is no alert"
    )
    assert left == []
    assert set(alert_rules.RULES) <= set(SLICE.alert_rules)
