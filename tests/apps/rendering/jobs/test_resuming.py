"""When a server dies, the next attempt goes on where the last one stood, and a late worker changes nothing."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.releasing import recover_lost_servers, recover_once, release
from pabal.apps.rendering.jobs.rendering import make_kinds
from pabal.apps.rendering.model.renders import Reason, Render
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.store import renders
from pabal.base.database import Tx
from pabal.engine.claims import LeaseLost, fenced
from pabal.engine.facts import Fact
from tests.support.botline import bury
from tests.support.rendering import RenderWorld, make_server, open_slots


async def die(world: RenderWorld, render_id: int, is_so: Callable[[Render], bool]) -> None:
    """A server takes the render, comes as far as this, and is gone as in a power cut."""
    worker, job = await world.claim()
    await open_slots(world.db, world.farm, server=worker)
    task = asyncio.create_task(world.perform(worker, job))
    await world.until(render_id, is_so)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await bury(world.db, world.kinds, worker)


@pytest.mark.req("B-07", "B-73", "B-79", "B-80", "B-82")
async def test_the_next_server_finds_the_running_job_instead_of_rendering_again(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()
    await die(world, asked.id, lambda one: one.state == "rendering")

    async with world.running():
        await world.until(asked.id, lambda one: one.recovery_count == 1 and one.state == "rendering")
        await world.let_go()

    done = await world.see(asked.id)
    assert (done.state, done.recovery_count, done.attempt) == ("completed", 1, 1)
    assert world.begun() == [f"rq-{asked.id}-a1"]
    states = await world.states(asked.id)
    assert states[:6] == ["pending", "preparing", "rendering", "pending", "preparing", "rendering"]


@pytest.mark.req("B-03")
async def test_a_server_that_shares_only_the_database_goes_on_with_what_another_wrote_there(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()
    await die(world, asked.id, lambda one: one.progress >= 20)
    left = await world.see(asked.id)
    services, farm = make_server(world.db, world.folder, world.nexrender.url)
    other = replace(world, services=services, farm=farm, kinds=make_kinds(services))

    async with other.running():
        found = await other.until(asked.id, lambda one: one.state == "rendering")
        await other.let_go()
    await farm.client.close()

    assert (left.nexrender_job_id, left.progress) == (f"rq-{asked.id}-a1", 20)
    assert None not in (left.started_at, left.posted_at)
    assert (found.started_at, found.posted_at, found.progress) == (left.started_at, left.posted_at, left.progress)
    done = await world.see(asked.id)
    assert (done.state, done.progress, done.worker_id, done.recovery_count) == ("completed", 100, None, 1)
    assert done.output_file_path is not None
    assert Path(done.output_file_path).stat().st_size == done.output_size
    assert world.begun() == [left.nexrender_job_id]


@pytest.mark.req("B-74")
async def test_a_film_that_was_rendered_is_copied_without_rendering_it_again(world: RenderWorld):
    [asked] = await world.ask()
    await die(world, asked.id, lambda one: one.rendered_path is not None)
    began = await world.see(asked.id)

    await world.run()

    done = await world.see(asked.id)
    assert done.state == "completed"
    assert done.rendered_at == began.rendered_at
    assert world.begun() == [f"rq-{asked.id}-a1"]


@pytest.mark.req("B-81")
async def test_a_late_worker_changes_nothing(world: RenderWorld):
    [asked] = await world.ask()
    worker, late = await world.claim()
    await bury(world.db, world.kinds, worker)
    await world.run()

    with pytest.raises(LeaseLost):
        async with fenced(world.db, late) as tx:
            await renders.note_rendered(tx, asked.id, "/somewhere/else.mp4")

    assert (await world.see(asked.id)).rendered_path != "/somewhere/else.mp4"


@pytest.mark.req("B-81")
async def test_the_lock_of_a_healthy_render_is_renewed_for_as_long_as_it_takes(world: RenderWorld):
    for clock in (own.STALL_TIMEOUT, own.RENDER_TIMEOUT):
        await world.set(clock, timedelta(hours=3))
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        seen = await world.until(asked.id, lambda one: one.progress >= 20)
        for _ in range(3):
            before = seen.lock_expires_at or seen.updated_at
            await world.pass_time(timedelta(minutes=20))
            seen = await world.until(asked.id, lambda one, than=before: (one.lock_expires_at or than) > than)  # type: ignore[misc]
        recovered = await recover_once(world.db)
        await world.let_go()

    done = await world.see(asked.id)
    assert (recovered, done.state, done.recovery_count) == (0, "completed", 0)
    assert world.begun() == [f"rq-{asked.id}-a1"]


@pytest.mark.req("B-83")
async def test_a_job_that_loses_its_fourth_worker_is_parked(world: RenderWorld):
    [asked] = await world.ask()
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    for count in range(4):
        await die(
            world,
            asked.id,
            lambda one, count=count: one.state == "rendering" and one.recovery_count == count,  # type: ignore[misc]
        )

    parked = await world.see(asked.id)
    assert (parked.state, parked.error_code, parked.worker_id) == ("failed", Reason.POISON_JOB, None)
    assert parked.recovery_count == 4
    await world.let_go()


@pytest.mark.req("B-73", "B-80")
async def test_a_render_that_was_put_back_under_its_worker_goes_on_with_the_same_job(world: RenderWorld):
    """The news that its server was lost may come when the next attempt has begun."""
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        working = await world.until(asked.id, lambda one: one.state == "rendering" and one.progress >= 20)
        await world.act(lambda tx: release(tx, working, actor="engine", reason="server_lost"))
        await world.until(asked.id, lambda one: one.state == "rendering" and one.recovery_count == 1)
        await world.let_go()

    done = await world.see(asked.id)
    assert (done.state, done.attempt, done.error_code) == ("completed", 1, None)
    assert world.begun() == [f"rq-{asked.id}-a1"]


@pytest.mark.req("B-79")
async def test_late_news_of_a_lost_server_takes_nothing_from_the_next_one(world: RenderWorld):
    """The slot is still written down as the lost life's: it opens again with the next heartbeat only."""
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()
    await open_slots(world.db, world.farm, server=999)

    async with world.running():
        await world.until(asked.id, lambda one: one.state == "rendering" and one.progress >= 20)
        await world.act(lambda tx: recover_lost_servers(tx, [lost_server(999, tx)]))
        kept = await world.see(asked.id)
        await world.let_go()

    assert (kept.state, kept.recovery_count) == ("rendering", 0)
    assert kept.worker_id is not None
    assert (await world.see(asked.id)).state == "completed"


def lost_server(server: int, tx: Tx) -> Fact:
    return Fact(1, uuid4(), "server.lost", f"server:{server}", None, tx.now, {})


@pytest.mark.req("B-30")
async def test_a_claim_locks_for_half_an_hour(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        working = await world.until(asked.id, lambda one: one.state == "rendering")
        assert working.lock_expires_at is not None
        left = working.lock_expires_at - working.updated_at
        await world.let_go()

    assert timedelta(minutes=29) < left <= timedelta(minutes=30)
