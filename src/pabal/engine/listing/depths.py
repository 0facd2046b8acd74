"""How many jobs are where, counted up to a cap."""

from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Depths:
    """How many jobs are in each place; a number over 10,000 means "more than that"."""

    ready: int
    delayed: int
    waiting: int
    running: int


@dataclass(frozen=True, slots=True)
class QueueDepth:
    queue: str
    ready: int
    oldest_at: datetime


async def read_depths(tx: Tx) -> Depths:
    [row] = await tx.rows(SQL.count_places)
    return Depths(**row)


async def list_queues(tx: Tx, *, most: int = 100) -> list[QueueDepth]:
    return await tx.all(QueueDepth, SQL.list_queues, most=most)
