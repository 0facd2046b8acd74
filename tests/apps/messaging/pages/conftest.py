"""Every page test has a server with messaging in it, whose port for bots is any that is free."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.support.web import SECRET


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    return Settings(
        database_url=db.url, data_dir=tmp_path, port=0, bots_port=0, apps="pabal.apps.messaging", secret_key=SECRET
    )
