"""nexrender does not deduplicate, forgets, and answers late: the job is there once, and is rendered once."""

from datetime import timedelta
from functools import partial

import pytest

from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.simulator.journal import RequestReceived
from tests.support.rendering import RenderWorld
from tests.support.servers import until

WAIT = timedelta(seconds=61)


def posts(world: RenderWorld) -> list[str]:
    received = [one for one in world.nexrender.journal.entries if isinstance(one, RequestReceived)]
    return [one.uid for one in received if one.method == "POST"]


async def is_empty(world: RenderWorld) -> bool:
    return await world.farm.client.list_jobs() == []


@pytest.mark.req("B-44", "B-45")
async def test_a_post_without_an_answer_is_looked_for_before_it_is_repeated(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.NO_ANSWER, match="POST /api/v1/jobs"))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.fault_count == 1)
        await world.pass_time(WAIT)

    assert (await world.see(asked.id)).state == "completed"
    assert posts(world) == [f"rq-{asked.id}-a1"]
    assert world.begun() == [f"rq-{asked.id}-a1"]


async def test_a_job_that_nexrender_forgot_before_it_began_is_posted_again(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.FORGET))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.submitted_at is not None)
        await world.hurry(asked.id)

    assert (await world.see(asked.id)).state == "completed"
    assert world.begun() == [f"rq-{asked.id}-a1"]


async def test_a_job_that_stands_there_twice_is_taken_away_and_rendered_once(world: RenderWorld):
    await world.nexrender.workers.kill(1)
    world.nexrender.faults.add(Fault(FaultKind.DOUBLE))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.submitted_at is not None)
        await until(partial(is_empty, world))
        world.nexrender.workers.start(1)
        await world.hurry(asked.id)

    assert (await world.see(asked.id)).state == "completed"
    assert world.begun() == [f"rq-{asked.id}-a1"]
    assert await world.farm.client.list_jobs() == []


async def test_nothing_of_a_finished_render_is_left_in_nexrender(world: RenderWorld):
    [asked] = await world.ask()

    await world.run()

    assert (await world.see(asked.id)).state == "completed"
    assert await world.farm.client.list_jobs() == []


async def test_a_job_of_ours_that_stands_there_twice_is_taken_away_by_whoever_waits_behind_it(world: RenderWorld):
    """Its own render may wait for a slot that those behind it hold: nobody would ever come to an end."""
    doubled = {
        "uid": "rq-999-a1",
        "template": {"src": "file:///x.aep", "composition": "x"},
        "assets": [],
        "actions": {},
    }
    await world.nexrender.workers.kill(1)
    for _ in range(2):
        await world.farm.client.create(doubled)
    world.nexrender.workers.start(1)
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: not one.is_open)

    assert (await world.see(asked.id)).state == "completed"
    assert await world.farm.client.find("rq-999-a1") is None
