"""What people do: replay, pause, forget; try a dead letter again, discard it. And who may not."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.base.errors import Forbidden, NotFound
from pabal.engine import facts
from pabal.platform import audit, events
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.events import Consumer, ConsumerNotPaused, DeadLetterNotFound
from pabal.platform.events.keeping import KEEP_EVENTS, count_dead, forget_once, read_lag
from tests.platform.events.shop import SQL, begin, consumer, dead, drain, logged, order, publish, taken
from tests.support.people import Tree, person

Act = Callable[[Tx], Awaitable[Any]]


async def act(db: Database, does: Act) -> Any:
    async with db.transaction() as tx:
        return await does(tx)


async def seen(db: Database, name: str = "billing") -> events.ConsumerSeen:
    return await act(db, lambda tx: events.get_consumer(tx, name))


async def bury(db: Database, one: Consumer, *given: Any, actor: Actor = ENGINE) -> None:
    """Published, and tried until it is a dead letter."""
    await publish(db, *given, actor=actor)
    for _ in range(4):
        await drain(db, one)
        await clock.advance(db, timedelta(minutes=3))


@pytest.mark.req("D-37")
async def test_a_replay_does_again_what_one_asks_for_and_nothing_before_it(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await publish(db, order(1))
    await clock.advance(db, timedelta(hours=1))
    await publish(db, order(2), order(3))
    await drain(db, one)
    half_an_hour_ago = (await act(db, _now)) - timedelta(minutes=30)

    await act(db, lambda tx: events.replay(tx, ENGINE, "billing", since=half_an_hour_ago, again=True))
    backlog = (await seen(db)).backlog
    await drain(db, one)

    assert (backlog, await taken(db)) == (2, ["o-1", "o-2", "o-3", "o-2", "o-3"])
    entries = await act(db, lambda tx: audit.list_entries(tx, audit.Wanted(None, action="events.replay")))
    assert [(entry.about, entry.after["again"], entry.after["forgotten"]) for entry in entries] == [
        ("consumer:billing", True, 2)
    ]


async def _now(tx: Tx) -> Any:
    return tx.now


@pytest.mark.req("D-37")
async def test_a_replay_steps_over_nothing_that_was_not_taken(db: Database, tree: Tree):
    one = consumer(batch=2)
    await begin(db, one)
    await publish(db, *(order(number) for number in range(5)))
    await events.deliver_once(db, one)
    later = (await act(db, _now)) + timedelta(days=1)

    await act(db, lambda tx: events.replay(tx, ENGINE, "billing", since=later))
    await drain(db, one)

    assert await taken(db) == [f"o-{number}" for number in range(5)]


@pytest.mark.req("D-37")
async def test_backlog_and_lag_are_those_of_what_a_consumer_wants(db: Database, tree: Tree):
    one, rare = consumer(batch=2), consumer("rare", "goods.*")
    await begin(db, one, rare)
    await publish(db, *(order(number) for number in range(5)))
    await clock.advance(db, timedelta(seconds=90))
    await publish(db, order(5))
    await events.deliver_once(db, one)

    assert [(one.name, one.backlog) for one in await act(db, events.all_consumers)] == [("billing", 4), ("rare", 0)]
    readings = await act(db, read_lag)
    assert [(reading.about, reading.value >= 90) for reading in readings] == [("billing", True), ("rare", False)]
    await drain(db, one)
    assert ((await seen(db)).backlog, (await seen(db)).oldest_at) == (0, None)


@pytest.mark.req("D-37")
async def test_a_dead_letter_is_tried_again_when_somebody_asks(db: Database, tree: Tree):
    is_open = []

    async def take(tx: Tx, found: list[events.PublishedEvent]) -> None:
        if not is_open:
            raise ValueError("closed")
        await tx.run(SQL.take, consumer="billing", ids=[event.id for event in found])

    one = Consumer("billing", ("orders.*",), take)
    await begin(db, one)
    await bury(db, one, order(1))
    [letter] = await dead(db)

    await act(db, lambda tx: events.retry(tx, ENGINE, letter.id))
    await drain(db, one)
    [again] = await dead(db)
    is_open.append(True)
    await drain(db, one)
    assert (again.tries, again.asked_at, await taken(db)) == (4, None, [])
    await act(db, lambda tx: events.retry(tx, ENGINE, letter.id))
    await drain(db, one)

    assert (await dead(db), await taken(db)) == ([], ["o-1"])
    with pytest.raises(DeadLetterNotFound):
        await act(db, lambda tx: events.retry(tx, ENGINE, letter.id))


@pytest.mark.req("D-37")
async def test_what_is_discarded_is_not_taken_and_stays_in_the_log(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await bury(db, one, order(1, bad=True))
    [letter] = await dead(db)

    await act(db, lambda tx: events.discard(tx, ENGINE, letter.id, reason="a test"))
    await drain(db, one)

    assert (await dead(db), await taken(db), await logged(db)) == ([], [], ["o-1"])
    [entry] = await act(db, lambda tx: audit.list_entries(tx, audit.Wanted(None, action="events.discard")))
    assert (entry.before["error"], entry.before["reason"]) == ("ValueError: no such order", "a test")


async def test_dead_letters_are_of_the_unit_whose_event_it_was(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await bury(db, one, order(1, bad=True), actor=person(tree.haeundae))
    [letter] = await dead(db)

    assert [len(await dead(db, person(unit))) for unit in (tree.haeundae, tree.busan, tree.nampo)] == [1, 1, 0]
    [reading] = await act(db, count_dead)
    assert (reading.value, reading.about, reading.unit_id) == (1.0, "billing", tree.haeundae.id)
    stranger, viewer = person(tree.nampo), person(tree.haeundae, Role.VIEWER)
    for verb in (events.retry, events.discard):
        with pytest.raises(NotFound):
            await act(db, lambda tx, verb=verb: verb(tx, stranger, letter.id))
        with pytest.raises(Forbidden):
            await act(db, lambda tx, verb=verb: verb(tx, viewer, letter.id))
    await act(db, lambda tx: events.discard(tx, person(tree.haeundae, Role.OPERATOR), letter.id))


@pytest.mark.parametrize("who", ["branch", "operator", "token"])
async def test_a_consumer_is_the_houses(db: Database, tree: Tree, who: str):
    await begin(db, consumer())
    actors = {
        "branch": person(tree.haeundae),
        "operator": person(tree.hq, Role.OPERATOR),
        "token": Actor("token:1", tree.hq.id, Role.ADMIN, ("events:write",)),
    }
    now = await act(db, _now)

    with pytest.raises(NotFound if who == "branch" else Forbidden):
        await act(db, lambda tx: events.replay(tx, actors[who], "billing", since=now))
    with pytest.raises(NotFound if who == "branch" else Forbidden):
        await act(db, lambda tx: events.forget(tx, actors[who], "billing"))


async def test_a_consumer_is_forgotten_after_it_was_paused(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await bury(db, one, order(1, bad=True), order(2))
    with pytest.raises(ConsumerNotPaused):
        await act(db, lambda tx: events.forget(tx, ENGINE, "billing"))

    await act(db, lambda tx: events.pause(tx, ENGINE, "billing"))
    was = await act(db, lambda tx: events.forget(tx, ENGINE, "billing"))

    assert (was.dead, await act(db, events.all_consumers), await dead(db)) == (1, [], [])


async def test_old_events_go_when_every_consumer_has_them(db: Database, tree: Tree):
    quick, slow = consumer("quick"), consumer("slow", batch=1)
    await begin(db, quick, slow)
    await publish(db, *(order(number) for number in range(4)))
    await bury(db, quick, order(4, bad=True))
    await events.deliver_once(db, slow)
    await events.deliver_once(db, slow)
    await clock.advance(db, KEEP_EVENTS.default + timedelta(days=1))
    await publish(db, order(5))

    await forget_once(db)
    kept_for_slow = await logged(db)
    for _ in range(4):
        await drain(db, slow)
        await clock.advance(db, timedelta(minutes=3))
    await forget_once(db)

    assert kept_for_slow == ["o-2", "o-3", "o-4", "o-5"]
    assert await logged(db) == ["o-4", "o-5"]  # the dead letter's and the new one
    async with db.transaction() as tx:
        assert await tx.value(SQL.count_done, consumer="slow") == 1


async def test_after_a_restore_places_hold_although_transactions_are_counted_anew(db: Database, tree: Tree):
    one = consumer(batch=2)
    await begin(db, one)
    await publish(db, *(order(number) for number in range(5)))
    await events.deliver_once(db, one)
    async with db.transaction() as tx:
        await events.renew(tx)
    await publish(db, order(5))

    await drain(db, one)

    assert await taken(db) == [f"o-{number}" for number in range(6)]


async def test_facts_tell_the_page_what_became_of_events(db: Database, tree: Tree):
    one = consumer()
    await begin(db, one)
    await bury(db, one, order(1, bad=True))
    reader = facts.Reader(db, names=["events.*"], resume="1:1:")

    told = (await reader.read_once()).facts

    assert [(fact.name, fact.data["consumer"]) for fact in told] == [("events.dead_lettered", "billing")]
