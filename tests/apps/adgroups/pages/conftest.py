"""Every page test has a server with ad groups in it."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.apps.adgroups.pages.house import House, build
from tests.support.web import SECRET, Web


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.adgroups", secret_key=SECRET)


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)


@pytest.fixture
def web_has_loops() -> bool:
    """Nothing here waits for what a server does by itself."""
    return False
