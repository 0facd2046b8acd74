"""What facts lead to: people are told, and ad servers read what changed, by one job for all of a batch."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal import testing
from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event, Schedule
from pabal.apps.adgroups.serving.actions import REFRESH
from pabal.apps.adgroups.settings import TOLD, BadEvents
from pabal.apps.adgroups.subscribers import EACH, TELLING
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine.facts import deliver_once
from pabal.engine.timers import fire_once
from pabal.platform import notifications, settings
from pabal.platform.actor import Actor
from tests.apps.adgroups.making import add_approved, add_complete
from tests.apps.adgroups.serving.world import HOUR, make_world, snapshot
from tests.support.people import person, plant

DAY = timedelta(days=1)
DOCUMENT = Path(__file__).parents[3] / "docs/apps/adgroups-serving.md"


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


@pytest.mark.req("E-16", "E-71", "E-78", "E-79")
async def test_an_ad_group_is_there_exactly_while_it_runs(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top", "busan.top", hours=2)
    assert "running" not in await snapshot(redis_url), "approved is not running"

    await world.drain()
    started = await snapshot(redis_url)
    await world.jump(2 * HOUR)
    ended = await snapshot(redis_url)

    value = started[str(ad_group_id)]
    assert (value["state"], value["version"], value["name"]) == ("RUNNING", 4, "봄 세일")
    assert (value["unit"], value["campaign"]) == (world.tree.haeundae.id, world.campaign_id)
    assert [one["url"] for one in value["creatives"]] == ["https://cdn.example/spring.png"]
    assert value["inventory"] == ["busan.top", "seoul.top"]
    assert started["running"] == started["inventory:seoul.top"] == started["inventory:busan.top"] == {ad_group_id}
    assert started["about"] == {"count": "1"}
    assert ended == {"about": {"count": "0"}}, "expired: nothing is left of it"


@pytest.mark.req("E-71")
async def test_leaving_and_entering_again_and_every_change_of_a_running_one_are_heard(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top")
    await world.drain()
    before = (await snapshot(redis_url))[str(ad_group_id)]

    await world.send(ad_group_id, Event.PAUSE)
    await world.drain()
    assert await snapshot(redis_url) == {"about": {"count": "0"}}

    await world.edit(ad_group_id, hours=30)
    await world.drain()
    assert await snapshot(redis_url) == {"about": {"count": "0"}}, "a paused one is not served for being edited"

    await world.send(ad_group_id, Event.RESUME)
    await world.drain()
    resumed = (await snapshot(redis_url))[str(ad_group_id)]
    assert (resumed["version"], resumed["schedule_version"]) == (6, 2)
    assert resumed["end_at"] > before["end_at"]

    await world.edit(ad_group_id, hours=36)
    await world.drain()
    rescheduled = (await snapshot(redis_url))[str(ad_group_id)]
    assert (rescheduled["version"], rescheduled["schedule_version"]) == (6, 3), "also without a change of state"

    await world.edit(ad_group_id, hours=36, name="여름 세일")
    await world.drain()
    assert (await snapshot(redis_url))[str(ad_group_id)]["name"] == "여름 세일"


@pytest.mark.req("E-71")
async def test_all_of_a_batch_is_one_job(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ids = [await world.add("seoul.top") for _ in range(3)]

    await world.drain()

    [job] = await testing.list_enqueued(db, REFRESH)
    assert sorted(job["ids"]) == ids
    assert (await snapshot(redis_url))["inventory:seoul.top"] == set(ids)


async def test_without_an_address_nothing_is_enqueued(db: Database, redis_url: str):
    world = await make_world(db, redis_url, is_wanted=False)
    await world.add("seoul.top")

    await world.drain()

    assert await testing.list_enqueued(db, REFRESH) == []
    assert await snapshot(redis_url) == {}


async def test_the_document_names_every_key_and_field(db: Database, redis_url: str):
    world = await make_world(db, redis_url)
    ad_group_id = await world.add("seoul.top")
    await world.drain()
    document = DOCUMENT.read_text()

    value = (await snapshot(redis_url))[str(ad_group_id)]

    assert [name for name in value if f"`{name}`" not in document] == []
    for key in ("{id}", "running", "inventory:{code}", "about"):
        assert f"`adgroup:serving:{key}`" in document
