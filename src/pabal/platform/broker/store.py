"""What was kept of events, and how the lines to the broker stand."""

from datetime import timedelta

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform import settings
from pabal.platform.actor import Actor, Right
from pabal.platform.broker.model import AREA, DUPLICATE, BadResult, Described, Kept, Result, Seen
from pabal.platform.broker.outgoing import NAME
from pabal.platform.broker.settings import KEEP_EVENTS
from pabal.platform.tenants import require_house

SQL = load(__file__)
# a server says how its lines stand several times in this
HEARD = timedelta(minutes=1)
OLD = timedelta(days=1)
RECENTLY = timedelta(hours=1)
BATCH = 10_000


async def list_events(
    tx: Tx,
    actor: Actor,
    *,
    result: str | None = None,
    subject: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Kept]:
    """The newest first; `duplicate` is every one that came more than once. They belong to the head office."""
    await require_house(tx, actor, Right.READ, AREA)
    return await list_kept(tx, result=result, subject=subject, cursor=cursor, limit=limit)


async def list_kept(tx: Tx, *, result: str | None, subject: str | None, cursor: str | None, limit: int) -> Page[Kept]:
    if result is not None and result not in (*Result, DUPLICATE):
        raise BadResult(result[:100])
    before = LAST if cursor is None else read_cursor(cursor, int)[0]
    found = await tx.all(Kept, SQL.list_events, result=result, subject=subject, before=before, most=one_more(limit))
    return cut(found, limit, lambda one: show_cursor(one.seq))


async def describe(tx: Tx, actor: Actor) -> Described:
    await require_house(tx, actor, Right.READ, AREA)
    lines = await list_lines(tx)
    pending = [line.pending for line in lines if line.pending is not None]
    return Described(
        None if not lines else all(line.failed_since is None for line in lines),
        await read_lag(tx),
        max(pending, default=None),
        lines,
    )


async def list_lines(tx: Tx) -> list[Seen]:
    """Of servers that were heard of in the last minute."""
    return await tx.all(Seen, SQL.list_lines, since=tx.now - HEARD)


async def count_failed(tx: Tx) -> float:
    """Events given up within the hour."""
    failed: float = await tx.value(SQL.count_failed, since=tx.now - RECENTLY)
    return failed


async def read_lag(tx: Tx) -> float | None:
    """Age of the oldest fact that is not out yet, in seconds; None while nothing goes out."""
    lag: float | None = await tx.value(SQL.read_lag, name=NAME)
    return lag


async def note_line(tx: Tx, server: str, side: str, *, error: str | None, pending: int | None = None) -> None:
    await tx.run(SQL.note_line, server=server, side=side, error=error, pending=pending, now=tx.now)


async def forget_line(tx: Tx, server: str) -> None:
    """A server that said goodbye is not away."""
    await tx.run(SQL.forget_line, server=server)


async def forget_once(database: Database) -> int:
    """Events past their time, up to 10,000, and lines of servers that are long gone."""
    async with database.transaction() as tx:
        await tx.run(SQL.forget_lines, before=tx.now - OLD)
        before = tx.now - await settings.value(tx, KEEP_EVENTS)
        forgotten = await tx.run(SQL.forget_events, before=before, batch=BATCH)
    return forgotten if forgotten == BATCH else 0
