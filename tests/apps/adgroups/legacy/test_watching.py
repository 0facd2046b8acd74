"""Differences nobody decided about call somebody."""

from datetime import timedelta

import pytest

from pabal.apps.adgroups import SLICE
from pabal.apps.adgroups.legacy import mismatches, shadow
from pabal.apps.adgroups.legacy.mismatches import Wanted
from pabal.apps.adgroups.legacy.model import Cause
from pabal.apps.adgroups.legacy.watching import MEASURES, RULE, RULES
from pabal.apps.adgroups.model.adgroups import Event, Source
from pabal.base import clock
from pabal.platform import alerts
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import Alert
from pabal.platform.tenants import visible_to
from tests.apps.adgroups.actions.world import HOUR, LATER, World

QUARTER = timedelta(seconds=15)


async def watch(world: World, by: timedelta) -> list[Alert]:
    await clock.advance(world.db, by)
    await alerts.sample_once(world.db, MEASURES)
    await alerts.evaluate_once(world.db, RULES, alerts.tell_people)
    async with world.db.transaction() as tx:
        return await alerts.list_open(tx, await visible_to(tx, ENGINE))


@pytest.mark.req("E-83", "E-88")
async def test_differences_are_their_units_alert_until_somebody_decides(world: World):
    await world.make(Event.COMPLETE_SETUP, Event.APPROVE, Event.PAUSE)
    await world.make(Event.COMPLETE_SETUP)
    await world.pass_to(LATER.start_at + HOUR)
    await shadow.compare_all(world.db)

    assert await watch(world, timedelta(0)) == []
    for _ in range(9):
        open_ = await watch(world, QUARTER)
    async with world.db.transaction() as tx:
        scope = await visible_to(tx, world.admin)
        [found] = (await mismatches.list_mismatches(tx, scope, Wanted(Cause.NEVER_APPROVED))).items
    await world.do(mismatches.decide, found.id, Source.MACHINE)
    for _ in range(9):
        left = await watch(world, QUARTER)

    [alert] = open_
    assert (alert.rule, alert.about, alert.value) == (RULE.name, "해운대점", 1), "who was paused is no alert"
    assert left == []
    assert set(RULES) <= set(SLICE.alert_rules)
