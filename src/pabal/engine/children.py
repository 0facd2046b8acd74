"""Handlers in processes of their own: they can be killed, and die with their server. This file is both ends.

One JSON object a line. The server says the job, why it must stop and what was saved; the child what it reports, what it
saves and how it ended.
"""

import asyncio
import importlib
import importlib.util
import json
import os
import signal
import sys
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from datetime import datetime, timedelta
from itertools import count
from typing import Any

from pabal.base.parents import die_with_parent
from pabal.base.telemetry import declare, emit
from pabal.engine.kinds import Job, Kind, Report, Saving, Stop
from pabal.engine.outcome import OUTCOMES, Outcome, Retry, Stopped, check

# How long a child that was told to stop may take to clean up. One whose job is somebody else's by now gets no time.
PATIENCE = 3.0
# Reports and answers are bounded; the rest is the text around them.
LONGEST_LINE = 1 << 20
# Not of the attempt, or not to be sent
KEPT_HERE = ("ready_at", "reporter", "on_stop", "unwritten", "has_reported", "reported_at", "is_performed")

declare("children.failed", "Handlers that raised in their process, or whose process died", labels=("kind",), level=40)
declare("children.killed", "Processes of handlers that did not stop when told to", labels=("kind",), level=30)


async def run_in_child(job: Job, kind: Kind) -> Outcome | None:
    """Its answer. Cancelled, it waits for a child that was told why; then there is no child any more."""
    child = await _start(job, kind)
    listening = asyncio.create_task(_listen(job, child))
    try:
        job.on_stop = lambda stop: _say(child, {"stop": stop})
        return await asyncio.shield(listening)
    except asyncio.CancelledError:
        await asyncio.wait([listening], timeout=0.0 if job.stop is Stop.LEASE_LOST else PATIENCE)
        if not listening.done():
            raise
        return listening.result()
    finally:
        job.on_stop = None
        await asyncio.shield(_end(job, child, listening))


async def _start(job: Job, kind: Kind) -> Process:
    child = await asyncio.create_subprocess_exec(
        sys.executable,
        # not -m: the handler's module may import this one, which must not be there twice
        *("-c", f"from {__name__} import main; main()", str(os.getpid())),
        stdin=PIPE,
        stdout=PIPE,
        limit=LONGEST_LINE,
        # What the handler starts is killed with it, and a Ctrl-C at the terminal is the server's alone.
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )
    _say(child, {"handler": _name(kind.handler), "job": _show_job(job)})
    return child


async def _listen(job: Job, child: Process) -> Outcome | None:
    if child.stdout is not None:
        async for line in child.stdout:
            said = json.loads(line)
            if "answer" in said:
                return read_answer(said["answer"])
            if "raised" in said:
                return _failed(job, said["raised"])
            _hear(job, child, said)
    code = await child.wait()
    return _failed(job, f"its process ended with {signal.Signals(-code).name if code < 0 else code}")


def _hear(job: Job, child: Process, said: dict[str, Any]) -> None:
    if "progress" in said:
        job.report(said["progress"])
    elif "checkpoint" in said:
        job.save(said["checkpoint"]).add_done_callback(
            lambda saving: _say(child, {"saved": said["number"], "error": _show_error(saving)})
        )


def _show_error(saving: "asyncio.Future[None] | Any") -> str | None:
    error = saving.exception()
    return None if error is None else str(error)


def _failed(job: Job, reason: str) -> Retry:
    emit("children.failed", kind=job.kind, job=job.id, error=reason)
    return Retry(reason)


def _say(child: Process, what: dict[str, Any]) -> None:
    """One that has just died hears nothing any more; its end is read from the other side."""
    if child.stdin is not None and not child.stdin.is_closing():
        child.stdin.write(json.dumps(what).encode() + b"\n")


