"""Direct connections for the engine, a pooler for the pages if there is one: on a real PgBouncer."""

import asyncio

import asyncpg
import pytest

from pabal.base.database import Database, PoolerNotAllowed
from pabal.base.pages import PagesAddressUnfit, open_pages
from pabal.base.sql import load
from tests.support.database import NewDatabase
from tests.support.pgbouncer import needs_pgbouncer, pgbouncer

SQL = load(__file__)
# What an administrator would write who was told that Pabal does not open.
LENIENT = "plan_cache_mode,enable_seqscan,enable_hashjoin,enable_mergejoin,max_parallel_workers_per_gather,jit"
LENIENT += ",idle_in_transaction_session_timeout,synchronous_commit,statement_timeout,lock_timeout"

pytestmark = needs_pgbouncer


@pytest.mark.parametrize("mode", ["session", "transaction", "statement"])
@pytest.mark.parametrize("ignored", ["", LENIENT], ids=["by default", "when it ignores startup parameters"])
async def test_a_pooler_at_the_engine_s_address_is_refused(database_url: str, mode: str, ignored: str):
    with pgbouncer(database_url, mode=mode, ignore_startup_parameters=ignored) as address:
        for least in (0, 2):
            with pytest.raises(PoolerNotAllowed) as refused:
                await Database.open(address, least=least)

            assert refused.value.code == "pooler_not_allowed"
            assert "PABAL_PAGES_URL" in str(refused.value)


async def test_what_a_transaction_sets_holds_in_it_and_is_gone_for_the_next_client(db: Database):
    """The pooler has one connection, so that both are served by the same."""
    with pgbouncer(db.url, mode="transaction", size=1) as address:
        stranger = await asyncpg.connect(address, statement_cache_size=0)
        before = await stranger.fetchrow(SQL.read_session.text)
        pages = await open_pages(db, address, size=3)
        async with pages.transaction() as tx:
            [inside] = await tx.rows(SQL.read_session)
        [alone] = await pages.rows(SQL.read_session)
        after = await stranger.fetchrow(SQL.read_session.text)
        left = await stranger.fetch(SQL.list_left_behind.text)
        await stranger.close()
        await pages.close()

    assert inside["process"] == before["process"]
    assert (inside["plan_cache_mode"], inside["jit"], inside["idle"]) == ("force_custom_plan", "off", "10s")
    assert (inside["statement"], inside["lock"]) == ("10s", "5s")
    assert inside["application_name"].startswith("pabal ")
    assert alone == inside
    assert after == before
    assert left == []


async def test_a_transaction_that_fails_leaves_nothing_behind_either(db: Database):
    with pgbouncer(db.url, mode="transaction", size=1) as address:
        pages = await open_pages(db, address, size=1)
        with pytest.raises(asyncpg.DivisionByZeroError):
            await pages.rows(SQL.divide)
        stranger = await asyncpg.connect(address, statement_cache_size=0)
        session = await stranger.fetchrow(SQL.read_session.text)
        await stranger.close()
        await pages.close()

    assert (session["plan_cache_mode"], session["idle"]) == ("auto", "0")


@pytest.mark.parametrize("mode", ["session", "transaction"])
async def test_many_readers_share_a_few_connections_without_mixing_up_statements(db: Database, mode: str):
    """Two pools, as of two servers, with ten connections each; the pooler has two in transaction mode."""
    with pgbouncer(db.url, mode=mode, size=2 if mode == "transaction" else 20) as address:
        servers = [await open_pages(db, address, size=10) for _ in range(2)]

        async def read(number: int) -> tuple[object, int]:
            async with servers[number % 2].transaction() as tx:
                [first] = await tx.rows(SQL.echo, value={"수": number})
                async with tx.savepoint():
                    [second] = await tx.rows(SQL.read_session)
                assert first["process"] == second["process"]
                return first["value"], first["process"]

        async with asyncio.timeout(30):
            found = await asyncio.gather(*(read(number) for number in range(100)))
        for pages in servers:
            await pages.close()

    assert [value for value, _ in found] == [{"수": number} for number in range(100)]
    assert mode == "session" or len({process for _, process in found}) == 2


async def test_pages_of_another_database_or_through_single_statements_are_refused(
    db: Database, new_database: NewDatabase, template: str
):
    async def refuse(address: str, reason: str) -> None:
        with pytest.raises(PagesAddressUnfit, match=reason):
            await open_pages(db, address, size=1)

    with pgbouncer(await new_database(template), mode="transaction") as elsewhere:
        await refuse(elsewhere, "another database")
    with pgbouncer(await new_database(), mode="transaction") as empty:
        await refuse(empty, "does not exist")
    with pgbouncer(db.url, mode="statement") as single:
        await refuse(single, "statement pooling")
