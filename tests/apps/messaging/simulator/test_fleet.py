"""Many bots in a process of their own."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from pathlib import Path

import pytest

from pabal.apps.messaging.simulator.fleet import read_arguments
from pabal.apps.messaging.simulator.witness import read_log
from tests.apps.messaging.simulator.tiny_server import TinyServer, text_packet
from tests.support.cli import ROOT, environment
from tests.support.servers import until

MODULE = "pabal.apps.messaging.simulator.fleet"


async def test_a_fleet_says_when_all_are_connected_and_leaves_its_log_when_killed(tmp_path: Path) -> None:
    log = tmp_path / "arrivals.jsonl"

    async with TinyServer() as server:
        process, said = await _start(server, "--count", "120", "--log", str(log), "--name-prefix", "demo")
        for heard in server.heard:
            heard.writer.write(text_packet(heard.data("handshake")["botName"]))
        await until(lambda: len(log.read_text("utf-8").split("\n")) == 121)
        process.kill()
        await process.wait()

    arrivals = read_log(log)
    assert said == b"connected 120\n"
    assert sorted(one.bot for one in arrivals) == [f"demo-{number:04d}" for number in range(1, 121)]
    assert all(one.text == one.bot for one in arrivals)


async def test_a_fleet_stops_well_when_asked() -> None:
    async with TinyServer() as server:
        process, _ = await _start(server, "--count", "2", "--version-string", "3.2.1")
        process.terminate()
        _, told = await asyncio.wait_for(process.communicate(), 30)

    assert (process.returncode, told) == (0, b"")
    assert server.heard[0].data("handshake")["version"] == "3.2.1"


def test_a_wrong_address_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        read_arguments(["--servers", "nowhere"])

    assert "HOST:PORT" in capsys.readouterr().err


async def _start(server: TinyServer, *options: str) -> tuple[Process, bytes]:
    """With the line it says when all are connected."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", MODULE, "--servers", f"127.0.0.1:{server.port}", *options),
        cwd=ROOT,
        env=environment(),
        stdout=PIPE,
        stderr=PIPE,
    )
    assert process.stdout is not None
    return process, await asyncio.wait_for(process.stdout.readline(), 30)
