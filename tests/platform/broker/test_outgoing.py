"""Facts out, against a real server: in order, at least once, one server at a time."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import facts
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from pabal.platform.broker import BrokerAway, outgoing
from pabal.platform.broker.line import Line, open_line
from pabal.platform.broker.outgoing import publish_once
from pabal.platform.broker.settings import FACTS_OUT
from pabal.platform.broker.store import read_lag
from tests.platform.broker.other_side import OtherSide, all_facts, record
from tests.support.people import plant


async def begin(db: Database, line: Line) -> None:
    """Only what comes after the first look goes out."""
    await record(db, 0)
    assert await publish_once(db, line, server="a") == 0


@pytest.mark.req("E-11")
async def test_facts_go_out_in_order_with_their_own_ids(db: Database, line: Line, other: OtherSide):
    await begin(db, line)
    await record(db, 1, 2, 3)
    await record(db, 4, name="messaging.delivery_sent")
    await record(db, 5, name="adgroups.rescheduled")

    assert await publish_once(db, line, server="a") == 4
    assert await publish_once(db, line, server="a") == 0
    heard = await other.heard()
    assert [one["data"]["number"] for one in heard] == [1, 2, 3, 5]
    assert [one["id"] for one in heard] == [str(fact.id) for fact in await all_facts(db, "adgroup*")][1:]
    assert (heard[0]["name"], heard[0]["subject"], heard[0]["unit_id"]) == ("adgroup.running", "adgroup:1", None)


async def test_more_than_a_batch_goes_out_in_several(db: Database, line: Line, other: OtherSide):
    await begin(db, line)
    many = [facts.NewFact("adgroup.running", f"adgroup:{n}", {"number": n}) for n in range(1, 1203)]
    async with db.transaction() as tx:
        await facts.record_many(tx, many)

    batches = [await publish_once(db, line, server="a") for _ in range(4)]

    assert batches == [500, 500, 202, 0]
    assert [one["data"]["number"] for one in await other.heard()] == list(range(1, 1203))


async def test_who_lost_the_turn_moves_no_cursor(db: Database, line: Line, other: OtherSide):
    await begin(db, line)
    await record(db, 1)

    class Slow:
        """Publishes when others have gone on already."""

        async def publish(self, *given: object, **named: object) -> None:
            await clock.advance(db, outgoing.TURN)
            await record(db, 2)
            assert await publish_once(db, line, server="b") == 2

    await publish_once(db, Slow(), server="a")  # type: ignore[arg-type]
    await record(db, 3)

    assert await publish_once(db, line, server="b") == 1
    assert [one["data"]["number"] for one in await other.heard()] == [1, 2, 3]
    async with db.transaction() as tx:
        await outgoing.leave_turn(tx, "b")
    await record(db, 4)
    assert await publish_once(db, line, server="c") == 1


async def test_what_waits_while_the_broker_is_away_goes_out_when_it_is_back(db: Database, line: Line, other: OtherSide):
    nowhere = open_line("redis://127.0.0.1:1")
    await begin(db, line)
    await record(db, 1)
    for _ in range(2):
        with pytest.raises(BrokerAway):
            await publish_once(db, nowhere, server="a")
        await record(db, 2)
    await clock.advance(db, timedelta(minutes=5))
    async with db.transaction() as tx:
        assert (await read_lag(tx) or 0) >= 300

    assert await publish_once(db, line, server="a") == 3
    async with db.transaction() as tx:
        assert await read_lag(tx) == 0


async def test_nothing_is_kept_for_later_while_nothing_goes_out(db: Database, line: Line, other: OtherSide):
    await plant(db)
    await begin(db, line)
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, FACTS_OUT, "")
    await record(db, 1)
    assert await publish_once(db, line, server="a") == 0
    async with db.transaction() as tx:
        assert await read_lag(tx) is None
        await settings.reset(tx, ENGINE, FACTS_OUT)

    assert await publish_once(db, line, server="a") == 0
    await record(db, 2)
    assert await publish_once(db, line, server="a") == 1
    assert [one["data"]["number"] for one in await other.heard()] == [2]
