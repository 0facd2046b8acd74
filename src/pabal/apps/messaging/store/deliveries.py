"""Deliveries for those who look: one, the newest, those under way, and what became of what was just due."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime

from pabal.apps.messaging.errors import DeliveryNotFound
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import Archive, Delivery, DeliveryPart, OpenSend, Recent
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.store import sending
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope

SQL = load(__file__)
MOST_OPEN = 1000
_ANY = MessageDeliveryFilter()


async def get_delivery(tx: Tx, scope: Scope, delivery_id: int) -> Delivery:
    found = await show_deliveries(tx, scope.listed, [delivery_id])
    if not found:
        raise DeliveryNotFound(str(delivery_id))
    return found[0]


async def lock_delivery(tx: Tx, delivery_id: int) -> None:
    await tx.value(SQL.lock_delivery, id=delivery_id)


async def list_deliveries(
    tx: Tx, scope: Scope, wanted: MessageDeliveryFilter = _ANY, *, cursor: str | None = None, limit: int = 50
) -> Page[Delivery]:
    """Newest first."""
    before = paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0]
    ids = await _find_ids(tx, scope, wanted, before, paging.one_more(limit))
    found = await show_deliveries(tx, scope.listed, ids)
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def show_deliveries(tx: Tx, units: list[int] | None, ids: Sequence[int]) -> list[Delivery]:
    """With their parts and places, the newest first."""
    rows = await tx.rows(SQL.show_deliveries, ids=list(ids), units=units) if ids else []
    parts = await sending.list_parts(tx, [row["id"] for row in rows]) if rows else {}
    return [_as_delivery(row, parts[row["id"]]) for row in rows]


async def list_open(tx: Tx, units: list[int] | None, *, limit: int = MOST_OPEN) -> list[OpenSend]:
    """The longest due first."""
    return await tx.all(OpenSend, SQL.list_open, units=units, most=limit)


async def list_under_way(tx: Tx, scope: Scope, _: Filter) -> list[OpenSend]:
    return await list_open(tx, scope.listed)


async def list_recent(tx: Tx, units: list[int] | None, since: datetime) -> list[Recent]:
    """The seed's report of missed dispatches: everything due since then, up to now."""
    return await tx.all(Recent, SQL.list_recent, units=units, since=since, until=tx.now)


async def _find_ids(tx: Tx, scope: Scope, wanted: MessageDeliveryFilter, before: int, most: int) -> list[int]:
    if scope.listed is not None and wanted == _ANY:
        rows = await tx.rows(SQL.find_of_units, units=scope.listed, before=before, most=most)
    else:
        rows = await tx.rows(
            SQL.find_deliveries,
            units=scope.listed,
            states=[one.value for one in wanted.state] or None,
            schedule_id=wanted.schedule,
            room_id=wanted.room,
            bot_id=wanted.bot,
            bulk_id=wanted.bulk,
            cause=wanted.cause,
            from_at=wanted.since,
            to_at=wanted.until,
            q=wanted.q,
            before=before,
            most=most,
        )
    return [row["id"] for row in rows]


def _as_delivery(row: Row, parts: tuple[DeliveryPart, ...]) -> Delivery:
    values = dict(row)
    return Delivery(**{**values, "content": Content.from_json(values["content"]), "parts": parts})


# a month begins where the people of the house say it does
ZONE = "Asia/Seoul"


async def list_months(tx: Tx, until: datetime) -> list[date]:
    """Finished by then, and not archived."""
    return [row["month"] for row in await tx.rows(SQL.list_months, zone=ZONE, until=until)]


async def find_slice(tx: Tx, month: date, after: tuple[datetime, int] | None, most: int) -> list[tuple[datetime, int]]:
    """The next deliveries of the month, by moment and id."""
    after_at, after_id = (None, None) if after is None else after
    rows = await tx.rows(SQL.find_slice, month=month, zone=ZONE, after_at=after_at, after_id=after_id, most=most)
    return [(row["scheduled_at"], row["id"]) for row in rows]


async def insert_archive(tx: Tx, archive: Archive) -> bool:
    """False: another server was quicker."""
    made = await tx.run(SQL.insert_archive, **asdict(archive))
    return made == 1


async def list_archives(tx: Tx) -> list[Archive]:
    return await tx.all(Archive, SQL.list_archives)


async def delete_old(tx: Tx, before: datetime, most: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.delete_old, zone=ZONE, before=before, most=most)]
