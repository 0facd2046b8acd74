"""Facts as they happen: seen by those who may, from where they left off, and closed when one may no longer."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest

from pabal.engine import facts
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE, Role
from pabal.platform.web.live import Live, Pace, close_streams
from pabal.platform.web.turns import Shares, Turns
from tests.support.web import Web, until

QUICK = Pace(heartbeat=0.2, poll=0.1, check=0.1, gap=0.0)


class Stream:
    """Server-sent events as a program reads them."""

    def __init__(self, answer: httpx2.Response) -> None:
        self.answer = answer
        self._lines = answer.aiter_lines()

    async def next(self, *names: str) -> dict[str, Any]:
        """The next event with one of these names; any but a heartbeat when none is given."""
        async with asyncio.timeout(30):
            while True:
                event = await self._read()
                if event["event"] in names or (not names and event["event"] != "heartbeat"):
                    return event

    async def _read(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        async for line in self._lines:
            if not line and "event" in found:
                return found
            name, _, value = line.partition(": ")
            found[name] = json.loads(value) if name == "data" else value
        return {"event": "end"}


@asynccontextmanager
async def follow(client: httpx2.AsyncClient, topics: str = "*", **options: Any) -> AsyncIterator[Stream]:
    async with client.stream("GET", f"/api/v1/events?topics={topics}", **options) as answer:
        assert answer.status_code == 200, await answer.aread()
        stream = Stream(answer)
        await stream.next("heartbeat")
        yield stream


@pytest.fixture(autouse=True)
def quick(web: Web) -> None:
    web.site.state.live = Live(web.app.server.wakeups, QUICK)


async def tell(web: Web, name: str, unit: str | None = "gangnam", **data: Any) -> None:
    async with web.app.database.transaction() as tx:
        await facts.record(tx, name, "oven:1", data, None if unit is None else web.unit(unit).id)


async def test_a_fact_comes_as_an_event_with_its_name_and_an_id(web: Web):
    async with follow(await web.as_()) as stream:
        await tell(web, "oven.heated", degrees=200)

        event = await stream.next()

    assert stream.answer.headers["Content-Type"].startswith("text/event-stream")
    assert (event["event"], event["data"]["subject"], event["data"]["data"]) == (
        "oven.heated",
        "oven:1",
        {"degrees": 200},
    )
    assert event["id"]


async def test_only_the_topics_asked_for_come(web: Web):
    async with follow(await web.as_(), "oven.*,door.opened") as stream:
        await tell(web, "window.opened")
        await tell(web, "door.opened")
        await tell(web, "oven.heated")

        seen = [(await stream.next())["event"] for _ in range(2)]

    assert seen == ["door.opened", "oven.heated"]


async def test_one_goes_on_where_one_left_off(web: Web):
    admin = await web.as_()
    async with follow(admin) as stream:
        for number in range(5):
            await tell(web, "oven.heated", number=number)
        seen = [await stream.next() for _ in range(2)]
    await tell(web, "oven.heated", number=5)

    async with follow(admin, headers={"Last-Event-ID": seen[-1]["id"]}) as stream:
        rest = [(await stream.next())["data"]["data"]["number"] for _ in range(4)]

    assert rest == [2, 3, 4, 5]


async def test_a_heartbeat_carries_the_servers_time_and_where_one_is(web: Web):
    admin = await web.as_()
    async with follow(admin) as stream:
        beat = await stream.next("heartbeat")
    await tell(web, "oven.heated")

    async with admin.stream("GET", f"/api/v1/events?last_event_id={beat['id']}") as answer:
        event = await Stream(answer).next()

    assert beat["data"]["now"].endswith("Z")
    assert event["event"] == "oven.heated"


async def test_facts_of_another_branch_do_not_come(web: Web):
    async with follow(await web.as_("haeundae")) as stream:
        await tell(web, "oven.heated", "gangnam")
        await tell(web, "oven.heated", None)
        await tell(web, "oven.cooled", "haeundae")

        first = await stream.next()

    assert first["event"] == "oven.cooled"


async def test_resuming_does_not_reach_another_branch_either(web: Web):
    async with follow(await web.as_()) as stream:
        beat = await stream.next("heartbeat")
    await tell(web, "oven.heated", "gangnam")
    await tell(web, "oven.cooled", "haeundae")

    branch = await web.as_("haeundae")
    async with branch.stream("GET", f"/api/v1/events?last_event_id={beat['id']}") as answer:
        first = await Stream(answer).next()

    assert first["event"] == "oven.cooled"


async def test_a_revoked_token_ends_its_stream(web: Web):
    secret = await web.make_token("gangnam", Role.VIEWER)
    client = await web.client({"Authorization": f"Bearer {secret}"})
    async with follow(client) as stream:
        async with web.db.transaction() as tx:
            scope = await tenants.visible_to(tx, ENGINE)
            [token, *_] = await auth.list_tokens(tx, scope)
            await auth.revoke_token(tx, ENGINE, token.id)

        closed = await stream.next()
        end = await stream.next("end")

    assert (closed["event"], closed["data"]) == ("closed", {"reason": "token_refused"})
    assert end["event"] == "end"


async def test_signing_out_ends_its_stream(web: Web):
    client = await web.as_("gangnam", Role.VIEWER, by="session")
    async with follow(client) as stream:
        [session] = (await client.get("/api/v1/sessions")).json()["items"]
        await client.delete(f"/api/v1/sessions/{session['id']}")

        closed = await stream.next()

    assert closed["data"] == {"reason": "sign_in_needed"}


async def test_a_token_without_the_scope_follows_nothing(web: Web):
    client = await web.as_(scopes=("jobs:read",))

    answer = await client.get("/api/v1/events")

    assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


async def test_a_token_that_is_none_of_ours_is_refused(web: Web):
    admin = await web.as_()
    future = "9000000000:9000000000:"

    answers = [await admin.get("/api/v1/events", headers={"Last-Event-ID": one}) for one in ("x", "1:2", future)]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, "token_unreadable")}


async def test_many_listeners_hold_no_connections(web: Web):
    web.site.state.turns = Turns(Shares(streams=40))
    admin = await web.as_()
    tasks = [asyncio.create_task(_first(admin)) for _ in range(40)]
    await until(lambda: web.site.state.live.streams == 40)

    listed = await admin.get("/api/v1/jobs")
    await tell(web, "oven.heated")
    seen = await asyncio.gather(*tasks)

    assert listed.status_code == 200
    assert set(seen) == {"oven.heated"}


async def test_a_server_takes_only_so_many(web: Web):
    web.site.state.live = Live(web.app.server.wakeups, Pace(streams=1, gap=0.0))
    admin = await web.as_()
    async with follow(admin):
        refused = await admin.get("/api/v1/events")

    assert (refused.status_code, refused.json()["code"]) == (503, "too_many_streams")


async def test_a_listener_who_leaves_is_forgotten(web: Web):
    async with follow(await web.as_()):
        assert web.site.state.live.streams == 1

    await until(lambda: web.site.state.live.streams == 0)


async def test_a_stopping_server_ends_its_streams(web: Web):
    async with follow(await web.as_()) as stream:
        close_streams(web.site)

        closed = await stream.next()

    assert closed["data"] == {"reason": "stopping"}


async def test_a_stopping_server_begins_no_stream(web: Web):
    """It would be waited for in vain: nobody is left to tell it that the server stops."""
    admin = await web.as_()
    del web.site.state.live  # nobody has followed anything here yet
    close_streams(web.site)

    refused = await admin.get("/api/v1/events")

    assert (refused.status_code, refused.json()["code"]) == (503, "too_many_streams")


async def _first(client: httpx2.AsyncClient) -> str:
    async with follow(client) as stream:
        return str((await stream.next())["event"])
