"""A pytest plugin: tests that mostly wait run in processes of their own, beside the workers.

Where there are workers, the process they belong to starts one with every test marked `beside`, and another once the
workers have come to the first part: whichever is free takes the next file. They keep what each test showed, and the
worker whose turn such a test is, at the end of the run, tells that as its own.
"""

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.memory import digest

MARK = "beside"
SUFFIX = f"@{MARK}"  # pytest-xdist writes a test's group behind its name
KEPT = "PABAL_TESTS_BESIDE"
# never written to: it closes when the process that started this one is gone, however it went
LIFELINE = "PABAL_TESTS_LIFELINE"
# what is kept of a run is kept by the workers' own
NOT_THERE = ("-p", "no:cacheprovider", "-p", "no:tools.record_plugin")
LOOK_SECONDS = 0.1
_started = pytest.StashKey["list[Started]"]()


@dataclass(frozen=True)
class Started:
    process: subprocess.Popen[bytes]
    lifeline: int

    def ask_to_end(self) -> None:
        os.close(self.lifeline)

    def wait(self) -> None:
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


def is_beside(item: pytest.Item) -> bool:
    return item.get_closest_marker(MARK) is not None


def pytest_configure(config: pytest.Config) -> None:
    if KEPT in os.environ:
        config.pluginmanager.register(Keeper(config, Path(os.environ.pop(KEPT))))
        lifeline = int(os.environ.pop(LIFELINE))
        threading.Thread(target=_end_with_who_started_this, args=[lifeline], daemon=True).start()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in filter(is_beside, items):
        item.add_marker(pytest.mark.xdist_group(MARK))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: list[str]) -> None:
    """Where nothing else runs meanwhile, the workers do it themselves."""
    config: pytest.Config = node.config
    wanted = [name.removesuffix(SUFFIX) for name in ids if name.endswith(SUFFIX)]
    if wanted and len(wanted) < len(ids) and _started not in config.stash:
        config.stash[_started] = [_start(config, 0, wanted)]
        config.pluginmanager.register(Second(config, wanted))


def pytest_unconfigure(config: pytest.Config) -> None:
    started = config.stash.get(_started, [])
    for one in started:
        one.ask_to_end()
    for one in started:
        one.wait()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    folder = _session_folder(item.config)
    if not is_beside(item) or folder is None or not _list_locks(folder):
        return None
    told = _wait_for(item, folder)
    if told is None:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in told:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    _pass_over(item, nextitem)
    return True


def _pass_over(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """What the test before shares with this one alone would be in the way of the next."""
    item.session._setupstate.teardown_exact(nextitem)


class Second:
    """One process would last longer than all other tests; two from the beginning would keep the second part waiting,
    which has work for both cores."""

    def __init__(self, config: pytest.Config, wanted: list[str]) -> None:
        self._config, self._wanted = config, wanted

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if self._wanted and "slow" not in report.keywords:
            self._config.stash[_started].append(_start(self._config, 1, self._wanted))
            self._wanted = []


class Keeper:
    """In a process beside: takes files that nobody has taken, and keeps a line for each phase of each test."""

    def __init__(self, config: pytest.Config, path: Path) -> None:
        self._config, self._path = config, path
        self._mine: dict[Path, bool] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        if item.path not in self._mine:
            self._mine[item.path] = self._take(item.path)
        if self._mine[item.path]:
            return None
        _pass_over(item, nextitem)
        return True

    def _take(self, path: Path) -> bool:
        try:
            (self._path.parent / f"beside-{digest(path)}.taken").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(data) + "\n")


def _start(config: pytest.Config, number: int, names: Iterable[str]) -> Started:
    folder: Path = config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # no hook is given the fixture
    kept = folder / f"beside-{number}.jsonl"
    reading, writing = os.pipe()
    with kept.with_suffix(".lock").open("a") as lock, kept.with_suffix(".err").open("w") as errors:
        fcntl.flock(lock, fcntl.LOCK_EX)
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "-p", __name__, *NOT_THERE, *names],
            cwd=config.rootpath,
            env={**os.environ, KEPT: str(kept), LIFELINE: str(reading)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=errors,
            start_new_session=True,
            # the lock is held by whoever has the file open: by the process alone, until it ends
            pass_fds=[lock.fileno(), reading],
        )
    os.close(reading)
    return Started(process, writing)


def _wait_for(item: pytest.Item, folder: Path) -> list[pytest.TestReport] | None:
    """None: all have ended without a word of it."""
    while True:
        has_ended = _has_ended(folder)
        told = list(_read(item, folder))
        if told and told[-1].when == "teardown":
            return told
        if has_ended:
            return None
        time.sleep(LOOK_SECONDS)


def _read(item: pytest.Item, folder: Path) -> Iterator[pytest.TestReport]:
    kept = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("beside-*.jsonl"))]
    for data in (json.loads(line) for text in kept for line in text.split("\n")[:-1]):
        if data["nodeid"] == item.nodeid.removesuffix(SUFFIX):
            data["nodeid"] = item.nodeid
            if isinstance(data["longrepr"], list):
                # why it was skipped: JSON knows no tuples
                data["longrepr"] = tuple(data["longrepr"])
            yield item.config.hook.pytest_report_from_serializable(config=item.config, data=data)


def _has_ended(folder: Path) -> bool:
    return not any(_is_held(path) for path in _list_locks(folder))


def _is_held(path: Path) -> bool:
    with path.open("a") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _list_locks(folder: Path) -> list[Path]:
    return list(folder.glob("beside-*.lock"))


def _session_folder(config: pytest.Config) -> Path | None:
    """What all workers of a session share; None where there are none."""
    if not hasattr(config, "workerinput"):
        return None
    folder: Path = config._tmp_path_factory.getbasetemp().parent  # type: ignore[attr-defined]  # as above
    return folder


def _end_with_who_started_this(lifeline: int) -> None:
    """As if Ctrl-C was pressed, so that fixtures take away what they made."""
    while os.read(lifeline, 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)
