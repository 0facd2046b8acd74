"""Check and copy: the film is what its composition promises, and comes to the NAS whole. Only then it is completed."""

import asyncio
from dataclasses import asdict, dataclass
from pathlib import Path

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.farm import Template
from pabal.apps.rendering.files.copying import copy_verified
from pabal.apps.rendering.files.errors import CopyMismatch, NasUnavailable, SourceMissing, SourceUnreadable
from pabal.apps.rendering.files.paths import output_path
from pabal.apps.rendering.jobs.context import Failure, RenderContext, begin_stage
from pabal.apps.rendering.jobs.preparing import nas_ladder
from pabal.apps.rendering.machine import RenderEvent
from pabal.apps.rendering.model.faults import Ladder
from pabal.apps.rendering.model.renders import Reason, RenderState, Stage
from pabal.apps.rendering.store import renders
from pabal.apps.rendering.video.errors import Unreadable, VideoUnreadable
from pabal.apps.rendering.video.inspecting import VideoFacts, inspect, judge_output
from pabal.base.clock import elapsed
from pabal.base.database import Tx
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit

declare("rendering.copied", "Films copied to the NAS", seconds=True)


@dataclass(frozen=True, slots=True)
class Delivered:
    path: str
    size: int
    sha256: str


async def note_rendered(context: RenderContext, rendered: Path) -> None:
    """The render is kept: from here on nothing is rendered again."""
    if context.render.rendered_path is not None and context.render.state == RenderState.UPLOADING:
        return

    async def note(tx: Tx) -> None:
        if context.render.rendered_path is None:
            await renders.note_rendered(tx, context.render.id, str(rendered))
        await begin_stage(tx, context.render, Stage.VALIDATE)
        await context.move(tx, RenderEvent.UPLOAD, note="rendered")

    await context.write(note)
    kill_point("rendering.rendered")


async def validate(context: RenderContext, template: Template) -> None:
    """Up to three times, a minute apart: a film may still be on its way."""
    if context.render.validated_at is not None:
        return
    await context.enter(Stage.VALIDATE)
    await context.wait_out_fault()
    path = Path(context.render.rendered_path or "")
    ladder = Ladder(context.values[own.CHECK_DELAY], context.values[own.CHECKS] - 1)
    while True:
        reason, detail, facts = await _check(context, path, template)
        if facts is not None:
            break
        await context.stumble(reason, ladder, detail)
    checked = asdict(facts)

    async def note(tx: Tx) -> None:
        await renders.note_validated(tx, context.render.id, checked)
        await renders.clear_fault(tx, context.render.id)
        await context.log(
            tx, "INFO", f"output checked: {facts.codec} {facts.width}x{facts.height}, {facts.size_bytes} bytes"
        )

    await context.write(note)
    kill_point("rendering.validated")


async def _check(context: RenderContext, path: Path, template: Template) -> tuple[Reason, str, VideoFacts | None]:
    try:
        facts = await inspect(path)
    except VideoUnreadable as error:
        missing = error.reason is Unreadable.MISSING
        return (Reason.OUTPUT_MISSING if missing else Reason.OUTPUT_INVALID), str(error.detail), None
    wrong = judge_output(facts, template.composition, least_bytes=context.values[own.LEAST_BYTES])
    if wrong:
        return Reason.OUTPUT_INVALID, " ".join(one.text[0] for one in wrong), None
    return Reason.OUTPUT_INVALID, "", facts


def target_of(context: RenderContext) -> Path:
    render = context.render
    relative = output_path(
        context.values[own.PATH_TEMPLATE],
        render_id=render.id,
        composition_name=render.composition_name,
        broadcast_date=render.broadcast_date,
    )
    return context.farm.nas / relative


async def copy(context: RenderContext) -> Delivered:
    await context.enter(Stage.COPY)
    await context.wait_out_fault()
    target = target_of(context)
    while True:
        try:
            return await _copy_once(context, target)
        except NasUnavailable as away:
            await context.stumble(Reason.NAS_UNAVAILABLE, nas_ladder(context), away.detail or away.code)
        except CopyMismatch as differs:
            await context.stumble(Reason.COPY_MISMATCH, nas_ladder(context), differs.detail or differs.code)
        except (SourceMissing, SourceUnreadable) as missing:
            raise Failure(Reason.OUTPUT_MISSING, missing.detail or missing.code) from missing


async def _copy_once(context: RenderContext, target: Path) -> Delivered:
    """Beside it somebody looks for a cancel, because a copy may take long."""
    began, source = elapsed(), Path(context.render.rendered_path or "")

    def report(done: int, total: int) -> None:
        context.job.report({"percent": 100 * done // max(total, 1), "step": "copy"})

    copying = asyncio.create_task(copy_verified(source, target, root=context.farm.mount, progress=report))
    try:
        while not (await asyncio.wait([copying], timeout=context.farm.tick))[0]:
            await context.look()
        copied = copying.result()
    finally:
        if not copying.done():
            copying.cancel()
            await asyncio.gather(copying, return_exceptions=True)
    seconds = elapsed() - began
    emit("rendering.copied", seconds=seconds, render=context.render.id)
    await context.note("INFO", f"copied to NAS: {target} ({copied.size} bytes in {seconds:.1f} s)")
    kill_point("rendering.copied")
    return Delivered(str(target), copied.size, copied.sha256)
