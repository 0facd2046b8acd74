"""Who is called when delayed events are late, or fail again and again."""

from datetime import timedelta

import pytest

from pabal.apps.adgroups import SLICE, watching
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Schedule
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine.timers import fire_once
from pabal.platform import alerts
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import Alert, check_rules
from pabal.platform.tenants import visible_to
from tests.apps.adgroups.making import add_approved
from tests.support.people import person, plant

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


async def watch(db: Database) -> list[Alert]:
    await alerts.sample_once(db, watching.MEASURES)
    await alerts.evaluate_once(db, watching.RULES, alerts.tell_people)
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

    assert await fire_once(db, [AD_GROUP]) == 1
    await watch(db)
    await clock.advance(db, 20 * SECOND)
    assert await watch(db) == []


def test_the_app_watches_all_of_it() -> None:
    check_rules(SLICE.measures, SLICE.alert_rules)

    assert SLICE.alert_rules == watching.RULES
    assert {"adgroups.late_events", "adgroups.stuck_events"} <= {rule.name for rule in SLICE.alert_rules}
