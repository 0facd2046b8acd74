"""A pytest plugin: every figure of `bench` in small, by a process that runs beside the other tests from the beginning.

Most of its time it waits for programs to start and for seconds to pass, so nobody waits for it before the end of a run.
The process that all workers belong to starts and ends it; whoever has its tests reads what it left.
"""

import asyncio
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from pabal.base import embedded
from tests.support.memory import prefer_memory, session_folder

ROOT = Path(__file__).parents[2]
FIXTURE = "figures"
USERS = ("tests/test_bench.py::test_a_figure_runs_", "tests/test_bench.py::test_one_figure_alone_")
# Its sides are started from nothing, as in full; those of the others are forked (bench/forked.py).
ALONE = "fanout"
CEILING = 900.0
_started = pytest.StashKey["Started"]()


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass(frozen=True)
class Figures:
    every: Ran
    alone: Ran


@dataclass(frozen=True)
class Started:
    """`place` is in memory, where a durable commit costs nothing: nobody looks at the numbers."""

    process: subprocess.Popen[bytes]
    place: Path

    def end(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        _remove(self.place)


@pytest.fixture(scope="session")
def figures(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Figures:
    """Waits until the process has ended, whose lock this is."""
    session = session_folder(tmp_path_factory, worker_id)
    with _lock_file(session) as file:
        fcntl.flock(file, fcntl.LOCK_SH)
    every, alone = (Ran(**json.loads(_answer(session, name).read_text())) for name in ("", ALONE))
    return Figures(every, alone)


def is_user(item: pytest.Item) -> bool:
    return FIXTURE in getattr(item, "fixturenames", ())


def pytest_collection_finish(session: pytest.Session) -> None:
    """Where there are no workers."""
    if not hasattr(session.config, "workerinput") and not session.config.option.collectonly:
        _start_if_wanted(session.config, (item.nodeid for item in session.items if is_user(item)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Iterable[str]) -> None:
    """Where there are some. Only their names are known here."""
    _start_if_wanted(node.config, (name for name in ids if name.startswith(USERS)))


def pytest_unconfigure(config: pytest.Config) -> None:
    if started := config.stash.get(_started, None):
        started.end()


def _start_if_wanted(config: pytest.Config, users: Iterable[str]) -> None:
    if _started in config.stash or not any(users):
        return
    session: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # no hook is given the fixture
    place = prefer_memory(session / "bench")
    command = [sys.executable, "-m", "tests.support.figures", str(session)]
    path = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    with _lock_file(session) as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PABAL_BENCH_DIR": str(place), "PYTHONPATH": path},
            # never written to: it closes when this process is gone, however it went
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            # the lock is held by whoever has the file open: by the process alone, until it ends
            pass_fds=[lock.fileno()],
        )
    config.stash[_started] = Started(process, place)


def _lock_file(session: Path) -> IO[str]:
    return (session / "figures.lock").open("a")


def _answer(session: Path, name: str) -> Path:
    return session / f"figures{name}.json"


def _remove(place: Path) -> None:
    if place.exists():
        asyncio.run(embedded.remove(place / "postgres"))
        shutil.rmtree(place)


def _end_with_who_started_this() -> None:
    # not through sys.stdin, whose lock Python itself takes when it ends
    while os.read(0, 1):
        pass
    _remove(Path(os.environ["PABAL_BENCH_DIR"]))
    os.killpg(0, signal.SIGKILL)


def _run(session: Path, *names: str) -> None:
    command = [sys.executable, "-m", "bench", *names, "--json", "--size", "small"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=CEILING, check=False)
    ran = {"code": ended.returncode, "out": ended.stdout, "err": ended.stderr}
    _answer(session, "".join(names)).write_text(json.dumps(ran))


if __name__ == "__main__":
    threading.Thread(target=_end_with_who_started_this, daemon=True).start()
    # one process for all: most of a small run would be its start
    _run(Path(sys.argv[1]))
    _run(Path(sys.argv[1]), ALONE)
