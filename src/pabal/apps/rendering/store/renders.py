"""The queue: rows of `rendering.render`, read by those who may see them and written by those who work on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pabal.apps.rendering.errors import RenderNotFound
from pabal.apps.rendering.model.renders import Reason, Render, RenderState, Stage
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class NewRender:
    unit_id: int
    composition_id: str
    composition_name: str
    gfx_data: str = field(repr=False)
    content_hash: str
    broadcast_date: date
    requested_by: str
    cue_item_id: str | None = None
    priority: int = 2
    on_air_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Filter:
    """What a list or a verb over many is about."""

    states: Sequence[str] | None = None
    composition_id: str | None = None
    cue_item_id: str | None = None
    worker_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    q: str | None = None


async def insert_render(tx: Tx, new: NewRender) -> int:
    made: int = await tx.value(
        SQL.insert_render,
        unit_id=new.unit_id,
        composition_id=new.composition_id,
        composition_name=new.composition_name,
        gfx_data=new.gfx_data,
        content_hash=new.content_hash,
        cue_item_id=new.cue_item_id,
        broadcast_date=new.broadcast_date,
        priority=new.priority,
        on_air_at=new.on_air_at,
        requested_by=new.requested_by,
        now=tx.now,
    )
    return made


async def get_render(tx: Tx, scope: Scope, render_id: int) -> Render:
    found = await find_render(tx, render_id)
    if found is None or not scope.holds(found.unit_id):
        raise RenderNotFound(str(render_id))
    return found


async def find_render(tx: Tx, render_id: int) -> Render | None:
    """Whoever asks: for the app's own work."""
    return await tx.one(Render, SQL.find_render, id=render_id)


async def hold_render(tx: Tx, render_id: int) -> Render | None:
    """Locked until the commit."""
    return await tx.one(Render, SQL.hold_render, id=render_id)


async def hold_renders(tx: Tx, ids: Sequence[int]) -> list[Render]:
    return await tx.all(Render, SQL.hold_renders, ids=list(ids))


async def read_gfx(tx: Tx, render_id: int) -> str:
    """Sealed."""
    found: str = await tx.value(SQL.read_gfx, id=render_id)
    return found


