import gc

import pytest

from pabal.base.telemetry import start_logging

pytest_plugins = [
    "pytester",
    "tests.support.database",
    "tests.support.durations",
    "tests.support.parts",
    "tests.support.passwords",
    "tests.support.redis",
    "tests.support.sample",
    "tests.support.web",
    "tools.record_plugin",
]


@pytest.fixture(autouse=True, scope="session")
def _plain_log() -> None:
    """structlog's own default draws every local variable of a traceback: slow, and it shows secrets."""
    start_logging()


def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: the collector need not look at them again and again."""
    gc.collect()
    gc.freeze()
