"""A handler that ends without a word, with its process, its connection or for ever, is counted like one that raises."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from pabal.base.database import Database, Tx
from pabal.platform import events
from pabal.platform.actor import ENGINE
from pabal.platform.events import Consumer, PublishedEvent
from tests.platform.events import deadly
from tests.platform.events.shop import SQL, begin, dead, order, publish, taken
from tests.support import servers
from tests.support.people import Tree
from tests.support.programs import ROOT, start
from tests.support.servers import until

Strike = Callable[[Tx], Awaitable[None]]


def striking(strike: Strike, sizes: list[int]) -> Consumer:
    """Takes what it is handed, and at a deadly one something happens to it."""

    async def take(tx: Tx, found: list[PublishedEvent]) -> None:
        sizes.append(len(found))
        await tx.run(SQL.take, consumer="billing", ids=[event.id for event in found])
        if any(event.data.get("deadly") for event in found):
            await strike(tx)

    return Consumer("billing", ("orders.*",), take, tries=2)


async def cut(tx: Tx) -> None:
    await tx.value(servers.SQL.terminate_myself)


async def deliver_whatever_happens(db: Database, one: Consumer) -> int:
    """As its loop does. How many deliveries raised."""
    raised = 0
    for _ in range(100):
        try:
            if not await events.deliver_once(db, one):
                return raised
        except Exception:  # noqa: BLE001 -- as the loop
            raised += 1
    raise AssertionError("it never came to an end")


@pytest.mark.req("D-37")
async def test_an_event_that_kills_its_servers_is_a_dead_letter_and_the_rest_goes_on(
    db: Database, tree: Tree, tmp_path: Path
):
    await begin(db, deadly.CONSUMER)
    await publish(db, order(0), order(1), order(2, deadly=True), order(3))
    deaths = 0

    async def is_over() -> bool:
        return server.poll() is not None or len(await taken(db)) == 3

    while len(await taken(db)) < 3:
        env = {**os.environ}
        server = start("tests.platform.events.deadly", db.url, str(tmp_path / "locks"), cwd=ROOT, env=env)
        await until(is_over)
        deaths += server.poll() is not None
        server.kill()
        await asyncio.to_thread(server.wait, 30)

    assert (deaths, await taken(db)) == (2, ["o-0", "o-1", "o-3"]), "once in a batch, once alone"
    [letter] = await dead(db)
    assert (letter.event_id, letter.tries, letter.error) == ("o-2", 1, "its server died while it ran")


async def test_one_that_takes_the_connection_along_is_found_alone(db: Database, tree: Tree):
    sizes: list[int] = []
    one = striking(cut, sizes)
    await begin(db, one)
    await publish(db, order(0), order(1, deadly=True), order(2))

    raised = await deliver_whatever_happens(db, one)

    assert (raised, sizes) == (3, [3, 1, 1, 1, 1]), "in the batch, where nothing is counted, and twice alone"
    assert await taken(db) == ["o-0", "o-2"]
    [letter] = await dead(db)
    assert letter.tries == 2
    assert letter.error.startswith("its connection was lost")


async def test_who_asks_for_a_deadly_letter_again_gets_one_try_that_counts(db: Database, tree: Tree):
    one = striking(cut, [])
    await begin(db, one)
    await publish(db, order(0, deadly=True))
    await deliver_whatever_happens(db, one)
    [letter] = await dead(db)

    async with db.transaction() as tx:
        await events.retry(tx, ENGINE, letter.id)
    await publish(db, order(1))
    raised = await deliver_whatever_happens(db, one)

    [again] = await dead(db)
    assert (raised, again.tries, again.asked_at) == (2, letter.tries + 1, None)
    assert await taken(db) == ["o-1"]


async def test_one_that_stalls_is_counted_and_a_stop_of_the_server_is_not(db: Database, tree: Tree):
    stalled = asyncio.Event()
    sizes: list[int] = []

    async def stall(tx: Tx) -> None:
        stalled.set()
        await asyncio.Event().wait()

    async def end_one(*, is_stopping: bool) -> None:
        step = asyncio.create_task(events.deliver_once(db, one, is_stopping=lambda: is_stopping))
        await asyncio.wait([step, waiting := asyncio.create_task(stalled.wait())], return_when="FIRST_COMPLETED")
        waiting.cancel()
        step.cancel()
        await asyncio.wait([step])
        stalled.clear()

    one = striking(stall, sizes)
    await begin(db, one)
    await publish(db, order(0, deadly=True))
    for _ in range(3):
        await end_one(is_stopping=True)
    assert await dead(db) == []
    for _ in range(3):
        await end_one(is_stopping=False)
    await events.deliver_once(db, one)

    assert sizes == [1] * 6
    [letter] = await dead(db)
    assert (letter.tries, letter.error) == (2, "it stalled")


async def test_a_database_that_goes_away_makes_no_dead_letter(db: Database, tree: Tree):
    left = iter(range(5))

    async def break_down(tx: Tx) -> None:
        if next(left, None) is not None:
            await tx.value(servers.SQL.terminate_everybody)
            await cut(tx)

    one = striking(break_down, [])
    await begin(db, one)
    await publish(db, order(0, deadly=True), order(1))

    raised = await deliver_whatever_happens(db, one)

    assert (raised, await dead(db), await taken(db)) == (5, [], ["o-0", "o-1"])
