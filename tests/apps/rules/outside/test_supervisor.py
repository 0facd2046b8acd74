"""Nothing of a script, or of another program, outlives its server or its supervisor."""

import asyncio
import os
import signal
import sys
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.rule_scripts import Repository, list_marked, need_isolation
from tests.support.servers import until

pytestmark = pytest.mark.slow

# A child, a grandchild that left session and group behind, and all of them deaf to SIGTERM.
FAMILY = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
lasting = deaf + "; print('born', flush=True); time.sleep(3600)"
child = [sys.executable, "-I", "-S", "-c", lasting]
subprocess.Popen(child)
starter = f"import subprocess; subprocess.Popen({child!r}, start_new_session=True)"
subprocess.Popen([sys.executable, "-I", "-S", "-c", starter]).wait()
time.sleep(3600)
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "scripts")


class ScriptServer:
    def __init__(self, process: asyncio.subprocess.Process, run_id: str) -> None:
        self.process, self.run_id = process, run_id

    def list_others(self) -> list[int]:
        return list_marked(self.run_id)

    def find_supervisor(self) -> int:
        [pid] = [pid for pid in self.list_others() if b"supervisor-" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        return pid


@asynccontextmanager
async def _family(
    repository: Repository, cache: Path, level: str, *, lease: float = 600
) -> AsyncIterator[ScriptServer]:
    if level == "contained":
        need_isolation()
    repository.commit_body(FAMILY)
    run_id = str(uuid.uuid4())
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.rule_parent"),
        *(str(repository.folder), str(cache), run_id, level, str(lease)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    try:
        async with asyncio.timeout(30):
            born = [await process.stdout.readline() for _ in range(2)]  # type: ignore[union-attr]  # it is a pipe
        assert born == [b"born\n", b"born\n"]
        yield ScriptServer(process, run_id)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


@pytest.mark.parametrize("level", ["contained", "uncontained"])
async def test_a_killed_server_leaves_no_process_of_a_script(repository: Repository, tmp_path: Path, level: str):
    async with _family(repository, tmp_path / "cache", level) as server:
        assert len(server.list_others()) >= 4

        server.process.kill()

        await until(lambda: not server.list_others())


@pytest.mark.parametrize("level", ["contained", "uncontained"])
async def test_a_server_that_is_silent_loses_its_script(repository: Repository, tmp_path: Path, level: str):
    async with _family(repository, tmp_path / "cache", level, lease=1) as server:
        server.process.send_signal(signal.SIGSTOP)

        await until(lambda: not server.list_others())


@pytest.mark.parametrize("level", ["contained", "uncontained"])
async def test_a_killed_supervisor_takes_the_script_with_it(repository: Repository, tmp_path: Path, level: str):
    async with _family(repository, tmp_path / "cache", level) as server:
        os.kill(server.find_supervisor(), signal.SIGKILL)

        told = await asyncio.wait_for(server.process.stdout.read(), 30)  # type: ignore[union-attr]  # it is a pipe

        assert b"ScriptReason.LOST" in told
        assert server.list_others() == []


async def test_a_supervisor_that_is_told_to_end_ends_everything_first(repository: Repository, tmp_path: Path):
    async with _family(repository, tmp_path / "cache", "uncontained") as server:
        os.kill(server.find_supervisor(), signal.SIGTERM)

        told = await asyncio.wait_for(server.process.stdout.read(), 30)  # type: ignore[union-attr]  # it is a pipe

        assert b"ScriptReason.LOST" in told
        assert server.list_others() == []
