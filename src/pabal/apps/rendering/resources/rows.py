"""Rows as the descriptions ask for them: jobs with their data and forecast, workers, compositions, changes, figures."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.compositions import list_above
from pabal.apps.rendering.errors import CompositionNotFound, RenderNotFound
from pabal.apps.rendering.farm import read_paths
from pabal.apps.rendering.files.errors import PathNotMapped
from pabal.apps.rendering.files.paths import PathMap
from pabal.apps.rendering.forecasts import Forecast, foresee
from pabal.apps.rendering.machine import RENDER
from pabal.apps.rendering.model.compositions import FieldMapping
from pabal.apps.rendering.model.renders import Render
from pabal.apps.rendering.model.slots import Slot, TemplatePause
from pabal.apps.rendering.resources.compositions import CompositionFilter, MappingFilter
from pabal.apps.rendering.resources.jobs import RenderJobFilter
from pabal.apps.rendering.resources.statistics import (
    CompositionStatisticsView,
    DayStatisticsView,
    ReasonStatisticsView,
    RenderStatisticsView,
    StatisticsFilter,
)
from pabal.apps.rendering.resources.traces import RenderAuditFilter
from pabal.apps.rendering.startup import RenderingStartup
from pabal.apps.rendering.store import compositions, renders, showing, slots
from pabal.apps.rendering.store.compositions import CompositionRow
from pabal.base.database import Tx
from pabal.base.settings import read_app_settings
from pabal.engine import listing
from pabal.engine.listing import Page
from pabal.engine.listing.history import Wanted
from pabal.engine.transitions import Transition
from pabal.platform import settings
from pabal.platform.resources import Filter, Viewer
from pabal.platform.secrets import CannotUnseal, Vault
from pabal.platform.tenants import Scope


@dataclass(frozen=True, slots=True)
class JobRow:
    """A render with what it shows, when it will be ready, and its file as people open it."""

    render: Render
    gfx_data: dict[str, Any] | None
    forecast: Forecast | None
    unc: str | None

    @property
    def id(self) -> int:
        return self.render.id

    @property
    def version(self) -> int:
        return self.render.version


@dataclass(frozen=True, slots=True)
class SlotRow:
    """`render_id` only where one may see that render; `is_house`: one may know the machine too."""

    slot: Slot
    pauses: tuple[TemplatePause, ...]
    render_id: int | None
    is_house: bool

    @property
    def id(self) -> UUID:
        return self.slot.id


async def list_jobs(
    tx: Tx, scope: Scope, wanted: RenderJobFilter, *, vault: Vault, cursor: str | None = None, limit: int = 50
) -> Page[JobRow]:
    asked = renders.Filter(
        states=[str(one) for one in wanted.status] or None,
        composition_id=wanted.composition,
        cue_item_id=wanted.cue,
        worker_id=wanted.worker,
        since=wanted.since,
        until=wanted.until,
        q=wanted.q,
    )
    page = await renders.list_renders(tx, scope, asked, cursor=cursor, limit=limit)
    return Page(await make_rows(tx, vault, page.items), page.cursor)


async def list_stuck(tx: Tx, scope: Scope, wanted: Filter, *, vault: Vault) -> list[JobRow]:
    return await make_rows(tx, vault, await read_stuck(tx, scope))


async def read_stuck(tx: Tx, scope: Scope) -> list[Render]:
    """Without progress for as long as counts as slow, with a lock that ended, or with a fault in their way."""
    slow = await settings.value(tx, own.SLOW_ALERT)
    return await renders.list_stuck(tx, scope, slow_since=tx.now - slow)


async def get_job(tx: Tx, scope: Scope, render_id: int, *, vault: Vault) -> JobRow:
    return await make_row(tx, vault, await renders.get_render(tx, scope, render_id))


async def name_job(tx: Tx, scope: Scope, text: str, *, vault: Vault) -> JobRow:
    number = text.strip().removeprefix("job_").removeprefix("#")
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        raise RenderNotFound(text[:50])
    return await get_job(tx, scope, int(number), vault=vault)


async def make_row(tx: Tx, vault: Vault, render: Render) -> JobRow:
    [row] = await make_rows(tx, vault, [render])
    return row


async def make_rows(tx: Tx, vault: Vault, found: Sequence[Render]) -> list[JobRow]:
    sealed = await showing.read_gfx_of(tx, [one.id for one in found])
    outlook = await foresee(tx, found) if any(one.is_open for one in found) else None
    paths = read_paths(read_app_settings(RenderingStartup))
    foretold = {} if outlook is None else outlook.renders
    return [
        JobRow(one, open_gfx(vault, sealed.get(one.id)), foretold.get(one.id), show_unc(paths, one.output_file_path))
        for one in found
    ]


def open_gfx(vault: Vault, sealed: str | None) -> dict[str, Any] | None:
    """One that another key sealed must not take the whole list away."""
    if sealed is None:
        return None
    try:
        found: dict[str, Any] = json.loads(vault.open(sealed))
    except CannotUnseal:
        return None
    return found


def show_unc(paths: PathMap, path: str | None) -> str | None:
    if path is None:
        return None
    try:
        return paths.to_unc(path)
    except PathNotMapped:
        return path


async def list_workers(tx: Tx, scope: Scope, wanted: Filter) -> list[SlotRow]:
    return await make_slot_rows(tx, scope, await slots.list_slots(tx))


async def get_worker(tx: Tx, scope: Scope, slot_id: UUID) -> SlotRow:
    [row] = await make_slot_rows(tx, scope, [await slots.get_slot(tx, slot_id)])
    return row


async def make_slot_rows(tx: Tx, scope: Scope, found: Sequence[Slot]) -> list[SlotRow]:
    usable = await list_usable_units(tx, scope)
    pauses = await slots.list_shown_pauses(tx, [one.id for one in found], units=scope.listed, usable=usable)
    return [
        SlotRow(one, _of(pauses, one), one.render_id if scope.holds(one.render_unit_id) else None, scope.units is None)
        for one in found
    ]


def _of(pauses: Iterable[TemplatePause], slot: Slot) -> tuple[TemplatePause, ...]:
    return tuple(one for one in pauses if one.slot_id == slot.id)


async def list_usable_units(tx: Tx, scope: Scope) -> list[int] | None:
    """Whose compositions one may render: one's own, those below, and those of the units above."""
    return None if scope.listed is None else [*scope.listed, *await list_above(tx, scope)]


