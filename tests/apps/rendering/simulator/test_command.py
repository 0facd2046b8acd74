"""`pabal sim nexrender`: what a person sees of it."""

import asyncio
import json
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest

from pabal.apps.rendering import simulator
from pabal.apps.rendering.simulator import ERRORS, faults, journal, options, server
from pabal.apps.rendering.simulator.command import say_farm
from pabal.apps.rendering.simulator.journal import CopyEnded, FarmChange, RenderBegan, RenderEnded, RequestAnswered
from pabal.base.errors import PabalError
from pabal.platform.language.pairs import LANGS
from tests.apps.rendering.simulator.farm import make_job
from tests.support.cli import ROOT, environment

AT = datetime(2026, 11, 17, 8, 0, tzinfo=UTC)
SMALL = ("--port", "0", "--seconds", "0", "--width", "320", "--height", "180", "--length", "1")


async def start(*arguments: str, **given: str) -> Process:
    command = (sys.executable, "-m", "pabal.cli", "--lang", "ko", "sim", "nexrender", *arguments)
    return await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment(**given), stdout=PIPE, stderr=PIPE)


async def read_url(process: Process) -> str:
    assert process.stderr is not None
    line = (await asyncio.wait_for(process.stderr.readline(), 30)).decode()
    found = re.search(r"NEXRENDER_API_URL=(http://127\.0\.0\.1:\d+)", line)
    assert found, line + (await process.stderr.read()).decode()
    return found[1]


@pytest.mark.slow
async def test_a_job_is_rendered_and_told_and_a_signal_ends_it(tmp_path: Path) -> None:
    log = tmp_path / "farm.jsonl"
    process = await start(*SMALL, "--map", f"d:/output={tmp_path}", "--log", str(log), NEXRENDER_SECRET="s3cret")
    url = await read_url(process)
    async with httpx2.AsyncClient(base_url=url, headers={"nexrender-secret": "s3cret"}, trust_env=False) as client:
        await client.post("/api/v1/jobs", json=make_job("rq-1-a1", "d:/output/a.mp4"))
    assert process.stdout is not None
    lines = [(await asyncio.wait_for(process.stdout.readline(), 30)).decode() for _ in range(5)]
    process.send_signal(signal.SIGTERM)
    await asyncio.wait_for(process.wait(), 30)

    assert process.returncode == 0
    assert "1번 장비: rq-1-a1 렌더링 시작(Main)" in lines[2]
    assert "rq-1-a1 파일 저장" in lines[3]
    assert "rq-1-a1 완료" in lines[4]
    assert (tmp_path / "a.mp4").stat().st_size > 100 * 1024
    assert json.loads(log.read_text(encoding="utf-8").splitlines()[-1])["kind"] in ("render_ended", "farm_change")


@pytest.mark.slow
async def test_an_option_that_cannot_be_read_ends_it_with_a_code() -> None:
    process = await start("--fault", "explode")
    _, told = await asyncio.wait_for(process.communicate(), 30)

    assert process.returncode not in (0, None)
    assert "bad_render_fault" in told.decode()
    assert "pabal sim nexrender --help" in told.decode()


@pytest.mark.parametrize(
    "entry",
    [
        RenderBegan(AT, 1, "a", 1, "Main", 2.0),
        CopyEnded(AT, 1, "a", "out/a.mp4", 200_000, "00"),
        *(RenderEnded(AT, 1, "a", 1, state, "why", True) for state in ("finished", "error", "abandoned", "killed")),
    ],
)
def test_what_a_machine_does_is_told_in_both_languages(entry: RenderBegan | CopyEnded | RenderEnded) -> None:
    told = {say_farm(entry, lang) for lang in LANGS}

    assert len(told) == 2
    assert all("a" in one for one in told)


def test_requests_are_not_told_and_changes_are() -> None:
    assert say_farm(RequestAnswered(AT, 1, 200), "en") == ""
    assert say_farm(FarmChange(AT, "fault", "a", "hang"), "en") == "fault a hang"


def test_every_error_of_the_simulator_has_a_korean_sentence() -> None:
    classes = [one for module in (faults, journal, options, server) for one in vars(module).values()]
    errors = [one for one in classes if isinstance(one, type) and issubclass(one, PabalError)]

    assert set(ERRORS) == {one.code for one in errors if one.__module__.startswith(simulator.__name__)}
