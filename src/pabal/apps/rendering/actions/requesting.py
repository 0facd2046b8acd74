"""Asking for renders: what cannot succeed is refused at once with everything that is wrong, and the rest is queued."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.compositions import find_usable
from pabal.apps.rendering.errors import BadPriority, BadRender, RenderRefused, TooManyRenders
from pabal.apps.rendering.machine import RENDER as MACHINE
from pabal.apps.rendering.model import gfx, mapping, nexjob, preflight
from pabal.apps.rendering.model.mapping import Assigned
from pabal.apps.rendering.model.renders import AREA, LANE, QUEUED, RENDER, RENDER_ABOUT, Render
from pabal.apps.rendering.store import compositions, renders, traces
from pabal.apps.rendering.store.compositions import CompositionRow
from pabal.apps.rendering.store.renders import NewRender
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import queue, transitions
from pabal.engine.queue import NewJob, Priority
from pabal.platform import audit, settings, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.secrets import Vault
from pabal.platform.tenants import Scope, UnitNotFound, visible_to

MOST_AT_ONCE = 500
LARGEST_DATA = 256 * 1024
LONGEST_CUE = 200
# The engine's own count of failures does not end a render: each fault has a count of its own.
NEVER = 30_000
ZONE = ZoneInfo("Asia/Seoul")

declare("rendering.requested", "Render jobs asked for")


@dataclass(frozen=True, slots=True)
class RenderRequest:
    """`again`: also where the same input was rendered already. `files` tells its template and pictures apart from
    others of the same name (`input_files`); without them they count by their names alone."""

    composition_id: str
    gfx_data: Mapping[str, Any] = field(repr=False)
    cue_item_id: str | None = None
    broadcast_date: date | None = None
    priority: Priority = Priority.NORMAL
    on_air_at: datetime | None = None
    again: bool = False
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Requested:
    """Not `is_new`: the same input was rendered before, and that film is offered instead."""

    render: Render
    is_new: bool
    warnings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Checked:
    request: RenderRequest
    row: CompositionRow
    assigned: Assigned
    warnings: tuple[Finding, ...]


def read_priority(word: str) -> Priority:
    try:
        return Priority[word.upper()]
    except KeyError as error:
        raise BadPriority(word[:20]) from error


async def request(
    tx: Tx, actor: Actor, vault: Vault, wanted: RenderRequest, *, unit_id: int | None = None
) -> Requested:
    [made] = await request_many(tx, actor, vault, [wanted], unit_id=unit_id)
    return made


async def request_many(
    tx: Tx, actor: Actor, vault: Vault, wanted: Sequence[RenderRequest], *, unit_id: int | None = None
) -> list[Requested]:
    """All of them or none: what is wrong with any is said at once."""
    actor.require(Right.WRITE, AREA)
    if not 1 <= len(wanted) <= MOST_AT_ONCE:
        raise TooManyRenders(str(len(wanted)))
    scope = await visible_to(tx, actor)
    owner = await _find_owner(tx, scope, unit_id)
    checked = await check_many(tx, scope, wanted)
    made = [await _request_one(tx, actor, vault, scope, owner, one) for one in checked]
    new = [one.render for one in made if one.is_new]
    await enqueue(tx, new)
    return [
        Requested(await renders.get_render(tx, scope, one.render.id), one.is_new, one.warnings) if one.is_new else one
        for one in made
    ]


async def check_many(tx: Tx, scope: Scope, wanted: Sequence[RenderRequest]) -> list[Checked]:
    """Without a look at files, which only a worker sees."""
    found: list[Checked] = []
    findings: list[Finding] = []
    for index, one in enumerate(wanted):
        where = f"{index}/" if len(wanted) > 1 else ""
        try:
            found.append(await _check(tx, scope, one))
        except FieldsRefused as refused:
            findings += [Finding(each.code, f"{where}{each.field}", each.text) for each in refused.findings]
    if findings:
        raise RenderRefused(findings)
    return found


async def _check(tx: Tx, scope: Scope, wanted: RenderRequest) -> Checked:
    size = len(json.dumps(wanted.gfx_data, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    if size > LARGEST_DATA or len(wanted.cue_item_id or "") > LONGEST_CUE:
        raise BadRender(f"{size} bytes")
    row = await find_usable(tx, scope, wanted.composition_id)
    parsed = gfx.parse(wanted.gfx_data)
    assigned = mapping.assign(parsed, row.composition, await compositions.list_mappings(tx, [row.id]))
    findings = preflight.judge(assigned, row.composition, preflight.Observed())
    if findings:
        raise RenderRefused(findings)
    return Checked(wanted, row, assigned, tuple(mapping.warnings_of(assigned.report)))


async def _request_one(tx: Tx, actor: Actor, vault: Vault, scope: Scope, owner: int, checked: Checked) -> Requested:
    wanted, row = checked.request, checked.row
    version = str(row.updated_at)
    content = nexjob.content_of(row.composition, checked.assigned, template_version=version, files=wanted.files)
    hashed = vault.fingerprint(content, purpose=AREA)
    same = None if wanted.again else await renders.find_same(tx, scope, hashed)
    if same is not None:
        return Requested(same, is_new=False, warnings=checked.warnings)
    new = NewRender(
        unit_id=owner,
        composition_id=row.id,
        composition_name=row.name,
        gfx_data=vault.seal(json.dumps(wanted.gfx_data, ensure_ascii=False)),
        content_hash=hashed,
        broadcast_date=wanted.broadcast_date or (wanted.on_air_at or tx.now).astimezone(ZONE).date(),
        requested_by=actor.name,
        cue_item_id=wanted.cue_item_id,
        priority=wanted.priority,
        on_air_at=wanted.on_air_at,
    )
    render_id = await renders.insert_render(tx, new)
    await transitions.begin(tx, MACHINE, [render_id], actor=actor.name)
    await traces.add_line(tx, render_id, "INFO", f"queued: {row.name}")
    after = {"composition_id": row.id, "priority": int(wanted.priority), "cue_item_id": wanted.cue_item_id}
    await audit.record(tx, actor, "rendering.render_request", f"{RENDER_ABOUT}:{render_id}", unit_id=owner, after=after)
    emit("rendering.requested", render=render_id, composition=row.id)
    return Requested(await renders.get_render(tx, scope, render_id), is_new=True, warnings=checked.warnings)


async def enqueue(tx: Tx, wanted: Sequence[Render]) -> None:
    """One job of the engine for each, in their order; slots are woken by the commit."""
    if not wanted:
        return
    recoveries = await settings.value(tx, own.MAX_RECOVERIES)
    jobs = [
        NewJob(
            RENDER,
            {"render": one.id},
            lane=LANE,
            about=one.about,
            priority=Priority(one.priority),
            unit_id=one.unit_id,
            max_failures=NEVER,
            max_recoveries=recoveries,
            records_end=True,
        )
        for one in wanted
    ]
    for render, job in zip(wanted, await queue.enqueue_many(tx, jobs), strict=True):
        await renders.set_job(tx, render.id, job.id)
    tx.hint(QUEUED)


async def _find_owner(tx: Tx, scope: Scope, unit_id: int | None) -> int:
    owner = unit_id or scope.unit_id
    if owner is None or not scope.holds(owner):
        raise UnitNotFound(str(owner))
    await tenants.get_unit(tx, owner)
    return owner
