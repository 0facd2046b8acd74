"""Winding down: cancelled or parked for people, while nexrender may still have it. The slot stays taken until that is
over."""

from contextlib import suppress
from datetime import datetime
from pathlib import Path

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.gateway import NexrenderAway, NexrenderRefused
from pabal.apps.rendering.jobs.context import RenderContext
from pabal.apps.rendering.jobs.finishing import target_of
from pabal.apps.rendering.jobs.following import take_from_nexrender
from pabal.apps.rendering.jobs.preparing import server_path
from pabal.apps.rendering.jobs.submitting import after_post, withdraw
from pabal.apps.rendering.model.nexstates import ENDED, Phase, read_words


async def wind_down(context: RenderContext) -> None:
    """Queued: DELETE. Picked or later: until nexrender says that it is over or the clock runs out, then DELETE. Then
    the files go."""
    context.is_winding = True
    render = context.render
    if render.posted_at is not None and render.rendered_at is None:
        if render.submitted_at is None:
            # a POST without an answer may still arrive
            await context.wait_until(render.posted_at + after_post(context))
        await _wait_for_end(context)
        await take_from_nexrender(context)
    await remove_files(context)


async def _wait_for_end(context: RenderContext) -> None:
    words = read_words(context.values[own.STATE_WORDS])
    until = _clock_of(context, await context.look())
    uid = context.render.nexrender_job_id or context.render.uid
    while await context.look() < until:
        with suppress(NexrenderAway, NexrenderRefused):
            found = await context.farm.client.find(uid)
            phase = None if found is None else found.phase(words)
            if phase is None or phase in ENDED:
                return
            if found is not None and phase is Phase.QUEUED and await withdraw(context, found):
                return
        await context.pause(context.values[own.FOLLOW_EVERY])


def _clock_of(context: RenderContext, now: datetime) -> datetime:
    render = context.render
    began_at = render.nexrender_started_at or render.submitted_at or render.posted_at or now
    return began_at + context.values[own.RENDER_TIMEOUT]


async def remove_files(context: RenderContext) -> None:
    """What this attempt made. Another render of the same name cannot be meant: each has its number."""
    template = context.work.template
    extension = "mp4" if template is None else template.composition.output_ext
    name = context.farm.rendered_name(context.render.id, context.render.attempt, extension)
    places = [target_of(context)]
    with suppress(Exception):
        places.append(Path(context.render.rendered_path or server_path(context.farm, name)))
    for place in places:
        with suppress(OSError):
            place.unlink(missing_ok=True)
