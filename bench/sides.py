"""A side is a program that speaks our few words (install, enqueue, drain, serve, send), each run as a process."""

import asyncio
import contextlib
import fcntl
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bench.ground import HOME, ROOT, keep

PEERS = Path(__file__).parent / "peers"
# What each is compared at. Their own choice of companions: asyncpg and uvloop, psycopg with its pool.
PEER_PACKAGES = (
    "pgqueuer==1.6.0",
    "asyncpg==0.32.0",
    "uvloop==0.23.0",
    "procrastinate==3.10.0",
    "psycopg[binary,pool]==3.3.8",
    "dbos==3.3.0",
)
# The most a side says in one line.
LIMIT = 2**26
OURSELVES = (sys.executable, "-m")


class Process(Protocol):
    """What is used of `asyncio.subprocess.Process`."""

    @property
    def stdin(self) -> Any: ...
    @property
    def stdout(self) -> asyncio.StreamReader | None: ...
    @property
    def returncode(self) -> int | None: ...
    async def wait(self) -> int: ...
    def kill(self) -> None: ...


# How a small run of all figures starts a module of ours. In any other, each is a Python that starts from nothing.
start_small: Callable[[str, Sequence[str]], Awaitable[Process]] | None = None


class SideFailed(RuntimeError):
    """One side ended with an error; what it said follows."""


@dataclass(frozen=True)
class Side:
    name: str
    program: tuple[str, ...]

    async def run(self, word: str, *arguments: object) -> dict[str, Any]:
        """Runs to its end; what it answers is its last line."""
        async with self.start(word, *arguments) as started:
            return await started.answer()

    @contextlib.asynccontextmanager
    async def start(self, word: str, *arguments: object) -> "AsyncIterator[Started]":
        process = await self._start(word, *(str(argument) for argument in arguments))
        try:
            yield Started(self.name, process)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()

    async def _start(self, *arguments: str) -> Process:
        if start_small and self.program[:-1] == OURSELVES:
            return await start_small(self.program[-1], arguments)
        return await asyncio.create_subprocess_exec(
            *self.program,
            *arguments,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            limit=LIMIT,
        )


class Started:
    def __init__(self, name: str, process: Process) -> None:
        self._name = name
        self._process = process

    async def line(self) -> dict[str, Any]:
        """The next thing it says."""
        assert self._process.stdout is not None
        text = await self._process.stdout.readline()
        if not text:
            raise SideFailed(f"{self._name} ended with {await self._process.wait()}")
        said: dict[str, Any] = json.loads(text)
        return said

    async def answer(self) -> dict[str, Any]:
        """The last thing it says, once it has ended well."""
        assert self._process.stdout is not None
        lines = (await self._process.stdout.read()).splitlines()
        if await self._process.wait() != 0 or not lines:
            raise SideFailed(f"{self._name} ended with {self._process.returncode}")
        said: dict[str, Any] = json.loads(lines[-1])
        return said

    def tell(self) -> None:
        """Lets it go on from where it waits for a line."""
        self.write("")

    def write(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    def kill(self) -> None:
        self._process.kill()


OURS = Side("pabal", (sys.executable, "-m", "bench.ours"))
BARE = Side("bare", (sys.executable, "-m", "bench.bare"))
STORM = Side("storm", (sys.executable, "-m", "bench.storm_side"))
MIXED = Side("mixed", (sys.executable, "-m", "bench.mixed_side"))
SHARED = Side("shared", (sys.executable, "-m", "bench.shared_side"))
SCHEDULES = Side("schedules", (sys.executable, "-m", "bench.schedules_side"))


async def peer_python() -> Path:
    """The Python of the peers' environment."""
    return await asyncio.to_thread(_environment)


async def peers() -> list[Side]:
    python = await peer_python()
    names = ("pgqueuer", "procrastinate")
    return [Side(name, (str(python), str(PEERS / f"{name}_side.py"))) for name in names]


def _environment() -> Path:
    """Their own environment, made once; another list of packages or another Python makes another one."""
    place = HOME / "peers"
    with (keep(HOME) / "peers.lock").open("w") as lock:
        # of two runs at once, the second finds it made
        fcntl.flock(lock, fcntl.LOCK_EX)
        _fill(place, "\n".join((*PEER_PACKAGES, sys.version)))
    return place / "bin" / "python"


def _fill(place: Path, wanted: str) -> None:
    python = place / "bin" / "python"
    stamp = place / "packages.txt"
    if stamp.exists() and stamp.read_text() == wanted:
        return
    uv = Path(sys.executable).parent / "uv"
    program = str(uv) if uv.exists() else "uv"
    make = ["venv", "--quiet", "--clear", "--python", sys.executable, str(place)]
    fill = ["pip", "install", "--quiet", "--python", str(python), *PEER_PACKAGES]
    for arguments in (make, fill):
        subprocess.run([program, *arguments], check=True, stdout=sys.stderr)
    stamp.write_text(wanted)
