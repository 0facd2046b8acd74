"""A pytest plugin: keeps what a run showed (tools/record.py), also of one that is spread over workers."""

import re
from typing import Any

import pytest

from tools import record

# pytest-xdist writes a test's group behind its name
_GROUP = re.compile(r"@[^\]@]*$")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    if not config.option.collectonly:
        config.pluginmanager.register(Listener(config) if _is_worker(config) else Recorder(config))


class Listener:
    """In a worker: only it knows which tests there are; the first of them says so."""

    def __init__(self, config: pytest.Config) -> None:
        self._config: Any = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        if self._config.workerinput["workerid"] == "gw0":
            self._config.workeroutput["known"] = _names(items)


class Recorder:
    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._run = record.begin(config.rootpath)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Before -m and -k take some away."""
        self._know(_names(items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        self._know(getattr(node, "workeroutput", {}).get("known", []))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        test, before = _name(report.nodeid), self._run.outcomes.get(_name(report.nodeid), record.PASSED)
        # what went wrong in one phase is not made good by the next
        self._run.outcomes[test] = before if before != record.PASSED else _outcome(report)

    def pytest_sessionfinish(self) -> None:
        if self._run.outcomes:
            record.keep(self._config.rootpath, self._run)

    def _know(self, names: list[str]) -> None:
        if names and _asks_for_all(self._config):
            self._run.known = names


def _outcome(report: pytest.TestReport) -> str:
    return "skipped" if hasattr(report, "wasxfail") else report.outcome


def _names(items: list[pytest.Item]) -> list[str]:
    return [_name(item.nodeid) for item in items]


def _name(nodeid: str) -> str:
    return _GROUP.sub("", nodeid)


def _asks_for_all(config: pytest.Config) -> bool:
    """Without a folder or file named; -m and -k are told apart later."""
    narrowed = (
        config.option.ignore or config.option.ignore_glob or config.option.deselect or config.getoption("lf", False)
    )
    asked = {(config.invocation_params.dir / one).resolve() for one in config.args}
    return not narrowed and asked == {config.rootpath.resolve() / "tests"}


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")
