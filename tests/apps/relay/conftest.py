import pytest

from pabal.base.database import Database
from tests.support.relay import RelayWorld, make_relay


@pytest.fixture
async def world(db: Database) -> RelayWorld:
    return await make_relay(db)
