"""Follow: what nexrender says of the job, every five seconds and sooner near its end, until it is over or too long."""

from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.gateway import NexrenderAway, NexrenderRefused
from pabal.apps.rendering.jobs.context import Failure, RenderContext, RunAgain, begin_stage
from pabal.apps.rendering.jobs.preparing import nexrender_ladder
from pabal.apps.rendering.jobs.submitting import after_post, forget, free_queue, settle_doubles
from pabal.apps.rendering.machine import RenderEvent
from pabal.apps.rendering.model.faults import Clocks
from pabal.apps.rendering.model.nexstates import ENDED, STAGES, NexJob, Phase, read_words
from pabal.apps.rendering.model.renders import Reason, Render, RenderState, Stage
from pabal.apps.rendering.store import renders
from pabal.base.clock import elapsed
from pabal.base.database import Tx

# A look that was moved forward is not nearer than this to the one before.
SOONEST = timedelta(milliseconds=500)


# So often, while nothing begins, it is looked whether the job stands there twice.
LOOKS = 6


class Forgotten(Exception):
    """nexrender does not know the job, and it was never begun: it can be posted again under the same name."""


async def follow(context: RenderContext, rendered: Path) -> None:
    """Returns when nexrender has finished it. Raises Failure, RunAgain or Forgotten."""
    words = read_words(context.values[own.STATE_WORDS])
    if context.render.stage not in (Stage.QUEUE, Stage.RENDER, Stage.ENCODE):
        await context.enter(Stage.QUEUE)
    await context.wait_out_fault()
    for looks in count():
        seen = await _ask(context)
        if seen is None:
            await _forgotten(context, rendered)
            return
        phase = seen.phase(words)
        if phase in (Phase.QUEUED, Phase.PICKED) and looks % LOOKS == 0 and await _is_doubled(context):
            continue
        now = await context.write(partial(_note, context, seen, phase))
        if phase is Phase.FINISHED:
            return
        if phase is Phase.ERROR:
            raise Failure(Reason.NEXRENDER_ERROR, seen.error or "nexrender gave no reason")
        await _check_clocks(context, now)
        await context.pause(next_look(context, now, phase))


async def _ask(context: RenderContext) -> NexJob | None:
    """Its uid may stand there twice: only while nothing of it has begun can that be put right without a loss."""
    uid = context.render.nexrender_job_id or context.render.uid
    while True:
        try:
            began = elapsed()
            found = await context.farm.client.find(uid)
            await context.recovered()
            await context.job.report({"percent": context.render.progress, "ms": round((elapsed() - began) * 1000)})
            return found
        except NexrenderAway as away:
            await context.stumble(Reason.NEXRENDER_UNREACHABLE, nexrender_ladder(context), away.detail or "")
        except NexrenderRefused as refused:
            raise Failure(Reason.NEXRENDER_REFUSED, str(refused)) from refused


async def _is_doubled(context: RenderContext) -> bool:
    """It was, and is not there any more: the next look finds it forgotten."""
    uid = context.render.nexrender_job_id or context.render.uid
    try:
        await settle_doubles(context, uid)
        await free_queue(context)
        return await context.farm.client.find(uid) is None
    except (NexrenderAway, NexrenderRefused):
        return False


async def _note(context: RenderContext, seen: NexJob, phase: Phase, tx: Tx) -> datetime:
    render = context.render
    has_begun = phase not in (Phase.QUEUED, Phase.PICKED)
    began_at = (render.nexrender_started_at or tx.now) if has_begun else None
    is_new = seen.progress > render.progress or seen.state != render.nexrender_state
    moved_at = tx.now if is_new or render.progress_at is None else render.progress_at
    progress = 100 if phase is Phase.FINISHED else seen.progress
    if is_new or began_at != render.nexrender_started_at:
        await renders.note_progress(
            tx, render.id, state=seen.state, progress=progress, began_at=began_at, moved_at=moved_at
        )
    stage = STAGES.get(phase)
    if stage is not None and stage != render.stage:
        await begin_stage(tx, render, stage)
    if phase is Phase.ENCODING and render.state == RenderState.RENDERING:
        await context.move(tx, RenderEvent.ENCODE, note=f"progress: {progress}%")
    elif is_new and phase not in ENDED:
        await context.log(tx, "DEBUG", f"nexrender: {seen.state} (progress: {progress}%)")
    return tx.now


async def _check_clocks(context: RenderContext, now: datetime) -> None:
    """What runs for too long is taken away from nexrender, so that nobody picks it up again."""
    values, render = context.values, context.render
    clocks = Clocks(values[own.RENDER_TIMEOUT], values[own.STALL_TIMEOUT])
    reason = clocks.judge(now, render.nexrender_started_at, render.progress_at)
    if reason is None:
        return
    await take_from_nexrender(context)
    raise RunAgain(reason, f"at {render.progress}% in state {render.nexrender_state}")


async def take_from_nexrender(context: RenderContext) -> None:
    """Tried as often as anything is for which nexrender is away: until then nobody could render here anyway. Each
    attempt has a name of its own, so that what is left there after all harms no other."""
    uid, ladder = context.render.nexrender_job_id, nexrender_ladder(context)
    failures = 0
    while uid is not None:
        try:
            await forget(context, uid)
            return
        except (NexrenderAway, NexrenderRefused) as error:
            failures += 1
            wait = ladder.wait(failures)
            if wait is None:
                await context.note("WARNING", f"left in nexrender: {error}")
                return
            await context.note("WARNING", f"could not be taken from nexrender, again in {wait.total_seconds():g} s")
            await context.wait_until(await context.look() + wait)


async def _forgotten(context: RenderContext, rendered: Path) -> None:
    """After Effects may go on without it: then its file comes. Before that began, it is posted again."""
    if context.render.nexrender_started_at is None and context.render.nexrender_state != Phase.PICKED:
        await context.wait_until(await context.look() + after_post(context))
        await context.write(lambda tx: renders.forget_posting(tx, context.render.id))
        raise Forgotten
    until = await context.look() + context.values[own.FORGOTTEN_WAIT]
    await context.note("WARNING", f"nexrender does not know {context.render.uid} any more; its file is waited for")
    while not await _is_there(rendered):
        if await context.look() >= until:
            raise RunAgain(Reason.NEXRENDER_FORGOT, "nexrender forgot it, and no file came")
        await context.pause(context.values[own.FOLLOW_EVERY])


async def _is_there(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False


def next_look(context: RenderContext, now: datetime, phase: Phase) -> timedelta:
    """Every five seconds, and at the moment it is expected to end if that is sooner."""
    every: timedelta = context.values[own.FOLLOW_EVERY]
    left = expected_left(context.render, context.work.estimate.seconds, now, phase)
    return every if left is None else min(every, max(left, min(SOONEST, every)))


def expected_left(render: Render, usual: object, now: datetime, phase: Phase) -> timedelta | None:
    """Of the stage it is in: by its own speed while it renders, by history while it encodes. None: nobody can tell."""
    began_at = render.stage_began_at
    if began_at is None or not isinstance(usual, dict):
        return None
    spent = (now - began_at).total_seconds()
    if phase is Phase.RENDERING and 5 <= render.progress < 100 and render.progress_at is not None:
        until_progress = max((render.progress_at - began_at).total_seconds(), 0.0)
        whole = until_progress / render.progress * 100
        return timedelta(seconds=max(whole - spent, 0.0))
    if phase is Phase.ENCODING:
        return timedelta(seconds=max(usual.get("encoding", 0.0) - spent, 0.0)) if usual else None
    return None
