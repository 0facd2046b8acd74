import asyncio
import hashlib
from datetime import date, timedelta
from pathlib import Path

import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.model.renders import Stage
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.store import traces
from tests.support.rendering import RenderWorld, first_slot
from tests.support.servers import until


@pytest.mark.req("B-01", "B-02", "B-23", "B-58", "B-68")
async def test_a_render_goes_from_the_queue_to_a_verified_film_on_the_nas(world: RenderWorld):
    [asked] = await world.ask(broadcast_date=date(2041, 5, 6))

    await world.run()

    done = await world.see(asked.id)
    assert (done.state, done.error_code) == ("completed", None)
    film = Path(done.output_file_path or "")
    assert film.parent == world.nas / "2041-05-06"
    assert film.name == f"_MAIN_Mini_Chip_Count_{asked.id}.mp4"
    assert done.output_sha256 == hashlib.sha256(film.read_bytes()).hexdigest()
    assert (await world.states(asked.id))[:3] == ["pending", "preparing", "rendering"]
    assert (await world.states(asked.id))[-2:] == ["uploading", "completed"]
    assert world.begun() == [f"rq-{asked.id}-a1"]


@pytest.mark.req("B-11")
async def test_it_goes_through_all_six_states(world: RenderWorld):
    """What encodes is seen: nexrender stays there until it was."""
    world.nexrender.faults.add(Fault(FaultKind.HANG, 100))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.state == "encoding")
        await world.let_go()

    assert await world.states(asked.id) == [
        "pending",
        "preparing",
        "rendering",
        "encoding",
        "uploading",
        "completed",
    ]


@pytest.mark.req("B-45", "B-59", "B-61", "B-63", "B-69")
async def test_what_is_written_down_when_it_was_handed_over_and_when_it_was_completed(world: RenderWorld):
    [asked] = await world.ask()
    async with world.running():
        posted = await world.until(asked.id, lambda one: one.submitted_at is not None)

    done = await world.see(asked.id)
    assert (posted.nexrender_job_id, posted.started_at) == (f"rq-{asked.id}-a1", posted.submitted_at)
    assert Path(done.output_file_path or "").parent == world.nas / done.broadcast_date.isoformat()
    assert Path(done.output_file_path or "").is_file()
    assert done.started_at is not None
    assert done.completed_at is not None
    assert done.completed_at > done.started_at > asked.created_at
    assert done.duration_seconds == pytest.approx((done.completed_at - done.started_at).total_seconds(), abs=0.001)
    assert (done.worker_id, done.lock_expires_at, done.progress) == (None, None, 100)


@pytest.mark.req("B-22")
async def test_every_stage_leaves_its_time(world: RenderWorld):
    [asked] = await world.ask()
    await world.run()

    async with world.db.transaction() as tx:
        stages = await traces.list_stages(tx, asked.id)

    assert [one.stage for one in stages][:2] == [Stage.PREPARE, Stage.SUBMIT]
    assert [one.stage for one in stages][-2:] == [Stage.VALIDATE, Stage.COPY]
    assert all(one.seconds is not None for one in stages)
    assert [one.ended_at for one in stages][:-1] == [one.began_at for one in stages][1:]


@pytest.mark.req("B-18")
async def test_while_it_is_uploaded_it_is_its_workers_and_the_film_comes_to_the_nas(world: RenderWorld):
    [asked] = await world.ask()
    async with world.running():
        await world.until(asked.id, lambda one: one.nexrender_state is not None)
        (world.folder / "nas").rename(world.folder / "gone")
        waiting = await world.until(asked.id, lambda one: one.fault_count == 1)
        (world.folder / "gone").rename(world.folder / "nas")
        before = list(world.nas.rglob("*.mp4"))
        await world.pass_time(timedelta(seconds=30))

    assert (waiting.state, waiting.stage, waiting.worker_id) == ("uploading", Stage.COPY, first_slot(world))
    assert before == []
    [film] = world.nas.rglob("*.mp4")
    assert film.read_bytes() == Path(waiting.rendered_path or "").read_bytes()
    async with world.db.transaction() as tx:
        [moved] = [one for one in await traces.list_changes(tx, asked.id) if one.status_to == "uploading"]
    assert (moved.changed_by, moved.worker_id) == ("worker", first_slot(world))


@pytest.mark.req("B-19")
async def test_it_is_completed_by_its_worker_when_the_film_was_checked_and_copied(world: RenderWorld):
    [asked] = await world.ask()
    await world.run()

    done = await world.see(asked.id)
    async with world.db.transaction() as tx:
        last = (await traces.list_changes(tx, asked.id))[-1]
    assert (last.status_from, last.status_to) == ("uploading", "completed")
    assert (last.changed_by, last.worker_id) == ("worker", first_slot(world))
    assert done.validated_at is not None
    assert done.validated_at < last.changed_at
    assert done.video is not None
    assert (done.video["codec"], done.video["width"], done.video["height"]) == ("h264", 640, 360)
    assert done.output_size == done.video["size_bytes"] == Path(done.output_file_path or "").stat().st_size


@pytest.mark.req("B-46")
async def test_nexrender_is_asked_for_progress_every_five_seconds(world: RenderWorld):
    await world.set(own.FOLLOW_EVERY, own.FOLLOW_EVERY.default)
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)
        await asyncio.sleep(0.01)

    world.farm.sleep = note
    await world.nexrender.workers.kill(1)
    [asked] = await world.ask()
    async with world.running():
        await until(lambda: len(waits) >= 3)
        in_queue = list(waits)
        world.nexrender.workers.start(1)

    assert set(in_queue) == {5.0}
    assert max(waits) == 5.0
    assert (await world.see(asked.id)).state == "completed"
