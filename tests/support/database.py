"""The database of a test: one cluster for the session, a template with every migration, a clone for each test."""

import asyncio
import fcntl
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import count
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from pabal.base import clock, embedded
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.platform.schema import MIGRATIONS
from tests.support.invariants import assert_every_job_is_in_one_place

FAST = {"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off", "max_connections": "300"}
_numbers = count(1)


def with_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


@pytest.fixture(scope="session")
def cluster_url(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[str]:
    """An address whose user may create databases. PABAL_TEST_URL points the tests at a server of one's own."""
    given = os.environ.get("PABAL_TEST_URL")
    if given:
        yield given
        return
    folder = _session_folder(tmp_path_factory, worker_id)
    yield asyncio.run(embedded.ensure(folder, settings=FAST)).url("postgres")
    if _is_last(folder):
        asyncio.run(embedded.remove(folder))


@pytest.fixture(scope="session")
def template(cluster_url: str) -> str:
    return asyncio.run(_make_template(cluster_url))


NewDatabase = Callable[..., Awaitable[str]]


@pytest.fixture
async def new_database(cluster_url: str) -> AsyncIterator[NewDatabase]:
    """Makes databases for one test: empty, or a clone of a template."""
    admin = await asyncpg.connect(cluster_url)
    made = []

    async def make(template: str = "template0") -> str:
        made.append(f"test_{os.getpid()}_{next(_numbers)}")
        await admin.execute(f'create database "{made[-1]}" template "{template}"')
        return with_database(cluster_url, made[-1])

    yield make
    for name in made:
        await admin.execute(f'drop database "{name}" with (force)')
    await admin.close()


@pytest.fixture
async def empty_database_url(new_database: NewDatabase) -> str:
    return await new_database()


@pytest.fixture
async def database_url(new_database: NewDatabase, template: str) -> str:
    return await new_database(template)


@pytest.fixture
async def db(database_url: str) -> AsyncIterator[Database]:
    """An open database with every migration and a clock that tests move by hand."""
    database = await Database.open(database_url, size=20)
    yield database
    await assert_every_job_is_in_one_place(database)
    await database.close()


async def _make_template(cluster_url: str) -> str:
    digest = hashlib.sha256("".join(migration.checksum for migration in MIGRATIONS).encode()).hexdigest()[:12]
    name = f"template_{digest}"
    with _Locked(f"pabal-template-{digest}"):
        admin = await asyncpg.connect(cluster_url)
        try:
            if not await admin.fetchval("select 1 from pg_database where datname = $1", name):
                await _build(admin, cluster_url, name)
        finally:
            await admin.close()
    return name


async def _build(admin: asyncpg.Connection, cluster_url: str, name: str) -> None:
    half = f"{name}_half"
    await admin.execute(f'drop database if exists "{half}" with (force)')
    await admin.execute(f'create database "{half}"')
    database = await Database.open(with_database(cluster_url, half))
    await migrate(database, MIGRATIONS)
    await clock.make_movable(database)
    await database.close()
    await admin.execute(f'alter database "{half}" rename to "{name}"')


def _session_folder(factory: pytest.TempPathFactory, worker_id: str) -> Path:
    base = factory.getbasetemp() if worker_id == "master" else factory.getbasetemp().parent
    folder = base / "cluster"
    with _Locked(f"pabal-users-{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"):
        users = base / "cluster-users"
        users.write_text(str(int(users.read_text()) + 1 if users.exists() else 1))
    return folder


def _is_last(folder: Path) -> bool:
    users = folder.parent / "cluster-users"
    with _Locked(f"pabal-users-{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}"):
        left = int(users.read_text()) - 1
        users.write_text(str(left))
    return left == 0


class _Locked:
    def __init__(self, name: str) -> None:
        self._path = Path(tempfile.gettempdir()) / f"{name}.lock"

    def __enter__(self) -> None:
        self._file = self._path.open("w")
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def __exit__(self, *_: object) -> None:
        self._file.close()
