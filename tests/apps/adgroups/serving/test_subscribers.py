"""From a fact to what ad servers read: one job for all of a batch."""

from pathlib import Path

import pytest

from pabal import testing
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.serving.plan import REFRESH
from pabal.base.database import Database
from tests.apps.adgroups.serving.world import HOUR, make_world, snapshot

DOCUMENT = Path(__file__).parents[4] / "docs/apps/adgroups-serving.md"


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
