"""Runs a program with a prompt on stdin: nothing of the server's environment, a folder of its own, limits, an end."""

import asyncio
import os
import shutil
import tempfile
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL

from pabal.apps.rules.outside.supervised import (
    PATIENCE_SECONDS,
    SUPERVISOR,
    Supervised,
    SupervisorOrder,
    open_pipe,
    supervise,
)

# what the supervisor's child ends with when its program could not be started
NOT_STARTED = 127
LARGEST_FILE = 64 << 20
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
    path = os.environ.get("PATH", os.defpath)
    found = shutil.which(program.argv[0], path=path)
    if found is None:
        return NotStarted(f"{program.argv[0]}: there is no such program"[:200])
    with tempfile.TemporaryDirectory(prefix="pabal-rules-", ignore_cleanup_errors=True) as home:
        _prepare(Path(home), program.files)
        async with _started(program, found, Path(home), path) as child:
            try:
                async with asyncio.timeout(program.seconds):
                    return await _converse(child, program.most_output)
            except TimeoutError:
                return TimedOut(program.seconds)


def _prepare(home: Path, files: Mapping[str, bytes]) -> None:
    """HOME holds what it was given; the folder it works in is empty."""
    for name, content in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (home / "work").mkdir()


@dataclass(frozen=True, slots=True)
class RunningProgram:
    supervised: Supervised
    output: asyncio.StreamReader
    errors: asyncio.StreamReader


@asynccontextmanager
async def _started(program: Program, found: str, home: Path, path: str) -> AsyncIterator[RunningProgram]:
    (given_end, given), (out, out_end), (err, err_end) = os.pipe(), os.pipe(), os.pipe()
    (output, out_pipe), (errors, err_pipe) = await open_pipe(out), await open_pipe(err)
    order = SupervisorOrder(
        command=[found, *program.argv[1:]],
        environment=_environment(program, home, path),
        cwd=str(home / "work"),
        fds=(given_end, out_end, err_end),
        # ours comes first; this is for a server that hangs and still gives signs of life
        seconds=program.seconds + PATIENCE_SECONDS,
        file_bytes=LARGEST_FILE,
    )
    async with AsyncExitStack() as ends:
        ends.callback(out_pipe.close)
        ends.callback(err_pipe.close)
        with ExitStack() as handed_on:
            for fd in order.fds:
                handed_on.callback(os.close, fd)
            feeding = asyncio.ensure_future(asyncio.to_thread(_feed, given, program.given))
            # once nobody is there to read any more, it does not wait
            ends.push_async_callback(_wait_for, feeding)
            mark = f"ask-{uuid.uuid4()}"
            supervised = await ends.enter_async_context(supervise(order, mark=mark, program=str(SUPERVISOR)))
        yield RunningProgram(supervised, output, errors)


async def _wait_for(feeding: "asyncio.Future[None]") -> None:
    await asyncio.shield(asyncio.wait([feeding]))


def _feed(fd: int, given: bytes) -> None:
    """A program that reads nothing, or ends early, is no fault of ours."""
    with suppress(BrokenPipeError), os.fdopen(fd, "wb") as file:
        file.write(given)


def _environment(program: Program, home: Path, path: str) -> dict[str, str]:
    given = {"PATH": path, "LANG": "C.UTF-8", "HOME": str(home), "TMPDIR": str(home)}
    return {**program.environment, **given}


async def _converse(child: RunningProgram, most: int) -> Ended:
    reading = asyncio.create_task(_read(child.output, most + 1, stops=True))
    listening = asyncio.create_task(_read(child.errors, most))
    beating = asyncio.create_task(child.supervised.beat())
    try:
        output = await reading
        if len(output) > most:
            return TooMuchOutput(most)
        code = _read_code(await child.supervised.read_verdict())
        errors = await listening
    finally:
        for task in (reading, listening, beating):
            task.cancel()
        await asyncio.wait([reading, listening, beating])
    if code == NOT_STARTED and not output:
        return NotStarted(errors.decode("utf-8", "replace").strip()[:200] or "it could not be started")
    return Finished(code, output, errors)


def _read_code(verdict: bytes) -> int:
    """Of one whose supervisor was ended, as of one that was killed."""
    end, _, code = verdict.decode(errors="replace").partition(" ")
    number = int(code) if end == "exit" else -SIGKILL
    return number if number >= 0 else 128 - number


async def _read(stream: asyncio.StreamReader, most: int, *, stops: bool = False) -> bytes:
    """The first `most` bytes. What is more is read and forgotten, or with `stops` left where it is."""
    said = bytearray()
    while piece := await stream.read(_PIECE):
        said += piece[: most - len(said)]
        if stops and len(said) == most:
            break
    return bytes(said)