async def _end(job: Job, child: Process, listening: "asyncio.Task[Any]") -> None:
    """One that has answered may still tidy up; any other is killed, with all that it started."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE if listening.done() else 0):
            await child.wait()
    if child.returncode is None:
        emit("children.killed", kind=job.kind, job=job.id, stop=job.stop)
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        await child.wait()
    listening.cancel()
    await asyncio.wait([listening])
    await _close_pipes(child)


async def _close_pipes(child: Process) -> None:
    """Here, and not when the garbage collector comes by, which may be after the loop has ended."""
    with suppress(OSError):
        async with asyncio.timeout(PATIENCE):
            if child.stdout is not None:
                await child.stdout.read()
            if child.stdin is not None:
                child.stdin.close()
                await child.stdin.wait_closed()


def _name(handler: Callable[..., Any]) -> dict[str, Any]:
    """With its file: an application may be loaded from one, under a name that no path leads to."""
    module = sys.modules[handler.__module__]
    return {"module": module.__name__, "file": module.__file__, "name": handler.__qualname__}


def _show_job(job: Job) -> dict[str, Any]:
    values = {field.name: getattr(job, field.name) for field in fields(Job) if field.name not in KEPT_HERE}
    return {**values, "deadline": None if job.deadline is None else job.deadline.total_seconds()}


def show_answer(answer: Outcome | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    values = {field.name: getattr(answer, field.name) for field in fields(answer)}
    return {"type": type(answer).__name__, **{name: _plain(value) for name, value in values.items()}}


def read_answer(said: dict[str, Any] | None) -> Outcome | None:
    if said is None:
        return None
    values = {name: _READ.get(name, _same)(value) for name, value in said.items() if name != "type"}
    answer: Outcome = _TYPES[said["type"]](**values)
    return answer


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return value.total_seconds() if isinstance(value, timedelta) else value


def _same(value: Any) -> Any:
    return value


_TYPES: dict[str, type] = {one.__name__: one for one in (*OUTCOMES, Stopped)}
_READ: dict[str, Callable[[Any], Any]] = {
    "until": datetime.fromisoformat,
    "after": lambda value: None if value is None else timedelta(seconds=value),
}


# The other end


def main() -> None:
    die_with_parent(int(sys.argv[1]))
    # What the handler prints goes to the server's log: stdout is ours.
    out = os.dup(1)
    os.dup2(2, 1)
    lines = _lines(0)
    given = json.loads(next(lines))
    server = _Server(out)
    deadline = given["job"].pop("deadline")
    job = Job(**given["job"], deadline=None if deadline is None else timedelta(seconds=deadline), reporter=server)
    threading.Thread(target=server.listen, args=(job, lines), daemon=True).start()
    said: dict[str, Any]
    try:
        answer = _find(**given["handler"])(job)
        said = {"answer": show_answer(answer if answer is None or isinstance(answer, Stopped) else check(answer))}
    except Exception as error:  # noqa: BLE001 -- whatever an application's handler raises
        said = {"raised": f"{type(error).__name__}: {error}"}
    server.say(said)


class _Server:
    """As the handler's reporter: passes on what it reports, from whichever of its threads."""

    def __init__(self, out: int) -> None:
        self._out = out
        self._lock = threading.Lock()
        self._numbers = count(1)
        self._saving: dict[int, tuple[Saving, ...]] = {}

    def say(self, what: dict[str, Any]) -> None:
        line = json.dumps(what).encode() + b"\n"
        with self._lock:
            while line:
                line = line[os.write(self._out, line) :]

    def report(self, job: Job, report: Report) -> None:
        if report.progress is not None:
            self.say({"progress": report.progress})
        if report.checkpoint is not None:
            job.keep(report)
            number = next(self._numbers)
            self._saving[number] = report.saving
            self.say({"checkpoint": report.checkpoint, "number": number})

    def told(self, job: Job, stop: Stop) -> None:
        """It comes from there."""

    def listen(self, job: Job, lines: Iterator[bytes]) -> None:
        for line in lines:
            said = json.loads(line)
            if "stop" in said:
                job.tell(Stop(said["stop"]))
            else:
                error = None if said["error"] is None else RuntimeError(said["error"])
                Report(saving=self._saving.pop(said["saved"])).answer(error)
        # Nobody is there any more. On Linux the kernel was quicker.
        os._exit(1)


def _lines(source: int) -> Iterator[bytes]:
    """Unbuffered by Python: a thread that waits in its buffer when the process ends is a fatal error."""
    rest = b""
    while more := os.read(source, 1 << 16):
        *whole, rest = (rest + more).split(b"\n")
        yield from whole


def _find(module: str, file: str | None, name: str) -> Callable[[Job], Any]:
    try:
        found: Any = importlib.import_module(module)
    except ModuleNotFoundError:
        spec = importlib.util.spec_from_file_location(module, file) if file else None
        if spec is None or spec.loader is None:
            raise
        found = importlib.util.module_from_spec(spec)
        sys.modules[module] = found
        spec.loader.exec_module(found)
    for part in name.split("."):
        found = getattr(found, part)
    handler: Callable[[Job], Any] = found
    return handler
