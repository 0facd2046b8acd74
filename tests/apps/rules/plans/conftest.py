from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.base.database import Database
from tests.apps.rules.cli.conftest import run
from tests.support.documents import Documents, serve_documents
from tests.support.planning import PlansWorld, make_planning

__all__ = ["run"]


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> PlansWorld:
    return await make_planning(db, tmp_path)


@pytest.fixture
async def documents() -> AsyncIterator[Documents]:
    async with serve_documents() as serving:
        yield serving
