"""Every committed fact reaches every subscriber, in order, and its effect happens once (I19)."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database, Hints, Tx
from pabal.engine.facts import (
    TOPIC,
    Aside,
    AsideNotFound,
    Fact,
    NewFact,
    Subscriber,
    deliver_once,
    list_aside,
    make_loop,
    record,
    record_many,
    retry_aside,
)
from tests.support import servers
from tests.support.facts import SQL, create_seen, deliver_all, notebook, numbers_seen, seen_by, tell
from tests.support.work import begin_life, crash


@pytest.fixture
async def facts(db: Database) -> Database:
    await create_seen(db)
    return db


async def test_a_fact_reaches_a_subscriber_with_all_it_says(facts: Database) -> None:
    got: list[Fact] = []

    async def keep(tx: Tx, handed: list[Fact]) -> None:
        got.extend(handed)

    subscriber = Subscriber("keeper", ("*",), keep)
    await deliver_once(facts, subscriber)
    async with facts.transaction() as tx:
        await record(tx, "thing.happened", "thing:1", {"at": tx.now, "말": "안녕"}, unit_id=7)
        moment = tx.now

    await deliver_once(facts, subscriber)

    [fact] = got
    assert (fact.name, fact.subject, fact.unit_id, fact.at) == ("thing.happened", "thing:1", 7, moment)
    assert fact.data == {"at": moment.isoformat(), "말": "안녕"}


async def test_what_is_not_json_is_refused_before_it_is_written(facts: Database) -> None:
    async with facts.transaction() as tx:
        with pytest.raises(TypeError, match="set is not"):
            await record(tx, "thing.happened", "thing:1", {"odd": {1, 2}})


async def test_a_rolled_back_fact_is_never_delivered(facts: Database) -> None:
    subscriber = notebook()
    await deliver_once(facts, subscriber)

    async def tell_and_fail() -> None:
        async with facts.transaction() as tx:
            await record(tx, "thing.happened", "thing:1", {"n": 1})
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await tell_and_fail()
    await tell(facts, 2)
    await deliver_all(facts, subscriber)

    assert await numbers_seen(facts) == [2]


async def test_a_subscriber_begins_with_what_follows_its_first_sight(facts: Database) -> None:
    await tell(facts, 1)
    await deliver_once(facts, notebook())
    await tell(facts, 2)

    await deliver_all(facts, notebook())

    assert await numbers_seen(facts) == [2]


async def test_a_subscriber_may_begin_with_the_oldest_fact(facts: Database) -> None:
    await tell(facts, 1, 2)

    await deliver_all(facts, notebook(from_start=True))

    assert await numbers_seen(facts) == [1, 2]


async def test_a_subscriber_gets_only_the_names_it_asked_for(facts: Database) -> None:
    subscriber = notebook("chosen", "thing.*", "other_area.exact", from_start=True)
    for name in ("thing.happened", "things.happened", "otherxarea.exact", "other_area.exact", "other_area.exactly"):
        await tell(facts, 1, name=name)

    await deliver_all(facts, subscriber)

    assert [seen.name for seen in await seen_by(facts, "chosen")] == ["thing.happened", "other_area.exact"]


async def test_a_late_commit_of_an_earlier_fact_is_still_delivered(facts: Database) -> None:
    subscriber = notebook()
    await deliver_once(facts, subscriber)

    async with facts.transaction() as slow:
        await record(slow, "thing.happened", "slow:1", {"n": 1})
        await tell(facts, 2, subject="fast:1")
        await deliver_all(facts, subscriber)
    await tell(facts, 3, subject="fast:1")
    await deliver_all(facts, subscriber)

    assert await numbers_seen(facts) == [2, 1, 3]


async def test_facts_in_one_reading_come_in_the_order_they_were_recorded(facts: Database) -> None:
    subscriber = notebook()
    await deliver_once(facts, subscriber)

    async with facts.transaction() as late, facts.transaction() as early:
        await record(early, "thing.happened", "thing:1", {"n": 1})
        await record(late, "thing.happened", "thing:2", {"n": 2})
        await record(early, "thing.happened", "thing:1", {"n": 3})
    await deliver_all(facts, subscriber)

    assert await numbers_seen(facts) == [1, 2, 3]


async def test_a_large_backlog_goes_on_where_it_was_though_more_comes_meanwhile(facts: Database) -> None:
    subscriber = notebook(batch=10, from_start=True)
    async with facts.transaction() as tx:
        await record_many(tx, [NewFact("thing.happened", "thing:1", {"n": n}) for n in range(25)])

    counts = [await deliver_once(facts, subscriber)]
    await tell(facts, 25)
    counts += await deliver_all(facts, subscriber)

    assert counts == [10, 10, 5, 1]
    assert await numbers_seen(facts) == list(range(26))


async def test_an_answer_of_none_means_that_there_is_nothing_even_after_exactly_one_batch(facts: Database) -> None:
    subscriber = notebook(batch=3, from_start=True)
    await tell(facts, 1, 2, 3)

    first = await deliver_once(facts, subscriber)
    await tell(facts, 4)
    second = await deliver_once(facts, subscriber)

    assert (first, second) == (3, 1)
    assert await numbers_seen(facts) == [1, 2, 3, 4]


async def test_servers_that_deliver_together_have_each_effect_once(facts: Database) -> None:
    subscriber = notebook(batch=7)
    await deliver_once(facts, subscriber)
    await tell(facts, *range(60))

    await asyncio.gather(*(deliver_all(facts, subscriber) for _ in range(5)))
    await deliver_all(facts, subscriber)

    assert await numbers_seen(facts) == list(range(60))


async def test_a_server_that_dies_in_the_middle_leaves_no_half_effect(facts: Database) -> None:
    inner = notebook()
    await deliver_once(facts, inner)
    await tell(facts, 1, 2)

    async def die(tx: Tx, handed: list[Fact]) -> None:
        await inner.handle(tx, handed)
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await deliver_once(facts, Subscriber(inner.name, inner.names, die))
    await deliver_all(facts, inner)

    assert await numbers_seen(facts) == [1, 2]


async def test_what_a_subscriber_records_itself_is_delivered_to_it_too(facts: Database) -> None:
    inner = notebook()

    async def echo(tx: Tx, handed: list[Fact]) -> None:
        await inner.handle(tx, handed)
        await tell(facts, *(100 + fact.data["n"] for fact in handed if fact.data["n"] < 10))
        await record_many(
            tx, [NewFact("thing.echoed", "thing:1", {"n": f.data["n"] + 10}) for f in handed if f.data["n"] < 10]
        )

    subscriber = Subscriber(inner.name, inner.names, echo)
    await deliver_once(facts, subscriber)
    await tell(facts, 1, 2)
    await deliver_all(facts, subscriber)

    assert sorted(await numbers_seen(facts)) == [1, 2, 11, 12, 101, 102]


async def test_a_reading_that_finds_nothing_writes_nothing(facts: Database) -> None:
    subscriber = notebook()
    await tell(facts, 1)
    await deliver_once(facts, subscriber)
    before = await cursor_of(facts)

    for _ in range(3):
        await deliver_once(facts, subscriber)

    assert await cursor_of(facts) == before


async def test_facts_nobody_asked_for_are_passed_and_not_read_again(facts: Database) -> None:
    subscriber = notebook("notebook", "wanted.*")
    await deliver_once(facts, subscriber)
    before = await cursor_of(facts)
    await tell(facts, 1, name="unwanted.happened")

    delivered = await deliver_once(facts, subscriber)

    assert delivered == 0
    assert await cursor_of(facts) != before


async def test_a_fact_that_cannot_be_taken_is_put_aside_after_three_tries_and_the_rest_goes_on(facts: Database) -> None:
    subscriber = notebook(fails_at=lambda fact: fact.data["n"] == 13)
    await deliver_once(facts, subscriber)
    await tell(facts, *range(20))

    first = await deliver_once(facts, subscriber)
    at_once = await deliver_once(facts, subscriber)
    for _ in range(2):
        await clock.advance(facts, timedelta(seconds=5))
        await deliver_once(facts, subscriber)
    await deliver_all(facts, subscriber)

    assert (first, at_once) == (13, 0)
    assert await numbers_seen(facts) == [n for n in range(20) if n != 13]
    [aside] = await aside_of(facts)
    assert "division by zero" in aside.error


async def test_a_fact_that_is_taken_at_the_second_try_keeps_its_place(facts: Database) -> None:
    trouble = {1}
    subscriber = notebook(fails_at=lambda fact: fact.data["n"] in trouble)
    await deliver_once(facts, subscriber)
    await tell(facts, 0, 1, 2)
    await deliver_once(facts, subscriber)

    trouble.clear()
    await clock.advance(facts, timedelta(seconds=5))
    await deliver_all(facts, subscriber)

    assert await numbers_seen(facts) == [0, 1, 2]
    assert await aside_of(facts) == []


async def test_each_fact_has_its_own_three_tries(facts: Database) -> None:
    trouble = {1, 2}
    subscriber = notebook(fails_at=lambda fact: fact.data["n"] in trouble)
    await deliver_once(facts, subscriber)
    await tell(facts, 1, 2)
    for _ in range(2):
        await deliver_once(facts, subscriber)
        await clock.advance(facts, timedelta(seconds=5))
    trouble.remove(1)

    for _ in range(3):
        await deliver_once(facts, subscriber)
        await clock.advance(facts, timedelta(seconds=5))
    asides_after_two_tries_of_the_second = await aside_of(facts)
    await deliver_once(facts, subscriber)

    assert await numbers_seen(facts) == [1]
    assert asides_after_two_tries_of_the_second == []
    assert len(await aside_of(facts)) == 1


async def test_what_was_put_aside_can_be_handed_over_again(facts: Database) -> None:
    trouble = {0}
    subscriber = notebook(fails_at=lambda fact: fact.data["n"] in trouble)
    await deliver_once(facts, subscriber)
    await tell(facts, 0, 1)
    for _ in range(4):
        await deliver_once(facts, subscriber)
        await clock.advance(facts, timedelta(seconds=5))
    [aside] = await aside_of(facts)
    trouble.clear()

    async with facts.transaction() as tx:
        await retry_aside(tx, subscriber, aside.seq)

    assert await numbers_seen(facts) == [1, 0]
    async with facts.transaction() as tx:
        with pytest.raises(AsideNotFound):
            await retry_aside(tx, subscriber, aside.seq)


async def test_a_commit_with_facts_wakes_their_readers(facts: Database) -> None:
    announced: list[dict[str, datetime | None]] = []

    async def listen(hints: dict[str, datetime | None]) -> None:
        announced.append(hints)

    facts.announce = listen

    await tell(facts, 1)

    assert announced == [{"facts": None, "facts:thing": None}]


class Deadly:
    """Takes what it is handed, and at one of them its connection goes, or it stalls, without a word."""

    def __init__(self, inner: Subscriber, strike: Callable[[Tx], Awaitable[None]], at: int) -> None:
        self._inner = inner
        self._strike = strike
        self._at = at
        self.sizes: list[int] = []
        self.subscriber = Subscriber(inner.name, inner.names, self.handle)

    async def handle(self, tx: Tx, handed: list[Fact]) -> None:
        self.sizes.append(len(handed))
        await self._inner.handle(tx, handed)
        if any(fact.data["n"] == self._at for fact in handed):
            await self._strike(tx)


async def cut(tx: Tx) -> None:
    await tx.value(servers.SQL.terminate_myself)


async def deliver_whatever_happens(db: Database, subscriber: Subscriber) -> int:
    """As its loop does. Answers how many deliveries raised."""
    raised = 0
    for _ in range(100):
        try:
            if not await deliver_once(db, subscriber):
                return raised
        except Exception:  # noqa: BLE001 -- as the loop
            raised += 1
    raise AssertionError("it never came to an end")


async def test_a_fact_that_takes_the_connection_along_is_put_aside_and_the_rest_goes_on(facts: Database) -> None:
    deadly = Deadly(notebook(), cut, at=3)
    await deliver_once(facts, deadly.subscriber)
    await tell(facts, *range(6))

    raised = await deliver_whatever_happens(facts, deadly.subscriber)

    assert raised == 4, "once in the batch, where nothing is counted, and three times alone"
    assert await numbers_seen(facts) == [0, 1, 2, 4, 5]
    [aside] = await aside_of(facts)
    assert "its connection was lost" in aside.error


async def test_a_delivery_that_stalls_is_counted_when_it_does_so_alone(facts: Database) -> None:
    stalled = asyncio.Event()

    async def stall(tx: Tx) -> None:
        stalled.set()
        await asyncio.Event().wait()

    deadly = Deadly(notebook(), stall, at=1)
    await deliver_once(facts, deadly.subscriber)
    await tell(facts, *range(3))

    for _ in range(5):
        step = asyncio.create_task(deliver_all(facts, deadly.subscriber))
        await asyncio.wait([step, asyncio.create_task(stalled.wait())], return_when=asyncio.FIRST_COMPLETED)
        step.cancel()
        await asyncio.wait([step])
        stalled.clear()

    assert await numbers_seen(facts) == [0, 2]
    [aside] = await aside_of(facts)
    assert aside.error == "it stalled"


async def test_a_stop_of_the_server_is_no_stall_of_a_delivery(facts: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pabal.engine.loop.PATIENCE", 0.0)
    begun: list[bool] = []

    async def take_long(tx: Tx) -> None:
        begun.append(True)
        await asyncio.Event().wait()

    slow = Deadly(notebook("notebook", "thing.*"), take_long, at=1)
    await deliver_once(facts, slow.subscriber)
    await tell(facts, *range(3))
    await crash(facts, await begin_life(facts, meta={"alone": ["facts:notebook"]}))

    for stops in range(1, 5):
        loop = make_loop(facts, slow.subscriber, idle=5.0)
        loop.start()
        await servers.until(lambda stops=stops: len(begun) == stops)
        await loop.stop()
    await deliver_all(facts, notebook("notebook", "thing.*"))

    assert await numbers_seen(facts) == [0, 1, 2]
    assert await aside_of(facts) == []


async def test_a_statement_that_takes_too_long_is_a_failure_of_its_fact(facts: Database) -> None:
    async def take_too_long(tx: Tx) -> None:
        raise TimeoutError

    deadly = Deadly(notebook(), take_too_long, at=1)
    await deliver_once(facts, deadly.subscriber)
    await tell(facts, *range(3))

    for _ in range(4):
        await deliver_once(facts, deadly.subscriber)
        await clock.advance(facts, timedelta(seconds=5))

    assert await numbers_seen(facts) == [0, 2]
    assert len(await aside_of(facts)) == 1


async def test_a_database_that_goes_away_puts_no_fact_aside(facts: Database) -> None:
    left = iter(range(5))

    async def break_down(tx: Tx) -> None:
        if next(left, None) is not None:
            await tx.value(servers.SQL.terminate_everybody)
            await cut(tx)

    deadly = Deadly(notebook(), break_down, at=1)
    await deliver_once(facts, deadly.subscriber)
    await tell(facts, *range(3))

    raised = await deliver_whatever_happens(facts, deadly.subscriber)

    assert raised == 5
    assert await numbers_seen(facts) == [0, 1, 2]
    assert await aside_of(facts) == []


async def test_after_a_lost_life_facts_are_handed_over_one_by_one_until_there_are_none(facts: Database) -> None:
    deadly = Deadly(notebook("notebook", "thing.*"), cut, at=99)
    await deliver_once(facts, deadly.subscriber)
    await crash(facts, await begin_life(facts, meta={"alone": ["facts:notebook"]}))
    await tell(facts, *range(3))
    await deliver_all(facts, deadly.subscriber)
    await tell(facts, *range(3, 6))

    await deliver_all(facts, deadly.subscriber)

    assert deadly.sizes == [1, 1, 1, 3]
    assert await numbers_seen(facts) == [*range(6)]


async def cursor_of(db: Database) -> dict[str, object]:
    async with db.transaction() as tx:
        [row] = await tx.rows(SQL.find_cursor, subscriber="notebook")
    return dict(row)


async def aside_of(db: Database) -> list[Aside]:
    async with db.transaction() as tx:
        return await list_aside(tx, "notebook")


async def test_a_subscriber_is_woken_by_facts_of_its_areas_and_by_no_others(facts: Database) -> None:
    heard: set[str] = set()

    async def announce(hints: Hints) -> None:
        heard.update(hints)

    facts.announce = announce
    async with facts.transaction() as tx:
        await record_many(tx, [NewFact("adgroup.running", "adgroup:1", {}), NewFact("order.paid", "order:2", {})])
    facts.announce = None
    followed = {"one": ["adgroup.*"], "some": ["alert.fired", "order.paid"], "others": ["relay.*"], "all": ["*"]}
    loops = [make_loop(facts, notebook(name, *names), idle=60.0) for name, names in followed.items()]

    assert [loop.name for loop in loops if heard & set(loop.wake_on)] == ["facts:one", "facts:some", "facts:all"]
    assert TOPIC in heard, "live pages follow all of them"
