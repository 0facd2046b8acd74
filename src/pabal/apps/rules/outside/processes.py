"""Runs a program with a prompt on stdin: nothing of the server's environment, a folder of its own, limits, an end."""

import asyncio
import os
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from pabal.apps.rules.outside.guard import NOT_STARTED

GUARD = Path(__file__).with_name("guard.py")
# The guard needs moments to end what it started; then it is ended itself.
PATIENCE = 5.0
_PIECE = 1 << 16


@dataclass(frozen=True, slots=True)
class Program:
    """`files` are written into its folder before it starts, by their relative path. `environment` is all it gets, but
    for PATH, HOME and TMPDIR."""

    argv: Sequence[str]
    given: bytes = field(default=b"", repr=False)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    seconds: float = 60.0
    most_output: int = 1 << 18


@dataclass(frozen=True, slots=True)
class Finished:
    """`code` is what it ended with; 128 and more: by a signal."""

    code: int
    output: bytes = field(repr=False)
    errors: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class TimedOut:
    seconds: float


@dataclass(frozen=True, slots=True)
class TooMuchOutput:
    most: int


@dataclass(frozen=True, slots=True)
class NotStarted:
    reason: str


Ended = Finished | TimedOut | TooMuchOutput | NotStarted


async def run_program(program: Program) -> Ended:
    """Whatever happens, cancelling included, nothing it started runs any more afterwards, and its folder is gone."""
    with tempfile.TemporaryDirectory(prefix="pabal-rules-", ignore_cleanup_errors=True) as home:
        folder = _prepare(Path(home), program.files)
        async with _guarded(program, Path(home), folder) as child:
            try:
                async with asyncio.timeout(program.seconds):
                    return await _converse(child, program)
            except TimeoutError:
                return TimedOut(program.seconds)


def _prepare(home: Path, files: Mapping[str, bytes]) -> Path:
    """HOME holds what it was given; the folder it works in is empty."""
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    folder = home / "work"
    folder.mkdir()
    return folder


@asynccontextmanager
async def _guarded(program: Program, home: Path, folder: Path) -> AsyncIterator[Process]:
    theirs, ours = os.pipe()
    try:
        child = await asyncio.create_subprocess_exec(
            *(sys.executable, "-I", "-S", str(GUARD), str(theirs), *program.argv),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            cwd=folder,
            env=_environment(program, home),
            pass_fds=(theirs,),
            start_new_session=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    try:
        yield child
    finally:
        os.close(ours)
        await asyncio.shield(_end(child))


def _environment(program: Program, home: Path) -> dict[str, str]:
    path = os.environ.get("PATH", os.defpath)
    given = {"PATH": path, "LANG": "C.UTF-8", "HOME": str(home), "TMPDIR": str(home)}
    return {**program.environment, **given}


async def _converse(child: Process, program: Program) -> Ended:
    most = program.most_output
    telling = asyncio.create_task(_tell(child, program.given))
    reading = asyncio.create_task(_read(child.stdout, most + 1, stops=True))
    listening = asyncio.create_task(_read(child.stderr, most))
    try:
        output = await reading
        if len(output) > most:
            return TooMuchOutput(most)
        errors, code = await listening, await child.wait()
    finally:
        for task in (telling, reading, listening):
            task.cancel()
        await asyncio.wait([telling, reading, listening])
    if code == NOT_STARTED and not output:
        return NotStarted(errors.decode("utf-8", "replace").strip()[:200])
    return Finished(code, output, errors)


async def _tell(child: Process, given: bytes) -> None:
    """A program that reads nothing, or ends early, is no fault of ours."""
    if child.stdin is None:
        return
    with suppress(ConnectionError):
        child.stdin.write(given)
        await child.stdin.drain()
    child.stdin.close()


async def _read(stream: asyncio.StreamReader | None, most: int, *, stops: bool = False) -> bytes:
    """The first `most` bytes. What is more is read and forgotten, or with `stops` left where it is."""
    said = bytearray()
    while stream is not None and (piece := await stream.read(_PIECE)):
        said += piece[: most - len(said)]
        if stops and len(said) == most:
            break
    return bytes(said)


async def _end(child: Process) -> None:
    """The closed pipe told the guard; it is killed only if it does not do its work."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(_read(child.stdout, 0), _read(child.stderr, 0))
            await child.wait()
    if child.returncode is None:
        with suppress(ProcessLookupError):
            child.kill()
        await child.wait()
    if child.stdin is not None:
        child.stdin.close()
        with suppress(ConnectionError):
            await child.stdin.wait_closed()
