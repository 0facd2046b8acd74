"""Every test below speaks to a server with ad groups in it, over real HTTP."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.apps.adgroups.api.house import House, build
from tests.support.web import SECRET, Web


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="pabal.apps.adgroups", secret_key=SECRET)


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)
