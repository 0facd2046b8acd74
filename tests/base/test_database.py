import asyncio
import os
from dataclasses import dataclass
from datetime import UTC, timedelta

import pytest

from pabal.base import pools
from pabal.base.database import Database, DatabaseUnavailable, Hints, LockTooSlow, PoolBusy, StatementTooSlow, Tx
from pabal.base.pools import Profile, Purpose
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True)
class Room:
    name: str
    facts: dict[str, object]


@pytest.fixture
async def rooms(db: Database) -> Database:
    async with db.transaction() as tx:
        await tx.script(SQL.create_rooms.text)
    return db


class Changed(Exception):
    """Somebody changed their mind."""


async def insert(tx: Tx, name: str) -> int:
    return await tx.run(SQL.insert_room, name=name, facts={"층": 3})


async def names(db: Database) -> list[str]:
    async with db.transaction() as tx:
        return [room.name for room in await tx.all(Room, SQL.list_rooms)]


async def test_a_transaction_keeps_what_it_wrote(rooms: Database):
    async with rooms.transaction() as tx:
        count = await insert(tx, "부산")

    assert count == 1
    async with rooms.transaction() as tx:
        assert await tx.one(Room, SQL.find_room, name="부산") == Room("부산", {"층": 3})
        assert await tx.one(Room, SQL.find_room, name="서울") is None


async def test_an_exception_rolls_everything_back(rooms: Database):
    with pytest.raises(Changed):
        await _write_and_change_one_s_mind(rooms)

    assert await names(rooms) == []


async def test_a_savepoint_undoes_only_its_own_part(rooms: Database):
    async with rooms.transaction() as tx:
        await insert(tx, "부산")
        with pytest.raises(Changed):
            await _save_and_change_one_s_mind(tx)

    assert await names(rooms) == ["부산"]


async def test_now_is_one_aware_moment_for_the_whole_transaction(rooms: Database):
    async with rooms.transaction() as tx:
        moment = await tx.value(SQL.read_moments)

        assert tx.now == moment
        assert tx.now.utcoffset() == timedelta(0)
        assert tx.now.tzinfo == UTC


async def test_hints_and_callbacks_follow_the_commit_and_never_a_rollback(rooms: Database):
    heard: list[Hints] = []
    called: list[list[str]] = []

    async def announce(hints: Hints) -> None:
        heard.append(dict(hints))

    async def look(database: Database) -> None:
        called.append(await names(database))

    rooms.announce = announce
    with pytest.raises(Changed):
        await _promise_and_change_one_s_mind(rooms, look)
    async with rooms.transaction() as tx:
        await insert(tx, "부산")
        now = tx.now
        tx.hint("timers", now + timedelta(1))
        tx.hint("timers", now)
        tx.hint("timers", now + timedelta(2))
        tx.after_commit(look)

    assert heard == [{"timers": now}]
    assert called == [["부산"]]


async def test_a_change_that_is_one_statement_tells_of_what_it_answered_once_it_stands(rooms: Database):
    heard: list[tuple[Hints, list[str]]] = []

    async def announce(hints: Hints) -> None:
        heard.append((hints, await names(rooms)))

    rooms.announce = announce
    for _ in range(2):
        await rooms.rows(SQL.add_room, lambda row: {f"room:{row['name']}": None}, name="부산", facts={})

    # the second time there was nothing to tell of
    assert heard == [({"room:부산": None}, ["부산"])]


async def test_a_hint_without_a_moment_means_now_whatever_else_was_said(rooms: Database):
    async with rooms.transaction() as tx:
        tx.hint("timers", tx.now)
        tx.hint("timers")
        tx.hint("timers", tx.now)

        assert tx.hints == {"timers": None}


async def test_a_database_that_does_not_answer_is_a_named_error():
    with pytest.raises(DatabaseUnavailable):
        await Database.open("postgresql://nobody@127.0.0.1:1/none")


async def test_transactions_of_one_database_run_side_by_side(rooms: Database):
    first_is_in = asyncio.Event()
    second_is_out = asyncio.Event()

    async def first() -> None:
        async with rooms.transaction() as tx:
            await insert(tx, "a")
            first_is_in.set()
            await second_is_out.wait()

    async def second() -> None:
        await first_is_in.wait()
        async with rooms.transaction() as tx:
            await insert(tx, "b")
        second_is_out.set()

    async with asyncio.timeout(30):
        await asyncio.gather(first(), second())

    assert sorted(await names(rooms)) == ["a", "b"]


async def _write_and_change_one_s_mind(db: Database) -> None:
    async with db.transaction() as tx:
        await insert(tx, "부산")
        raise Changed


async def _save_and_change_one_s_mind(tx: Tx) -> None:
    async with tx.savepoint():
        await insert(tx, "서울")
        raise Changed


async def _promise_and_change_one_s_mind(db: Database, callback) -> None:
    async with db.transaction() as tx:
        tx.hint("facts")
        tx.after_commit(callback)
        raise Changed


async def test_a_pool_that_is_used_up_says_so_in_time(db: Database):
    pool = await Database.open(db.url, purpose=Purpose.PAGES, size=1, profile=Profile({}, wait=0.05))
    async with pool.transaction():
        with pytest.raises(PoolBusy, match="pages"):
            await pool.ping()

    await pool.ping()
    await pool.close()


async def test_the_engine_waits_for_its_connections(rooms: Database):
    pool = await Database.open(rooms.url, size=1)
    async with pool.transaction():
        waiting = asyncio.create_task(names(pool))
        await asyncio.sleep(0)
        assert not waiting.done()

    assert await waiting == []
    await pool.close()


async def test_statements_and_locks_of_pages_have_their_time(rooms: Database):
    limits = Profile({"statement_timeout": "20ms", "lock_timeout": "10ms"}, wait=5)
    pages = await Database.open(rooms.url, purpose=Purpose.PAGES, profile=limits)
    with pytest.raises(StatementTooSlow):
        async with pages.transaction() as tx:
            await tx.script("select pg_sleep(30)")
    async with rooms.transaction() as tx:
        await insert(tx, "one")
        await tx.script("lock table rooms in access exclusive mode")
        with pytest.raises(LockTooSlow):
            await names(pages)

    assert await names(pages) == ["one"]
    await pages.close()


def test_a_forked_process_has_another_name_for_the_database():
    """Rescue ends the connections of a name."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, "\n".join(one["application_name"] for one in (pools.SESSION, pools.ASIDE)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    names = set(os.read(reading, 1000).decode().splitlines())
    os.close(reading)
    os.close(writing)

    [name] = names
    assert name.startswith(f"pabal {child} ")
    assert pools.SESSION["application_name"].startswith(f"pabal {os.getpid()} ")
