"""The ground both sides stand on: one PostgreSQL with durable commits, a fresh database for each round."""

import contextlib
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import asyncpg
import psutil

from bench import machine
from pabal.base import embedded
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine.schema import MIGRATIONS

SQL = load(__file__)
ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / ".bench"
# Durable, and large enough that no checkpoint falls into one side's round and not into the other's.
SETTINGS = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "shared_buffers": "1GB",
    "max_wal_size": "8GB",
    "checkpoint_timeout": "30min",
}


def folder() -> Path:
    """Holds the cluster. Tests have theirs in memory."""
    return keep(Path(os.environ.get("PABAL_BENCH_DIR", HOME)))


def keep(place: Path) -> Path:
    """A folder that is there; git ignores what is in it."""
    place.mkdir(parents=True, exist_ok=True)
    (place / ".gitignore").write_text("*\n")
    return place


class Ground:
    def __init__(self, cluster: embedded.Cluster, admin: asyncpg.Connection, *, settles: bool) -> None:
        self._cluster = cluster
        self._admin = admin
        self._settles = settles
        self._count = 0

    async def describe(self) -> dict[str, Any]:
        return machine.describe(await self._admin.fetchval(SQL.version.text))

    async def clear(self) -> None:
        """Drops what runs left behind that were killed."""
        for row in await self._admin.fetch(SQL.list_databases.text):
            if not psutil.pid_exists(int(row["name"].split("_")[1])):
                await self._drop(row["name"])

    @contextlib.asynccontextmanager
    async def fresh(self) -> AsyncIterator[str]:
        """The address of an empty database, which is gone afterwards."""
        self._count += 1
        name = f"bench_{os.getpid()}_{self._count}"
        # The name is ours, and DDL takes no parameters.
        await self._admin.execute(SQL.create.text.replace("bench_name", name))
        try:
            yield self._cluster.url(name)
        finally:
            await self._drop(name)

    @contextlib.asynccontextmanager
    async def filled(self, fill: Callable[[str], Awaitable[Any]]) -> AsyncIterator[str]:
        """A fresh one after `fill`, settled."""
        async with self.fresh() as url:
            await fill(url)
            await self.settle(url)
            yield url

    async def settle(self, url: str) -> None:
        """Nobody starts with the other's dirty pages, nor with a planner that knows nothing."""
        if not self._settles:
            return
        connection = await asyncpg.connect(url)
        await connection.execute(SQL.vacuum_analyze.text)
        await connection.close()
        await self._admin.execute(SQL.checkpoint.text)

    async def wal_bytes(self) -> int:
        return int(await self._admin.fetchval(SQL.wal_bytes.text))

    async def _drop(self, name: str) -> None:
        await self._admin.execute(SQL.drop.text.replace("bench_name", name))


@contextlib.asynccontextmanager
async def stand(*, settles: bool = True) -> AsyncIterator[Ground]:
    """Without settling where nobody looks at the numbers."""
    place = folder() / "postgres"
    cluster = await embedded.ensure(place, settings=SETTINGS)
    admin = await asyncpg.connect(cluster.url("postgres"))
    ground = Ground(cluster, admin, settles=settles)
    try:
        await ground.clear()
        yield ground
    finally:
        await admin.close()
        await embedded.stop(place)


async def install(url: str) -> None:
    database = await Database.open(url, size=2)
    await migrate(database, MIGRATIONS)
    await database.close()
