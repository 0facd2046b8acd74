"""What people do to render jobs: cancel, retry, release, and say how urgent one is."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime

from pabal.apps.rendering.actions.releasing import take_away
from pabal.apps.rendering.actions.requesting import enqueue
from pabal.apps.rendering.errors import (
    NoFileToUse,
    NothingToCancel,
    NothingToRetry,
    NotStuck,
    RenderNotFound,
    StillWindingDown,
)
from pabal.apps.rendering.machine import RENDER, RenderEvent
from pabal.apps.rendering.model.renders import AREA, CANCELLED, RESTARTS, Reason, Render, RenderState, Stage
from pabal.apps.rendering.store import renders, traces
from pabal.apps.rendering.store.renders import Filter
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts, priorities, withdrawals
from pabal.engine.priorities import JobNotWaiting
from pabal.engine.queue import Priority
from pabal.engine.transitions import transition
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to

declare("rendering.cancelled", "Render jobs that people cancelled")
declare("rendering.retried", "Render jobs that people tried again", labels=("stage",))
MOST_AT_ONCE = 500


async def cancel(tx: Tx, actor: Actor, render_id: int, *, reason: str | None = None) -> Render:
    """At once for people. What After Effects renders already goes on there; its slot is taken until that ends."""
    scope, render = await _hold(tx, actor, render_id)
    if not render.is_open:
        raise NothingToCancel(str(render_id))
    said = reason or f"cancelled by {actor.label or actor.name}"
    await transition(tx, RENDER, render_id, RenderEvent.CANCEL, actor=actor.name, reason=said)
    if render.worker_id is None and not _has_traces(render):
        await renders.note_end(tx, render_id, Reason.CANCELLED.value, said)
        if render.job_id is not None:
            await withdrawals.ask(tx, [render.job_id], reason=Reason.CANCELLED.value)
    else:
        await renders.wind_down(tx, render_id, Reason.CANCELLED.value, said)
        tx.hint(f"{CANCELLED}:{render_id}")
    await traces.add_line(tx, render_id, "INFO", f"status: {render.state} → cancelled ({said})")
    emit("rendering.cancelled", render=render_id)
    return await _record(tx, actor, scope, render, "cancel", {"reason": said})


def _has_traces(render: Render) -> bool:
    """It lost its slot, and waits for one: nexrender may have it, or its film may lie there."""
    return render.posted_at is not None or render.rendered_path is not None


async def retry(tx: Tx, actor: Actor, render_id: int, *, stage: Stage = Stage.PREPARE) -> Render:
    """A new attempt: all of it, or from the check or the copy of the file that was rendered."""
    scope, render = await _hold(tx, actor, render_id)
    check_retry(render, stage)
    await transition(tx, RENDER, render_id, RenderEvent.RETRY, actor=actor.name, reason=f"from {stage}")
    await renders.begin_attempt(tx, render_id, stage)
    await renders.clear_counts(tx, render_id)
    await enqueue(tx, [render])
    await traces.add_line(tx, render_id, "INFO", f"retry from {stage}: attempt {render.attempt + 1}")
    emit("rendering.retried", stage=stage.value, render=render_id)
    return await _record(tx, actor, scope, render, "retry", {"stage": stage.value})


def check_retry(render: Render, stage: Stage) -> None:
    if render.state not in (RenderState.FAILED, RenderState.CANCELLED):
        raise NothingToRetry(str(render.id))
    if render.is_winding_down:
        raise StillWindingDown(str(render.id))
    if stage not in RESTARTS or (stage is not Stage.PREPARE and render.rendered_path is None):
        raise NoFileToUse(str(render.id))


async def retry_failed(
    tx: Tx, actor: Actor, wanted: Filter, *, error_code: str | None = None, stage: Stage = Stage.PREPARE
) -> list[Render]:
    """All failed ones of a filter, the oldest first; those that cannot begin at this stage are left out."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    found = await renders.list_ids(tx, scope, [RenderState.FAILED], wanted, error_code=error_code, most=MOST_AT_ONCE)
    held = await renders.hold_renders(tx, found)
    return [await retry(tx, actor, one.id, stage=stage) for one in held if _may_retry(one, stage)]


def _may_retry(render: Render, stage: Stage) -> bool:
    try:
        check_retry(render, stage)
    except (NothingToRetry, StillWindingDown, NoFileToUse):
        return False
    return True


async def set_priority(tx: Tx, actor: Actor, render_id: int, priority: Priority) -> Render:
    scope, render = await _hold(tx, actor, render_id)
    if not render.is_open:
        raise NothingToCancel(str(render_id))
    await renders.set_priority(tx, render_id, priority)
    if render.job_id is not None:
        # if it has begun, nobody stands before it any more
        with suppress(JobNotWaiting):
            await priorities.move(tx, render.job_id, priority)
    await facts.record(tx, "render.prioritized", render.about, {"priority": int(priority)}, render.unit_id)
    return await _record(tx, actor, scope, render, "prioritize", {"priority": int(priority)})


async def set_on_air(tx: Tx, actor: Actor, render_id: int, on_air_at: datetime | None) -> Render:
    """When it is needed: whoever looks is warned when it will not be there by then."""
    scope, render = await _hold(tx, actor, render_id)
    await renders.set_on_air(tx, render_id, on_air_at)
    at = None if on_air_at is None else on_air_at.isoformat()
    await facts.record(tx, "render.on_air_changed", render.about, {"on_air_at": at}, render.unit_id)
    return await _record(tx, actor, scope, render, "on_air", {"on_air_at": at})


async def release_stuck(tx: Tx, actor: Actor, render_id: int, *, reason: str | None = None) -> Render:
    """Takes it from the slot that holds it; another one goes on where it stood. Counts as a recovery."""
    scope, render = await _hold(tx, actor, render_id)
    if render.worker_id is None or not (render.is_open or render.is_winding_down):
        raise NotStuck(str(render_id))
    await take_away(tx, render, actor=actor.name, reason=reason or "released_by_hand")
    return await _record(tx, actor, scope, render, "release", {"worker_id": str(render.worker_id)})


async def list_stuck(tx: Tx, scope: Scope, *, slow_since: datetime) -> Sequence[Render]:
    return await renders.list_stuck(tx, scope, slow_since=slow_since)


async def _hold(tx: Tx, actor: Actor, render_id: int) -> tuple[Scope, Render]:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    held = await renders.hold_render(tx, render_id)
    if held is None or not scope.holds(held.unit_id):
        raise RenderNotFound(str(render_id))
    return scope, held


async def _record(tx: Tx, actor: Actor, scope: Scope, render: Render, verb: str, after: dict[str, object]) -> Render:
    await audit.record(
        tx,
        actor,
        f"rendering.render_{verb}",
        render.about,
        unit_id=render.unit_id,
        before={"state": str(render.state)},
        after=after,
    )
    return await renders.get_render(tx, scope, render.id)
