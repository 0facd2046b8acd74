from pathlib import Path

import pytest

from tests.apps.adgroups.actions.world import World
from tests.apps.adgroups.legacy.olds import Mover, make_mover


@pytest.fixture
def mover(world: World, tmp_path: Path) -> Mover:
    return make_mover(world, tmp_path)
