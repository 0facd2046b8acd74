"""Every test below speaks to a server with messaging in it, over real HTTP."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.apps.messaging.api.house import House, build
from tests.support.web import SECRET, Web


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(
        database_url=db.url, data_dir=tmp_path, port=0, bots_port=0, apps="pabal.apps.messaging", secret_key=SECRET
    )


@pytest.fixture
async def house(web: Web) -> House:
    return await build(web)
