"""A connection that a test left is to the next one as a new one is, or it is not kept (tests/support/kept.py)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import asyncpg
import pytest

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from tests.support.kept import KEEPER, MOST_OF_A_KIND, name_of

SQL = load(__file__)


@asynccontextmanager
async def session(url: str) -> AsyncIterator[Tx]:
    """A transaction in a pool of its own, which is closed afterwards."""
    database = await Database.open(url)
    async with database.transaction() as tx:
        yield tx
    await database.close()


async def do(url: str, script: str = "select 1") -> int:
    """Answers which process of PostgreSQL did it."""
    async with session(url) as tx:
        await tx.script(script)
        process: int = await tx.value(SQL.read_process)
    return process


async def end(url: str, process: int) -> None:
    """Returns when PostgreSQL has said so to whoever is connected there."""
    connection = await asyncpg.connect(url)
    await connection.fetchval("select pg_terminate_backend($1, 30000)", process)
    await connection.close()


async def look(url: str) -> dict[str, object]:
    async with session(url) as tx:
        [row] = await tx.rows(SQL.read_session)
    return dict(row)


def test_a_connection_goes_from_loop_to_loop_with_what_it_has_prepared(database_url: str):
    async def ask() -> tuple[int, int]:
        async with session(database_url) as tx:
            await tx.value(SQL.count_prepared)
            return await tx.value(SQL.read_process), await tx.value(SQL.count_prepared)

    assert asyncio.run(ask()) == asyncio.run(ask()) == asyncio.run(ask())


@pytest.mark.parametrize(
    "change",
    [
        "set search_path = pabal",
        "set statement_timeout = 77000",
        "select set_config('pabal.said', 'x', false)",
        "listen told",
        "select pg_advisory_lock(7)",
        "create temp table mine (id int)",
        "set role pg_monitor",
        "declare mine cursor with hold for select 1",
    ],
)
async def test_the_next_finds_nothing_in_the_session(database_url: str, change: str):
    fresh = await look(database_url)
    database = await Database.open(database_url, size=1)
    async with database.transaction() as tx:
        process = await tx.value(SQL.read_process)
        await tx.script(change)
    [changed] = await database.rows(SQL.read_session)
    await database.close()

    found = await look(database_url)

    assert dict(changed) != fresh
    assert found == fresh
    assert await do(database_url) == process


async def test_one_that_postgresql_ended_is_not_given_to_anybody(database_url: str):
    process = await do(database_url)
    await end(database_url, process)

    assert await do(database_url) != process


async def test_no_more_are_kept_than_most_tests_need(database_url: str):
    async with AsyncExitStack() as stack:
        many = [await stack.enter_async_context(session(database_url)) for _ in range(MOST_OF_A_KIND + 2)]
        used = {await tx.value(SQL.read_process) for tx in many}

    assert len(used & set(KEEPER.processes(name_of(database_url)))) == MOST_OF_A_KIND


async def test_one_that_was_cancelled_is_not_kept(database_url: str):
    database = await Database.open(database_url, size=1)
    async with database.transaction() as tx:
        process = await tx.value(SQL.read_process)
    waiting = asyncio.create_task(database.rows(SQL.wait_long))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.wait([waiting])
    await database.close()

    assert await do(database_url) != process
