"""A worker as its container runs it: one process with the role render, which polls, claims, renders and recovers."""

import re
from pathlib import Path

import pytest

from tests.apps.rendering.jobs.test_resuming import die
from tests.support.cli import Cli
from tests.support.rendering import KEY, RenderWorld

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]


def settings_of(world: RenderWorld, url: str) -> dict[str, str]:
    return {
        "PABAL_DATABASE_URL": url,
        "PABAL_SECRET_KEY": KEY,
        "PABAL_APPS": "pabal.apps.rendering",
        "NEXRENDER_API_URL": world.nexrender.url,
        "NAS_MOUNT_PATH": str(world.folder / "nas"),
        "AEP_TEMPLATE_DIR": str(world.folder / "templates"),
        "WORKER_ID": "container-1",
        "PABAL_RENDERING_OUTPUT_DIR": "D:/output",
        "PABAL_RENDERING_PATHS": f"output = {world.folder}/output | D:/output",
    }


@pytest.mark.req("B-112")
async def test_one_process_takes_a_waiting_job_and_one_whose_worker_died(world: RenderWorld, database_url: str):
    lost, waiting = await world.ask("A", "B")
    await die(world, lost.id, lambda one: one.state == "preparing" or one.stage != "prepare")

    with Cli(world.folder, settings_of(world, database_url)).running("serve", "--role", "render"):
        done = [await world.until(one.id, lambda row: not row.is_open) for one in (lost, waiting)]

    assert [(one.state, one.recovery_count) for one in done] == [("completed", 1), ("completed", 0)]
    assert len(list(world.nas.rglob("*.mp4"))) == 2


@pytest.mark.req("B-112")
def test_the_container_runs_that_process():
    compose, image = ((ROOT / name).read_text(encoding="utf-8") for name in ("compose.yaml", "Dockerfile"))
    [service] = re.findall(r"^  render-worker:\n((?:    .*\n|\n)+)", compose, re.MULTILINE)

    assert 'ENTRYPOINT ["pabal"]' in image
    assert 'command: ["serve", "--role", "render"]' in service
    for name in ("NEXRENDER_API_URL", "NAS_MOUNT_PATH", "WORKER_ID", "PABAL_RENDERING_OUTPUT_DIR"):
        assert f"      {name}:" in service
