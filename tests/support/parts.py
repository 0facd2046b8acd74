"""A pytest plugin: nothing dear gets into the first part of the suite unseen (tests/README.md)."""

from collections.abc import Iterable

import pytest

# fixtures whose users belong to the second part
DEAR = {
    "chromium": "opens a browser",
    "wheel": "builds a wheel",
}


# `make check` runs them already
CHECKED = "tests/architecture/"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(CHECKED):
            item.add_marker(pytest.mark.slow)
    if wrong := list_misplaced(items):
        raise pytest.UsageError("\n".join(wrong))


def list_misplaced(items: Iterable[pytest.Item]) -> list[str]:
    return [
        f"{item.nodeid}: {DEAR[name]}, so it is marked `slow` (tests/README.md)"
        for item in items
        for name in getattr(item, "fixturenames", ())
        if name in DEAR and item.get_closest_marker("slow") is None
    ]
