"""What tests of interleavings share."""

from collections.abc import AsyncIterator

import pytest

from pabal.base.database import Database


@pytest.fixture
async def open_end(database_url: str) -> AsyncIterator[Database]:
    """A database that a broken variant may leave broken: nobody checks the tables after the test."""
    database = await Database.open(database_url, size=20)
    yield database
    await database.close()
