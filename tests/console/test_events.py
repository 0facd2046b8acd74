"""Events in the console: the log, consumers with lag, dead letters; publish, replay, discard. Without JavaScript."""

from pabal.platform import events
from pabal.platform.actor import ENGINE, Role
from pabal.platform.events.delivery import bury
from pabal.platform.tenants import visible_to
from tests.platform.events.shop import begin, consumer
from tests.support.pages import read, visitor
from tests.support.web import Web


async def test_a_form_publishes_and_the_page_shows_it_with_its_consumer(web: Web) -> None:
    await begin(web.db, consumer())
    client = await visitor(web)

    said = {"name": "orders.paid", "key": "order:7", "data": '{"menu": "비빔밥"}'}
    await client.post("/events/publish", data=said)
    page = await read(client, "/events")

    assert all(word in page for word in ("orders.paid", "order:7", "비빔밥", "billing", "orders.*"))
    assert (await client.post("/events/publish", data={**said, "data": "{"})).status_code == 422


async def test_a_consumer_of_everything_says_so(web: Web) -> None:
    await begin(web.db, consumer("all", "*"))
    client = await web.as_("hq", by="session")

    assert "every event" in (await client.get("/events")).text


async def test_a_branch_sees_its_own_events_and_letters_and_no_consumer(web: Web) -> None:
    await begin(web.db, consumer())
    async with web.db.transaction() as tx:
        for name in ("haeundae", "gangnam"):
            said = events.NewEvent(f"orders.{name}", unit_id=web.unit(name).id)
            await bury(tx, "billing", await events.publish(tx, ENGINE, said), f"no {name}", tries=3)
    branch, viewer = await visitor(web, "haeundae"), await visitor(web, "haeundae", Role.VIEWER)

    page, looked = await read(branch, "/events"), await read(viewer, "/events")

    assert "no haeundae" in page
    assert "gangnam" not in page
    assert "consumers/billing" not in page
    assert "/discard" in page
    assert all(word not in looked for word in ("/discard", "/retry", "/events/publish"))


async def test_a_letter_is_asked_for_again_and_discarded(web: Web) -> None:
    await begin(web.db, consumer())
    async with web.db.transaction() as tx:
        event = await events.publish(tx, ENGINE, events.NewEvent("orders.paid"))
        await bury(tx, "billing", event, "ValueError: closed", tries=3)
        [letter] = (await events.list_dead(tx, await visible_to(tx, ENGINE))).items
    client = await visitor(web)

    await client.post(f"/events/dead/{letter.id}/retry")
    asked = await read(client, "/events")
    await client.post(f"/events/dead/{letter.id}/discard")

    assert "tried again soon" in asked
    assert "ValueError: closed" not in await read(client, "/events")
    assert (await client.post(f"/events/dead/{letter.id}/discard")).status_code == 404


async def test_a_consumer_is_paused_and_set_back_by_a_form(web: Web) -> None:
    await begin(web.db, consumer())
    client = await visitor(web)
    await client.post("/events/publish", data={"name": "orders.paid"})

    await client.post("/events/consumers/billing/pause")
    paused = await read(client, "/events")
    back = await client.post("/events/consumers/billing/replay", data={"since": "2026-11-17T09:00"})
    odd = await client.post("/events/consumers/billing/replay", data={"since": "yesterday"})

    assert "/events/consumers/billing/resume" in paused
    assert (back.status_code, odd.status_code) == (303, 422)
