"""rendering.render: one job of the engine for each render, from the queue to the NAS.

    prepare   a slot is taken                        one commit
    perform   prepare → submit → follow → check → copy, each kept in the commit that ends it
    record    completed, failed, again or cancelled   one commit, with the end of the job

Whoever comes after a crash reads what was achieved from the row and goes on from there.
"""

from datetime import timedelta
from pathlib import Path

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.releasing import release
from pabal.apps.rendering.farm import Farm, farm_of
from pabal.apps.rendering.forecasts import read_estimate
from pabal.apps.rendering.gateway import NexrenderAway, NexrenderRefused
from pabal.apps.rendering.jobs import endings
from pabal.apps.rendering.jobs.context import (
    CancelSeen,
    Failure,
    RenderContext,
    RunAgain,
    StopSeen,
    Taken,
    Work,
    move,
)
from pabal.apps.rendering.jobs.endings import Again, Completed, Ending, Failed, HandedBack, WoundDown
from pabal.apps.rendering.jobs.finishing import Delivered, copy, note_rendered, validate
from pabal.apps.rendering.jobs.following import Forgotten, follow
from pabal.apps.rendering.jobs.preparing import prepare, server_path
from pabal.apps.rendering.jobs.slots import take_slot
from pabal.apps.rendering.jobs.submitting import forget, submit
from pabal.apps.rendering.jobs.winding import wind_down
from pabal.apps.rendering.machine import RenderEvent
from pabal.apps.rendering.model.renders import LICENCE, RENDER, ROLE, Reason, Render
from pabal.apps.rendering.store import renders, traces
from pabal.base.database import Tx
from pabal.engine.kinds import WIDEST, Job, Kinds
from pabal.engine.outcome import Cancel, Fail, Limited, Outcome
from pabal.engine.retry import Backoff
from pabal.platform import settings
from pabal.platform.services import Services

# No slot here may have it now: it goes to another server, or comes back.
ELSEWHERE = timedelta(seconds=5)
# Of what is tried again by the engine itself, such as an error of ours.
_BACKOFF = Backoff(first=timedelta(seconds=5), most=timedelta(minutes=5))


class RenderSteps:
    def __init__(self, services: Services, farm: Farm) -> None:
        self._services = services
        self._farm = farm

    async def prepare(self, tx: Tx, job: Job) -> Work | Outcome:
        render = await renders.hold_render(tx, job.args["render"])
        if render is None or endings.is_over(render, job):
            return Cancel("it has ended, or another job has it")
        if endings.is_held(render):
            released = await self._release(tx, job, render)
            if released is None:
                return Fail(Reason.POISON_JOB.value)
            render = released
        slot_id = await take_slot(tx, self._farm, render.composition_id)
        if slot_id is None:
            return Limited(tx.now + ELSEWHERE, f"{render.about} free_slot")
        values = await settings.values(tx, own.ALL)
        work = Work(
            render=render,
            slot_id=slot_id,
            slot_name=self._farm.slot_name(slot_id),
            values=values,
            template=await self._farm.find_template(tx, render.composition_id, values[own.TEMPLATE_CACHE]),
            gfx_sealed=await renders.read_gfx(tx, render.id),
            estimate=await read_estimate(tx, render.composition_id),
        )
        return await _claim(tx, job, work)

    async def _release(self, tx: Tx, job: Job, render: Render) -> Render | None:
        """From a slot whose attempt is over. A server that died counts, one that said goodbye does not."""
        lost = max(job.recoveries - render.seen_recoveries, 0)
        reason = "worker_lost" if lost else "handed_back"
        if not await release(tx, render, actor="engine", reason=reason, recoveries=lost):
            return None
        return await renders.hold_render(tx, render.id)

    async def perform(self, job: Job, work: Work) -> Ending:
        context = RenderContext(self._services.database, self._services.vault, self._farm, job, work)
        try:
            return await self._run(context)
        except Failure as failure:
            return Failed(failure.reason, failure.detail)
        except RunAgain as again:
            return Again(again.reason, again.detail)
        except (StopSeen, Taken):
            # of one that was taken away, the record keeps nothing
            return HandedBack()

    async def _run(self, context: RenderContext) -> Ending:
        try:
            if not context.is_winding:
                return Completed(await run_stages(context))
        except CancelSeen:
            pass
        await wind_down(context)
        return WoundDown()

    async def record(self, tx: Tx, prepared: Work, result: Ending) -> Outcome:
        render = await renders.hold_render(tx, prepared.render.id)
        if render is None or render.job_id != prepared.render.job_id:
            return Cancel("its render is in other hands")
        if render.worker_id != prepared.slot_id:
            # put back while it ran, and this job is the one that goes on with it
            return Limited(tx.now, f"{render.about} put_back")
        return await endings.record(tx, prepared, render, result)

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        await endings.give_up(tx, job, reason)


async def _claim(tx: Tx, job: Job, work: Work) -> Work:
    """pending → preparing with the slot's id, if it is still pending: the row is locked. Answers what it became."""
    lock_until = tx.now + work.values[own.LOCK]
    render = work.render
    await renders.claim(tx, render, work.slot_id, work.slot_name, lock_until=lock_until, recoveries=job.recoveries)
    if not render.is_winding_down:
        await traces.insert_attempt(tx, render.id, render.attempt, worker_id=work.slot_id, worker_name=work.slot_name)
        await traces.add_line(tx, render.id, "DEBUG", f"claimed by {work.slot_id}", worker=work.slot_name)
        await move(tx, render, RenderEvent.CLAIM, work)
    claimed = await renders.hold_render(tx, render.id)
    return Work(
        claimed or render, work.slot_id, work.slot_name, work.values, work.template, work.gfx_sealed, work.estimate
    )


async def run_stages(context: RenderContext) -> Delivered:
    template = context.work.template
    if context.render.rendered_path is None:
        await _render(context)
    else:
        await note_rendered(context, Path(context.render.rendered_path))
    if template is None:
        raise Failure(Reason.COMPOSITION_MISSING, context.render.composition_id)
    await validate(context, template)
    delivered = await copy(context)
    await _tidy(context)
    return delivered


async def _render(context: RenderContext) -> None:
    """Until nexrender has finished it. A job it forgot before it began is posted again."""
    prepared = await prepare(context)
    rendered = server_path(context.farm, prepared.output)
    while True:
        await submit(context, prepared)
        try:
            await follow(context, rendered)
        except Forgotten:
            continue
        return await note_rendered(context, rendered)


async def _tidy(context: RenderContext) -> None:
    """nexrender keeps what it finished; a name that stood there twice would be rendered again."""
    uid = context.render.nexrender_job_id
    if uid is None:
        return
    try:
        await forget(context, uid)
    except (NexrenderAway, NexrenderRefused) as error:
        await context.note("DEBUG", f"left in nexrender: {error}")


def make_kinds(services: Services) -> Kinds:
    farm = farm_of(services)
    kinds = Kinds()
    kinds.shared_lanes(LICENCE, width=WIDEST)
    kinds.steps(
        RENDER,
        RenderSteps(services, farm),
        needs=frozenset({ROLE}),
        slots=lambda: farm.room,
        backoff=_BACKOFF,
        max_snoozes=30_000,
    )
    return kinds
