"""How an attempt ended, and what that means for the render, its slot and the people who must know."""

from dataclasses import dataclass
from datetime import timedelta

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.releasing import park, release
from pabal.apps.rendering.jobs.context import Work, move
from pabal.apps.rendering.jobs.finishing import Delivered
from pabal.apps.rendering.labels import REASONS
from pabal.apps.rendering.machine import RENDER, RenderEvent
from pabal.apps.rendering.model.faults import BLAMED, FOR_ADMINISTRATORS
from pabal.apps.rendering.model.renders import RENDER_ABOUT, Reason, Render, RenderState, Stage
from pabal.apps.rendering.store import renders, slots, traces
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import facts
from pabal.engine.kinds import Job
from pabal.engine.outcome import Cancel, Done, Fail, Limited, Outcome, Retry
from pabal.engine.transitions import transition
from pabal.platform import notifications
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Level, Notice

declare("rendering.completed", "Renders completed", seconds=True)
declare("rendering.failed", "Renders that failed for good", labels=("reason",), level=40)
declare("rendering.again", "Renders begun again after a timeout", labels=("reason",), level=30)
declare("rendering.template_spared", "Slots that are spared a template they fail at", level=30)


@dataclass(frozen=True, slots=True)
class Completed:
    delivered: Delivered


@dataclass(frozen=True, slots=True)
class Failed:
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class Again:
    reason: Reason
    detail: str


@dataclass(frozen=True, slots=True)
class WoundDown:
    """It was cancelled, and nexrender is through with it."""


@dataclass(frozen=True, slots=True)
class HandedBack:
    """The server stops; the next one goes on."""


Ending = Completed | Failed | Again | WoundDown | HandedBack


async def record(tx: Tx, work: Work, render: Render, ending: Ending) -> Outcome:
    if render.is_winding_down and not isinstance(ending, WoundDown | HandedBack):
        # cancelled in the last moment: what was made must go again, which the next attempt does
        await renders.let_go(tx, render.id, recoveries=0)
        return Limited(tx.now, f"{render.about} winding_down")
    match ending:
        case Completed(delivered):
            return await complete(tx, work, render, delivered)
        case Failed(reason, detail):
            return await fail(tx, work, render, reason, detail)
        case Again(reason, detail):
            return await begin_again(tx, work, render, reason, detail)
        case WoundDown():
            return await end_cancelled(tx, work, render)
        case HandedBack():
            await release(tx, render, actor=work.actor, reason="server_stops", recoveries=0)
            return Limited(tx.now, f"{render.about} server_stops")


async def complete(tx: Tx, work: Work, render: Render, delivered: Delivered) -> Outcome:
    await traces.end_attempt(tx, render.id, render.attempt, result="completed")
    await renders.note_output(tx, render.id, path=delivered.path, size=delivered.size, sha256=delivered.sha256)
    await move(tx, render, RenderEvent.COMPLETE, work, note=delivered.path)
    await slots.count_completed(tx, work.slot_id)
    await slots.forget_failures(tx, work.slot_id, render.composition_id)
    seconds = (tx.now - (render.started_at or render.created_at)).total_seconds()
    emit("rendering.completed", seconds=seconds, render=render.id, composition=render.composition_id)
    return Done(data={"render": render.id, "output_file_path": delivered.path, "size": delivered.size})


async def fail(tx: Tx, work: Work, render: Render, reason: Reason, detail: str) -> Outcome:
    await renders.note_end(tx, render.id, reason.value, detail)
    await transition(tx, RENDER, render.id, RenderEvent.FAIL, actor=work.actor, reason=reason.value)
    await traces.end_attempt(tx, render.id, render.attempt, result="failed", reason=reason.value, detail=detail)
    await traces.add_line(tx, render.id, "ERROR", f"failed: {reason.value}, {detail}", worker=work.slot_name)
    await blame(tx, work, render, reason)
    if reason in FOR_ADMINISTRATORS:
        await tell_administrators(tx, render, reason, detail)
    emit("rendering.failed", reason=reason.value, render=render.id, composition=render.composition_id)
    return Fail(f"{reason.value}: {detail}"[:500])


async def begin_again(tx: Tx, work: Work, render: Render, reason: Reason, detail: str) -> Outcome:
    """From the queue, on any slot; under another name, so that what nexrender may still do hits another file."""
    if render.timeouts >= work.values[own.TIMEOUT_RETRIES]:
        return await fail(tx, work, render, reason, detail)
    await traces.end_attempt(tx, render.id, render.attempt, result="again", reason=reason.value, detail=detail)
    await move(tx, render, RenderEvent.REQUEUE, work, note=reason.value)
    await renders.begin_attempt(tx, render.id, Stage.PREPARE)
    await renders.count_timeout(tx, render.id)
    said = f"retry {render.timeouts + 1}/{work.values[own.TIMEOUT_RETRIES]}: {reason.value}, {detail}"
    await traces.add_line(tx, render.id, "WARNING", said, worker=work.slot_name)
    await blame(tx, work, render, reason)
    emit("rendering.again", reason=reason.value, render=render.id, attempt=render.attempt)
    return Retry(reason.value, after=timedelta(0))


