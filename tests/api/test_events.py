"""Events through REST: publish once, see one's own, look after consumers and dead letters."""

import pytest

from pabal.platform import events
from pabal.platform.actor import ENGINE, Role
from pabal.platform.events.delivery import bury
from tests.platform.events.shop import SQL, begin, consumer, drain, taken
from tests.support.web import Web

PAID = {"name": "orders.paid", "event_id": "o-1", "key": "order:1", "data": {"number": 1}}
KEY = {"Idempotency-Key": "publish-1"}


@pytest.mark.req("D-03", "D-29")
async def test_a_program_publishes_and_an_app_that_it_does_not_know_takes_it(web: Web):
    async with web.db.transaction() as tx:
        await tx.run(SQL.make_taken)
    one = consumer()
    await begin(web.db, one)
    client = await web.as_("haeundae", scopes=("events:write",))

    made = await client.post("/api/v1/events", json=PAID, headers=KEY)
    again = await client.post("/api/v1/events", json=PAID, headers=KEY)
    other_key = await client.post("/api/v1/events", json=PAID, headers={"Idempotency-Key": "publish-2"})
    await drain(web.db, one)

    assert (made.status_code, again.headers["Idempotent-Replayed"], other_key.status_code) == (201, "true", 201)
    assert made.json() == again.json() == other_key.json()
    assert (made.json()["unit_id"], made.json()["source"][:6]) == (web.unit("haeundae").id, "token:")
    found = await client.get(made.headers["Location"])
    assert (found.status_code, found.json()) == (200, made.json())
    assert await taken(web.db) == ["o-1"]


async def test_publishing_needs_a_key_the_right_and_an_event(web: Web):
    client, reader = await web.as_("haeundae"), await web.as_("haeundae", scopes=("events:read",))

    answers = [
        await client.post("/api/v1/events", json=PAID),
        await reader.post("/api/v1/events", json=PAID, headers=KEY),
        await client.post("/api/v1/events", json={**PAID, "name": "no name"}, headers=KEY),
        await client.post("/api/v1/events", json={**PAID, "data": [1]}, headers=KEY),
        await client.post("/api/v1/events", json={**PAID, "unit_id": web.unit("gangnam").id}, headers=KEY),
    ]

    assert [(one.status_code, one.json()["code"]) for one in answers[:3]] == [
        (400, "key_needed"),
        (403, "not_allowed"),
        (422, "bad_event_name"),
    ]
    assert [one.status_code for one in answers[3:]] == [422, 404]
    assert (await client.get("/api/v1/event-log")).json()["items"] == []


@pytest.mark.req("D-37")
async def test_the_head_office_sees_consumers_and_replays_them(web: Web):
    async with web.db.transaction() as tx:
        await tx.run(SQL.make_taken)
        now = tx.now
    one = consumer()
    await begin(web.db, one)
    office, branch, path = await web.as_(), await web.as_("haeundae"), "/api/v1/event-consumers"
    await office.post("/api/v1/events", json=PAID, headers=KEY)

    [waiting] = (await office.get(path)).json()["items"]
    await drain(web.db, one)
    asked = {"since": now.isoformat(), "again": True}
    replayed = await office.post(f"{path}/billing/replay", json=asked, headers={"Idempotency-Key": "replay-1"})
    await drain(web.db, one)

    assert (waiting["name"], waiting["backlog"], waiting["patterns"]) == ("billing", 1, ["orders.*"])
    assert (replayed.status_code, replayed.json()["backlog"]) == (200, 1)
    assert await taken(web.db) == ["o-1", "o-1"]
    assert [(await branch.get(one)).status_code for one in (path, f"{path}/billing")] == [403, 404]


async def test_a_dead_letter_is_found_retried_and_discarded_by_its_unit(web: Web):
    await begin(web.db, consumer())
    client = await web.as_("haeundae", Role.OPERATOR)
    made = (await client.post("/api/v1/events", json=PAID, headers=KEY)).json()
    async with web.db.transaction() as tx:
        [event] = (await events.list_events(tx, events.Wanted())).items
        await bury(tx, "billing", event, "ValueError: closed", tries=3)

    [letter] = (await client.get("/api/v1/dead-letters", params={"consumer": "billing"})).json()["items"]
    path = f"/api/v1/dead-letters/{letter['id']}"
    asked = await client.post(f"{path}/retry")
    gone = await client.post(f"{path}/discard", json={"reason": "a test"})

    assert (letter["event"], letter["error"], letter["tries"]) == (made["id"], "ValueError: closed", 3)
    assert (asked.status_code, asked.json()["asked_at"] is not None, gone.status_code) == (200, True, 200)
    assert (await client.get(path)).status_code == 404


async def test_the_stream_of_facts_keeps_its_address_and_tells_of_dead_letters(web: Web):
    await begin(web.db, consumer())
    async with web.db.transaction() as tx:
        event = await events.publish(tx, ENGINE, events.NewEvent("orders.paid"))
        await bury(tx, "billing", event, "ValueError: closed", tries=3)
    client = await web.as_()

    async with client.stream("GET", "/api/v1/events?topics=events.*", headers={"Last-Event-ID": "1:1:"}) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        async for line in answer.aiter_lines():
            if line.startswith("event: events."):
                break
    assert line == "event: events.dead_lettered"
