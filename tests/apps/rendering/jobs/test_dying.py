"""A server is killed at each named instruction; the next one finishes its render: rendered once, delivered whole."""

import asyncio
import hashlib
import os
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.rendering.model.renders import Render
from pabal.base.killpoints import APP_POINTS, EXIT_CODE
from pabal.engine import workers
from tests.support.botline import bury
from tests.support.programs import start
from tests.support.rendering import RenderWorld

pytestmark = [pytest.mark.slow, pytest.mark.beside]
ROOT = Path(__file__).parents[4]
STEPS = ("steps.prepared", "steps.prepare_committed", "steps.performed", "steps.recorded", "steps.record_committed")
POINTS = (*STEPS, *(point for point in APP_POINTS if point.startswith("rendering.")))


async def run_until_death(world: RenderWorld, url: str, point: str) -> int:
    environment = os.environ | {"PABAL_KILL_POINT": point, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    given = (url, str(world.folder), world.nexrender.url)
    process = start("tests.support.render_process", *given, cwd=ROOT, env=environment)
    return await asyncio.to_thread(process.wait, 60)


@pytest.mark.req("B-07", "B-73")
@pytest.mark.parametrize("point", POINTS)
async def test_a_render_survives_the_death_of_its_server(world: RenderWorld, database_url: str, point: str):
    [asked] = await world.ask()

    assert await run_until_death(world, database_url, point) == EXIT_CODE
    async with world.db.transaction() as tx:
        dead = [one.id for one in await workers.list_workers(tx)]
    for worker in dead:
        await bury(world.db, world.kinds, worker)
    async with world.running():
        await _hurry(world, asked.id)

    done = await world.see(asked.id)
    assert (done.state, done.attempt, done.worker_id) == ("completed", 1, None)
    assert world.begun() == [f"rq-{asked.id}-a1"]
    [film] = world.nas.rglob("*.mp4")
    assert hashlib.sha256(film.read_bytes()).hexdigest() == done.output_sha256
    assert [one for one in world.nas.rglob("*") if one.name.endswith(".pabal-part")] == []


async def _hurry(world: RenderWorld, render_id: int) -> None:
    """A POST nobody answered for is waited for by the clock."""
    waiting = await world.until(render_id, lambda one: not one.is_open or _awaits_clock(one))
    if waiting.is_open:
        await world.pass_time(timedelta(seconds=20))
    await world.until(render_id, lambda one: not one.is_open)


def _awaits_clock(render: Render) -> bool:
    return render.posted_at is not None and render.submitted_at is None
