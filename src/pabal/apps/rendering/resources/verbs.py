"""The verbs as the descriptions call them: the app's own actions, answering rows as every face shows them."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pabal.apps.rendering import input_files
from pabal.apps.rendering.actions import compositions, renders, requesting, slots
from pabal.apps.rendering.actions.requesting import RenderRequest, Requested, read_priority
from pabal.apps.rendering.errors import ImportRefused, NothingToTest, NotStuck, TooManyRenders
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.model import gfx, mapping, mapping_files, nexjob, preflight
from pabal.apps.rendering.model.compositions import Composition, place_in
from pabal.apps.rendering.model.mapping import Assigned
from pabal.apps.rendering.model.renders import AREA, Stage
from pabal.apps.rendering.resources import rows
from pabal.apps.rendering.resources.rows import JobRow, SlotRow, make_row
from pabal.apps.rendering.samples import sample_gfx
from pabal.apps.rendering.startup import RenderingStartup
from pabal.apps.rendering.store import compositions as composition_store
from pabal.apps.rendering.store import showing
from pabal.apps.rendering.store import slots as slot_store
from pabal.apps.rendering.store.compositions import CompositionRow
from pabal.base.database import Tx
from pabal.base.settings import read_app_settings
from pabal.platform.actor import Actor, Right
from pabal.platform.findings import Finding
from pabal.platform.secrets import Vault
from pabal.platform.services import Services
from pabal.platform.tenants import visible_to


@dataclass(frozen=True, slots=True)
class RequestedRow:
    job: JobRow
    is_new: bool
    warnings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class ImportedRows:
    rows: list[CompositionRow]
    compositions: int
    mappings: int


@dataclass(frozen=True, slots=True)
class TestRun:
    """`job` is what nexrender would get."""

    row: CompositionRow
    placed: Composition
    is_sample: bool
    assigned: Assigned
    findings: tuple[Finding, ...]
    warnings: tuple[Finding, ...]
    job: dict[str, Any]


Reading = Callable[[], AbstractAsyncContextManager[Tx]]


async def request(
    tx: Tx, actor: Actor, *, vault: Vault, request: RenderRequest, unit_id: int | None = None
) -> RequestedRow:
    made = await requesting.request(tx, actor, vault, request, unit_id=unit_id)
    return await _requested(tx, vault, made)


async def request_many(
    tx: Tx, actor: Actor, *, vault: Vault, items: Sequence[RenderRequest], unit_id: int | None = None
) -> list[RequestedRow]:
    made = await requesting.request_many(tx, actor, vault, items, unit_id=unit_id)
    return [await _requested(tx, vault, one) for one in made]


async def look_at_render(
    read: Reading, services: Services, actor: Actor, *, dry_run: bool, unit_id: int | None = None, **given: Any
) -> dict[str, Any]:
    """Before it is asked for: which files it would be made of; of a trial also whether they are as they must be."""
    [request] = await _look(read, services, actor, [read_request(**given)], dry_run=dry_run)
    return {"request": request, "unit_id": unit_id}


async def look_at_renders(
    read: Reading, services: Services, actor: Actor, *, dry_run: bool, items: Sequence[Any], unit_id: int | None = None
) -> dict[str, Any]:
    wanted = [
        read_request(
            composition_id=one.composition_id,
            gfx_data=one.gfx_data,
            cue_item_id=one.cue_item_id,
            broadcast_date=one.broadcast_date,
            priority=one.priority,
            on_air_at=one.on_air_at,
            again=one.again,
        )
        for one in items
    ]
    return {"items": await _look(read, services, actor, wanted, dry_run=dry_run), "unit_id": unit_id}


async def _look(
    read: Reading, services: Services, actor: Actor, wanted: Sequence[RenderRequest], *, dry_run: bool
) -> list[RenderRequest]:
    if len(wanted) > requesting.MOST_AT_ONCE:
        raise TooManyRenders(str(len(wanted)))
    farm = farm_of(services)
    async with read() as tx:
        planned = await input_files.plan(tx, actor, farm, wanted)
    if dry_run:
        await input_files.check_files(farm, planned)
    return await input_files.look_at_files(farm, planned)


def read_request(  # long: what a request says
    *,
    composition_id: str,
    gfx_data: Mapping[str, Any],
    cue_item_id: str | None = None,
    broadcast_date: date | None = None,
    priority: str = "normal",
    on_air_at: datetime | None = None,
    again: bool = False,
) -> RenderRequest:
    return RenderRequest(
        composition_id, gfx_data, cue_item_id, broadcast_date, read_priority(priority), on_air_at, again
    )


async def _requested(tx: Tx, vault: Vault, made: Requested) -> RequestedRow:
    return RequestedRow(await make_row(tx, vault, made.render), made.is_new, made.warnings)


async def cancel(tx: Tx, actor: Actor, render_id: int, *, vault: Vault, reason: str | None = None) -> JobRow:
    return await make_row(tx, vault, await renders.cancel(tx, actor, render_id, reason=reason))


async def retry(tx: Tx, actor: Actor, render_id: int, *, vault: Vault, stage: Stage = Stage.PREPARE) -> JobRow:
    return await make_row(tx, vault, await renders.retry(tx, actor, render_id, stage=stage))


async def prioritize(tx: Tx, actor: Actor, render_id: int, *, vault: Vault, priority: str) -> JobRow:
    done = await renders.set_priority(tx, actor, render_id, read_priority(priority))
    return await make_row(tx, vault, done)


async def set_on_air(
    tx: Tx, actor: Actor, render_id: int, *, vault: Vault, on_air_at: datetime | None = None
) -> JobRow:
    return await make_row(tx, vault, await renders.set_on_air(tx, actor, render_id, on_air_at))


async def release(tx: Tx, actor: Actor, render_id: int, *, vault: Vault, reason: str | None = None) -> JobRow:
    return await make_row(tx, vault, await renders.release_stuck(tx, actor, render_id, reason=reason))


async def pause_worker(tx: Tx, actor: Actor, slot_id: UUID, *, reason: str | None = None) -> SlotRow:
    await slots.pause_slot(tx, actor, slot_id, reason=reason)
    return await _worker(tx, actor, slot_id)


async def resume_worker(tx: Tx, actor: Actor, slot_id: UUID) -> SlotRow:
    await slots.resume_slot(tx, actor, slot_id)
    return await _worker(tx, actor, slot_id)


async def drain_worker(tx: Tx, actor: Actor, slot_id: UUID) -> SlotRow:
    await slots.drain_slot(tx, actor, slot_id)
    return await _worker(tx, actor, slot_id)


async def set_worker_hours(tx: Tx, actor: Actor, slot_id: UUID, *, hours: Mapping[str, Any] | None) -> SlotRow:
    await slots.set_slot_hours(tx, actor, slot_id, hours)
    return await _worker(tx, actor, slot_id)


async def look_now(tx: Tx, actor: Actor, slot_id: UUID) -> SlotRow:
    await slots.look_now(tx, actor, slot_id)
    return await _worker(tx, actor, slot_id)


async def allow_template(tx: Tx, actor: Actor, slot_id: UUID, *, composition_id: str) -> SlotRow:
    await slots.allow_template(tx, actor, slot_id, composition_id)
    return await _worker(tx, actor, slot_id)


async def release_worker(tx: Tx, actor: Actor, slot_id: UUID) -> SlotRow:
    """Takes away what it holds, for those who may see that."""
    actor.require(Right.WRITE, AREA)
    held = (await slot_store.get_slot(tx, slot_id)).render_id
    if held is None:
        raise NotStuck(str(slot_id))
    await renders.release_stuck(tx, actor, held)
    return await _worker(tx, actor, slot_id)


async def _worker(tx: Tx, actor: Actor, slot_id: UUID) -> SlotRow:
    return await rows.get_worker(tx, await visible_to(tx, actor), slot_id)


async def import_mappings(
    tx: Tx, actor: Actor, *, format: str, content: str, unit_id: int | None = None
) -> ImportedRows:
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    known = {one for one, _ in await showing.list_names(tx, scope.listed)}
    read = mapping_files.read_json if format == "json" else mapping_files.read_csv
    found = read(content, known=known)
    if found.findings:
        raise ImportRefused(found.findings)
    made = await compositions.import_all(tx, actor, found.compositions, found.mappings, unit_id=unit_id)
    return ImportedRows(made, len(found.compositions), len(found.mappings))


async def try_mapping(
    tx: Tx,
    actor: Actor,
    composition_id: str,
    *,
    gfx_data: Mapping[str, Any] | None = None,
    templates: str | None = None,
) -> TestRun:
    """`templates` is their folder, where it is another than that of the environment."""
    actor.require(Right.READ, AREA)
    row = await rows.get_composition(tx, await visible_to(tx, actor), composition_id)
    data = find_sample(composition_id) if gfx_data is None else gfx_data
    if data is None:
        raise NothingToTest(composition_id[:100])
    mappings = await composition_store.list_mappings(tx, [row.id])
    folder = read_app_settings(RenderingStartup).aep_template_dir if templates is None else templates
    placed = place_in(row.composition, folder)
    assigned = mapping.assign(gfx.parse(data), placed, mappings)
    return TestRun(
        row=row,
        placed=placed,
        is_sample=gfx_data is None,
        assigned=assigned,
        findings=tuple(preflight.judge(assigned, placed, preflight.Observed())),
        warnings=tuple(mapping.warnings_of(assigned.report)),
        job=nexjob.build("test", placed, assigned, output=f"test.{row.output_ext}"),
    )


def find_sample(composition_id: str) -> dict[str, Any] | None:
    """Of our own compositions only."""
    try:
        return sample_gfx(composition_id)
    except KeyError:
        return None


async def remove_composition(tx: Tx, actor: Actor, composition_id: str) -> None:
    await compositions.remove_composition(tx, actor, composition_id)


async def clear_cache(tx: Tx, actor: Actor) -> None:
    await compositions.clear_template_cache(tx, actor)
