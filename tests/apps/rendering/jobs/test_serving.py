"""Whole servers of the engine with slots: woken by the insert, as many at once as slots, and a stop loses nothing."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.apps.rendering.actions import slots as verbs
from pabal.apps.rendering.jobs.rendering import ELSEWHERE
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from tests.support.rendering import LABELS, RenderWorld, first_slot, make_world
from tests.support.servers import serving, until_in

pytestmark = [pytest.mark.slow, pytest.mark.beside]


@pytest.fixture
async def two(db: Database, tmp_path: Path) -> AsyncIterator[RenderWorld]:
    async with make_world(db, tmp_path, slot_count=2) as made:
        yield made


@pytest.mark.req("B-05", "B-24", "B-67", "B-90", "B-92")
async def test_two_slots_render_two_at_once_and_the_third_waits(two: RenderWorld):
    two.nexrender.faults.add(Fault(FaultKind.HANG, 20, times=2))

    async with serving(two.db, two.kinds, two.folder / "locks", labels=LABELS):
        first, second, third = await two.ask("A", "B", "C")
        working = [await two.until(one.id, lambda row: row.state == "rendering") for one in (first, second)]
        assert {one.worker_id for one in working} == set(two.farm.slots)
        assert (await two.see(third.id)).state == "pending"
        await two.let_go(2)
        for one in (first, second, third):
            await two.until(one.id, lambda row: row.state == "completed")

    assert sorted(two.begun()) == sorted(f"rq-{one.id}-a1" for one in (first, second, third))


async def test_a_server_without_the_role_takes_no_render(world: RenderWorld):
    async with serving(world.db, world.kinds, world.folder / "locks") as server:
        [asked] = await world.ask()
        await server.runner.exchange_once()
        assert (await world.see(asked.id)).state == "pending"


async def test_a_server_that_stops_hands_its_render_on_and_no_recovery_is_counted(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    async with serving(world.db, world.kinds, world.folder / "locks", labels=LABELS) as server:
        [asked] = await world.ask()
        await world.until(asked.id, lambda one: one.progress >= 20)
        await server.stop()

    async with serving(world.db, world.kinds, world.folder / "locks", labels=LABELS):
        await world.until(asked.id, lambda one: one.state == "rendering")
        await world.let_go()
        done = await world.until(asked.id, lambda one: one.state == "completed")

    assert (done.recovery_count, done.attempt) == (0, 1)
    assert world.begun() == [f"rq-{asked.id}-a1"]


async def test_a_render_that_no_slot_may_have_waits_until_one_may(world: RenderWorld):
    await world.act(lambda tx: verbs.pause_slot(tx, ENGINE, first_slot(world)))

    async with serving(world.db, world.kinds, world.folder / "locks", labels=LABELS):
        [asked] = await world.ask()
        put_off = await until_in(world.db, (await world.see(asked.id)).job_id or 0, "delayed")
        waiting = await world.see(asked.id)
        await world.act(lambda tx: verbs.resume_slot(tx, ENGINE, first_slot(world)))
        await world.pass_time(ELSEWHERE)
        done = await world.until(asked.id, lambda one: one.state == "completed")

    assert put_off.id == waiting.job_id
    assert (waiting.state, waiting.worker_id, waiting.attempt) == ("pending", None, 1)
    assert (await world.states(asked.id))[:3] == ["pending", "preparing", "rendering"]
    assert done.attempt == 1
