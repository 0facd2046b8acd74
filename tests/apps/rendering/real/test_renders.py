"""A job in the shape of section 3.2 goes through the real nexrender to a file, or to its error."""

import asyncio
from typing import Any

import av
import httpx2
import pytest

from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.simulator.films import Film
from pabal.apps.rendering.simulator.options import NexrenderOptions
from pabal.apps.rendering.simulator.server import SimulatedNexrender
from tests.apps.rendering.real.harness import CEILING, SECRET, RealNexrender, needs_nexrender

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("nexrender"), needs_nexrender]

JOBS = "/api/v1/jobs"


async def test_a_job_becomes_a_video_at_the_place_of_its_copy_action(nexrender: RealNexrender) -> None:
    async with open_client(nexrender) as client:
        await client.post(JOBS, json=nexrender.make_job("rq-1-a1"))
        status = await until(client, nexrender, "rq-1-a1", "finished", "error")

    assert (status["state"], status["error"]) == ("finished", None)
    assert {"render:setup", "render:download", "render:dorender", "render:postrender"} <= set(status["timings"])
    written = nexrender.output / "rq-1-a1.mp4"
    assert written.stat().st_size > 100 * 1024
    with av.open(str(written)) as video:
        stream = video.streams.video[0]
        assert (stream.codec_context.name, stream.width, stream.height) == ("h264", 640, 360)


async def test_a_poller_sees_progress_while_it_renders_and_a_delete_does_not_stop_it(nexrender: RealNexrender) -> None:
    async with open_client(nexrender) as client:
        with nexrender.held():
            await client.post(JOBS, json=nexrender.make_job("rq-2-a1"))
            status = await until(client, nexrender, "rq-2-a1", "render:dorender", progress=50)
            await client.delete(f"{JOBS}/rq-2-a1")
        await until_written(nexrender, "rq-2-a1")
        found = await client.get(f"{JOBS}/rq-2-a1")

    assert status["renderProgress"] == 50
    assert (found.status_code, found.content) == (200, b"")


async def test_a_composition_that_is_missing_is_an_error_with_aerenders_words(nexrender: RealNexrender) -> None:
    async with open_client(nexrender) as client:
        await client.post(JOBS, json=nexrender.make_job("rq-3-a1", composition="Missing"))
        status = await until(client, nexrender, "rq-3-a1", "finished", "error")

    assert status["state"] == "error"
    assert status["error"] == "Error: aerender ERROR: No comp was found with the given name.\n"


async def test_a_template_that_is_missing_is_an_error_that_names_it(nexrender: RealNexrender) -> None:
    async with open_client(nexrender) as client:
        job = nexrender.make_job("rq-4-a1", src=(nexrender.folder / "gone.aep").as_uri())
        await client.post(JOBS, json=job)
        status = await until(client, nexrender, "rq-4-a1", "finished", "error")

    assert status["state"] == "error"
    assert status["error"].startswith("Error: ENOENT: no such file or directory, open '")
    assert "gone.aep" in status["error"]


async def test_a_worker_that_dies_leaves_its_job_as_it_was_and_the_next_one_takes_other_work(
    nexrender: RealNexrender,
) -> None:
    async with open_client(nexrender) as client:
        with nexrender.held():
            await client.post(JOBS, json=nexrender.make_job("rq-5-a1"))
            await until(client, nexrender, "rq-5-a1", "render:dorender")
            nexrender.worker.kill()
        nexrender.worker.start()
        await client.post(JOBS, json=nexrender.make_job("rq-6-a1"))
        await until(client, nexrender, "rq-6-a1", "finished")
        lost = (await client.get(f"{JOBS}/rq-5-a1/status")).json()

    assert lost["state"] == "render:dorender"
    assert not (nexrender.output / "rq-5-a1.mp4").exists()


async def test_a_render_goes_on_while_the_server_restarts(nexrender: RealNexrender) -> None:
    async with open_client(nexrender) as client:
        with nexrender.held():
            await client.post(JOBS, json=nexrender.make_job("rq-7-a1"))
            await until(client, nexrender, "rq-7-a1", "render:dorender")
            nexrender.wait_until_saved("rq-7-a1", "render:dorender")
            nexrender.restart_server()
        status = await until(client, nexrender, "rq-7-a1", "finished", "error")

    assert status["state"] == "finished"
    assert (nexrender.output / "rq-7-a1.mp4").exists()


@pytest.mark.parametrize(
    ("composition", "faults"),
    [
        ("Main", ()),
        ("Missing", (Fault(FaultKind.MISSING_COMPOSITION),)),
        ("Broken", (Fault(FaultKind.FAIL, 60, text="Error: PROGRESS: …\naerender ERROR: the disk is full\n"),)),
    ],
)
async def test_a_simulated_worker_leaves_the_same_job_behind(
    nexrender: RealNexrender, composition: str, faults: tuple[Fault, ...]
) -> None:
    job = nexrender.make_job(f"rq-8-{composition}", composition=composition)
    options = NexrenderOptions(seconds=(0.0, 0.0), film=Film(320, 180, 1.0), secret=SECRET, faults=faults)
    async with open_client(nexrender) as client:
        real = await render(client, job)
    async with SimulatedNexrender(options) as simulated, open_client(simulated) as client:
        ours = await render(client, job)

    assert veil_job(ours) == veil_job(real)


async def render(client: httpx2.AsyncClient, job: dict[str, Any]) -> dict[str, Any]:
    await client.post(JOBS, json=job)
    async with asyncio.timeout(CEILING):
        while (found := (await client.get(f"{JOBS}/{job['uid']}")).json())["state"] not in ("finished", "error"):
            await asyncio.sleep(0.02)
    return dict(found)


def veil_job(job: dict[str, Any]) -> dict[str, Any]:
    """Moments are of no interest, but whether there are any is; and of an error, what aerender said at last."""
    veiled = {key: bool(value) if key.endswith("At") else value for key, value in job.items()}
    error = (job["error"] or "").strip().rpartition("\n")[2].removeprefix("Error: ")
    return {**veiled, "error": error, "timings": sorted(job["timings"])}


def open_client(nexrender: RealNexrender | SimulatedNexrender) -> httpx2.AsyncClient:
    """A connection for each request: the server is restarted under it."""
    limits = httpx2.Limits(max_keepalive_connections=0)
    headers = {"nexrender-secret": SECRET}
    return httpx2.AsyncClient(base_url=nexrender.url, headers=headers, limits=limits, trust_env=False, timeout=30)


async def until(client: httpx2.AsyncClient, nexrender: RealNexrender, uid: str, *states: str, progress: int = 0) -> Any:
    try:
        async with asyncio.timeout(CEILING):
            while True:
                status = (await client.get(f"{JOBS}/{uid}/status")).json()
                if status["state"] in states and status["renderProgress"] >= progress:
                    return status
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(nexrender.worker.read_log()[-4000:]) from None


async def until_written(nexrender: RealNexrender, uid: str) -> None:
    """The worker's last report of a deleted job is refused, which its log tells."""
    async with asyncio.timeout(CEILING):
        while f"[{uid}] abandoned: " not in nexrender.worker.read_log():
            await asyncio.sleep(0.02)
    assert (nexrender.output / f"{uid}.mp4").stat().st_size > 100 * 1024
