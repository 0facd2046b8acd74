"""The processes of rules' figures: a whole server as `pabal serve` runs it; and scripts, ours and just started."""

import asyncio
import os
import subprocess
import time
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import uvloop

import pabal_rules
from bench.peers.words import main, say
from pabal import main as pabal
from pabal.apps.rules.scripts import Limits, ScriptRun, forget_run, probe_isolation, run_script
from pabal.apps.rules.scripts.isolation import PACKAGE, Folders, enclose, find_plain_python
from pabal.apps.rules.scripts.model import Allows, Environment
from pabal.base.settings import parse_roles, read_settings
from pabal.base.telemetry import start_logging

APP, KEY = "pabal.apps.rules", "a key for figures only"
SCRIPT = """import asyncio

from pabal_rules import rule


@rule("noop")
async def noop(payload, context):
    await asyncio.sleep(payload["seconds"])
    return {}
"""
# What the script's process imports and does, without anybody who watches over it.
BARE = """
import sys; sys.path.insert(0, sys.argv[1])
import asyncio, importlib.util, json, os, pathlib, socket, threading, traceback
import pabal_rules.child, pabal_rules.context
asyncio.run(asyncio.sleep(float(sys.argv[2])))
"""
AT_ONCE = 2


async def serve(url: str, folder: str) -> dict[str, Any]:
    """Until it is killed. Says that it is at work."""
    settings = read_settings(database_url=url, data_dir=Path(folder), apps=APP, secret_key=KEY)
    app = await pabal.build(settings, parse_roles("worker,scheduler"))
    await pabal.serve(app, lambda _: say(pid=os.getpid()))
    return {}


async def scripts(folder: str, count: float, seconds: float, rounds: float) -> dict[str, Any]:
    """Each round both ways, one right after the other."""
    home = Path(folder)
    _make_repository(home / "scripts")
    ours, bare = Ours(home, seconds), Bare(home, seconds)
    await ours.run_once()  # the export, and what Python compiles
    await bare.run_once()
    found = []
    for _ in range(int(rounds)):
        one = {"ours_s": await _time(ours.run_once, int(count)), "bare_s": await _time(bare.run_once, int(count))}
        found.append(one)
    return {"rounds": found, "contained": probe_isolation().is_full}


def _make_repository(folder: Path) -> None:
    folder.mkdir()
    (folder / "noop.py").write_text(SCRIPT)
    person = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for words in (("init", "--quiet"), ("add", "."), (*person, "commit", "--quiet", "--message", "Begin")):
        subprocess.run(["git", *words], cwd=folder, check=True)


class Ours:
    def __init__(self, home: Path, seconds: float) -> None:
        self._home, self._seconds = home, seconds

    async def run_once(self) -> None:
        run = ScriptRun(
            run_id=str(uuid.uuid4()),
            repository=self._home / "scripts",
            script="noop.py",
            function=None,
            payload={"seconds": self._seconds},
            context={},
            limits=Limits(),
            cache=self._home / "cache",
        )
        result = await run_script(run, on_line=_ignore, stop=asyncio.Event())
        await forget_run(run)
        assert result.ok, result


class Bare:
    def __init__(self, home: Path, seconds: float) -> None:
        python, package = find_plain_python(), Path(pabal_rules.__file__).parent
        isolation = probe_isolation()
        place, before = str(package.parent), []
        if isolation.is_full:
            made = [home / name for name in ("work", "tmp", "shm", "artifacts")]
            for folder in made:
                folder.mkdir()
            work, temporary, memory, artifacts = made
            folders = Folders(home / "scripts", work, temporary, memory, artifacts, package)
            before, place = enclose(isolation, Environment(python, None), folders, Allows()), PACKAGE
        self._command = [*before, str(python), "-I", "-B", "-X", "utf8", "-S", "-c", BARE, place, str(seconds)]

    async def run_once(self) -> None:
        started = await asyncio.create_subprocess_exec(
            *self._command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={}
        )
        out, complaint = await started.communicate()
        assert started.returncode == 0, (out, complaint)


async def _time(run_once: Callable[[], Awaitable[None]], count: int) -> float:
    turns = asyncio.Semaphore(AT_ONCE)

    async def take_turn() -> None:
        async with turns:
            await run_once()

    began = time.monotonic()
    await asyncio.gather(*(take_turn() for _ in range(count)))
    return time.monotonic() - began


async def _ignore(_stream: str, _line: str) -> None:
    """A no-op says nothing."""


if __name__ == "__main__":
    start_logging(level="warning")
    main({"serve": serve, "scripts": scripts}, uvloop.run)