async def end_cancelled(tx: Tx, work: Work, render: Render) -> Outcome:
    """Or parked: then it has its end already."""
    await _note_wound_down(tx, render)
    if render.state == RenderState.CANCELLED:
        await traces.end_attempt(tx, render.id, render.attempt, result="cancelled")
    await traces.add_line(tx, render.id, "INFO", f"{render.state} job is out of nexrender", worker=work.slot_name)
    return Cancel("cancelled")


async def _note_wound_down(tx: Tx, render: Render) -> None:
    code = render.error_code or Reason.CANCELLED.value
    await renders.note_end(tx, render.id, code, render.error_message or "cancelled")


async def blame(tx: Tx, work: Work, render: Render, reason: Reason) -> None:
    """A slot that fails a template again and again is spared it, and people are told why."""
    if reason not in BLAMED:
        return
    failures, is_spared = await slots.note_failure(
        tx,
        work.slot_id,
        render.composition_id,
        reason=reason.value,
        render_id=render.id,
        most=work.values[own.TEMPLATE_FAILURES],
    )
    if not is_spared:
        return
    data = {"slot": str(work.slot_id), "composition": render.composition_id, "failures": failures}
    await facts.record(tx, "render_slot.spared", f"render_slot:{work.slot_id}", data, None)
    emit("rendering.template_spared", slot=str(work.slot_id), composition=render.composition_id)
    english, korean = REASONS[reason]
    await notifications.notify(
        tx,
        Notice(
            name="rendering.template_spared",
            title=("{slot} no longer gets {composition}", "{slot}에 {composition} 배정 중지"),
            text=(
                f"It failed {{failures}} times in a row, last with: {english}",
                f"{{failures}}번 연달아 실패했습니다. 마지막 사유: {korean}",
            ),
            values={
                "slot": work.slot_name,
                "composition": render.composition_name,
                "failures": failures,
            },
            level=Level.ATTENTION,
            link="/render/workers",
            key=f"{work.slot_id}:{render.composition_id}",
        ),
    )


async def tell_administrators(tx: Tx, render: Render, reason: Reason, detail: str) -> None:
    english, korean = REASONS[reason]
    await notifications.notify(
        tx,
        Notice(
            name=f"rendering.{reason.value}",
            title=(f"Render {{id}} failed: {english}", f"렌더 {{id}} 실패: {korean}"),
            text=("{composition}: {detail}", "{composition}: {detail}"),
            values={"id": render.id, "composition": render.composition_name, "detail": detail},
            level=Level.FAILURE,
            unit_id=render.unit_id,
            about=f"{RENDER_ABOUT}:{render.id}",
            link=f"/render/jobs/{render.id}",
            key=f"{reason.value}:{render.composition_id}",
        ),
    )


async def give_up(tx: Tx, job: Job, reason: str) -> None:
    """The engine ended the job itself: it lost its servers too often, or somebody cancelled it there."""
    render = await renders.hold_render(tx, job.args["render"])
    if render is None or render.job_id != job.id or not (render.is_open or render.is_winding_down):
        return
    if render.is_winding_down:
        await _note_wound_down(tx, render)
    elif reason == "quarantined":
        await renders.let_go(tx, render.id, recoveries=1)
        await park(tx, render, actor=ENGINE.name, counted=render.recovery_count + 1)
        await tell_administrators(tx, render, Reason.POISON_JOB, "its worker was lost again and again")
    else:
        is_cancel = job.stop is not None or "cancel" in reason or reason == "asked"
        event, why = (RenderEvent.CANCEL, Reason.CANCELLED) if is_cancel else (RenderEvent.FAIL, Reason.UNEXPECTED)
        await renders.note_end(tx, render.id, why.value, reason)
        await transition(tx, RENDER, render.id, event, actor=ENGINE.name, reason=reason[:200])
        await traces.end_attempt(tx, render.id, render.attempt, result=event.value, reason=why.value, detail=reason)


def is_over(render: Render | None, job: Job) -> bool:
    return render is None or render.job_id != job.id or not (render.is_open or render.is_winding_down)


def is_held(render: Render) -> bool:
    """By an attempt before this one, which is over: the engine gave the job to this one."""
    is_free = render.state == RenderState.PENDING or render.is_winding_down
    return render.worker_id is not None or not is_free
