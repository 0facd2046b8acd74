"""A claim: one commit from pending to preparing with the slot's id, which fails for what is no longer pending."""

from datetime import timedelta
from typing import Any

import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import renders as verbs
from pabal.apps.rendering.jobs.context import RenderContext, Taken, Work
from pabal.apps.rendering.store import renders, traces
from pabal.base.database import Tx
from pabal.engine.kinds import Job
from pabal.engine.outcome import Cancel
from pabal.platform.actor import ENGINE
from tests.support.rendering import RenderWorld, first_slot
from tests.support.work import begin_blocked


async def prepare(world: RenderWorld, tx: Tx, job: Job) -> Any:
    return await world.kinds[job.kind].handler.prepare(tx, job)


class PowerCut(Exception):
    pass


async def claim_without_commit(world: RenderWorld, job: Job) -> None:
    async with world.db.transaction() as tx:
        await prepare(world, tx, job)
        raise PowerCut


@pytest.mark.req("B-29", "B-30", "B-31")
async def test_state_worker_and_lock_are_one_commit_which_answers_the_updated_record(world: RenderWorld):
    [asked] = await world.ask()
    _, job = await world.claim()
    with pytest.raises(PowerCut):
        await claim_without_commit(world, job)
    untouched = await world.see(asked.id)
    assert (untouched.state, untouched.worker_id, untouched.lock_expires_at) == ("pending", None, None)

    async with world.db.transaction() as tx:
        work = await prepare(world, tx, job)
        moment = tx.now

    assert isinstance(work, Work)
    assert (work.render.state, work.render.worker_id) == ("preparing", first_slot(world))
    assert work.render.lock_expires_at == moment + timedelta(minutes=30)
    assert work.render == await world.see(asked.id)


@pytest.mark.req("B-29")
async def test_a_claim_fails_when_somebody_cancels_in_the_same_moment(world: RenderWorld):
    [asked] = await world.ask()
    _, job = await world.claim()

    async def claim_late() -> Any:
        async with world.db.transaction() as tx:
            return await prepare(world, tx, job)

    async with world.db.transaction() as tx:
        await renders.hold_render(tx, asked.id)
        claiming = await begin_blocked(world.db, claim_late())
        await verbs.cancel(tx, ENGINE, asked.id)

    assert isinstance(await claiming, Cancel)
    left = await world.see(asked.id)
    assert (left.state, left.worker_id, left.lock_expires_at) == ("cancelled", None, None)
    assert await world.states(asked.id) == ["pending", "cancelled"]


@pytest.mark.req("B-15")
async def test_while_it_is_prepared_it_is_its_workers_and_its_json_is_made(world: RenderWorld):
    await world.nexrender.refuse()
    [asked] = await world.ask()

    async with world.running():
        waiting = await world.until(asked.id, lambda one: one.fault_count == 1)
        async with world.db.transaction() as tx:
            sent = await traces.read_sent(tx, asked.id, 1)
            [_, claimed] = await traces.list_changes(tx, asked.id)
        await world.nexrender.accept()
        await world.pass_time(timedelta(minutes=1))

    assert (waiting.state, waiting.worker_id, waiting.worker_name) == ("preparing", first_slot(world), "Worker#1")
    assert (claimed.status_to, claimed.changed_by, claimed.worker_id) == ("preparing", "worker", first_slot(world))
    assert sent is not None
    assert f'"uid": "rq-{asked.id}-a1"' in world.services.vault.open(sent)
    assert world.begun() == [f"rq-{asked.id}-a1"]


@pytest.mark.req("B-105")
async def test_a_worker_writes_only_the_row_it_holds(world: RenderWorld):
    mine, others = await world.ask("A", "B")
    _, job = await world.claim()
    async with world.db.transaction() as tx:
        work = await prepare(world, tx, job)
    context = RenderContext(world.db, world.services.vault, world.farm, job, work)
    await context.note("INFO", "mine")

    stolen = RenderContext(world.db, world.services.vault, world.farm, job, work)
    stolen.render = await world.see(others.id)
    with pytest.raises(Taken):
        await stolen.write(lambda tx: renders.note_rendered(tx, others.id, "/somewhere/else.mp4"))
    async with world.db.transaction() as tx:
        await renders.let_go(tx, mine.id, recoveries=0)
    with pytest.raises(Taken):
        await context.write(lambda tx: renders.note_rendered(tx, mine.id, "/somewhere/else.mp4"))

    async with world.db.transaction() as tx:
        until = tx.now + work.values[own.LOCK]
        await renders.claim(tx, mine, first_slot(world), "Worker#1", lock_until=until, recoveries=0)
        await renders.set_job(tx, mine.id, job.id + 1)
    with pytest.raises(Taken):
        await context.write(lambda tx: renders.note_rendered(tx, mine.id, "/somewhere/else.mp4"))

    assert [(await world.see(one.id)).rendered_path for one in (mine, others)] == [None, None]
