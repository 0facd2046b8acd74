"""Facts out: read from a stored cursor, published in order, and only then the cursor moves. At least once."""

import json
import logging
from datetime import timedelta
from typing import NamedTuple

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit, gauge
from pabal.engine import facts
from pabal.engine.reading import Cursor, Fact, Page, Wanted, read_page
from pabal.platform import settings
from pabal.platform.broker.line import Line, Outgoing
from pabal.platform.broker.settings import FACTS_KEPT, FACTS_OUT, FACTS_STREAM, read_patterns

SQL = load(__file__)
NAME = "broker.out"
BATCH = 500
# longer than the broker may take to answer
TURN = timedelta(seconds=30)

declare("broker.published", "Facts published to the broker", amount="count", level=logging.DEBUG)
_lag = gauge("broker_lag_seconds", "Age of the oldest fact of the last batch published")


class _Batch(NamedTuple):
    page: Page
    stream: str
    kept: int
    age: float


async def publish_once(database: Database, line: Line, *, server: str) -> int:
    """One batch; answers how many facts. Every server may call it, one of them publishes.

    No transaction is open while the broker answers: what holds the others off is a turn that ends by itself. Somebody
    whose turn ended may publish once more what was published; readers know it by its id.
    """
    batch = await _next(database, server)
    if batch is None:
        return 0
    if batch.page.facts:
        await line.publish(batch.stream, [show(fact) for fact in batch.page.facts], kept=batch.kept)
    async with database.transaction() as tx:
        await _move(tx, batch.page.then, server)
    emit("broker.published", count=len(batch.page.facts))
    _lag.set(batch.age)
    return len(batch.page.facts)


async def leave_turn(tx: Tx, server: str) -> None:
    """So that the next server need not wait for its end."""
    await tx.run(SQL.leave_turn, server=server)


def show(fact: Fact) -> Outgoing:
    said = {
        "id": str(fact.id),
        "name": fact.name,
        "subject": fact.subject,
        "unit_id": fact.unit_id,
        "at": fact.at.isoformat(),
        "data": fact.data,
    }
    return Outgoing(fact.subject, json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode())


async def _next(database: Database, server: str) -> _Batch | None:
    async with database.transaction() as tx:
        if not await facts.lock_cursor(tx, NAME):
            return None
        patterns = read_patterns(await settings.value(tx, FACTS_OUT))
        cursor = await facts.find_cursor(tx, NAME)
        if not patterns or cursor is None:
            await _begin_or_end(tx, is_wanted=bool(patterns), is_begun=cursor is not None)
            return None
        page = await read_page(tx, cursor, Wanted(patterns, batch=BATCH))
        if page.then == cursor or await tx.value(SQL.take_turn, server=server, until=tx.now + TURN) is None:
            return None
        age = (tx.now - page.facts[0].at).total_seconds() if page.facts else 0.0
        return _Batch(page, await settings.value(tx, FACTS_STREAM), await settings.value(tx, FACTS_KEPT), age)


async def _begin_or_end(tx: Tx, *, is_wanted: bool, is_begun: bool) -> None:
    if is_wanted:
        await facts.open_cursor(tx, NAME)
    elif is_begun:
        await facts.close_cursor(tx, NAME)


async def _move(tx: Tx, to: Cursor, server: str) -> None:
    """Only while it is our turn: who lost it may be late by any time."""
    if await tx.value(SQL.hold_turn, server=server) is not None:
        await facts.move_cursor(tx, NAME, to)
