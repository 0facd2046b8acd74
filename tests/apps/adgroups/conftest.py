import pytest

from pabal.base.database import Database
from tests.apps.adgroups.actions.world import World, make_world


@pytest.fixture
async def world(db: Database) -> World:
    return await make_world(db)
