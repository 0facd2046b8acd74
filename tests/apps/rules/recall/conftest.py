import pytest

from pabal.base.database import Database
from tests.support.people import Tree, plant


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)