async def list_renders(
    tx: Tx, scope: Scope, wanted: Filter | None = None, *, cursor: str | None = None, limit: int = 50
) -> Page[Render]:
    asked = wanted or Filter()
    found = await tx.all(
        Render,
        SQL.list_renders,
        units=scope.listed,
        states=list(asked.states) if asked.states else None,
        composition_id=asked.composition_id,
        cue_item_id=asked.cue_item_id,
        worker_id=asked.worker_id,
        since=asked.since,
        until=asked.until,
        q=asked.q or None,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def list_queue(tx: Tx, scope: Scope, *, most: int = 1000) -> list[Render]:
    """What waits, in the order in which it is taken."""
    return await tx.all(Render, SQL.list_queue, units=scope.listed, most=most)


@dataclass(frozen=True, slots=True)
class Polled:
    id: int
    composition_id: str
    gfx_data: str = field(repr=False)
    cue_item_id: str | None


async def find_oldest(tx: Tx) -> Polled | None:
    return await tx.one(Polled, SQL.find_oldest)


async def list_ids(
    tx: Tx, scope: Scope, states: Sequence[str], wanted: Filter, *, error_code: str | None = None, most: int = 1000
) -> list[int]:
    rows = await tx.rows(
        SQL.list_ids,
        units=scope.listed,
        states=list(states),
        composition_id=wanted.composition_id,
        error_code=error_code,
        since=wanted.since,
        until=wanted.until,
        most=most,
    )
    return [row["id"] for row in rows]


async def find_same(tx: Tx, scope: Scope, content_hash: str) -> Render | None:
    """The newest finished render of the same input."""
    return await tx.one(Render, SQL.find_same, hash=content_hash, units=scope.listed)


async def count_by_state(tx: Tx, scope: Scope) -> dict[str, int]:
    return {row["state"]: row["count"] for row in await tx.rows(SQL.count_by_state, units=scope.listed)}


async def list_stuck(tx: Tx, scope: Scope, *, slow_since: datetime) -> list[Render]:
    return await tx.all(Render, SQL.list_stuck, units=scope.listed, slow_since=slow_since, now=tx.now)


# the work's own


async def set_job(tx: Tx, render_id: int, job_id: int) -> int:
    return await tx.run(SQL.set_job, id=render_id, job_id=job_id)


async def claim(
    tx: Tx, render: Render, worker_id: UUID, worker_name: str, *, lock_until: datetime, recoveries: int
) -> int:
    statement = SQL.keep_winding if render.is_winding_down else SQL.claim
    return await tx.run(
        statement,
        id=render.id,
        worker_id=worker_id,
        worker_name=worker_name,
        lock_until=lock_until,
        recoveries=recoveries,
        now=tx.now,
    )


async def let_go(tx: Tx, render_id: int, *, recoveries: int) -> int:
    return await tx.run(SQL.let_go, id=render_id, recoveries=recoveries, now=tx.now)


async def renew(tx: Tx, render_id: int, lock_until: datetime) -> tuple[RenderState, bool] | None:
    """How it stands: its state, and whether it winds down. None: nobody holds it."""
    rows = await tx.rows(SQL.renew, id=render_id, lock_until=lock_until, now=tx.now)
    return (RenderState(rows[0]["state"]), rows[0]["is_winding_down"]) if rows else None


async def set_stage(tx: Tx, render_id: int, stage: Stage) -> int:
    return await tx.run(SQL.set_stage, id=render_id, stage=stage.value, now=tx.now)


async def note_posting(tx: Tx, render_id: int, uid: str) -> int:
    return await tx.run(SQL.note_posting, id=render_id, uid=uid, now=tx.now)


async def forget_posting(tx: Tx, render_id: int) -> int:
    return await tx.run(SQL.forget_posting, id=render_id, now=tx.now)


async def note_submitted(tx: Tx, render_id: int) -> int:
    return await tx.run(SQL.note_submitted, id=render_id, now=tx.now)


async def note_progress(
    tx: Tx, render_id: int, *, state: str, progress: int, began_at: datetime | None, moved_at: datetime
) -> int:
    return await tx.run(
        SQL.note_progress,
        id=render_id,
        state=state,
        progress=progress,
        began_at=began_at,
        moved_at=moved_at,
        now=tx.now,
    )


async def note_rendered(tx: Tx, render_id: int, path: str) -> int:
    return await tx.run(SQL.note_rendered, id=render_id, path=path, now=tx.now)


async def note_validated(tx: Tx, render_id: int, video: dict[str, Any]) -> int:
    return await tx.run(SQL.note_validated, id=render_id, video=video, now=tx.now)


async def note_output(tx: Tx, render_id: int, *, path: str, size: int, sha256: str) -> int:
    return await tx.run(SQL.note_output, id=render_id, path=path, size=size, sha256=sha256, now=tx.now)


async def note_fault(
    tx: Tx, render_id: int, fault: Reason, *, count: int, detail: str, next_try_at: datetime | None
) -> int:
    return await tx.run(
        SQL.note_fault,
        id=render_id,
        fault=fault.value,
        count=count,
        detail=detail[:500],
        next_try_at=next_try_at,
        now=tx.now,
    )


async def clear_fault(tx: Tx, render_id: int) -> int:
    return await tx.run(SQL.clear_fault, id=render_id, now=tx.now)


async def note_end(tx: Tx, render_id: int, code: str, message: str) -> int:
    return await tx.run(SQL.note_end, id=render_id, code=code, message=message[:2000], now=tx.now)


async def wind_down(tx: Tx, render_id: int, code: str, message: str) -> int:
    return await tx.run(SQL.wind_down, id=render_id, code=code, message=message[:2000], now=tx.now)


async def begin_attempt(tx: Tx, render_id: int, stage: Stage) -> int:
    """From the beginning, or from a stage behind the rendering, for which the rendered file is kept."""
    statement = SQL.begin_attempt if stage is Stage.PREPARE else SQL.resume_attempt
    return await tx.run(statement, id=render_id, stage=stage.value, now=tx.now)


async def clear_counts(tx: Tx, render_id: int) -> int:
    return await tx.run(SQL.clear_counts, id=render_id)


async def count_timeout(tx: Tx, render_id: int) -> int:
    return await tx.run(SQL.count_timeout, id=render_id)


async def set_priority(tx: Tx, render_id: int, priority: int) -> int:
    return await tx.run(SQL.set_priority, id=render_id, priority=priority, now=tx.now)


async def set_on_air(tx: Tx, render_id: int, on_air_at: datetime | None) -> int:
    return await tx.run(SQL.set_on_air, id=render_id, on_air_at=on_air_at, now=tx.now)


async def list_lost(tx: Tx, *, most: int = 100) -> list[int]:
    """Locked; those that somebody else has in hand are left to them."""
    return [row["id"] for row in await tx.rows(SQL.list_lost, now=tx.now, most=most)]


async def list_of_server(tx: Tx, server: int) -> list[int]:
    return [row["id"] for row in await tx.rows(SQL.list_of_server, server=server)]


async def delete_ended(tx: Tx, until: datetime, *, most: int = 1000) -> int:
    return await tx.run(SQL.delete_ended, until=until, most=most)
