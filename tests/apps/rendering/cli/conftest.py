"""The command line in the test's process, over the studio of Haeundae."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from pabal.base import telemetry
from pabal.base.database import Database
from tests.cli.inside import Inside
from tests.support.people import plant
from tests.support.studio import Studio, make_studio, set_paths

KEY = "a key for commands"


@pytest.fixture
def run(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    set_paths(monkeypatch, tmp_path)
    monkeypatch.setenv("PABAL_SECRET_KEY", KEY)
    monkeypatch.setattr(telemetry, "_log_level", telemetry._log_level)
    yield Inside(tmp_path, db.url)
    structlog.reset_defaults()


@pytest.fixture
async def studio(db: Database, tmp_path: Path) -> Studio:
    return await make_studio(db, await plant(db), tmp_path, secret=KEY)
