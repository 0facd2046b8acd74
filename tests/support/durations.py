"""A pytest plugin: where the time of a run went, folder by folder. The slowest tests pytest names itself."""

from collections import defaultdict
from pathlib import PurePosixPath

import pytest

_LEAST_FOLDERS = 3  # a run of one's own corner needs no table


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    seconds: dict[str, float] = defaultdict(float)
    tests: dict[str, set[str]] = defaultdict(set)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                seconds[_folder(report.nodeid)] += report.duration
                tests[_folder(report.nodeid)].add(report.nodeid)
    if len(seconds) < _LEAST_FOLDERS:
        return
    terminalreporter.section("seconds by folder")
    for folder in sorted(seconds, key=lambda one: -seconds[one]):
        terminalreporter.write_line(f"{seconds[folder]:8.1f} s {len(tests[folder]):6} tests  {folder}")


def _folder(nodeid: str) -> str:
    """tests/engine, tests/apps/messaging: an app is one line, and so is a room of the house."""
    parts = PurePosixPath(nodeid.partition("::")[0]).parent.parts
    return "/".join(parts[: 3 if parts[1:2] == ("apps",) else 2])
