"""Lists and figures as pages, REST and commands show them; nothing here is written."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from pabal.apps.rendering.model.compositions import FieldMapping
from pabal.apps.rendering.model.renders import LogLine, Render, RenderState
from pabal.apps.rendering.store.compositions import CompositionRow
from pabal.apps.rendering.store.renders import Filter
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Waiting:
    id: int
    composition_id: str


@dataclass(frozen=True, slots=True)
class PastTime:
    composition_id: str
    render_id: int
    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Figures:
    """The average and the median are of the last 100 of a day, the counts of completed and failed of a day."""

    pending: int
    pending_last_hour: int
    oldest_pending_at: datetime | None
    working: int
    average_seconds: float | None
    median_seconds: float | None
    measured: int
    completed: int
    failed: int

    @property
    def success_rate(self) -> float | None:
        ended = self.completed + self.failed
        return None if not ended else 100 * self.completed / ended


@dataclass(frozen=True, slots=True)
class OfComposition:
    composition_id: str
    composition_name: str
    completed: int
    failed: int
    median_seconds: float | None
    slow_seconds: float | None
    last_at: datetime


@dataclass(frozen=True, slots=True)
class OfDay:
    day: date
    completed: int
    failed: int
    cancelled: int


@dataclass(frozen=True, slots=True)
class OfReason:
    code: str
    count: int


async def list_waiting(tx: Tx, *, most: int) -> list[Waiting]:
    """Of all units, in the order in which they are taken."""
    return await tx.all(Waiting, SQL.list_waiting, most=most)


async def list_working(tx: Tx) -> list[Render]:
    """Of all units."""
    return await tx.all(Render, SQL.list_working)


async def list_needed(tx: Tx) -> list[Render]:
    """Of all units: open, with a moment on air."""
    return await tx.all(Render, SQL.list_needed)


async def list_past_of(tx: Tx, composition_ids: Sequence[str], *, most: int) -> list[PastTime]:
    return await tx.all(PastTime, SQL.list_past_of, composition_ids=list(composition_ids), most=most)


async def list_open(tx: Tx, scope: Scope, wanted: Filter, *, most: int) -> tuple[list[Render], int]:
    """Those under way and those that wait, and how many there are in all."""
    rows = await tx.rows(
        SQL.list_open,
        units=scope.listed,
        states=list(wanted.states) if wanted.states else None,
        composition_id=wanted.composition_id,
        worker_id=wanted.worker_id,
        q=wanted.q or None,
        most=most,
    )
    return _count_renders(rows)


async def list_ended(tx: Tx, scope: Scope, wanted: Filter, *, since: datetime, most: int) -> tuple[list[Render], int]:
    rows = await tx.rows(
        SQL.list_ended,
        units=scope.listed,
        states=list(wanted.states) if wanted.states else None,
        composition_id=wanted.composition_id,
        q=wanted.q or None,
        since=since,
        most=most,
    )
    return _count_renders(rows)


async def read_figures(tx: Tx, scope: Scope) -> Figures:
    [found] = await tx.all(Figures, SQL.read_figures, units=scope.listed, now=tx.now)
    return found


async def count_failed(tx: Tx, scope: Scope, since: datetime) -> int:
    found: int = await tx.value(SQL.count_failed, units=scope.listed, since=since)
    return found


async def list_by_composition(tx: Tx, scope: Scope, since: datetime, until: datetime) -> list[OfComposition]:
    return await tx.all(OfComposition, SQL.list_by_composition, units=scope.listed, since=since, until=until)


async def list_by_day(tx: Tx, scope: Scope, since: datetime, until: datetime, *, zone: str) -> list[OfDay]:
    return await tx.all(OfDay, SQL.list_by_day, units=scope.listed, since=since, until=until, zone=zone)


async def list_by_reason(tx: Tx, scope: Scope, since: datetime, until: datetime) -> list[OfReason]:
    return await tx.all(OfReason, SQL.list_by_reason, units=scope.listed, since=since, until=until)


async def find_previous(tx: Tx, scope: Scope, render: Render) -> Render | None:
    """The last render of the same composition that was finished before, to compare with."""
    return await tx.one(
        Render,
        SQL.find_previous,
        composition_id=render.composition_id,
        but=render.id,
        before=render.completed_at if render.state == RenderState.COMPLETED else None,
        units=scope.listed,
    )


async def list_names(tx: Tx, units: list[int] | None) -> list[tuple[str, str]]:
    """Ids and names of compositions, by name."""
    return [(row["id"], row["name"]) for row in await tx.rows(SQL.list_named, units=units)]


async def list_compositions(
    tx: Tx, units: list[int] | None, *, q: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[CompositionRow]:
    found = await tx.all(
        CompositionRow,
        SQL.list_compositions,
        units=units,
        q=q or None,
        after="" if cursor is None else paging.read_cursor(cursor, str)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def list_field_mappings(
    tx: Tx, units: list[int] | None, *, composition_id: str | None, cursor: str | None = None, limit: int = 50
) -> Page[FieldMapping]:
    composition, field = ("", "") if cursor is None else paging.read_cursor(cursor, str, str)
    found = await tx.all(
        FieldMapping,
        SQL.list_field_mappings,
        units=units,
        composition_id=composition_id,
        after_composition=composition,
        after_field=field,
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.composition_id, one.field_name))


async def find_worker_ids(tx: Tx, name: str) -> list[UUID]:
    return [row["id"] for row in await tx.rows(SQL.find_worker_name, name=name)]


async def list_recent_of(tx: Tx, scope: Scope, composition_id: str) -> list[Render]:
    return await tx.all(Render, SQL.list_recent_of, composition_id=composition_id, units=scope.listed)


async def list_last_lines(tx: Tx, render_id: int, *, most: int) -> list[LogLine]:
    """Of its log, the oldest of them first."""
    return await tx.all(LogLine, SQL.list_last_lines, render_id=render_id, most=most)


async def read_gfx_of(tx: Tx, ids: Sequence[int]) -> dict[int, str]:
    """Sealed, by number."""
    return {row["id"]: row["gfx_data"] for row in await tx.rows(SQL.read_gfx_of, ids=list(ids))}


def _count_renders(rows: Sequence[Row]) -> tuple[list[Render], int]:
    found = [Render(**{name: value for name, value in row.items() if name != "total"}) for row in rows]
    return found, rows[0]["total"] if rows else 0
