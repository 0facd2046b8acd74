"""The simulated nexrender's faults, and what its workers do. That it answers as the real one is shown in ../real."""

import asyncio
import json
from pathlib import Path

import av
import httpx2
import pytest

from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.simulator.journal import (
    CopyBegan,
    CopyEnded,
    FarmChange,
    JobPicked,
    RenderBegan,
    RenderEnded,
    RequestAnswered,
    RequestReceived,
)
from pabal.apps.rendering.simulator.options import NexrenderOptions
from pabal.apps.rendering.simulator.server import NexrenderPortTaken, SimulatedNexrender
from pabal.apps.rendering.simulator.table import PickupOrder
from tests.apps.rendering.simulator.farm import make_job, map_drive, open_farm


async def test_a_job_goes_through_its_states_to_a_video_of_its_own(tmp_path: Path) -> None:
    async with open_farm(folders=map_drive(tmp_path), workers=1) as farm:
        answer = await farm.post("rq-1-a1", "d:/output/x/rq-1-a1.mp4")
        [ended] = await farm.until(RenderEnded)
        status = await farm.find_status("rq-1-a1")

    assert answer.json()["state"] == "queued"
    assert (ended.state, ended.is_reported) == ("finished", True)
    assert (status["state"], status["renderProgress"], status["error"]) == ("finished", 100, None)
    assert {"render:setup", "render:dorender", "render:postrender"} <= set(status["timings"])
    written = tmp_path / "x/rq-1-a1.mp4"
    assert written.stat().st_size > 100 * 1024
    with av.open(str(written)) as video:
        assert video.metadata["title"] == "rq-1-a1"
        assert (video.streams.video[0].codec_context.name, video.streams.video[0].width) == ("h264", 320)
    assert [
        type(one) for one in farm.nexrender.journal.entries if getattr(one, "uid", "") and hasattr(one, "render")
    ] == [
        RenderBegan,
        CopyBegan,
        CopyEnded,
        RenderEnded,
    ]


async def test_progress_is_seen_while_it_renders() -> None:
    hang = Fault(FaultKind.HANG, 50)

    async with open_farm(workers=1, faults=(hang,)) as farm:
        await farm.post("a")
        await farm.until(FarmChange, what="hung")
        status = await farm.find_status("a")
        answered = await farm.client.post("/sim/release")
        [ended] = await farm.until(RenderEnded)

    assert (status["state"], status["renderProgress"]) == ("render:dorender", 50)
    assert answered.status_code == 200
    assert ended.state == "finished"


async def test_a_posted_double_is_rendered_again_and_again_and_nothing_behind_it(tmp_path: Path) -> None:
    async with open_farm(workers=1, faults=(Fault(FaultKind.DOUBLE),)) as farm:
        await farm.post("twice")
        await farm.post("behind")
        ended = await farm.until(RenderEnded, 3)
        uids = [job["uid"] for job in (await farm.client.get("/api/v1/jobs")).json()]

    assert {one.uid for one in ended} == {"twice"}
    assert uids == ["twice", "twice", "behind"]


async def test_a_forgotten_job_was_answered_and_is_gone() -> None:
    async with open_farm(workers=0, faults=(Fault(FaultKind.FORGET),)) as farm:
        answer = await farm.post("a")
        found = await farm.find("a")

    assert (answer.status_code, answer.json()["uid"]) == (200, "a")
    assert found is None


async def test_a_deleted_job_goes_on_and_its_copy_arrives_late(tmp_path: Path) -> None:
    faults = (Fault(FaultKind.HANG, 50), Fault(FaultKind.LATE_COPY, 0.01))

    async with open_farm(workers=1, folders=map_drive(tmp_path), faults=faults) as farm:
        await farm.post("a", "d:/output/a.mp4")
        await farm.until(FarmChange, what="hung")
        await farm.client.delete("/api/v1/jobs/a")
        farm.nexrender.workers.release()
        [ended] = await farm.until(RenderEnded)
        found = await farm.find("a")

    assert (ended.state, ended.is_reported) == ("finished", False)
    assert found is None
    assert (tmp_path / "a.mp4").exists()
    assert [one.detail for one in farm.entries(FarmChange) if one.what == "fault"] == ["hang", "late_copy"]


