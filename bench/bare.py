"""The limit: the engine's own statements in a bare loop, with no runner, no handlers, no telemetry around them."""

import asyncio
import tempfile
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg
import uvloop
from asyncpg.pool import PoolConnectionProxy

from bench.ours import NOOP, STEPS
from bench.peers.words import main
from pabal.base.database import Database
from pabal.base.sql import Statement
from pabal.engine import claims
from pabal.engine.kinds import Kinds
from pabal.engine.life import Life

BATCH = 500


class Loop:
    """One connection, planning as the engine's connections do."""

    def __init__(self, connection: "PoolConnectionProxy[asyncpg.Record]", worker: int) -> None:
        self._connection = connection
        self._worker = worker

    async def run(self, statement: Statement, **given: Any) -> list[asyncpg.Record]:
        return list(await self._connection.fetch(statement.text, *statement.arguments(given)))

    async def claim(self, queue: str) -> list[asyncpg.Record]:
        wanted = {"queues": [queue], "priorities": [2], "floors": [claims.BEGINNING], "ceilings": [claims.END]}
        return await self.run(claims.SQL.claim, worker=self._worker, **wanted, total=BATCH)

    async def end(self, rows: list[asyncpg.Record]) -> None:
        given = {"ids": [row["id"] for row in rows], "tokens": [row["token"] for row in rows]}
        await self.run(claims.SQL.end_leases, **given, results=None, errors=None, datas=None)

    async def exchange(self, ended: list[asyncpg.Record], queue: str) -> list[asyncpg.Record]:
        async with self._connection.transaction():
            if ended:
                await self.end(ended)
            return await self.claim(queue)

    async def two_commits(self, row: asyncpg.Record) -> None:
        async with self._connection.transaction():
            await self.run(claims.SQL.open_fenced, id=row["id"], token=row["token"])
        async with self._connection.transaction():
            await self.run(claims.SQL.open_fenced, id=row["id"], token=row["token"])
            await self.end([row])


async def drain(url: str, jobs: float) -> dict[str, Any]:
    """Claim 500, settle them and claim the next 500 in one commit, until there are none."""
    life, [loop] = await _begin(url, 1)
    began = time.monotonic()
    rows: list[asyncpg.Record] = await loop.exchange([], NOOP)
    done = 0
    while rows:
        done += len(rows)
        rows = await loop.exchange(rows, NOOP)
    seconds = time.monotonic() - began
    await life.end()
    return {"jobs": done, "seconds": seconds}


async def drain_steps(url: str, jobs: float, at_once: float) -> dict[str, Any]:
    """The two transactions of prepare and record for each job, so many at once; claimed 500 at a time."""
    life, [claimer, *loops] = await _begin(url, int(at_once) + 1)
    began = time.monotonic()
    done = 0
    while rows := await claimer.exchange([], STEPS):
        left = list(reversed(rows))

        async def work(loop: Loop, left: list[asyncpg.Record] = left) -> None:
            while left:
                await loop.two_commits(left.pop())

        await asyncio.gather(*(work(loop) for loop in loops))
        done += len(rows)
    seconds = time.monotonic() - began
    await life.end()
    return {"jobs": done, "seconds": seconds}


async def _begin(url: str, connections: int) -> tuple[Life, list[Loop]]:
    database = await Database.open(url, size=2)
    life = Life(database, Kinds(), locks=Path(tempfile.mkdtemp()), meta={}, ttl=timedelta(hours=1))
    await life.beat_once()
    # Connections as the engine's pool makes them, without the pool.
    opened = [await Database.open(url, size=1) for _ in range(connections)]
    return life, [Loop(await one._pool.acquire(), life.worker) for one in opened]


if __name__ == "__main__":
    main({"drain": drain, "drain_steps": drain_steps}, uvloop.run)
