"""How the programs of a run are started: by Python, from nothing, or as whoever carries out the run wants it."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Protocol

ROOT = Path(__file__).parents[1]


class Process(Protocol):
    """What a run uses of subprocess.Popen."""

    pid: int
    returncode: int | None

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, number: int, /) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


Start = Callable[[str, Sequence[str], Mapping[str, str], IO[bytes]], Process]


def start_python(module: str, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]) -> Process:
    # A session of its own, so that Ctrl-C ends the run in order: the parent stops them.
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=ROOT, start_new_session=True)


_ways: list[Start] = [start_python]


def start(module: str, arguments: Sequence[str], environment: Mapping[str, str], log: IO[bytes]) -> Process:
    return _ways[-1](module, arguments, environment, log)


@contextmanager
def started_by(way: Start) -> Iterator[None]:
    """Starting is most of what a small run costs: the suite has a quicker way."""
    _ways.append(way)
    try:
        yield
    finally:
        _ways.remove(way)
