"""Asks a child process about a video file: it gets the path and a memory limit, and answers one line of JSON.

Files from outside may hold anything. So the child's environment holds no secret, it may write no file (decoding.py),
and it dies with its server. The child opens the file: on a share that hangs, this process must not hang with it.
"""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from contextlib import suppress
from pathlib import Path
from typing import Any

from pabal.apps.rendering.video.errors import Unreadable, VideoUnreadable

# How long a killed child is waited for: one that is inside a hung share dies only when the share answers.
PATIENCE_SECONDS = 3.0
# Four small JPEGs and two seconds of moving ones; what is longer is no answer of ours.
LONGEST_ANSWER = 8 * 1024 * 1024
# The codecs are loaded by the child alone, and not before it is sure to die with its server.
PROGRAM = """
import sys
from pabal.base.parents import die_with_parent
die_with_parent(int(sys.argv[1]))
from pabal.apps.rendering.video.decoding import main
main()
"""
_KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "SYSTEMROOT")


async def ask(task: str, path: Path, *, seconds: float, memory_mb: int) -> dict[str, Any]:
    """What the child says of the file; whatever becomes of the child is VideoUnreadable with its reason."""
    child = await _start(task, path, memory_mb)
    try:
        async with asyncio.timeout(seconds):
            answer = await _hear(child)
    except TimeoutError as error:
        raise VideoUnreadable(Unreadable.TOO_SLOW, f"{seconds:g} s") from error
    finally:
        await asyncio.shield(_end(child))
    if "unreadable" in answer:
        raise VideoUnreadable(Unreadable(answer["unreadable"]), answer["fact"])
    return answer


async def _start(task: str, path: Path, memory_mb: int) -> Process:
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", PROGRAM, str(os.getpid()), task, str(path), str(memory_mb)),
        stdin=DEVNULL,
        stdout=PIPE,
        stderr=DEVNULL,
        limit=LONGEST_ANSWER,
        start_new_session=True,
        env={**kept, "PYTHONPATH": os.pathsep.join(one for one in sys.path if one)},
    )


async def _hear(child: Process) -> dict[str, Any]:
    try:
        line = b"" if child.stdout is None else await child.stdout.readline()
    except ValueError as error:
        raise VideoUnreadable(Unreadable.CRASHED, "its answer has no end") from error
    if line.endswith(b"\n"):
        answer: dict[str, Any] = json.loads(line)
        return answer
    code = await child.wait()
    raise VideoUnreadable(Unreadable.CRASHED, signal.Signals(-code).name if code < 0 else str(code))


async def _end(child: Process) -> None:
    """Killed rather than waited for: it has said all it had to say."""
    with suppress(ProcessLookupError):
        child.kill()
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_SECONDS):
            while child.stdout is not None and await child.stdout.read(65536):
                pass
            await child.wait()
