"""Submit: nexrender gets the job exactly once, though it does not deduplicate and may answer before it has it.

It is looked for by its name before every POST. A POST without an answer is followed by a wait longer than its time
limit and another look. Of a name that stands there twice, every row is taken away before it is posted again.
"""

from collections import Counter
from datetime import timedelta
from functools import partial

from pabal.apps.rendering.gateway import NexrenderAway, NexrenderRefused, NotLocal
from pabal.apps.rendering.jobs.context import Failure, RenderContext
from pabal.apps.rendering.jobs.preparing import Prepared, nexrender_ladder
from pabal.apps.rendering.machine import RenderEvent
from pabal.apps.rendering.model.nexstates import NexJob, Phase
from pabal.apps.rendering.model.renders import Reason, RenderState, Stage, is_uid
from pabal.apps.rendering.store import renders
from pabal.base.database import Tx
from pabal.base.killpoints import kill_point

# More than a POST may take: after that nothing of it is under way any more.
MARGIN = timedelta(seconds=2)
MOST_ROWS = 50
# nexrender hands out what is queued; it has no state for what is called off
WITHDRAWN = "error"


async def submit(context: RenderContext, prepared: Prepared) -> None:
    await context.enter(Stage.SUBMIT)
    await context.wait_out_fault()
    while True:
        try:
            await _submit_once(context, prepared)
            return await context.recovered()
        except NexrenderAway as away:
            least = after_post(context) if away.was_sent else timedelta(0)
            await context.stumble(
                Reason.NEXRENDER_UNREACHABLE, nexrender_ladder(context), away.detail or "", least=least
            )
        except (NexrenderRefused, NotLocal) as refused:
            raise Failure(Reason.NEXRENDER_REFUSED, str(refused)) from refused


def after_post(context: RenderContext) -> timedelta:
    return timedelta(seconds=context.farm.post_seconds) + MARGIN


async def _submit_once(context: RenderContext, prepared: Prepared) -> None:
    if context.render.submitted_at is not None:
        await found_there(context)
        return
    client, uid = context.farm.client, context.render.uid
    if context.render.posted_at is not None:
        await context.wait_until(context.render.posted_at + after_post(context))
    there = await client.find(uid)
    if there is not None and context.render.posted_at is not None:
        there = await settle_doubles(context, uid)
    if there is not None:
        await found_there(context)
        return
    await context.write(lambda tx: _posting(context, tx, uid))
    kill_point("rendering.posting")
    try:
        await client.create(prepared.job)
    except NexrenderAway as away:
        if not away.was_sent:
            await context.write(lambda tx: renders.forget_posting(tx, context.render.id))
        raise
    kill_point("rendering.posted")
    await context.write(lambda tx: _submitted(context, tx))


async def settle_doubles(context: RenderContext, uid: str) -> NexJob | None:
    """The one row of this name, or None if it can be posted again: two would be rendered again and again.

    Of two, all are taken away. What renders already goes on unseen; then its row is answered, and its file will come.
    """
    client = context.farm.client
    rows = [one for one in await client.list_jobs() if one.uid == uid]
    if len(rows) <= 1:
        return rows[0] if rows else None
    await context.note("WARNING", f"nexrender has {uid} {len(rows)} times: taken away")
    await forget(context, uid)
    begun = next((one for one in rows if one.phase() is not Phase.QUEUED), None)
    if begun is not None:
        await context.write(partial(_note_unseen, context, begun))
    return begun


async def free_queue(context: RenderContext) -> None:
    """A job that stands there twice is handed out for ever, and nothing behind it is reached. Whoever waits behind it
    takes it away: its own render may be waiting for this slot. It finds it forgotten, or its film."""
    names = Counter(one.uid for one in await context.farm.client.list_jobs() if is_uid(one.uid))
    for uid, count in names.items():
        if count > 1 and uid != context.render.uid:
            await context.note("WARNING", f"nexrender has {uid} {count} times, which is in the way: taken away")
            await forget(context, uid)


async def _note_unseen(context: RenderContext, begun: NexJob, tx: Tx) -> None:
    await renders.note_progress(
        tx, context.render.id, state=begun.state, progress=begun.progress, began_at=tx.now, moved_at=tx.now
    )


async def forget(context: RenderContext, uid: str) -> None:
    """DELETE takes one row at a time."""
    for _ in range(MOST_ROWS):
        if await context.farm.client.find(uid) is None:
            return
        await context.farm.client.delete(uid)


async def withdraw(context: RenderContext, queued: NexJob) -> bool:
    """Takes a job that was queued out of nexrender. False: a worker was handed it meanwhile, and its end must be waited
    for.

    Between a GET and a DELETE it may be picked, and then renders unseen. So it is first given a state in which nobody
    is handed it, and looked at once more: whoever was handed it before that is written down there.
    """
    client, uid = context.farm.client, queued.uid
    # one that a worker gave back bears its mark for good
    if not queued.is_taken:
        await client.set_state(uid, WITHDRAWN)
        now = await client.find(uid)
        if now is not None and now.is_taken:
            if now.state == WITHDRAWN:
                await client.set_state(uid, Phase.PICKED.value)
            await context.note("WARNING", f"nexrender began {uid} in the same moment; its end is waited for")
            return False
    await forget(context, uid)
    return True


async def _posting(context: RenderContext, tx: Tx, uid: str) -> None:
    await renders.note_posting(tx, context.render.id, uid)
    await context.log(tx, "DEBUG", f"POST /api/v1/jobs {uid}")


async def _submitted(context: RenderContext, tx: Tx) -> None:
    await renders.note_submitted(tx, context.render.id)
    if context.render.state == RenderState.PREPARING:
        await context.move(tx, RenderEvent.SUBMIT, note=f"nexrender job {context.render.uid}")


async def found_there(context: RenderContext) -> None:
    """An attempt before this one posted it."""

    async def go_on(tx: Tx) -> None:
        if context.render.submitted_at is None:
            await renders.note_submitted(tx, context.render.id)
        if context.render.state == RenderState.PREPARING:
            await context.move(tx, RenderEvent.SUBMIT, note=f"found nexrender job {context.render.uid}")

    await context.write(go_on)
