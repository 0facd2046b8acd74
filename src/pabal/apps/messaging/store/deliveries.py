"""Deliveries for those who look: one, the newest, those under way, and what became of what was just due."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime

from pabal.apps.messaging.errors import DeliveryNotFound
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import Delivery, DeliveryPart
from pabal.apps.messaging.store import sending
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)
MOST_OPEN = 1000


@dataclass(frozen=True, slots=True)
class Wanted:
    """None is any. `q` is looked for in the text, the schedule's title and the room's name."""

    units: Sequence[int] | None = None
    states: Sequence[str] | None = None
    schedule_id: int | None = None
    room_id: int | None = None
    bot_id: int | None = None
    cause: str | None = None
    from_at: datetime | None = None
    to_at: datetime | None = None
    q: str | None = None

    @property
    def is_of_units_only(self) -> bool:
        return self.units is not None and self == Wanted(units=self.units)


@dataclass(frozen=True, slots=True)
class OpenSend:
    """A send under way. `delivery_id` None: nobody has taken it yet. `until`: when a deferred one is tried again."""

    job_id: int | None
    delivery_id: int | None
    unit_id: int
    schedule_id: int
    schedule_title: str
    room_id: int
    room_name: str
    bot_id: int
    bot_name: str
    scheduled_at: datetime
    cause: str
    deferred_by: str | None
    until: datetime | None
    parts: int
    written: int
    place: str


@dataclass(frozen=True, slots=True)
class Recent:
    """`verdict` is the seed's: not_sent, retry_needed or sent."""

    schedule_id: int
    unit_id: int
    schedule_title: str
    scheduled_at: datetime
    delivery_id: int | None
    state: str | None
    reason: str | None
    verdict: str


async def get_delivery(tx: Tx, scope: Scope, delivery_id: int) -> Delivery:
    found = await show_deliveries(tx, scope.listed, [delivery_id])
    if not found:
        raise DeliveryNotFound(str(delivery_id))
    return found[0]


async def list_deliveries(tx: Tx, wanted: Wanted, cursor: str | None = None, limit: int = 50) -> Page[Delivery]:
    """Newest first."""
    before = paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0]
    ids = await _find_ids(tx, wanted, before, paging.one_more(limit))
    found = await show_deliveries(tx, None if wanted.units is None else list(wanted.units), ids)
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def show_deliveries(tx: Tx, units: list[int] | None, ids: Sequence[int]) -> list[Delivery]:
    """With their parts and places, the newest first."""
    rows = await tx.rows(SQL.show_deliveries, ids=list(ids), units=units) if ids else []
    parts = await sending.list_parts(tx, [row["id"] for row in rows]) if rows else {}
    return [_as_delivery(row, parts[row["id"]]) for row in rows]


async def list_open(tx: Tx, units: list[int] | None, *, limit: int = MOST_OPEN) -> list[OpenSend]:
    """The longest due first."""
    return await tx.all(OpenSend, SQL.list_open, units=units, most=limit)


async def list_recent(tx: Tx, units: list[int] | None, since: datetime) -> list[Recent]:
    """The seed's report of missed dispatches: everything due since then, up to now."""
    return await tx.all(Recent, SQL.list_recent, units=units, since=since, until=tx.now)


async def _find_ids(tx: Tx, wanted: Wanted, before: int, most: int) -> list[int]:
    units = None if wanted.units is None else list(wanted.units)
    if wanted.is_of_units_only:
        rows = await tx.rows(SQL.find_of_units, units=units, before=before, most=most)
    else:
        rows = await tx.rows(
            SQL.find_deliveries,
            units=units,
            states=None if wanted.states is None else list(wanted.states),
            schedule_id=wanted.schedule_id,
            room_id=wanted.room_id,
            bot_id=wanted.bot_id,
            cause=wanted.cause,
            from_at=wanted.from_at,
            to_at=wanted.to_at,
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


@dataclass(frozen=True, slots=True)
class Archive:
    """Holds its month as it was at `made_at`."""

    month: date
    file_id: int
    deliveries: int
    made_at: datetime


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
