"""Both sides of the storm: the engine fires every due timer in its batches; raw SQL does the same writes at once."""

import time
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import uvloop

from bench.peers.words import main
from pabal.base.database import Database, Tx
from pabal.base.pools import Purpose
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine.machine import Machine, Refusal, arms, move
from pabal.engine.timers import fire_once

SQL = load(__file__)


class State(StrEnum):
    WAITING = "waiting"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Door:
    id: int
    unit_id: int | None
    state: str
    version: int
    opens_at: datetime


def has_come(door: Door, now: datetime) -> Refusal | None:
    return None if now >= door.opens_at else Refusal("too_early", {"now": now, "opens_at": door.opens_at})


@arms("unlock")
def opening(door: Door, now: datetime) -> dict[str, datetime]:
    return {"unlock": door.opens_at}


async def load_doors(tx: Tx, ids: list[int]) -> list[Door]:
    return [Door(*row) for row in await tx.rows(SQL.load_doors, ids=ids)]


DOOR = Machine(
    name="door",
    table="bench.door",
    states=State,
    initial=State.WAITING,
    final=(State.OPEN,),
    moves=(move("unlock", State.WAITING, State.OPEN, guard=has_come),),
    timers={State.WAITING: opening},
    loader=load_doors,
)


async def fill(url: str, count: float) -> dict[str, Any]:
    """Subjects that have begun, each with its first history row and its timer, all for one moment."""
    database = await Database.open(url, size=1)
    async with database.transaction() as tx:
        await tx.script(SQL.create_table.text)
        await tx.run(SQL.insert_doors, count=int(count))
        await tx.run(SQL.insert_history)
        await tx.run(SQL.insert_timers)
    await database.close()
    return {}


async def fire(url: str, count: float) -> dict[str, Any]:
    database = await Database.open(url, size=2)
    began = time.monotonic()
    fired = 0
    while taken := await fire_once(database, [DOOR]):
        fired += taken
    seconds = time.monotonic() - began
    await database.close()
    return {"count": fired, "seconds": seconds, **await _written(url)}


async def raw(url: str, count: float) -> dict[str, Any]:
    """Planned as PostgreSQL likes best for a whole table."""
    database = await Database.open(url, purpose=Purpose.PAGES, size=1)
    began = time.monotonic()
    async with database.transaction() as tx:
        moved = await tx.run(SQL.open_doors)
    seconds = time.monotonic() - began
    await database.close()
    return {"count": moved, "seconds": seconds, **await _written(url)}


async def _written(url: str) -> dict[str, Any]:
    """Both must have done the same."""
    database = await Database.open(url, purpose=Purpose.PAGES, size=1)
    async with database.transaction() as tx:
        [row] = await tx.rows(SQL.count_written)
    await database.close()
    return dict(row)


if __name__ == "__main__":
    start_logging(level="warning")
    main({"fill": fill, "fire": fire, "raw": raw}, uvloop.run)
