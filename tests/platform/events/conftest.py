"""An organisation, and consumers whose effects can be counted: a row of the table `taken` for each."""

import pytest

from pabal.base.database import Database
from tests.platform.events.shop import SQL
from tests.support.people import Tree, plant


@pytest.fixture
async def tree(db: Database) -> Tree:
    async with db.transaction() as tx:
        await tx.run(SQL.make_taken)
    return await plant(db)
