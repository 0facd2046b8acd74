"""Makes the databases of a worker's tests and hands them on, beside them: in a thread with connections of its own.

A clone takes 25 ms of PostgreSQL to make and 11 to drop; to empty one takes 3. So a database goes from test to test,
emptied while the next test runs, as long as nothing but rows has changed in it. Everything else (a table made or
truncated, statistics, settings, a connection somebody left open) ends it, and a fresh clone takes its place.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine, Iterable, Set
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import count
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from pabal.base.sql import load
from tests.support.kept import FORGET, KEEPER

SQL = load(__file__)
# Rows that are gone still take room, and a test should find its tables small.
MOST_USES = 50
LARGEST_TABLE = 256 * 1024
# connections end some milliseconds after they were closed
LOOKS, BETWEEN_LOOKS = 20, 0.005
EMPTY = "template0"
_numbers = count(1)
# a test ended our connection too or dropped its database, or the cluster is of somebody who lets us do less
_NOT_OURS = (
    asyncpg.InterfaceError,
    asyncpg.PostgresConnectionError,
    asyncpg.AdminShutdownError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InsufficientPrivilegeError,
    OSError,
)


def with_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


async def clone(admin: asyncpg.Connection, name: str, template: str = EMPTY) -> None:
    # the other strategy writes all of it to the log too, and leaves the caches of the catalogue to be made again
    await admin.execute(f'create database "{name}" template "{template}" strategy file_copy')


@dataclass(frozen=True)
class Contents:
    """What every clone of a template has: its catalogue, and as JSON the `rows` of the few tables that have some."""

    catalogue: str
    rows: dict[str, str]

    @classmethod
    async def read(cls, connection: asyncpg.Connection) -> Self:
        catalogue = await connection.fetchval(SQL.read_catalogue.text)
        tables = [row["name"] for row in await connection.fetch(SQL.list_tables.text)]
        rows = await _read_rows(connection, tables)
        return cls(catalogue, {table: found for table, found in rows.items() if found})


@dataclass
class Made:
    """A clone, and the connection that empties it: opened when it is handed back for the first time."""

    name: str
    template: str
    contents: Contents
    connection: asyncpg.Connection | None = None
    uses: int = 1

    async def empty(self, cluster_url: str) -> bool:
        """Whether it is as it was made again."""
        try:
            if self.uses >= MOST_USES:
                return False
            self.connection = self.connection or await asyncpg.connect(with_database(cluster_url, self.name))
            if not await self._is_left(self.connection) or not await self._has_only_other_rows(self.connection):
                return False
            written = {row["name"]: row["size"] for row in await self.connection.fetch(SQL.list_written.text)}
            if any(size > LARGEST_TABLE for size in written.values()):
                return False
            await self._put_back(self.connection, written.keys())
        except _NOT_OURS:
            return False
        self.uses += 1
        return True

    async def _is_left(self, connection: asyncpg.Connection) -> bool:
        for _ in range(LOOKS):
            if not await connection.fetchval(SQL.count_others.text, FORGET):
                return True
            await asyncio.sleep(BETWEEN_LOOKS)
        return False

    async def _has_only_other_rows(self, connection: asyncpg.Connection) -> bool:
        return bool(await connection.fetchval(SQL.read_catalogue.text) == self.contents.catalogue)

    async def _put_back(self, connection: asyncpg.Connection, written: Set[str]) -> None:
        """No trigger and no reference stands in the way of one who restores."""
        now = await _read_rows(connection, self.contents.rows)
        other = {table: rows for table, rows in self.contents.rows.items() if now[table] != rows}
        statements = [
            "set local session_replication_role = replica",
            *(f"delete from {table}" for table in (written - self.contents.rows.keys()) | other.keys()),
            *(_refill(table, rows) for table, rows in other.items()),
        ]
        async with connection.transaction():
            await connection.execute(";".join(statements))
            await connection.execute(SQL.restart_sequences.text)


def _refill(table: str, rows: str) -> str:
    return (
        f"insert into {table} overriding system value"
        f" select * from jsonb_populate_recordset(null::{table}, $rows${rows}$rows$)"
    )


async def _read_rows(connection: asyncpg.Connection, tables: Iterable[str]) -> dict[str, str | None]:
    selected = ",".join(f"(select jsonb_agg(t)::text from {table} t)" for table in tables)
    return dict(zip(tables, await connection.fetchrow(f"select {selected}"), strict=True))


class Maker:
    def __init__(self, cluster_url: str) -> None:
        self._url = cluster_url
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="databases", daemon=True)
        self._ready: dict[str, Future[str]] = {}
        self._made: dict[str, Made] = {}
        self._contents: dict[str, Contents] = {}
        self._left: list[str] = []

    def __enter__(self) -> Self:
        self._thread.start()
        # one statement at a time, in the order in which they were asked for
        self._turn = asyncio.Lock()
        self._admin = self._run(self._connect()).result()
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._ready.values():
            self.hand_back(future.result())
        self._run(self._close()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def make(self, template: str) -> str:
        """Its name. A template that is asked for once is asked for again."""
        asked = self._ready.pop(template, None) or self._run(self._make(template))
        self._ready[template] = self._run(self._make(template))
        return await asyncio.wrap_future(asked)

    def hand_back(self, name: str) -> None:
        """Nobody looks at it any more."""
        self._loop.call_soon_threadsafe(self._left.append, name)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _connect(self) -> asyncpg.Connection:
        return await asyncpg.connect(self._url)

    async def _close(self) -> None:
        async with self._turn:
            for name in self._left:
                await self._drop(name)
            await self._admin.close()

    async def _make(self, template: str) -> str:
        async with self._turn:
            return await self._hand_on(template) or await self._clone(template)

    async def _hand_on(self, template: str) -> str | None:
        """What the tests before left: emptied, or dropped."""
        while self._left:
            name = self._left.pop(0)
            made = self._made.get(name)
            if made and made.template == template and await made.empty(self._url):
                return name
            await self._drop(name)
        return None

    async def _clone(self, template: str) -> str:
        name = f"test_{os.getpid()}_{next(_numbers)}"
        await clone(self._admin, name, template)
        if template != EMPTY:
            self._made[name] = Made(name, template, await self._read_contents(name, template))
            KEEPER.begin(name)
        return name

    async def _read_contents(self, name: str, template: str) -> Contents:
        if template not in self._contents:
            connection = await asyncpg.connect(with_database(self._url, name))
            self._contents[template] = await Contents.read(connection)
            await connection.close()
        return self._contents[template]

    async def _drop(self, name: str) -> None:
        made = self._made.pop(name, None)
        if made and made.connection:
            await made.connection.close()
        KEEPER.end(name)
        await self._admin.execute(f'drop database if exists "{name}" with (force)')