async def test_a_job_that_was_not_deleted_is_copied_at_once(tmp_path: Path) -> None:
    late = Fault(FaultKind.LATE_COPY, 3600)

    async with open_farm(workers=1, folders=map_drive(tmp_path), faults=(late,)) as farm:
        await farm.post("a", "d:/output/a.mp4")
        await farm.until(RenderEnded, state="finished")

    assert farm.nexrender.faults.waiting == [late]


async def test_a_job_deleted_between_pickup_and_start_is_not_rendered() -> None:
    async with open_farm(workers=0) as farm:
        await farm.post("a")
        job = (await farm.client.get("/api/v1/jobs/pickup")).json()
        await farm.client.delete("/api/v1/jobs/a")
        answer = await farm.client.put("/api/v1/jobs/a", json={**job, "state": "started"})

    assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (Fault(FaultKind.FAIL, text="Error: disk is full"), "Error: disk is full"),
        (Fault(FaultKind.MISSING_COMPOSITION), "aerender ERROR: No comp was found with the given name."),
        (Fault(FaultKind.MISSING_TEMPLATE), "ENOENT: no such file or directory, open 'file:///d:/templates/a.aep'"),
    ],
)
async def test_a_render_fails_with_the_text_nexrender_gives(fault: Fault, text: str) -> None:
    async with open_farm(workers=1, faults=(fault,)) as farm:
        await farm.post("a")
        await farm.until(RenderEnded, state="error")
        status = await farm.find_status("a")

    assert status["state"] == "error"
    assert text in status["error"]
    assert status["errorAt"]


async def test_a_template_that_is_not_there_fails_without_a_fault(tmp_path: Path) -> None:
    async with open_farm(workers=1, reads_sources=True, folders=map_drive(tmp_path)) as farm:
        await farm.post("a")
        [ended] = await farm.until(RenderEnded)

    assert ended.error == "Error: ENOENT: no such file or directory, open 'file:///d:/templates/a.aep'"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (FaultKind.NO_FILE, None),
        (FaultKind.SHORT_FILE, (320, True)),
        (FaultKind.WRONG_SIZE, (212, False)),
        (FaultKind.BROKEN_FILE, "broken"),
    ],
)
async def test_a_finished_render_leaves_a_bad_file(tmp_path: Path, kind: FaultKind, expected: object) -> None:
    async with open_farm(workers=1, folders=map_drive(tmp_path), faults=(Fault(kind),)) as farm:
        await farm.post("a", "d:/output/a.mp4")
        [ended] = await farm.until(RenderEnded)

    assert ended.state == "finished"
    assert look_at(tmp_path / "a.mp4") == expected


def look_at(path: Path) -> object:
    """Its width, and whether it is below 100 KB."""
    if not path.exists():
        return None
    try:
        with av.open(str(path)) as video:
            return video.streams.video[0].width, path.stat().st_size < 100 * 1024
    except av.error.InvalidDataError:
        return "broken"


async def test_a_job_without_a_copy_action_leaves_no_file(tmp_path: Path) -> None:
    """Also with the list of actions that some clients send: it is taken, and nothing is done about it."""
    async with open_farm(workers=1, folders=map_drive(tmp_path)) as farm:
        answer = await farm.post("a", actions=[{"type": "copy", "output": "d:/output/a.mp4"}])
        [ended] = await farm.until(RenderEnded)

    assert (answer.status_code, ended.state) == (200, "finished")
    assert list(tmp_path.iterdir()) == []


