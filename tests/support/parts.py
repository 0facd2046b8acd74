"""A pytest plugin: nothing dear gets into the first part of the suite unseen (tests/README.md)."""

from collections.abc import Iterable

import pytest

# fixtures whose users belong to the second part
DEAR = {
    "chromium": "opens a browser",
    "wheel": "builds a wheel",
}


# whole folders of it: `make check` runs the first already, and what breaks the second mostly breaks a smaller test too
FOLDERS = ("tests/architecture/", "tests/flows/")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(FOLDERS):
            item.add_marker(pytest.mark.slow)
    # what takes long begins first: at the end of a run no worker is left alone with it
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)
    if wrong := list_misplaced(items):
        raise pytest.UsageError("\n".join(wrong))


def list_misplaced(items: Iterable[pytest.Item]) -> list[str]:
    return [
        f"{item.nodeid}: {DEAR[name]}, so it is marked `slow` (tests/README.md)"
        for item in items
        for name in getattr(item, "fixturenames", ())
        if name in DEAR and item.get_closest_marker("slow") is None
    ]
