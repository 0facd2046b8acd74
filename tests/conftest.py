import gc
import signal
from collections.abc import Iterator
from types import FrameType

import pytest
from hypothesis import HealthCheck, settings

from pabal.base.telemetry import start_logging

pytest_plugins = [
    "pytester",
    "tests.support.arrays",
    "tests.support.beside",
    "tests.support.crews",
    "tests.support.database",
    "tests.support.durations",
    "tests.support.embedded",
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
# what is imported and collected stays, so there is next to nothing to find until pytest_collection_finish
gc.set_threshold(100_000, 20, 20)


@pytest.fixture(autouse=True, scope="session")
def _plain_log() -> None:
    """structlog's own default draws every local variable of a traceback: slow, and it shows secrets."""
    start_logging()


@pytest.fixture(autouse=True, scope="session")
def _plain_interrupt() -> Iterator[None]:
    """Where Ctrl-C is Python's own, asyncio puts a handler of its own in its place for each test and each fixture, and
    asking for it draws all the fixture gave: 4 % of a worker's time. Whoever asks for SIGINT still gets it."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        signal.default_int_handler(number, frame)

    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_ours:
        signal.signal(signal.SIGINT, interrupt)
    yield
    if is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_finish() -> None:
    """Modules and tests stay until the end: the collector need not look at them again and again."""
    gc.collect()
    gc.freeze()
    # and at what a test leaves, less often: a twelfth of the Python of a test was this
    gc.set_threshold(20_000, 20, 20)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """pytest collects five times at its end, to tell of what failed unseen: once is enough for that."""
    gc.collect()
    gc.freeze()
