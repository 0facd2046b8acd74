"""A database that goes from test to test is as a fresh clone is, or it does not go on (tests/support/maker.py)."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import asyncpg
import pytest

from pabal.base.database import Database
from tests.support import maker as making
from tests.support.kept import KEEPER
from tests.support.maker import Maker, with_database

INSERT = "insert into pabal.unit (level, name, created_at) values ('hq', 'one', now())"
MANY = (
    "insert into pabal.migration (owner, number, name, checksum)"
    " select 'another', n, 'another', 'theirs' from generate_series(1, 6000) n"
)
MORE_THAN_ROWS = [
    "create table pabal.another (id int)",
    "drop index pabal.work_about",
    "alter table pabal.unit alter column name set default 'x'",
    "truncate pabal.serving",
    "analyze pabal.migration",
    "create function pabal.another() returns int language sql return 1",
    "create schema another",
]


@pytest.fixture
async def databases(cluster_url: str, template: str) -> AsyncIterator["Databases"]:
    with Maker(cluster_url) as maker:
        async with AsyncExitStack() as stack:
            yield Databases(maker, cluster_url, template, stack)


class Databases:
    def __init__(self, maker: Maker, cluster_url: str, template: str, stack: AsyncExitStack) -> None:
        self._maker, self._url, self._template, self._stack = maker, cluster_url, template, stack

    async def open(self, name: str) -> asyncpg.Connection:
        connection = await asyncpg.connect(with_database(self._url, name))
        self._stack.push_async_callback(connection.close)
        return connection

    async def use(self, change: str, *, stays_open: bool = False) -> str:
        name = await self._maker.make(self._template)
        connection = await self.open(name)
        await connection.execute(change)
        if not stays_open:
            await connection.close()
        self._maker.hand_back(name)
        return name

    async def use_by_pool(self, change: str) -> str:
        """Its connections are kept (tests/support/kept.py)."""
        name = await self._maker.make(self._template)
        database = await Database.open(with_database(self._url, name))
        async with database.transaction() as tx:
            await tx.script(change)
        await database.close()
        assert KEEPER.processes(name) != []
        self._maker.hand_back(name)
        return name

    async def take_next(self) -> str:
        """The next but one: the next was made before the last one was handed back."""
        for _ in range(2):
            name = await self._maker.make(self._template)
            self._stack.callback(self._maker.hand_back, name)
        return name


async def test_rows_are_gone_numbers_begin_again_and_what_the_template_held_is_back(databases: Databases):
    used = await databases.use(
        f"{INSERT};delete from pabal.migration where owner = 'engine'; delete from pabal.serving"
    )

    connection = await databases.open(name := await databases.take_next())

    assert name == used
    assert await connection.fetchval("select count(*) from pabal.unit") == 0
    assert await connection.fetchval(f"{INSERT} returning id") == 1
    assert await connection.fetchval("select count(*) from pabal.serving") == 1
    assert await connection.fetchval("select count(*) from pabal.migration where owner = 'engine'") > 0


@pytest.mark.parametrize("change", MORE_THAN_ROWS)
async def test_a_database_in_which_more_than_rows_changed_does_not_go_on(databases: Databases, change: str):
    used = await databases.use(change)

    assert await databases.take_next() != used


@pytest.mark.parametrize("change", MORE_THAN_ROWS)
async def test_nor_does_it_if_who_changed_it_is_still_connected_for_the_next(databases: Databases, change: str):
    used = await databases.use_by_pool(change)

    assert await databases.take_next() != used


async def test_with_other_rows_it_goes_on_with_its_connections(databases: Databases):
    used = await databases.use_by_pool(INSERT)
    [kept] = KEEPER.processes(used)

    assert await databases.take_next() == used
    assert KEEPER.processes(used) == [kept]


async def test_what_is_kept_ends_with_its_database(databases: Databases):
    used = await databases.use_by_pool("create schema another")

    await databases.take_next()

    assert KEEPER.processes(used) == []


async def test_a_database_with_many_rows_does_not_go_on(databases: Databases):
    used = await databases.use(MANY)

    assert await databases.take_next() != used


async def test_a_database_that_somebody_is_still_in_does_not_go_on(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(making, "LOOKS", 1)
    used = await databases.use("select 1", stays_open=True)

    assert await databases.take_next() != used