async def list_compositions(
    tx: Tx, scope: Scope, wanted: CompositionFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[CompositionRow]:
    units = await list_usable_units(tx, scope)
    return await showing.list_compositions(tx, units, q=wanted.q, cursor=cursor, limit=limit)


async def get_composition(tx: Tx, scope: Scope, composition_id: str) -> CompositionRow:
    row = await compositions.find_composition(tx, composition_id)
    units = await list_usable_units(tx, scope)
    if row is None or not (units is None or row.unit_id in units):
        raise CompositionNotFound(composition_id[:100])
    return row


async def list_mappings(
    tx: Tx, scope: Scope, wanted: MappingFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[FieldMapping]:
    units = await list_usable_units(tx, scope)
    return await showing.list_field_mappings(tx, units, composition_id=wanted.composition, cursor=cursor, limit=limit)


async def list_audit(
    tx: Tx, scope: Scope, wanted: RenderAuditFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Transition]:
    asked = Wanted(scope.listed, RENDER.name, subject=wanted.job, since=wanted.since, until=wanted.until)
    return await listing.history.list_transitions(tx, asked, limit=limit, cursor=cursor)


async def read_statistics(tx: Tx, scope: Scope, wanted: StatisticsFilter, viewer: Viewer) -> RenderStatisticsView:
    figures = await showing.read_figures(tx, scope)
    alive = [one for one in await slots.list_slots(tx) if one.is_alive(tx.now)]
    since, until = tx.now - timedelta(days=wanted.days), tx.now + timedelta(seconds=1)
    oldest = figures.oldest_pending_at
    by_day = await showing.list_by_day(tx, scope, since, until, zone="Asia/Seoul")
    return RenderStatisticsView.of(
        figures,
        oldest_pending_seconds=None if oldest is None else round((tx.now - oldest).total_seconds(), 1),
        active_workers=len(alive),
        busy_workers=sum(one.render_id is not None for one in alive),
        licences=await settings.value(tx, own.LICENCES),
        compositions=[
            CompositionStatisticsView.of(one) for one in await showing.list_by_composition(tx, scope, since, until)
        ],
        days=[DayStatisticsView.of(one) for one in by_day],
        reasons=[ReasonStatisticsView.of(one) for one in await showing.list_by_reason(tx, scope, since, until)],
    )
