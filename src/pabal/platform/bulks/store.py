"""The tables of bulks and their rows."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import ids
from pabal.platform.bulks.model import Bulk, BulkNotFound, BulkRow, Ended, Order
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Lang
from pabal.platform.resources.bulks import PREFIX

SQL = load(__file__)
KEPT = timedelta(days=30)


async def insert_bulk(
    tx: Tx,
    order: Order,
    *,
    actor: str,
    lang: Lang,
    said: dict[str, object],
    keys: Sequence[str],
    request: str | None = None,
    undoes: int | None = None,
) -> int | None:  # long: the columns of a bulk
    """None: this request has its bulk already, or somebody took the same one back."""
    made: int | None = await tx.value(
        SQL.insert_bulk,
        noun=order.name,
        verb=order.many.name,
        said=said,
        actor=actor,
        lang=lang,
        request=request,
        total=len(keys),
        undoes=undoes,
        now=tx.now,
    )
    if made is not None:
        await tx.run(SQL.insert_rows, bulk_id=made, keys=list(keys))
    return made


async def find_request(tx: Tx, actor: str, request: str) -> int | None:
    found: int | None = await tx.value(SQL.find_request, actor=actor, request=request)
    return found


async def get_bulk(tx: Tx, actor: str | None, bulk_id: int) -> Bulk:
    """Of this actor; None sees everybody's."""
    found = await tx.one(Bulk, SQL.find_bulk, id=bulk_id)
    if found is None or actor not in (None, found.actor):
        raise BulkNotFound(ids.show(PREFIX, bulk_id))
    return found


async def list_bulks(tx: Tx, actor: str | None, *, before: int, limit: int) -> list[Bulk]:
    return await tx.all(Bulk, SQL.list_bulks, actor=actor, before=before, most=limit)


async def list_rows(tx: Tx, bulk_id: int) -> list[BulkRow]:
    return await tx.all(BulkRow, SQL.list_rows, bulk_id=bulk_id)


async def take_rows(tx: Tx, bulk_id: int, limit: int) -> list[BulkRow]:
    return await tx.all(BulkRow, SQL.take_rows, bulk_id=bulk_id, most=limit)


async def end_rows(tx: Tx, bulk: Bulk, rows: Sequence[BulkRow], ended: Sequence[Ended]) -> None:
    await tx.run(
        SQL.end_rows,
        bulk_id=bulk.id,
        places=[row.place for row in rows],
        results=["done" if one.error is None else "refused" for one in ended],
        titles=[None if one.title is None else one.title[:300] for one in ended],
        codes=[None if one.error is None else one.error.code for one in ended],
        whys=[None if one.error is None else explain(one.error, bulk.lang) for one in ended],
    )
    refused = sum(one.error is not None for one in ended)
    await count_ended(tx, bulk.id, done=len(ended) - refused, refused=refused)


async def count_ended(tx: Tx, bulk_id: int, *, done: int, refused: int) -> None:
    await tx.value(SQL.count_ended, bulk_id=bulk_id, done=done, refused=refused, now=tx.now)


async def list_done(tx: Tx, bulk_id: int) -> list[str]:
    """The last first: what was done last is taken back first."""
    return [row["key"] for row in await tx.rows(SQL.list_done, bulk_id=bulk_id)]


async def refuse_rest(tx: Tx, bulk_id: int, code: str, why: str) -> None:
    left = await tx.rows(SQL.refuse_rest, bulk_id=bulk_id, code=code, why=why)
    await count_ended(tx, bulk_id, done=0, refused=len(left))


async def forget_once(database: Database, *, before: datetime | None = None) -> int:
    """A step for housekeeping: drops what ended a month ago."""
    async with database.transaction() as tx:
        return await tx.run(SQL.delete_old, before=before or tx.now - KEPT)
