"""Bulks: occurrences that went to many rooms, and their deliveries."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pabal.apps.messaging.errors import BulkSendNotFound
from pabal.apps.messaging.model.bulks import BulkSend
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.resources.bulks import BulkSendFilter
from pabal.apps.messaging.store.sending import ON_TIME, Occurrence
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)
_ANY = BulkSendFilter()


async def insert_bulk(
    tx: Tx, occurrence: Occurrence, *, rooms: int, until: datetime, job_id: int | None, must_be_active: bool
) -> int | None:
    """None: the schedule may not send, or this occurrence has its bulk already."""
    made: int | None = await tx.value(
        SQL.insert_bulk,
        schedule_id=occurrence.schedule_id,
        fire_at=occurrence.scheduled_at,
        rooms=rooms,
        until=until,
        job_id=job_id,
        must_be_active=must_be_active,
        now=tx.now,
    )
    return made


async def list_taken(tx: Tx, schedule_id: int, since: datetime, until: datetime) -> list[datetime]:
    rows = await tx.rows(SQL.list_taken, schedule_id=schedule_id, since=since, until=until)
    return [row["scheduled_at"] for row in rows]


async def insert_deliveries(
    tx: Tx, bulk_id: int, rows: Sequence[tuple[int, int, datetime, dict[str, Any]]]
) -> list[int]:
    """Room, bot, moment and content of each, in their order."""
    rooms, bots, moments, contents = ([row[place] for row in rows] for place in range(4))
    made = await tx.rows(
        SQL.insert_deliveries,
        bulk_id=bulk_id,
        rooms=rooms,
        bots=bots,
        moments=moments,
        contents=contents,
        on_time=ON_TIME,
        now=tx.now,
    )
    return [row["id"] for row in made]


async def set_jobs(tx: Tx, jobs: Mapping[int, int]) -> None:
    """Deliveries, each with its job."""
    await tx.run(SQL.set_jobs, ids=list(jobs), jobs=list(jobs.values()))


async def find_at(tx: Tx, occurrence: Occurrence) -> BulkSend | None:
    found = await tx.value(SQL.find_at, schedule_id=occurrence.schedule_id, fire_at=occurrence.scheduled_at)
    return None if found is None else (await load_bulks(tx, [found]))[0]


async def load_bulks(tx: Tx, ids: Sequence[int]) -> list[BulkSend]:
    """With what became of their deliveries, the newest first."""
    if not ids:
        return []
    counts: dict[int, dict[str, int]] = {}
    for row in await tx.rows(SQL.count_states, ids=list(ids)):
        counts.setdefault(row["bulk_id"], {})[row["state"]] = row["count"]
    return [
        replace(one, counts=counts.get(one.id, {})) for one in await tx.all(BulkSend, SQL.load_bulks, ids=list(ids))
    ]


async def get_bulk(tx: Tx, scope: Scope, bulk_id: int) -> BulkSend:
    found = await load_bulks(tx, [bulk_id])
    if not found or not scope.holds(found[0].unit_id):
        raise BulkSendNotFound(str(bulk_id))
    return found[0]


async def list_bulks(
    tx: Tx, scope: Scope, wanted: BulkSendFilter = _ANY, *, cursor: str | None = None, limit: int = 50
) -> Page[BulkSend]:
    """Newest first."""
    before = paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0]
    rows = await tx.rows(
        SQL.find_bulks,
        units=scope.listed,
        schedule_id=wanted.schedule,
        is_open=wanted.open,
        before=before,
        most=paging.one_more(limit),
    )
    found = await load_bulks(tx, [row["id"] for row in rows])
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def hold_bulk(tx: Tx, bulk_id: int) -> None:
    await tx.rows(SQL.hold_bulks, ids=[bulk_id])


async def end_through(tx: Tx, bulk_ids: Sequence[int]) -> list[BulkSend]:
    """Those whose last delivery has just ended."""
    ids = sorted(set(bulk_ids))
    await tx.rows(SQL.hold_bulks, ids=ids)
    rows = await tx.rows(SQL.end_bulks, ids=ids, now=tx.now)
    return await load_bulks(tx, [row["id"] for row in rows])


async def reopen_bulk(tx: Tx, bulk_id: int, *, until: datetime) -> None:
    await tx.run(SQL.reopen_bulk, id=bulk_id, until=until)


async def list_missing(tx: Tx, bulk_id: int, states: Sequence[DeliveryState]) -> list[int]:
    """Locked, in the order of their turns."""
    rows = await tx.rows(SQL.list_missing, bulk_id=bulk_id, states=[one.value for one in states])
    return [row["id"] for row in rows]


async def list_waiting(tx: Tx, schedule_id: int) -> dict[int, int]:
    """Deliveries whose turn has not come, each with its job."""
    return {row["id"]: row["job_id"] for row in await tx.rows(SQL.list_waiting, schedule_id=schedule_id)}