async def test_a_worker_that_is_killed_leaves_its_job_as_it_was() -> None:
    async with open_farm(workers=1, faults=(Fault(FaultKind.HANG, 25),)) as farm:
        await farm.post("a")
        await farm.until(FarmChange, what="hung")
        killed = await farm.client.post("/sim/workers/1/kill")
        status = await farm.find_status("a")
        await farm.post("b")
        await farm.client.post("/sim/workers/1/start")
        await farm.until(RenderEnded, uid="b", state="finished")

    assert killed.json()["workers"] == []
    assert (status["state"], status["renderProgress"]) == ("render:dorender", 25)
    assert [one.state for one in farm.entries(RenderEnded) if one.uid == "a"] == ["killed"]


async def test_a_request_without_an_answer_was_handled_all_the_same() -> None:
    fault = Fault(FaultKind.NO_ANSWER, match="POST /api/v1/jobs")

    async with open_farm(workers=0, faults=(fault,)) as farm:
        with pytest.raises(httpx2.RemoteProtocolError):
            await farm.post("a")
        found = await farm.find("a")

    assert found["state"] == "queued"
    assert farm.entries(RequestAnswered)[0].status is None


async def test_a_slow_answer_comes_after_the_job_was_taken() -> None:
    fault = Fault(FaultKind.SLOW, 3600, match="POST /api/v1/jobs")

    async with open_farm(workers=0, faults=(fault,)) as farm:
        posting = asyncio.create_task(farm.client.post("/api/v1/jobs", json=make_job("a"), timeout=None))
        await farm.until(RequestReceived, method="POST")
        found = await farm.find("a")
        is_answered = posting.done()
        posting.cancel()
        await asyncio.gather(posting, return_exceptions=True)

    assert found["state"] == "queued"
    assert not is_answered


async def test_connections_are_refused_until_it_accepts_again() -> None:
    async with open_farm(workers=1, faults=(Fault(FaultKind.HANG, 50),)) as farm:
        await farm.post("a")
        await farm.until(FarmChange, what="hung")
        await farm.nexrender.refuse()
        with pytest.raises(httpx2.ConnectError):
            await farm.find("a")
        farm.nexrender.workers.release()
        [ended] = await farm.until(RenderEnded)
        await farm.nexrender.accept()
        status = await farm.find_status("a")

    assert (ended.state, ended.is_reported) == ("finished", False)
    assert (status["state"], status["renderProgress"]) == ("render:dorender", 50)


async def test_a_restart_keeps_what_the_file_holds(tmp_path: Path) -> None:
    async with open_farm(workers=0, database=tmp_path / "database.js") as farm:
        await farm.post("a")
        answered = await farm.client.post("/sim/restart", json={"seconds": 0})
        await farm.until(FarmChange, 2, what="server_up")
        found = await farm.find("a")
    saved = json.loads((tmp_path / "database.js").read_text(encoding="utf-8"))
    async with open_farm(workers=0, database=tmp_path / "database.js") as farm:
        after_all = await farm.find("a")

    assert answered.status_code == 200
    assert found["uid"] == after_all["uid"] == saved[0]["uid"] == "a"


@pytest.mark.parametrize(
    ("order", "uids"),
    [(PickupOrder.FIFO, "abc"), (PickupOrder.NEWEST_FIRST, "cba"), (PickupOrder.PRIORITY, "bac")],
)
async def test_workers_take_jobs_in_the_order_of_the_server(order: PickupOrder, uids: str) -> None:
    async with open_farm(workers=0, order=order) as farm:
        for uid, priority in (("a", 1), ("b", 5), ("c", 1)):
            await farm.post(uid, priority=priority)
        farm.nexrender.workers.start(1)
        await farm.until(RenderEnded, 3)

    assert "".join(one.uid for one in farm.entries(JobPicked)) == uids


async def test_the_seconds_are_drawn_by_seed_and_uid_or_given_by_composition() -> None:
    async def draw(seed: int) -> dict[str, float]:
        options = {"seconds": (0.0, 0.01), "composition_seconds": {"Fixed": 0.002}}
        async with open_farm(workers=2, seed=seed, **options) as farm:
            for uid in "abc":
                await farm.post(uid)
            await farm.post("d", composition="Fixed")
            await farm.until(RenderEnded, 4)
        return {one.uid: one.seconds for one in farm.entries(RenderBegan)}

    first, again, other = await draw(1), await draw(1), await draw(2)

    assert first == again != other
    assert first["d"] == other["d"] == 0.002


