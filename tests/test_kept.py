"""A session of PostgreSQL that goes from test to test is as a new one is, or it ends (tests/support/kept.py)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import asyncpg
import pytest

from tests.support.kept import KEEPER

PROCESS = "select pg_backend_pid()"
Connect = Callable[..., Awaitable[asyncpg.Connection]]


@pytest.fixture
async def connect(database_url: str) -> AsyncIterator[Connect]:
    opened = []

    async def one_more(**settings: str) -> asyncpg.Connection:
        opened.append(await asyncpg.connect(database_url, server_settings=settings))
        return opened[-1]

    yield one_more
    for one in opened:
        await one.close()


async def leave(connect: Connect, statement: str = "select 1") -> int:
    """A session that was left after this."""
    connection = await connect()
    await connection.execute(statement)
    process: int = await connection.fetchval(PROCESS)
    await connection.close()
    return process


async def test_whoever_connects_next_goes_on_with_it(connect: Connect):
    process = await leave(connect)

    connection = await connect()

    assert await connection.fetchval(PROCESS) == connection.get_server_pid() == process


@pytest.mark.parametrize(
    ("left", "asked", "answer"),
    [
        ("set statement_timeout = 1234", "select current_setting('statement_timeout')", "0"),
        ("set session_replication_role = replica", "select current_setting('session_replication_role')", "origin"),
        ("select pg_advisory_lock(7)", "select count(*) from pg_locks where locktype = 'advisory'", 0),
        ("listen something", "select count(*) from pg_listening_channels()", 0),
        ("prepare something as select 1", "select count(*) from pg_prepared_statements where name = 'something'", 0),
        (
            "declare something cursor with hold for select 1",
            "select count(*) from pg_cursors where name = 'something'",
            0,
        ),
        ("create temp table something (id int)", "select to_regclass('pg_temp.something')", None),
    ],
)
async def test_it_has_forgotten_all_it_was_told(connect: Connect, left: str, asked: str, answer: object):
    process = await leave(connect, left)

    connection = await connect()

    assert await connection.fetchval(asked) == answer
    assert await connection.fetchval(PROCESS) == process


async def test_statements_are_prepared_anew(connect: Connect):
    first = await connect()
    assert await first.fetchval("select $1::int", 7) == 7
    await first.close()

    assert await (await connect()).fetchval("select $1::text", "seven") == "seven"


async def test_who_asks_for_other_settings_has_a_session_of_its_own(connect: Connect):
    process = await leave(connect)

    connection = await connect(application_name="another")

    assert await connection.fetchval(PROCESS) != process
    assert await connection.fetchval("select current_setting('application_name')") == "another"


async def test_one_in_a_transaction_ends(connect: Connect):
    process = await leave(connect, "begin")

    assert await (await connect()).fetchval(PROCESS) != process


async def test_one_that_was_ended_meanwhile_is_nobodys(connect: Connect):
    other = await connect(application_name="another")
    process = await leave(connect)

    await other.fetchval("select pg_terminate_backend($1, 30000)", process)

    assert await (await connect()).fetchval(PROCESS) != process


async def test_it_ends_with_its_database(connect: Connect, database_url: str):
    other = await connect(application_name="another")
    process = await leave(connect)

    KEEPER.end(await other.fetchval("select current_database()"))

    async with asyncio.timeout(30):
        while await other.fetchval("select exists (select from pg_stat_activity where pid = $1)", process):
            await asyncio.sleep(0.002)


async def test_one_in_the_middle_of_a_statement_ends(connect: Connect):
    connection = await connect()
    process = await connection.fetchval(PROCESS)
    waiting = asyncio.create_task(connection.execute("select pg_sleep(3600)"))
    other = await connect(application_name="another")
    async with asyncio.timeout(30):
        while not await other.fetchval("select wait_event = 'PgSleep' from pg_stat_activity where pid = $1", process):
            await asyncio.sleep(0.002)

    connection.terminate()

    assert await (await connect()).fetchval(PROCESS) != process
    await asyncio.gather(waiting, return_exceptions=True)
    await other.fetchval("select pg_terminate_backend($1, 30000)", process)
