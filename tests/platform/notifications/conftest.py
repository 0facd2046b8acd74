from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.base.database import Database
from tests.support.people import Tree, plant
from tests.support.telegram import Office, open_office


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


@pytest.fixture
async def office(db: Database, tree: Tree, tmp_path: Path) -> AsyncIterator[Office]:
    async with open_office(db, tmp_path) as opened:
        yield opened
