from pathlib import Path

import pytest

import pabal.apps.rules.heartbeats
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.base.sql import Statement
from tests.support.people import Tree, plant
from tests.support.web import SECRET

MIGRATIONS = Path(pabal.apps.rules.heartbeats.__file__).parents[1] / "migrations"
IS_THERE = Statement("is_there", "select to_regclass('rules.heartbeat') is not null", ())


@pytest.fixture(autouse=True)
async def _tables(db: Database) -> None:
    """Those of heartbeats need no other of the app."""
    async with db.transaction() as tx:
        if not await tx.value(IS_THERE):
            [file] = MIGRATIONS.glob("*_heartbeats.sql")
            await tx.script(file.read_text(encoding="utf-8"))


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    apps = "tests.apps.rules.heartbeats.alone"
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps=apps, secret_key=SECRET)
