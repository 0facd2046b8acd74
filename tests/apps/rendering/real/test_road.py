"""The whole road through the real nexrender: from the insert to a verified film on the NAS, and what becomes of it when
somebody cancels, when nexrender's server or ours starts again, and when the machine with After Effects is lost."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions.compositions import put_composition
from pabal.apps.rendering.farm import KEPT, make_farm
from pabal.apps.rendering.jobs.rendering import make_kinds
from pabal.apps.rendering.model.renders import Render
from pabal.apps.rendering.simulator.projects import make_project
from pabal.base.database import Database
from pabal.engine import widths
from pabal.platform.actor import ENGINE
from tests.apps.rendering.real.harness import SECRET, RealNexrender, needs_nexrender
from tests.support.botline import bury
from tests.support.people import plant
from tests.support.rendering import (
    MAPPINGS,
    RenderWorld,
    make_composition,
    make_services,
    make_startup,
    open_slots,
)

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("nexrender"), needs_nexrender]


@pytest.fixture
async def world(db: Database, tmp_path: Path, nexrender: RealNexrender) -> AsyncIterator[RenderWorld]:
    """One slot at the real nexrender, whose machine sees the same files as the server."""
    for name in ("nas", "templates"):
        (tmp_path / name).mkdir()
    (tmp_path / "templates" / "cyprus.aep").write_bytes(make_project(["_MAIN Mini Chip Count"]))
    nexrender.output.mkdir(exist_ok=True)
    services = make_services(db, tmp_path)
    given = {"nexrender_secret": SECRET, "output_dir": str(nexrender.output), "paths": ""}
    farm = services.kept[KEPT] = make_farm(make_startup(tmp_path, nexrender.url, **given))
    farm.tick, farm.room = 0.02, 1
    made = RenderWorld(db, await plant(db), tmp_path, nexrender, services, farm, make_kinds(services))  # type: ignore[arg-type] -- the real one
    await open_slots(db, farm)
    await widths.declare_all(db, made.kinds.widths)
    await made.set(own.FOLLOW_EVERY, timedelta(milliseconds=100))
    async with db.transaction() as tx:
        await put_composition(tx, ENGINE, make_composition(tmp_path / "templates"), MAPPINGS)
    # numbers begin anew with every database, and files are found by them
    for left in nexrender.output.iterdir():
        left.unlink()
    yield made
    for job in await farm.client.list_jobs():
        await farm.client.delete(job.uid)
    await farm.client.close()


def count_renders(nexrender: RealNexrender, since: int) -> int:
    """By the log of the machine."""
    return nexrender.worker.read_log()[since:].count("setting up job")


async def check_delivered(world: RenderWorld, render_id: int, *, attempt: int = 1) -> Render:
    done = await world.see(render_id)
    assert (done.state, done.attempt, done.error_code) == ("completed", attempt, None)
    [film] = world.nas.rglob("*.mp4")
    assert str(film) == done.output_file_path
    assert hashlib.sha256(film.read_bytes()).hexdigest() == done.output_sha256
    assert film.stat().st_size == done.output_size
    assert await world.farm.client.list_jobs() == []
    return done


def is_half_way(one: Render) -> bool:
    return one.state == "rendering" and one.progress >= 40


async def hurry(world: RenderWorld, render_id: int) -> None:
    """What waits for a clock waits for the database's, which goes faster here."""
    async with asyncio.timeout(60):
        while (await world.see(render_id)).is_open:
            await world.pass_time(timedelta(seconds=2))
            await asyncio.sleep(0.05)


@pytest.mark.req("B-01", "B-02", "B-23", "B-61", "B-68")
async def test_an_insert_becomes_a_verified_film_on_the_nas(world: RenderWorld, nexrender: RealNexrender):
    began = len(nexrender.worker.read_log())
    [asked] = await world.ask()

    async with world.running():
        pass

    done = await check_delivered(world, asked.id)
    assert done.video is not None
    assert (done.video["codec"], done.video["width"], done.video["height"]) == ("h264", 640, 360)
    assert count_renders(nexrender, began) == 1
    states = await world.states(asked.id)
    assert states[:3] == ["pending", "preparing", "rendering"]
    assert states[-2:] == ["uploading", "completed"]


@pytest.mark.req("B-13", "B-21")
async def test_a_cancel_leaves_neither_job_nor_film_once_after_effects_is_through(
    world: RenderWorld, nexrender: RealNexrender
):
    [asked] = await world.ask()

    async with world.running():
        with nexrender.held():
            await world.until(asked.id, is_half_way)
            cancelled = await world.cancel(asked.id)
            assert (cancelled.state, cancelled.is_winding_down) == ("cancelled", True)
            assert cancelled.worker_id is not None

    over = await world.see(asked.id)
    assert (over.state, over.is_winding_down, over.worker_id) == ("cancelled", False, None)
    assert await world.farm.client.list_jobs() == []
    assert list(nexrender.output.iterdir()) == []
    assert list(world.nas.rglob("*.mp4")) == []


@pytest.mark.req("B-70")
async def test_a_render_is_delivered_though_nexrenders_server_starts_again_under_it(
    world: RenderWorld, nexrender: RealNexrender
):
    began = len(nexrender.worker.read_log())
    [asked] = await world.ask()

    async with world.running():
        with nexrender.held():
            await world.until(asked.id, is_half_way)
            await asyncio.to_thread(nexrender.wait_until_saved, asked.uid, "render:dorender")
            nexrender.server.kill()
            await world.until(asked.id, lambda one: one.fault == "nexrender_unreachable")
            await asyncio.to_thread(nexrender.start_server)
        await hurry(world, asked.id)

    await check_delivered(world, asked.id)
    assert count_renders(nexrender, began) == 1


@pytest.mark.req("B-07", "B-73")
async def test_our_next_server_finds_the_job_that_the_dead_one_had_posted(world: RenderWorld, nexrender: RealNexrender):
    began = len(nexrender.worker.read_log())
    [asked] = await world.ask()
    with nexrender.held():
        worker, job = await world.claim()
        await open_slots(world.db, world.farm, server=worker)
        dying = asyncio.create_task(world.perform(worker, job))
        await world.until(asked.id, is_half_way)
        dying.cancel()
        with suppress(asyncio.CancelledError):
            await dying
        await bury(world.db, world.kinds, worker)

    async with world.running():
        pass

    done = await check_delivered(world, asked.id)
    assert done.recovery_count == 1
    assert count_renders(nexrender, began) == 1


@pytest.mark.req("B-50", "B-72")
async def test_what_a_lost_machine_had_is_rendered_again_under_another_name(
    world: RenderWorld, nexrender: RealNexrender
):
    """nexrender has no lease: it says for ever that the job renders."""
    [asked] = await world.ask()

    async with world.running():
        with nexrender.held():
            await world.until(asked.id, is_half_way)
            nexrender.worker.kill()
        nexrender.worker.start()
        await world.pass_time(timedelta(minutes=31))
        await world.until(asked.id, lambda one: not one.is_open)

    await check_delivered(world, asked.id, attempt=2)
    assert sorted(one.name for one in nexrender.output.iterdir()) == [f"job_{asked.id}_a2.mp4"]
