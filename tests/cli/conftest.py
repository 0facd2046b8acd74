"""The command line against a database of one's own."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import asyncpg
import pytest
import structlog

from pabal.base import telemetry
from pabal.base.database import Database
from tests.cli.inside import Inside
from tests.support.cli import Cli
from tests.support.database import with_database
from tests.support.people import Tree, plant


@pytest.fixture
def cli(db: Database, tmp_path: Path) -> Cli:
    return Cli(tmp_path, {"PABAL_DATABASE_URL": db.url})


@pytest.fixture
def run(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    monkeypatch.setattr(telemetry, "_log_level", telemetry._log_level)
    yield Inside(tmp_path, db.url)
    structlog.reset_defaults()


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


@pytest.fixture
async def empty_url(cluster_url: str, db: Database) -> AsyncIterator[str]:
    name = f"{urlsplit(db.url).path.strip('/')}_empty"
    admin = await asyncpg.connect(cluster_url)
    await admin.execute(f'create database "{name}"')
    yield with_database(cluster_url, name)
    await admin.execute(f'drop database "{name}" with (force)')
    await admin.close()
