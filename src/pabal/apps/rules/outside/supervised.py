"""The server's end of a supervisor: starts it with its order, gives signs of life, hears its verdict, and ends it."""

import asyncio
import hashlib
import marshal
import os
import py_compile
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

SUPERVISOR = Path(__file__).with_name("supervisor.py")
# As long as a worker that is not heard of keeps its work.
LEASE_SECONDS = 10.0
BEAT_SECONDS = 2.0
# How long a supervisor may take to end everything before it is ended itself.
PATIENCE_SECONDS = 10.0
# What every process of one order has in its environment.
MARK = "PABAL_RUN"


@dataclass(frozen=True, slots=True)
class SupervisorOrder:
    """`fds` are standard input (-1: nothing to read), output and errors, then those that are handed on. 0 bytes of
    memory or of the folder: nobody counts them. `is_enclosed`: bubblewrap ends what is left by itself."""

    command: Sequence[str]
    environment: Mapping[str, str]
    cwd: str
    fds: Sequence[int]
    seconds: float
    file_bytes: int
    is_enclosed: bool = False
    memory_bytes: int = 0
    folder: str = ""
    folder_bytes: int = 0


class Supervised:
    """A supervisor that has its order."""

    def __init__(self, mark: str, process: Process) -> None:
        self._mark, self._process = mark, process

    async def read_verdict(self) -> bytes:
        """Its last word; nothing, if it was killed. Then it ended nobody, and what carries the mark is ended here."""
        told: bytes = await self._process.stdout.read()  # type: ignore[union-attr]  # it is a pipe
        if not told or told.startswith(b"broken"):
            await asyncio.to_thread(sweep, self._mark)
        return told

    async def beat(self) -> None:
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            self._say(b".")

    def stop(self) -> None:
        self._say(b"s")

    async def close(self) -> None:
        """The closed pipe is what ends a program that nobody waits for any more."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    def _say(self, what: bytes) -> None:
        if self._process.stdin is not None and not self._process.stdin.is_closing():
            self._process.stdin.write(what)


@asynccontextmanager
async def supervise(order: SupervisorOrder, *, mark: str, program: str) -> AsyncIterator[Supervised]:
    """`program` is the supervisor, compiled or not. The fds of the order stay the caller's to close."""
    process = await asyncio.create_subprocess_exec(
        *(str(find_plain_python()), "-I", "-S", program),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        pass_fds=[fd for fd in order.fds if fd >= 0],
        start_new_session=True,
        env={MARK: mark},
    )
    supervised = Supervised(mark, process)
    try:
        given = {**asdict(order), "environment": {**order.environment, MARK: mark}, "lease_seconds": LEASE_SECONDS}
        told = marshal.dumps(given)
        process.stdin.write(b"%d\n%b" % (len(told), told))  # type: ignore[union-attr]  # it is a pipe
        yield supervised
    finally:
        await asyncio.shield(supervised.close())


@cache
def compile_supervisor(folder: Path) -> str:
    """Once for each server: Python keeps no compiled form of a program that it starts with."""
    version = hashlib.sha256(SUPERVISOR.read_bytes()).hexdigest()[:12]
    compiled = folder / "package" / f"supervisor-{version}.{sys.implementation.cache_tag}.pyc"
    if not compiled.is_file():
        py_compile.compile(str(SUPERVISOR), cfile=str(compiled), doraise=True)
    return str(compiled)


def find_plain_python() -> Path:
    """The interpreter below the server's environment: a script gets none of the server's packages."""
    return Path(getattr(sys, "_base_executable", sys.executable)).resolve()


async def open_pipe(read_end: int) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader()
    transport, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb", buffering=0)
    )
    return reader, transport


def sweep(marked: str) -> int:
    """Ends what carries a mark whose supervisor was killed; by then nothing else would."""
    mark = f"{MARK}={marked}".encode()
    ended = 0
    for _ in range(20):
        found = [pid for pid in _list_pids() if mark in _read_environment(pid)]
        for pid in found:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended += len(found)
        if not found:
            break
    return ended


def _list_pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _read_environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
