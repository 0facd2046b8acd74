"""A pytest plugin: nothing dear gets into the first part of the suite unseen (tests/README.md)."""

from collections.abc import Iterable

import pytest

from tests.support import beside, figures

# fixtures whose users belong to the second part
DEAR = {
    "chromium": "opens a browser",
    "wheel": "builds a wheel",
}


# whole folders of it: `make check` runs the first already, and what breaks the second mostly breaks a smaller test too
CHECKED = "tests/architecture/"
FOLDERS = (CHECKED, "tests/stories/")


def pytest_configure(config: pytest.Config) -> None:
    """pytest-xdist would put groups of many tests before all others, and those who wait for figures among the first:
    one worker did nothing for three minutes."""
    config.option.loadscopereorder = False


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(FOLDERS):
            item.add_marker(pytest.mark.slow)
        if item.nodeid.startswith(CHECKED):
            item.add_marker(pytest.mark.checked)
    items.sort(key=_place)
    if wrong := list_misplaced(items):
        raise pytest.UsageError("\n".join(wrong))


def _place(item: pytest.Item) -> int:
    """What takes long begins first: at the end of a run no worker is left alone with it. Last comes what only reads
    the answers of a process that runs beside all others."""
    if figures.is_user(item) or beside.is_beside(item):
        return 2
    return 0 if item.get_closest_marker("slow") else 1


def list_misplaced(items: Iterable[pytest.Item]) -> list[str]:
    return [
        f"{item.nodeid}: {DEAR[name]}, so it is marked `slow` (tests/README.md)"
        for item in items
        for name in getattr(item, "fixturenames", ())
        if name in DEAR and item.get_closest_marker("slow") is None
    ]
