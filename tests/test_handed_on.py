"""A database that goes from test to test is as a fresh clone is, or it does not go on (tests/support/maker.py)."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import asyncpg
import pytest

from tests.support import maker as making
from tests.support.maker import Maker, with_database

INSERT = "insert into pabal.unit (level, name, created_at) values ('hq', 'one', now())"
MANY = (
    "insert into pabal.migration (owner, number, name, checksum)"
    " select 'another', n, 'another', 'theirs' from generate_series(1, 6000) n"
)


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


@pytest.mark.parametrize(
    "change",
    [
        "create table pabal.another (id int)",
        "drop index pabal.work_about",
        "alter table pabal.unit alter column name set default 'x'",
        "truncate pabal.serving",
        "analyze pabal.migration",
        "create function pabal.another() returns int language sql return 1",
        "create schema another",
    ],
)
async def test_a_database_in_which_more_than_rows_changed_does_not_go_on(databases: Databases, change: str):
    used = await databases.use(change)

    assert await databases.take_next() != used


async def test_a_database_with_many_rows_does_not_go_on(databases: Databases):
    used = await databases.use(MANY)

    assert await databases.take_next() != used


async def test_a_database_that_somebody_is_still_in_does_not_go_on(
    databases: Databases, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(making, "LOOKS", 1)
    used = await databases.use("select 1", stays_open=True)

    assert await databases.take_next() != used
