"""How a small run of all figures starts our own sides: forked from one process that has imported them all.

Starting is most of what such a run costs.
"""

import asyncio
import gc
import multiprocessing
import os
import runpy
import sys
from collections.abc import Sequence
from functools import cache
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path

from bench.sides import LIMIT
from pabal.platform.slice import load_slice

PROGRAMS = ("ours", "bare", "relay_bare", "relay_outside")
APPS = ("adgroups", "messaging", "relay", "rendering", "rules")


@cache
def _forking() -> ForkServerContext:
    """Its process begins with the first side."""
    context = multiprocessing.get_context("forkserver")
    sides = [path.stem for path in Path(__file__).parent.glob("*_side.py") if path.stem != "one_side"]
    slices = [load_slice(f"pabal.apps.{name}") for name in APPS]
    faces = [module for one in slices for module in (one.api, one.pages) if module]
    context.set_forkserver_preload([*(f"bench.{name}" for name in (*PROGRAMS, *sides)), "pabal.web", *faces])
    return context


class Forked:
    """A process and its stdin."""

    def __init__(self, module: str, arguments: Sequence[str]) -> None:
        context = _forking()
        stdin, self._stdin = context.Pipe(duplex=False)
        self._stdout, stdout = context.Pipe(duplex=False)
        given = (module, arguments, dict(os.environ), stdin, stdout)
        self._process = context.Process(target=_become, args=given, daemon=True)
        self._process.start()
        stdin.close()
        stdout.close()
        self.stdin = self
        self.stdout = asyncio.StreamReader(limit=LIMIT)

    async def listen(self) -> None:
        loop = asyncio.get_running_loop()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(self.stdout), self._stdout)

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    async def wait(self) -> int:
        await asyncio.to_thread(self._process.join)
        assert self._process.exitcode is not None
        return self._process.exitcode

    def write(self, data: bytes) -> None:
        os.write(self._stdin.fileno(), data)

    def kill(self) -> None:
        self._process.kill()


async def start(module: str, arguments: Sequence[str]) -> Forked:
    forked = Forked(module, arguments)
    await forked.listen()
    return forked


def _become(
    module: str, arguments: Sequence[str], environment: dict[str, str], stdin: Connection, stdout: Connection
) -> None:
    # what all share is not looked through, and so not copied, by the collector of each
    gc.freeze()
    os.environ.clear()
    os.environ.update(environment)
    for stream, number in ((stdin, 0), (stdout, 1)):
        os.dup2(stream.fileno(), number)
        stream.close()
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.argv = [module, *arguments]
    sys.modules.pop(module, None)
    runpy.run_module(module, run_name="__main__", alter_sys=True)
