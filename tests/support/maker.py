"""Makes and drops the databases of a worker's tests, beside them: in a thread with one connection of its own.

A clone takes 30 ms of PostgreSQL, so the next one is made while a test runs, and those before go while the next runs.
"""

import asyncio
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from itertools import count
from typing import Any, Self

import asyncpg


async def clone(admin: asyncpg.Connection, name: str, template: str = "template0") -> None:
    # the other strategy writes all of it to the log too, and leaves the caches of the catalogue to be made again
    await admin.execute(f'create database "{name}" template "{template}" strategy file_copy')


class Maker:
    def __init__(self, cluster_url: str) -> None:
        self._url = cluster_url
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="databases", daemon=True)
        self._numbers = count(1)
        self._ready: dict[str, Future[str]] = {}
        self._left: list[str] = []

    def __enter__(self) -> Self:
        self._thread.start()
        # one statement at a time, in the order in which they were asked for
        self._turn = asyncio.Lock()
        self._admin = self._run(self._connect()).result()
        return self

    def __exit__(self, *_: object) -> None:
        for future in self._ready.values():
            self.drop(future.result())
        self._run(self._close()).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def make(self, template: str) -> str:
        """Its name. A template that is asked for once is asked for again."""
        asked = self._ready.pop(template, None) or self._run(self._make(template))
        self._ready[template] = self._run(self._make(template))
        return await asyncio.wrap_future(asked)

    def drop(self, name: str) -> None:
        """After the next one is made: PostgreSQL rests a tenth of a second when it finds a connection that is about to
        end, and whoever waits for the next database rests with it."""
        self._loop.call_soon_threadsafe(self._left.append, name)

    def _run(self, work: Coroutine[Any, Any, Any]) -> Future[Any]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    async def _connect(self) -> asyncpg.Connection:
        return await asyncpg.connect(self._url)

    async def _close(self) -> None:
        async with self._turn:
            await self._drop_left()
            await self._admin.close()

    async def _make(self, template: str) -> str:
        name = f"test_{os.getpid()}_{next(self._numbers)}"
        async with self._turn:
            await clone(self._admin, name, template)
        self._run(self._clear())
        return name

    async def _clear(self) -> None:
        async with self._turn:
            await self._drop_left()

    async def _drop_left(self) -> None:
        while self._left:
            await self._admin.execute(f'drop database "{self._left.pop()}" with (force)')
