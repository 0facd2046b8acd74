"""Cancelled for people at once; slot and licence stay taken while After Effects still renders it."""

import asyncio
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from pabal.apps.rendering.actions import renders as verbs
from pabal.apps.rendering.actions.releasing import release
from pabal.apps.rendering.errors import StillWindingDown
from pabal.apps.rendering.gateway import Nexrender
from pabal.apps.rendering.model.renders import Reason
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.store import traces
from pabal.platform.actor import ENGINE
from tests.apps.rendering.jobs.test_resuming import die
from tests.support.rendering import RenderWorld, make_actor
from tests.support.servers import until


@pytest.mark.req("B-13", "B-21", "B-66")
async def test_a_waiting_render_is_cancelled_and_never_begun(world: RenderWorld):
    [asked] = await world.ask()

    somebody = make_actor(world.tree.hq.id)
    cancelled = await world.act(lambda tx: verbs.cancel(tx, somebody, asked.id))
    await world.run()

    assert (cancelled.state, cancelled.is_winding_down) == ("cancelled", False)
    async with world.db.transaction() as tx:
        assert (await traces.list_changes(tx, asked.id))[-1].changed_by == "user:1"
    assert world.begun() == []
    assert (await world.states(asked.id)) == ["pending", "cancelled"]


@pytest.mark.req("B-13")
async def test_what_renders_already_keeps_its_slot_until_nexrender_is_through(world: RenderWorld):
    looks: list[float] = []

    async def note(seconds: float) -> None:
        looks.append(seconds)
        await asyncio.sleep(0.01)

    world.farm.sleep = note
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.state == "rendering" and one.progress >= 20)
        cancelled = await world.cancel(asked.id)
        assert (cancelled.state, cancelled.is_winding_down) == ("cancelled", True)
        assert cancelled.worker_id is not None
        with pytest.raises(StillWindingDown):
            await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id))
        since = len(looks)
        await until(lambda: len(looks) >= since + 3)
        held = await world.see(asked.id)
        there = [one.uid for one in await world.farm.client.list_jobs()]
        await world.let_go()

    assert (held.is_winding_down, held.worker_id, there) == (True, cancelled.worker_id, [f"rq-{asked.id}-a1"])
    over = await world.see(asked.id)
    assert (over.state, over.is_winding_down, over.worker_id) == ("cancelled", False, None)
    assert await world.farm.client.list_jobs() == []
    assert list((world.folder / "output").iterdir()) == []
    assert list(world.nas.rglob("*.mp4")) == []


async def test_what_waits_in_nexrender_is_deleted_there(world: RenderWorld):
    await world.nexrender.workers.kill(1)
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.nexrender_state == "queued")
        await world.cancel(asked.id)

    assert (await world.see(asked.id)).is_winding_down is False
    assert await world.farm.client.list_jobs() == []
    assert world.begun() == []


async def test_a_cancelled_render_can_be_tried_again_under_another_name(world: RenderWorld):
    [asked] = await world.ask()
    await world.cancel(asked.id)

    await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id))
    await world.run()

    done = await world.see(asked.id)
    assert (done.state, done.attempt, done.error_code) == ("completed", 2, None)
    assert world.begun() == [f"rq-{asked.id}-a2"]


@pytest.mark.req("B-13")
async def test_what_lost_its_server_is_cancelled_in_nexrender_too(world: RenderWorld):
    """It waits for a slot while After Effects renders it: a new attempt beside it would be two at once."""
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()
    await die(world, asked.id, lambda one: one.state == "rendering" and one.progress >= 20)
    lost = await world.see(asked.id)
    await world.act(lambda tx: release(tx, lost, actor="engine", reason="server_lost"))

    cancelled = await world.cancel(asked.id)
    assert (cancelled.state, cancelled.worker_id, cancelled.is_winding_down) == ("cancelled", None, True)
    with pytest.raises(StillWindingDown):
        await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id))
    async with world.running():
        await world.until(asked.id, lambda one: one.worker_id is not None)
        await world.let_go()

    over = await world.see(asked.id)
    assert (over.state, over.error_code, over.is_winding_down, over.worker_id) == (
        "cancelled",
        "cancelled",
        False,
        None,
    )
    assert await world.farm.client.list_jobs() == []
    assert list((world.folder / "output").iterdir()) == []


class PickedMeanwhile:
    """A nexrender that hands the job out right before the first request that takes it away."""

    def __init__(self, world: RenderWorld) -> None:
        self._world, self._real = world, world.farm.client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    async def set_state(self, uid: str, state: str) -> None:
        await self._hand_out()
        await self._real.set_state(uid, state)

    async def delete(self, uid: str) -> None:
        await self._hand_out()
        await self._real.delete(uid)

    async def _hand_out(self) -> None:
        if not self._world.begun():
            self._world.nexrender.workers.start(1)
            await self._world.nexrender.journal.until(lambda: self._world.nexrender.workers.hanging == 1)


async def is_said(world: RenderWorld, render_id: int, *texts: str) -> bool:
    said = [one.message for one in await world.lines(render_id)]
    return any(text in one for one in said for text in texts)


async def test_what_nexrender_hands_out_in_the_same_moment_is_followed_to_its_end(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    await world.nexrender.workers.kill(1)
    client: Nexrender = PickedMeanwhile(world)  # type: ignore[assignment]  # the rest is the real one's
    world.farm.client = client
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.nexrender_state == "queued")
        await world.cancel(asked.id)
        await world.nexrender.journal.until(lambda: len(world.begun()) == 1)
        await until(partial(is_said, world, asked.id, "in the same moment", "out of nexrender"))
        seen = await world.see(asked.id)
        assert (seen.is_winding_down, seen.worker_id is not None) == (True, True)
        await world.let_go()

    over = await world.see(asked.id)
    assert (over.state, over.is_winding_down, over.worker_id) == ("cancelled", False, None)
    assert await world.farm.client.list_jobs() == []
    assert list((world.folder / "output").iterdir()) == []


async def test_what_is_cancelled_is_taken_from_a_nexrender_that_was_away_when_its_time_ran_out(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.progress >= 20)
        await world.cancel(asked.id)
        await world.nexrender.refuse()
        await world.pass_time(timedelta(seconds=1800))
        await until(partial(is_said, world, asked.id, "could not be taken from nexrender, again in 60 s"))
        await world.nexrender.accept()
        await world.pass_time(timedelta(seconds=60))

    assert (await world.see(asked.id)).is_winding_down is False
    assert await world.farm.client.list_jobs() == []
    await world.let_go()


@pytest.mark.req("B-83")
async def test_a_job_that_is_parked_is_taken_from_nexrender_when_it_is_through(world: RenderWorld):
    """Else the next render would be handed to an After Effects that is busy, and its film would lie there for ever."""
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()
    await die(world, asked.id, lambda one: one.progress >= 20)
    lost = await world.see(asked.id)
    await world.act(lambda tx: release(tx, lost, actor="engine", reason="lost", recoveries=4))
    parked = await world.see(asked.id)
    assert (parked.state, parked.error_code, parked.is_winding_down) == ("failed", Reason.POISON_JOB, True)
    with pytest.raises(StillWindingDown):
        await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id))

    async with world.running():
        await world.until(asked.id, lambda one: one.worker_id is not None)
        await world.let_go()

    over = await world.see(asked.id)
    assert (over.state, over.error_code, over.is_winding_down) == ("failed", Reason.POISON_JOB, False)
    assert await world.farm.client.list_jobs() == []
    assert list((world.folder / "output").iterdir()) == []
    again = await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id))
    assert (again.state, again.attempt) == ("pending", 2)
