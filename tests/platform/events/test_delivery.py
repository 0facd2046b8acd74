"""Consumers: each has its own place, every event one effect, whoever dies, replays or shares the work."""

import asyncio
from datetime import datetime, timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform import events
from pabal.platform.actor import ENGINE, Role
from pabal.platform.events import NewEvent, PublishedEvent
from tests.platform.events.shop import SQL, begin, consumer, dead, drain, order, publish, taken
from tests.support.people import Tree, person
from tests.support.servers import CEILING, until
from tests.support.work import place


@pytest.mark.req("D-30", "D-36")
async def test_each_consumer_takes_what_it_wants_at_its_own_pace(db: Database, tree: Tree):
    billing, stock = consumer("billing"), consumer("stock", "orders.paid", "goods.*")
    await begin(db, billing, stock)
    await publish(db, order(1), order(2, "orders.cancelled"), order(3, "goods.came"), order(4, "ordersx.paid"))

    assert await drain(db, billing) == 2
    await publish(db, order(5))

    assert (await drain(db, stock), await drain(db, billing)) == (3, 1)
    assert await taken(db, "billing") == ["o-1", "o-2", "o-5"]
    assert await taken(db, "stock") == ["o-1", "o-3", "o-5"]


@pytest.mark.req("D-40")
async def test_a_commit_wakes_consumers_and_nobody_polls_blindly(
    db: Database, tree: Tree, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pabal.platform.events.delivery.IDLE", 3600.0)
    heard: list[dict[str, datetime | None]] = []

    async def listen(hints: dict[str, datetime | None]) -> None:
        heard.append(hints)

    one = consumer()
    await begin(db, one)
    await publish(db, order(1))
    [loop] = events.make_loops(db, one)
    loop.start()
    await until(lambda: taken(db))
    db.announce = listen
    await publish(db, order(2))

    for topic, at in heard[-1].items():
        loop.hear(topic, at)

    await until(lambda: _has_taken(db, 2))
    await loop.stop()


async def _has_taken(db: Database, count: int) -> bool:
    return len(await taken(db)) == count


async def test_a_new_consumer_begins_now_or_with_the_oldest(db: Database, tree: Tree):
    await publish(db, order(1))
    new, whole = consumer("new"), consumer("whole", from_start=True)
    await begin(db, new, whole)
    await publish(db, order(2))

    await drain(db, new)
    await drain(db, whole)

    assert (await taken(db, "new"), await taken(db, "whole")) == (["o-2"], ["o-1", "o-2"])


@pytest.mark.req("D-31")
async def test_a_commit_that_comes_late_is_not_stepped_over(db: Database, tree: Tree):
    one = consumer(batch=2)
    await begin(db, one)
    async with db.transaction() as slow:
        await events.publish(slow, ENGINE, order(1))  # the lower number
        await publish(db, order(2), order(3), order(4))
        assert await drain(db, one) == 3

    assert await drain(db, one) == 1
    assert await taken(db) == ["o-2", "o-3", "o-4", "o-1"]


@pytest.mark.req("D-37")
async def test_events_of_one_key_stay_in_order_over_all_shares(db: Database, tree: Tree):
    one = consumer(shares=4, batch=3)
    await begin(db, one)
    given = [NewEvent("orders.paid", {}, f"{key}-{n}", f"key:{key}") for n in range(10) for key in "abcdef"]
    await publish(db, *given)
    others = [await Database.open(db.url, size=1) for _ in range(3)]

    async with asyncio.timeout(CEILING):
        while sum(
            await asyncio.gather(*(events.deliver_once(each, one, share) for each in others for share in range(4)))
        ):
            pass

    found = await taken(db)
    assert sorted(found) == sorted(event.id for event in given)
    assert all([id for id in found if id[0] == key] == [f"{key}-{n}" for n in range(10)] for key in "abcdef")
    for each in others:
        await each.close()


@pytest.mark.req("D-31", "D-32")
async def test_what_is_handed_over_a_second_time_has_no_second_effect(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await publish(db, *(order(number) for number in range(5)))
    await drain(db, one)
    before = await clock_of(db)
    await publish(db, order(5))

    async with db.transaction() as tx:
        await events.replay(tx, ENGINE, one.group, since=before - timedelta(hours=1))
    await drain(db, one)

    assert await taken(db) == [f"o-{number}" for number in range(6)]
    async with db.transaction() as tx:
        assert await tx.value(SQL.count_done, consumer=one.group) == 6


@pytest.mark.req("D-32")
async def test_an_effect_and_what_remembers_it_are_one_commit(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await publish(db, order(1, bad=True))

    await drain(db, one)

    assert await taken(db) == []
    async with db.transaction() as tx:
        assert await tx.value(SQL.count_done, consumer=one.group) == 0


@pytest.mark.req("D-31", "D-32")
async def test_nor_has_it_one_while_a_bad_event_beside_it_is_looked_for(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await publish(db, order(1), order(2), order(3))
    await drain(db, one)
    await publish(db, order(4, bad=True), order(5))

    async with db.transaction() as tx:
        await events.replay(tx, ENGINE, one.group, since=tx.now - timedelta(hours=1))
    for _ in range(4):
        await drain(db, one)
        await clock.advance(db, timedelta(minutes=1))

    assert await taken(db) == ["o-1", "o-2", "o-3", "o-5"]


async def clock_of(db: Database):
    async with db.transaction() as tx:
        return tx.now


@pytest.mark.req("D-37")
async def test_a_failing_event_is_tried_again_and_then_a_dead_letter_with_its_reason(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await publish(db, order(1), order(2, bad=True), order(3))

    tried = [await drain(db, one)]
    for _ in range(3):
        await clock.advance(db, timedelta(minutes=1))
        tried.append(await drain(db, one))

    assert tried == [1, 0, 2, 0]
    assert await taken(db) == ["o-1", "o-3"]
    [letter] = await dead(db)
    assert (letter.consumer, letter.event_id, letter.tries) == ("billing", "o-2", 3)
    assert letter.error == "ValueError: no such order"


async def test_while_one_rests_nothing_of_its_share_overtakes_it(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await publish(db, order(1, bad=True), order(2))

    assert (await drain(db, one), await drain(db, one), await taken(db)) == (0, 0, [])


async def test_consumers_are_strangers_to_each_others_failures(db: Database, tree: Tree):
    bad, good = consumer("bad"), consumer("good")

    async def take(tx, found):
        await tx.run(SQL.take, consumer="good", ids=[event.id for event in found])

    good = events.Consumer("good", ("orders.*",), take)
    await begin(db, bad, good)
    await publish(db, order(1, bad=True), order(2))

    await drain(db, bad)
    await drain(db, good)

    assert await taken(db, "good") == ["o-1", "o-2"]


@pytest.mark.req("D-37")
async def test_another_number_of_shares_loses_nothing_and_does_nothing_twice(db: Database, tree: Tree):
    # before it was there: not its own, whatever its shares are
    await publish(db, order(99))
    narrow = consumer(shares=1, batch=4)
    await begin(db, narrow)
    await publish(db, *(order(number) for number in range(10)))
    await events.deliver_once(db, narrow)

    wide = consumer(shares=3)
    await begin(db, wide)
    await drain(db, wide, [2, 1])
    await begin(db, narrow)
    await publish(db, order(10))
    await drain(db, narrow)

    assert sorted(await taken(db)) == sorted(f"o-{number}" for number in range(11))


@pytest.mark.req("D-37")
async def test_who_comes_to_a_share_that_another_server_works_for_goes_on_at_once(db: Database, tree: Tree):
    entered, gate = asyncio.Event(), asyncio.Event()

    async def take(tx: Tx, found: list[PublishedEvent]) -> None:
        entered.set()
        await gate.wait()
        await tx.run(SQL.take, consumer="billing", ids=[event.id for event in found])

    one = events.Consumer("billing", ("orders.*",), take)
    await begin(db, one)
    await publish(db, order(1))
    other = await Database.open(db.url, size=1)
    working = asyncio.create_task(events.deliver_once(db, one))
    await asyncio.wait_for(entered.wait(), CEILING)

    async with asyncio.timeout(CEILING):
        passed_by = await events.deliver_once(other, one)
    gate.set()

    assert (passed_by, await working, await taken(db)) == (0, 1, ["o-1"])
    await other.close()


@pytest.mark.req("D-37")
async def test_two_servers_at_the_same_share_do_nothing_twice(db: Database, tree: Tree):
    one = consumer(batch=7)
    await begin(db, one)
    await publish(db, *(order(number) for number in range(100)))
    others = [await Database.open(db.url, size=1) for _ in range(3)]

    async def work(server: Database) -> None:
        while len(await taken(server)) < 100:
            await events.deliver_once(server, one)

    async with asyncio.timeout(CEILING):
        await asyncio.gather(*map(work, others))

    assert await taken(db) == [f"o-{number}" for number in range(100)]
    for each in others:
        await each.close()


async def test_a_paused_consumer_takes_nothing_and_loses_nothing(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    async with db.transaction() as tx:
        await events.pause(tx, ENGINE, one.group)
    await publish(db, order(1))
    assert await drain(db, one) == 0

    async with db.transaction() as tx:
        await events.resume(tx, ENGINE, one.group)

    assert await drain(db, one) == 1


@pytest.mark.req("D-38")
async def test_functions_subscribe_and_publish_as_faststream_users_know_it(db: Database, tree: Tree):
    shop = events.Events()
    shipped = shop.publisher("orders.shipped")

    @shop.subscriber("orders.paid", group="shipping")
    @shipped
    async def ship(tx, event: PublishedEvent):
        return {"number": event.data["number"]} if event.data["number"] != 2 else None

    @shop.batch_subscriber("orders.shipped", group="mail")
    async def mail(tx, found: list[PublishedEvent]) -> None:
        await tx.run(SQL.take, consumer="mail", ids=[f"{event.name}:{event.data['number']}" for event in found])

    @shop.subscriber("orders.*", group="billing")
    async def bill(tx, event: PublishedEvent) -> None:
        await tx.run(SQL.take, consumer="billing", ids=[event.id])

    await begin(db, *shop.consumers)
    await publish(db, order(1), order(2))
    for _ in range(2):
        for one in shop.consumers:
            await drain(db, one)

    assert [one.group for one in shop.consumers] == ["shipping", "mail", "billing"]
    assert await taken(db, "mail") == ["orders.shipped:1"]
    assert len(await taken(db, "billing")) == 3
    async with db.transaction() as tx:
        await events.replay(tx, ENGINE, "shipping", since=tx.now - timedelta(hours=1), again=True)
    for one in shop.consumers:
        await drain(db, one)
    # what it publishes when it does it again is the event of the first time
    assert await taken(db, "mail") == ["orders.shipped:1"]


def test_a_group_is_one_consumer():
    shop = events.Events()
    shop.subscriber("orders.*", group="billing")(None)

    with pytest.raises(events.BadConsumer, match="billing"):
        shop.subscriber("goods.*", group="billing")(None)


@pytest.mark.parametrize(
    "given",
    [{"group": "Bad Name"}, {"patterns": ("a b",)}, {"patterns": ()}, {"shares": 0}, {"shares": 65}, {"tries": 0}],
)
def test_a_consumer_that_is_declared_wrongly_is_refused(given):
    with pytest.raises(events.BadConsumer):
        events.Consumer(**{"group": "billing", "patterns": ("orders.*",), "handle": None, **given})


@pytest.mark.req("D-19")
async def test_what_happens_here_and_what_others_tell_starts_work_in_the_same_way(db: Database, tree: Tree):
    """Inside: an app publishes in the commit of its own change. Outside: somebody's token does."""
    shop, begun, somebody = events.Events(), {}, person(tree.haeundae, Role.OPERATOR)

    @shop.subscriber("orders.*", group="work")
    async def start(tx, event: PublishedEvent) -> None:
        job = NewJob("test.ship", {"number": event.data["number"]}, about=event.key, unit_id=event.unit_id)
        begun[event.source] = (await queue.enqueue(tx, job)).id

    [one] = shop.consumers
    await begin(db, one)
    async with db.transaction() as tx:
        await shop.publisher("orders.paid").publish(tx, {"number": 1}, unit_id=tree.haeundae.id, key="order:1")
    await publish(db, order(2), actor=somebody)

    assert await drain(db, one) == 2
    work = {source: await place(db, job) for source, job in begun.items()}
    assert {source: (job.place, job.kind, job.about) for source, job in work.items()} == {
        "engine": ("ready", "test.ship", "order:1"),
        somebody.name: ("ready", "test.ship", "order:2"),
    }
