"""One browser and one demo server for all of these tests, and visitors who are gone after each."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser.furnishing import SECRET, furnish
from tests.support.browser import Visitors, need_chromium, open_browser
from tests.support.cli import Cli
from tests.support.database import with_database


@dataclass(frozen=True)
class Demo:
    url: str
    database_url: str


@pytest.fixture(scope="session")
def chromium() -> str:
    return need_chromium()


@pytest.fixture(scope="session")
def demo(chromium: str, cluster_url: str, template: str) -> Iterator[Demo]:
    """A demo server as a process. Tests may change what is in it, but not take anything away from each other."""
    name = f"test_browser_{os.getpid()}"
    asyncio.run(_execute(cluster_url, f'create database "{name}" template "{template}"'))
    url = with_database(cluster_url, name)
    with tempfile.TemporaryDirectory(prefix="pabal-browser-") as folder:
        # its log is a pipe that nobody reads meanwhile
        quiet = {"PABAL_LOG_LEVEL": "error", "PABAL_SECRET_KEY": SECRET}
        cli = Cli(Path(folder), {"PABAL_DATA_DIR": folder, "PABAL_DATABASE_URL": url, **quiet})
        with cli.running("up", "--demo", "--port", "0") as server:
            address = server.wait_for_url()
            asyncio.run(furnish(url))
            yield Demo(address, url)
            server.stop()
    asyncio.run(_execute(cluster_url, f'drop database "{name}" with (force)'))


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser(chromium: str) -> AsyncIterator[Browser]:
    async with open_browser(chromium) as opened:
        yield opened


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def all_visitors(browser: Browser) -> Visitors:
    return Visitors(browser)


@pytest_asyncio.fixture(loop_scope="session")
async def visitors(all_visitors: Visitors) -> AsyncIterator[Visitors]:
    yield all_visitors
    await all_visitors.close()
    assert all_visitors.take_complaints() == []


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
