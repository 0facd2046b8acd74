import gc

import pytest
from hypothesis import HealthCheck, settings

from pabal.base.telemetry import start_logging

pytest_plugins = [
    "pytester",
    "tests.support.database",
    "tests.support.durations",
    "tests.support.figures",
    "tests.support.parts",
    "tests.support.passwords",
    "tests.support.redis",
    "tests.support.sample",
    "tests.support.web",
    "tools.record_plugin",
]


# The same examples in every run, and no watch beside them: what fails tells of a change, not of chance or of a busy
# machine. `--hypothesis-profile=default` looks for new ones.
settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("same")


@pytest.fixture(autouse=True, scope="session")
def _plain_log() -> None:
    """structlog's own default draws every local variable of a traceback: slow, and it shows secrets."""
    start_logging()


def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: the collector need not look at them again and again."""
    gc.collect()
    gc.freeze()
    # and at what a test leaves, less often: a twelfth of the Python of a test was this
    gc.set_threshold(20_000, 20, 20)
