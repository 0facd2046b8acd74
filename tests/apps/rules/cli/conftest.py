"""The command line in the test's process, over the rules of Haeundae."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from pabal.base import telemetry
from pabal.base.database import Database
from tests.cli.inside import Inside


@pytest.fixture
def run(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    monkeypatch.setattr(telemetry, "_log_level", telemetry._log_level)
    yield Inside(tmp_path, db.url)
    structlog.reset_defaults()