async def test_the_journal_outlives_the_simulator_line_by_line(tmp_path: Path) -> None:
    log = tmp_path / "farm.jsonl"

    async with open_farm(workers=1, log=log, folders=map_drive(tmp_path)) as farm:
        await farm.post("a", "d:/output/a.mp4")
        await farm.until(RenderEnded)
        shown = (await farm.client.get("/sim/journal")).json()
        kinds = [json.loads(line)["kind"] for line in log.read_text(encoding="utf-8").splitlines()]

    assert kinds == [one["kind"] for one in shown]
    assert kinds[:5] == ["farm_change", "farm_change", "request_received", "request_answered", "job_picked"]
    assert kinds[5:] == ["render_began", "copy_began", "copy_ended", "render_ended"]


async def test_a_copy_grows_under_its_final_name(tmp_path: Path) -> None:
    sizes: list[int] = []

    async with open_farm(workers=1, copy_seconds=0.08, folders=map_drive(tmp_path)) as farm:
        await farm.post("a", "d:/output/a.mp4")
        await farm.until(CopyBegan)
        while not farm.entries(CopyEnded):
            sizes.append((tmp_path / "a.mp4").stat().st_size if (tmp_path / "a.mp4").exists() else 0)
            await asyncio.sleep(0)

    assert 0 < min(size for size in sizes if size) < farm.entries(CopyEnded)[0].size


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/sim/faults", {"kind": "hang", "value": 20, "times": 2}, 200),
        ("POST", "/sim/faults", {"kind": "explode"}, 400),
        ("POST", "/sim/faults", {"kind": "hang"}, 400),
        ("POST", "/sim/faults", {"kind": "hang", "value": 101}, 400),
        ("POST", "/sim/faults", {"kind": "double", "times": 0}, 400),
        ("POST", "/sim/faults", [], 400),
        ("POST", "/sim/restart", {"seconds": -1}, 400),
        ("DELETE", "/sim/faults", None, 200),
        ("POST", "/sim/workers/0/kill", None, 404),
        ("GET", "/sim/other", None, 404),
    ],
)
async def test_the_control_endpoint_refuses_what_it_does_not_know(
    method: str, path: str, body: object, status: int
) -> None:
    async with open_farm(workers=0) as farm:
        answer = await farm.client.request(method, path, json=body)
        shown = (await farm.client.get("/sim/state")).json()

    assert answer.status_code == status
    assert [one["kind"] for one in shown["faults"]] == (["hang"] if body and status == 200 else [])


async def test_the_control_endpoint_asks_for_the_secret_too() -> None:
    async with open_farm(workers=0, secret="s3cret") as farm:
        answers = [
            await farm.client.get(path, headers={"nexrender-secret": "x"}) for path in ("/sim/state", "/api/v1/jobs")
        ]
        let_in = await farm.client.get("/sim/state")

    assert [one.status_code for one in answers] == [403, 403]
    assert let_in.status_code == 200


async def test_a_port_that_is_taken_is_said() -> None:
    async with open_farm(workers=0) as farm:
        port = int(farm.nexrender.url.rpartition(":")[2])
        with pytest.raises(NexrenderPortTaken):
            await SimulatedNexrender(NexrenderOptions(port=port)).__aenter__()


async def test_renders_under_way_take_no_more_time_when_time_is_skipped() -> None:
    async with open_farm(seconds=(3600.0, 3600.0)) as farm:
        await farm.post("a")
        await farm.until(RenderBegan)

        farm.nexrender.workers.skip()

        [ended] = await farm.until(RenderEnded)
        assert (ended.uid, ended.state) == ("a", "finished")
