"""A line to a real server, closed at the end, and who is at its other end."""

from collections.abc import AsyncIterator

import pytest

from pabal.platform.broker.line import Line, open_line
from tests.platform.broker.other_side import OtherSide, other_side


@pytest.fixture
async def line(redis_url: str) -> AsyncIterator[Line]:
    made = open_line(redis_url)
    yield made
    await made.close()


@pytest.fixture
async def other(redis_url: str) -> AsyncIterator[OtherSide]:
    async with other_side(redis_url) as made:
        yield made
