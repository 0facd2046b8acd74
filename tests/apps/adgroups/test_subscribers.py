"""People are told of the events a setting names."""

from datetime import timedelta

import pytest

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event, Schedule
from pabal.apps.adgroups.settings import TOLD
from pabal.apps.adgroups.settings.life import BadEvents
from pabal.apps.adgroups.subscribers import EACH, TELLING
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine.facts import deliver_once
from pabal.engine.timers import fire_once
from pabal.platform import notifications, settings
from pabal.platform.actor import Actor
from tests.apps.adgroups.making import add_approved, add_complete
from tests.support.people import person, plant

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
async def _listening(db: Database) -> None:
    """A subscriber hears what happens from its first pass on."""
    await deliver_once(db, TELLING)


async def told(db: Database, actor: Actor) -> list[str]:
    while await deliver_once(db, TELLING):
        pass
    async with db.transaction() as tx:
        return [one.title[0] for one in await notifications.list_notifications(tx, actor)]


@pytest.mark.req("E-74", "E-78", "E-79")
async def test_start_expire_reject_and_pause_are_told_and_nothing_else(db: Database) -> None:
    actor = person((await plant(db)).haeundae)
    async with db.transaction() as tx:
        rejected = await add_complete(tx, actor, Schedule(tx.now + DAY, tx.now + 2 * DAY))
        await events.send(tx, actor, rejected, Event.COMPLETE_SETUP)
        await events.send(tx, actor, rejected, Event.REJECT, reason="wrong picture")
        running = await add_approved(tx, actor, Schedule(tx.now, tx.now + DAY))
    await fire_once(db, [AD_GROUP])
    async with db.transaction() as tx:
        await events.send(tx, actor, running, Event.PAUSE)
        await events.send(tx, actor, running, Event.RESUME)
    await clock.advance(db, DAY)
    await fire_once(db, [AD_GROUP])

    titles = await told(db, actor)

    assert len(titles) == 4
    assert {title.partition(": ")[0] for title in titles} == {"Shoes"}


@pytest.mark.req("E-104")
async def test_many_that_start_at_once_are_told_together(db: Database) -> None:
    actor = person((await plant(db)).haeundae)
    async with db.transaction() as tx:
        for _ in range(EACH + 1):
            await add_approved(tx, actor, Schedule(tx.now, tx.now + DAY))
    await fire_once(db, [AD_GROUP])

    [title] = await told(db, actor)

    assert f"{EACH + 1} ad groups" in title


@pytest.mark.req("E-74")
async def test_an_operator_says_which_events_are_told(db: Database) -> None:
    tree = await plant(db)
    actor = person(tree.haeundae)
    async with db.transaction() as tx:
        await settings.change(tx, person(tree.hq), TOLD, "APPROVE, delete")
        with pytest.raises(BadEvents):
            await settings.change(tx, person(tree.hq), TOLD, "approve, explode")
        await add_approved(tx, actor, Schedule(tx.now, tx.now + DAY))
    await fire_once(db, [AD_GROUP])

    assert len(await told(db, actor)) == 1
