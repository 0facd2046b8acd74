from pathlib import Path

import pytest

from pabal.base.database import Database
from tests.apps.adgroups.actions.world import World, make_world
from tests.apps.adgroups.legacy.olds import Mover, make_mover


@pytest.fixture
async def world(db: Database) -> World:
    return await make_world(db)


@pytest.fixture
def mover(world: World, tmp_path: Path) -> Mover:
    return make_mover(world, tmp_path)
