import pytest

from pabal.base.database import Database
from tests.support.rules import RulesWorld, make_rules


@pytest.fixture
async def world(db: Database) -> RulesWorld:
    return await make_rules(db)
