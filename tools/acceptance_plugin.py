"""A pytest plugin: after collection, writes which test carries which `req` marks to the file named by --marks-to."""

import json
from pathlib import Path

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--marks-to", required=True, help="the JSON file to write")


def pytest_collection_finish(session: pytest.Session) -> None:
    found = [{"test": item.nodeid, "lines": _lines(item), "runs": _runs(item)} for item in session.items]
    marked = [one for one in found if one["lines"]]
    Path(session.config.getoption("--marks-to")).write_text(json.dumps(marked), encoding="utf-8")


def _lines(item: pytest.Item) -> list[str]:
    return sorted({str(line) for mark in item.iter_markers("req") for line in mark.args or ("nothing",)})


def _runs(item: pytest.Item) -> bool:
    return not any(item.iter_markers("skip")) and not any(item.iter_markers("xfail"))
