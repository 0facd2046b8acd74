"""A server with rendering: compositions of the head office, slots, and renders of Haeundae."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.base.settings import Settings
from tests.support.studio import Studio, make_studio, set_paths
from tests.support.web import SECRET, Web


@pytest.fixture
def web_settings(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    set_paths(monkeypatch, tmp_path)
    given = {"database_url": db.url, "data_dir": tmp_path / "data", "secret_key": SECRET}
    return Settings(**given, port=0, apps="pabal.apps.rendering")


@pytest.fixture
async def studio(web: Web, tmp_path: Path) -> Studio:
    return await make_studio(web.db, web.tree, tmp_path)
