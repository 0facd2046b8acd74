"""What jobs elsewhere call, over a real socket and without signing in."""

from uuid import uuid4

import pytest

from pabal.apps.rules.heartbeats import actions, store
from pabal.apps.rules.heartbeats.door import PingLimits
from pabal.apps.rules.heartbeats.model import Heartbeat, KeptReport
from pabal.platform.web.turns import Rate
from tests.apps.rules.heartbeats.test_actions import look, make
from tests.support.people import person
from tests.support.web import Web


async def reports(web: Web, heartbeat: Heartbeat) -> list[KeptReport]:
    async with web.db.transaction() as tx:
        return await store.list_reports(tx, heartbeat.id)


@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
async def test_a_call_is_a_report(web: Web, method: str):
    heartbeat = await make(web.db, person(web.tree.haeundae))

    answer = await (await web.anybody()).request(method, heartbeat.path)

    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert answer.headers["cache-control"] == "no-store"
    assert (await look(web.db, heartbeat)).state == "up"


async def test_what_stands_behind_the_key_says_what_happened(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    client = await web.anybody()

    for word in ("start", "log", "0", "7", "fail"):
        assert (await client.post(f"{heartbeat.path}/{word}", content=f"line {word}")).text == "OK\n"

    found = await reports(web, heartbeat)
    assert [one.kind for one in found[::-1]] == ["start", "log", "success", "fail", "fail"]
    assert [one.exit_code for one in found[::-1]] == [None, None, 0, 7, None]
    assert found[-1].body == "line start"
    assert found[0].origin == "127.0.0.1"


async def test_a_long_body_is_cut(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))

    answer = await (await web.anybody()).post(heartbeat.path, content=b"x" * 500_000)

    [report] = await reports(web, heartbeat)
    assert answer.status_code == 200
    assert len(report.body) == 10_000


@pytest.mark.parametrize("path", ["/ping/{key}/stop", "/ping/{other}", "/ping/nonsense", "/ping/{key}/start/more"])
async def test_an_address_that_is_none_says_only_that(web: Web, path: str):
    heartbeat = await make(web.db, person(web.tree.haeundae))

    answer = await (await web.anybody()).get(path.format(key=heartbeat.key, other=uuid4()))

    assert answer.status_code == 404
    assert "백업" not in answer.text
    assert await reports(web, heartbeat) == []


async def test_one_address_has_its_limit_and_takes_nothing_from_another(web: Web):
    first, second = [await make(web.db, person(web.tree.haeundae)) for _ in range(2)]
    web.site.state.ping_limits = PingLimits(of_key=Rate(limit=2, seconds=600))
    client = await web.anybody()

    statuses = [(await client.get(first.path)).status_code for _ in range(3)]

    assert statuses == [200, 200, 429]
    assert (await client.get(second.path)).status_code == 200
    assert len(await reports(web, first)) == 2


async def test_a_stranger_who_guesses_is_slowed(web: Web):
    web.site.state.ping_limits = PingLimits(of_stranger=Rate(limit=2, seconds=600))
    client = await web.anybody()

    statuses = [(await client.get(f"/ping/{uuid4()}")).status_code for _ in range(3)]

    assert statuses == [404, 404, 429]


async def test_more_at_once_than_a_server_takes_are_told_to_come_again(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    web.site.state.ping_limits = PingLimits(most_at_once=0)

    answer = await (await web.anybody()).get(heartbeat.path)

    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")


async def test_a_log_that_looks_like_deep_json_is_a_log(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))

    answer = await (await web.anybody()).post(f"{heartbeat.path}/log", content="[{" * 3000 + "," * 3000)

    [report] = await reports(web, heartbeat)
    assert answer.status_code == 200
    assert report.body.startswith("[{[{")


async def test_the_address_opens_nothing_else(web: Web):
    heartbeat = await make(web.db, person(web.tree.haeundae))
    client = await web.client({"Authorization": f"Bearer {heartbeat.key}"})

    assert (await client.get("/api/v1/rules/heartbeats")).status_code == 401


async def test_a_removed_one_is_gone(web: Web):
    actor = person(web.tree.haeundae)
    heartbeat = await make(web.db, actor)
    async with web.db.transaction() as tx:
        await actions.delete_heartbeat(tx, actor, heartbeat.id)

    assert (await (await web.anybody()).get(heartbeat.path)).status_code == 404
