"""Every page test has a server with the relay, an account in Haeundae and a user paired with it."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.support.relay import RelayWorld, make_relay
from tests.support.web import SECRET, Web


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    public = "https://relay.example.com"
    given = {"database_url": db.url, "data_dir": tmp_path, "secret_key": SECRET, "public_url": public}
    return Settings(**given, port=0, apps="pabal.apps.relay")


@pytest.fixture
async def relay(web: Web) -> RelayWorld:
    return await make_relay(web.db, web.tree)
