from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.base.database import Database
from tests.support.rendering import RenderWorld, make_world


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> AsyncIterator[RenderWorld]:
    async with make_world(db, tmp_path) as made:
        yield made
