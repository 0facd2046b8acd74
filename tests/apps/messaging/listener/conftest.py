from collections.abc import AsyncIterator

import pytest

from pabal.apps.messaging.listener.server import BotServer, Limits
from tests.apps.messaging.listener.phones import PHONES, Clock, MemoryKeeper

# This process is a test run: what it uses must refuse nobody.
ROOMY = Limits(memory_mb=1_000_000, cpu_percent=100_000, strangers=1000, strangers_of_address=1000)


@pytest.fixture(autouse=True)
async def _phones_hang_up() -> AsyncIterator[None]:
    yield
    while PHONES:
        PHONES.pop().hang_up()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keeper() -> MemoryKeeper:
    return MemoryKeeper()


@pytest.fixture
async def server(keeper: MemoryKeeper, clock: Clock) -> AsyncIterator[BotServer]:
    made = BotServer(keeper, host="127.0.0.1", port=0, limits=lambda: ROOMY, now=clock)
    await made.start()
    yield made
    await made.close()
