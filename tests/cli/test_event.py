"""`pabal event`: publish, tail, replay, and what could not be taken."""

import pytest

from pabal.base.database import Database
from pabal.platform import events
from pabal.platform.actor import ENGINE
from pabal.platform.events.delivery import bury
from tests.cli.inside import Inside
from tests.platform.events.shop import SQL, begin, consumer, drain, taken
from tests.support.people import Tree


@pytest.mark.req("D-29", "D-37")
async def test_a_command_publishes_an_event_and_replays_a_consumer(db: Database, run: Inside, tree: Tree) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.make_taken)
    one = consumer()
    await begin(db, one)

    tried = await run("event", "publish", "orders.paid", "--id", "o-1", "--dry-run", "-o", "json")
    nothing = (await run("event", "list", "-o", "json")).json["items"]
    made = (await run("event", "publish", "orders.paid", "--id", "o-1", "--data", '{"n": 1}', "-o", "json")).json
    tailed = await run("event", "tail", "-n", "5", "-o", "json")
    [waiting] = (await run("event", "consumers", "-o", "json")).json["items"]
    await drain(db, one)
    await run("event", "replay", "billing", "--since", "2026-01-01T00:00:00Z", "--again")
    await drain(db, one)

    assert (tried.code, nothing) == (0, [])
    assert (made["event_id"], made["data"], made["name"]) == ("o-1", {"n": 1}, "orders.paid")
    assert "o-1" in tailed.out
    assert waiting["backlog"] == 1
    assert await taken(db) == ["o-1", "o-1"]


async def test_data_that_is_no_json_is_refused(db: Database, run: Inside, tree: Tree) -> None:
    refused = await run("event", "publish", "orders.paid", "--data", "{")

    assert refused.code != 0
    assert "JSON" in refused.err


async def test_a_dead_letter_is_listed_with_its_reason_retried_and_discarded(
    db: Database, run: Inside, tree: Tree
) -> None:
    async with db.transaction() as tx:
        event = await events.publish(tx, ENGINE, events.NewEvent("orders.paid"))
        await bury(tx, "billing", event, "ValueError: closed", tries=3)

    [letter] = (await run("event", "dead", "-o", "json")).json["items"]
    asked = (await run("event", "retry", letter["id"], "-o", "json")).json
    await run("event", "discard", letter["id"], "-m", "a test", "--yes")
    left = (await run("event", "dead", "-o", "json")).json["items"]

    assert (letter["error"], asked["asked_at"] is not None, left) == ("ValueError: closed", True, [])
