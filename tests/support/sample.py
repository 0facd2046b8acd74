"""A project of one test file, and runs of its tests as `make test` would make them."""

import os
from pathlib import Path

import pytest

from tools.acceptance import PROJECT

NAME = "tests/test_sample.py"
MARKERS = "\n    ".join(
    (
        "[pytest]\nmarkers =",
        "req(*lines): lines",
        "slow: the second part",
        "beside: mostly waits",
        "checked: by make check\n",
    )
)


class Sample:
    """Its tests run in this process, unless they are to be spread over workers."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.path = pytester.path
        self._pytester = pytester
        (self.path / "tests").mkdir()
        (self.path / "pytest.ini").write_text(MARKERS, encoding="utf-8")

    def write(self, body: str, *, name: str = NAME) -> None:
        (self.path / name).write_text(f"import pytest\n\n{body}\n", encoding="utf-8")

    def run(self, *arguments: str) -> pytest.RunResult:
        """`tests` unless something is named; leaves its record in the project."""
        plugin = ("-p", "tools.record_plugin")
        return self._pytester.runpytest_inprocess(*plugin, *(arguments or ("tests",)))

    def run_by_workers(self, *arguments: str, workers: int = 2) -> pytest.RunResult:
        spread = ("-p", "xdist", "-n", str(workers), "--dist=loadgroup")
        return self._pytester.runpytest_subprocess("-p", "tools.record_plugin", *spread, *arguments, "tests")


@pytest.fixture
def sample(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Sample:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the samples need no other, and it halves the time
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PROJECT), str(Path(PROJECT, "src"))]))
    return Sample(pytester)
