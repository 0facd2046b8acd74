"""A render leaves its slot without an end: its worker is gone, its server stops, or a person takes it away."""

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.requesting import enqueue
from pabal.apps.rendering.machine import RENDER, RenderEvent
from pabal.apps.rendering.model.renders import WORKING, Reason, Render
from pabal.apps.rendering.store import renders, traces
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import queue, withdrawals
from pabal.engine.facts import Fact
from pabal.engine.transitions import transition
from pabal.platform import settings
from pabal.platform.actor import ENGINE

declare("rendering.recovered", "Render jobs put back because their worker was lost", labels=("reason",), level=30)
declare("rendering.poisoned", "Render jobs parked because their worker was lost again and again", level=40)


async def release(tx: Tx, render: Render, *, actor: str, reason: str, recoveries: int = 1) -> bool:
    """Back into the queue, where the next slot goes on from what was achieved. False: it is parked instead.

    What was cancelled and still renders only loses its slot: whoever comes next winds it down.
    """
    await renders.let_go(tx, render.id, recoveries=recoveries)
    if render.state not in WORKING:
        return True
    counted = render.recovery_count + recoveries
    if recoveries and counted > await settings.value(tx, own.MAX_RECOVERIES):
        await park(tx, render, actor=actor, counted=counted)
        return False
    await transition(tx, RENDER, render.id, RenderEvent.RELEASE, actor=actor, reason=reason)
    level = "WARNING" if recoveries else "INFO"
    await traces.add_line(tx, render.id, level, f"released: {reason} (recovery {counted})", worker=render.worker_name)
    if recoveries:
        emit("rendering.recovered", render=render.id, reason=reason, recoveries=counted)
    return True


async def park(tx: Tx, render: Render, *, actor: str, counted: int) -> None:
    message = f"its worker was lost {counted} times"
    await renders.note_end(tx, render.id, Reason.POISON_JOB.value, message)
    await transition(tx, RENDER, render.id, RenderEvent.FAIL, actor=actor, reason=Reason.POISON_JOB.value)
    await traces.end_attempt(tx, render.id, render.attempt, result="failed", reason=Reason.POISON_JOB.value)
    await traces.add_line(tx, render.id, "ERROR", f"failed: {Reason.POISON_JOB.value}, {message}")
    if render.job_id is not None:
        await withdrawals.ask(tx, [render.job_id], reason=Reason.POISON_JOB.value)
    if render.posted_at is not None and render.rendered_at is None:
        # nexrender has it: whoever comes next waits for its end there and takes it away
        await renders.wind_down(tx, render.id, Reason.POISON_JOB.value, message)
        await enqueue(tx, [render])
    emit("rendering.poisoned", render=render.id, recoveries=counted)


async def recover_once(database: Database) -> int:
    """The recovery job: working, with a worker, and the lock has ended."""
    async with database.transaction() as tx:
        found = await renders.list_lost(tx)
        for render in await renders.hold_renders(tx, found):
            await take_away(tx, render, actor=ENGINE.name, reason="lock_expired")
    return len(found)


async def take_away(tx: Tx, render: Render, *, actor: str, reason: str) -> bool:
    """From an attempt that may still run somewhere: it is told to stop, and another one may begin at once."""
    if not await release(tx, render, actor=actor, reason=reason):
        return False
    if render.job_id is not None:
        await withdrawals.ask(tx, [render.job_id], reason=reason)
    await enqueue(tx, [render])
    return True


async def recover_lost_servers(tx: Tx, facts: list[Fact]) -> None:
    """A server is buried within seconds: nobody waits for a lock of half an hour to end."""
    for fact in facts:
        server = int(fact.subject.partition(":")[2])
        for render in await renders.hold_renders(tx, await renders.list_of_server(tx, server)):
            if not await _is_taken_since(tx, render, server):
                await release(tx, render, actor=ENGINE.name, reason="server_lost")


async def _is_taken_since(tx: Tx, render: Render, server: int) -> bool:
    """The news may come late: the next attempt may have begun, in a slot that is still written down as the lost
    life's."""
    place = None if render.job_id is None else await queue.find_place(tx, render.job_id)
    return place is not None and place.place == "lease" and place.worker != server
