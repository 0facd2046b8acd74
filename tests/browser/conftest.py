"""One browser and one demo server for all of these tests, and visitors who are gone after each."""

import asyncio
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio
from playwright.async_api import Browser

from tests.browser.furnishing import SECRET, furnish
from tests.support.browser import Visitors, need_chromium, open_browser
from tests.support.cli import Cli, Running
from tests.support.database import with_database

StartServer = Callable[..., AbstractContextManager[Running]]


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
    with (
        _new_database(cluster_url, template, "demo") as url,
        _starter(url) as start,
        start("up", "--demo", "--port", "0") as server,
    ):
        address = server.wait_for_url()
        asyncio.run(furnish(url))
        yield Demo(address, url)
        server.stop()


@pytest.fixture
def start_server(chromium: str, cluster_url: str, template: str) -> Iterator[StartServer]:
    """For a test that needs an empty house of its own."""
    with _new_database(cluster_url, template, "empty") as url, _starter(url) as start:
        yield start


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


@contextmanager
def _new_database(cluster_url: str, template: str, word: str) -> Iterator[str]:
    name = f"test_browser_{word}_{os.getpid()}"
    asyncio.run(_execute(cluster_url, f'create database "{name}" template "{template}"'))
    yield with_database(cluster_url, name)
    asyncio.run(_execute(cluster_url, f'drop database "{name}" with (force)'))


@contextmanager
def _starter(database_url: str) -> Iterator[StartServer]:
    with tempfile.TemporaryDirectory(prefix="pabal-browser-") as folder:
        given = {"PABAL_DATA_DIR": folder, "PABAL_DATABASE_URL": database_url, "PABAL_SECRET_KEY": SECRET}
        # its log is a pipe that nobody reads meanwhile
        yield Cli(Path(folder), {**given, "PABAL_LOG_LEVEL": "error"}).running


async def _execute(url: str, statement: str) -> None:
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()
