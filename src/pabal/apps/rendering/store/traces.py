"""What a render leaves behind: its attempts, the times of its stages, its log, and its changes of state."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pabal.apps.rendering.machine import RENDER
from pabal.apps.rendering.model.renders import Attempt, Change, LogLine, RenderState, Stage, StageTime
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import transitions

SQL = load(__file__)
# how histories name a slot that moved a render
WORKER = "worker:"


async def insert_attempt(tx: Tx, render_id: int, number: int, *, worker_id: UUID, worker_name: str) -> int:
    """Again by another slot, when the first one was lost: the same attempt."""
    return await tx.run(
        SQL.insert_attempt,
        render_id=render_id,
        number=number,
        worker_id=worker_id,
        worker_name=worker_name,
        now=tx.now,
    )


async def note_sent(
    tx: Tx, render_id: int, number: int, *, uid: str, job_json: str, report: Mapping[str, Any] | None
) -> int:
    """`job_json` is sealed."""
    return await tx.run(
        SQL.note_sent,
        render_id=render_id,
        number=number,
        uid=uid,
        job_json=job_json,
        report=None if report is None else dict(report),
    )


async def end_attempt(
    tx: Tx, render_id: int, number: int, *, result: str, reason: str | None = None, detail: str | None = None
) -> int:
    said = None if detail is None else detail[:2000]
    await tx.run(SQL.end_stages, render_id=render_id, attempt=number, now=tx.now)
    return await tx.run(
        SQL.end_attempt, render_id=render_id, number=number, result=result, reason=reason, detail=said, now=tx.now
    )


async def list_attempts(tx: Tx, render_id: int) -> list[Attempt]:
    return await tx.all(Attempt, SQL.list_attempts, render_id=render_id)


async def read_sent(tx: Tx, render_id: int, number: int) -> str | None:
    """Sealed."""
    found: str | None = await tx.value(SQL.read_sent, render_id=render_id, number=number)
    return found


async def begin_stage(tx: Tx, render_id: int, attempt: int, stage: Stage) -> int:
    return await tx.run(SQL.begin_stage, render_id=render_id, attempt=attempt, stage=stage.value, now=tx.now)


async def end_stage(tx: Tx, render_id: int, attempt: int, stage: Stage) -> int:
    return await tx.run(SQL.end_stage, render_id=render_id, attempt=attempt, stage=stage.value, now=tx.now)


async def list_stages(tx: Tx, render_id: int) -> list[StageTime]:
    return await tx.all(StageTime, SQL.list_stages, render_id=render_id)


async def add_line(tx: Tx, render_id: int, level: str, message: str, *, worker: str | None = None) -> int:
    return await tx.run(
        SQL.insert_line, render_id=render_id, at=tx.now, level=level, worker=worker, message=message[:1000]
    )


async def list_lines(tx: Tx, render_id: int, *, after: int = 0, most: int = 1000) -> list[LogLine]:
    return await tx.all(LogLine, SQL.list_lines, render_id=render_id, after=after, most=most)


async def list_changes(tx: Tx, render_id: int) -> list[Change]:
    """`render_queue_audit`: every change of state, who made it and when."""
    return [
        Change(
            id=one.version,
            render_queue_id=render_id,
            status_from=None if one.source is None else RenderState(one.source),
            status_to=RenderState(one.target),
            worker_id=UUID(one.actor.removeprefix(WORKER)) if one.actor.startswith(WORKER) else None,
            changed_at=one.at,
            changed_by=_changed_by(one.actor),
            actor=one.actor,
            reason=one.reason,
        )
        for one in await transitions.history(tx, RENDER, render_id)
    ]


def _changed_by(actor: str) -> str:
    """worker or system, as the requirements have it, or the person who did it."""
    if actor.startswith(WORKER):
        return "worker"
    return "system" if actor == "engine" else actor
