import pytest

from pabal.base.telemetry import start_logging

pytest_plugins = ["tests.support.database", "tests.support.redis", "tests.support.web"]


@pytest.fixture(autouse=True, scope="session")
def _plain_log() -> None:
    """structlog's own default draws every local variable of a traceback: slow, and it shows secrets."""
    start_logging()
