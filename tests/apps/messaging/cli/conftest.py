"""The command line in the test's process, against a database with one of everything in Haeundae."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from pabal.base import telemetry
from pabal.base.database import Database
from tests.cli.inside import Inside
from tests.support.messaging import World, make_world


@pytest.fixture
def run(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    """In the folder of a server: `data` is there."""
    monkeypatch.setattr(telemetry, "_log_level", telemetry._log_level)
    (tmp_path / "data").mkdir()
    yield Inside(tmp_path, db.url)
    structlog.reset_defaults()


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path / "data")
