"""The demo belongs to the head office, and only where the server was started with it; so do its people."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.clock import Trip
from pabal.base.settings import Settings
from pabal.demo.kettle import list_kettles, switch_on
from pabal.engine import listing
from pabal.platform import auth, demo
from pabal.platform.actor import ENGINE, Role
from pabal.platform.tenants import HeadOfficeOnly
from tests.support.pages import read, visitor
from tests.support.people import person
from tests.support.web import Web

DOORS = (
    ("/demo/load", {}),
    ("/demo/clear", {}),
    ("/demo/advance", {"by": "1h"}),
    ("/demo/stay", {}),
    ("/welcome", {"start": "demo", "language": "en", "zone": "Asia/Seoul"}),
)


@pytest.fixture
def web_is_demo() -> bool:
    return True


async def has_demo(web: Web) -> bool:
    async with web.db.transaction() as tx:
        return await demo.is_loaded(tx)


class TestAServerStartedWithoutIt:
    @pytest.fixture
    def web_is_demo(self) -> bool:
        return False

    @pytest.mark.parametrize("unit", ["busan", "hq"])
    async def test_has_no_door_to_the_demo_for_anybody(self, web: Web, unit: str) -> None:
        client = await visitor(web, unit)

        answers = [(await client.post(door, data=form)).status_code for door, form in DOORS]

        assert answers == [404] * len(DOORS)
        assert not await has_demo(web)

    async def test_does_not_take_out_a_demo_either(self, web: Web) -> None:
        await demo.load(web.app.services, web.app.slices)
        hq = await visitor(web)

        cleared = await hq.post("/demo/clear")
        page = await read(hq, "/")

        assert cleared.status_code == 404
        assert await has_demo(web)
        assert "/demo/clear" not in page
        assert "pabal demo clear" in page


async def test_a_branch_administrator_neither_loads_nor_clears_nor_moves_the_clock(web: Web) -> None:
    branches = [await visitor(web, "busan"), await visitor(web, "haeundae"), await web.as_("busan")]

    answers = [await branch.post(door, data=form) for branch in branches for door, form in DOORS]

    assert [(one.status_code, "head_office_only" in one.text) for one in answers] == [(403, True)] * 3 * len(DOORS)
    assert await has_demo(web)
    assert "/demo/" not in await read(branches[0], "/")
    for act in (
        demo.load(web.app.services, (), person(web.tree.busan)),
        demo.clear(web.db, (), person(web.tree.busan)),
    ):
        with pytest.raises(HeadOfficeOnly):
            await act


async def test_the_head_office_loads_the_demo_moves_its_clock_and_takes_it_out(web: Web) -> None:
    client = await visitor(web)

    done = [await client.post(door, data=form) for door, form in (DOORS[0], DOORS[2])]
    with_demo = await read(client, "/")
    await client.post("/demo/clear")
    without = await read(client, "/")

    assert [one.status_code for one in done] == [303, 303]
    assert ("물 끓이기" in with_demo, "pb-appcard" in with_demo) == (True, True)
    assert ("물 끓이기" in without, "pb-appcard" in without) == (False, False)


async def trip_of(web: Web) -> Trip | None:
    async with web.db.transaction() as tx:
        return await clock.find_trip(tx)


async def test_a_clock_on_its_way_shows_where_it_is_and_can_be_stopped(web: Web) -> None:
    client = await visitor(web)
    await client.post("/demo/load")

    await client.post("/demo/advance", data={"by": "1h", "back": "/alerts"})
    trip = await trip_of(web)
    page = await read(client, "/")
    ribbon = await client.get("/demo/clock?back=/alerts", headers={"X-Fragment": "true"})
    await client.post("/demo/stay")

    assert trip is not None
    assert trip.to_at - trip.from_at == timedelta(hours=1)
    assert ('data-live-src="/demo/clock' in page, "/demo/stay" in page, "/demo/advance" in page) == (True, True, False)
    assert ('id="demo-ribbon"' in ribbon.text, 'value="/alerts"' in ribbon.text) == (True, True)
    assert await trip_of(web) is None
    assert "/demo/advance" in await read(client, "/")


async def test_the_next_event_is_one_of_the_apps_and_not_the_demos_own_ticking(web: Web) -> None:
    client = await visitor(web)
    await client.post("/demo/load")
    async with web.db.transaction() as tx:
        await switch_on(tx, [one.id for one in await list_kettles(tx)], cause="test")
        ticking = await listing.read_next_moments(tx)
        apps = await listing.read_next_moments_without(tx, "demo", ["kettle"])

    await client.post("/demo/advance", data={"by": "next"})

    trip = await trip_of(web)
    assert trip is not None
    assert ticking.schedule_at is not None
    assert ticking.timer_at is not None
    assert max(ticking.schedule_at, ticking.timer_at) < trip.to_at
    assert trip.to_at == min(at for at in (apps.delayed_at, apps.schedule_at, apps.timer_at) if at is not None)


async def test_everybody_sees_how_far_the_clock_is_and_only_the_head_office_stops_it(web: Web) -> None:
    await (await visitor(web)).post("/demo/load")
    await (await visitor(web)).post("/demo/advance", data={"by": "1h"})
    branch = await visitor(web, "haeundae")

    ribbon = await branch.get("/demo/clock", headers={"X-Fragment": "true"})
    alone = await branch.get("/demo/clock")

    assert ("<progress" in ribbon.text, "/demo/stay" in ribbon.text) == (True, False)
    assert (alone.status_code, alone.headers["location"]) == (303, "/")


async def test_a_viewer_of_the_head_office_does_not(web: Web) -> None:
    client = await visitor(web, role=Role.VIEWER)

    assert {(await client.post(door, data=form)).status_code for door, form in DOORS[:4]} == {403}


class TestInProduction:
    @pytest.fixture
    def web_settings(self, web_settings: Settings) -> Settings:
        return web_settings.model_copy(update={"mode": "production", "public_url": "https://pabal.example"})

    @pytest.fixture
    def web_is_demo(self) -> bool:
        return False

    async def test_there_is_no_demo(self, web: Web) -> None:
        hq = await visitor(web)

        assert [(await hq.post(door, data=form)).status_code for door, form in DOORS] == [404] * len(DOORS)

    async def test_people_of_a_demo_that_was_loaded_before_stay_out(self, web: Web) -> None:
        async with web.db.transaction() as tx:
            new = auth.NewUser("demo-hq", "김서연", web.tree.hq.id, Role.ADMIN, is_demo=True)
            person = await auth.add_user(tx, ENGINE, new)
        await auth.change_password(web.db, person.actor(), current=None, new=demo.PASSWORD, keep=None)

        answer = await (await web.anybody()).post("/sign-in", data={"login": "demo-hq", "password": demo.PASSWORD})

        assert (answer.status_code, "demo_not_here" in answer.text) == (401, True)
