"""The real nexrender, started once for each module of tests that uses it."""

from collections.abc import Iterator

import pytest

from tests.apps.rendering.real.harness import RealNexrender


@pytest.fixture(scope="module")
def nexrender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealNexrender]:
    one = RealNexrender(tmp_path_factory.mktemp("nexrender"))
    try:
        one.start()
        yield one
    finally:
        one.stop()
