"""The database of a test: one cluster for the session, a template with all a server makes there, a clone for each test.

The cluster lies in memory where there is room: ext4 looks past every file deleted in the last minutes before it makes a
new one, so that after some hundred databases another one took 150 ms instead of 10.
"""

import asyncio
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import asyncpg
import pytest

from pabal.base import clock, embedded
from pabal.base.database import Database
from pabal.base.migrations import Migration, migrate
from pabal.base.settings import Settings, split_list
from pabal.base.sql import load
from pabal.demo import SLICE as DEMO
from pabal.engine import housekeeping
from pabal.platform.slice import list_migrations, load_slice
from tests.support.invariants import assert_every_job_is_in_one_place
from tests.support.kept import keeping
from tests.support.maker import Maker, with_database
from tests.support.memory import digest, prefer_memory, session_folder

SQL = load(__file__)
# Autovacuum comes when it likes, and what it counted changes how statements are planned: not so between two runs.
FAST = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "300",
    "autovacuum": "off",
}
# Whenever tests run, each begins on this Tuesday, at 10:20:30 in Seoul: far from the end of a minute, a day or a month
# in every zone they look from. What happens at such an end is shown by those who go there.
BEGINS_AT = datetime(2026, 11, 17, 1, 20, 30, 250000, tzinfo=UTC)


@pytest.fixture(scope="session")
def cluster_url(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Iterator[str]:
    """An address whose user may create databases. PABAL_TEST_URL points the tests at a server of one's own."""
    given = os.environ.get("PABAL_TEST_URL")
    if given:
        yield given
        return
    session = session_folder(tmp_path_factory, worker_id)
    folder = _enter(session)
    url = asyncio.run(embedded.ensure(folder, settings=FAST)).url("postgres")
    asyncio.run(_let_in_quickly(url))
    with keeping(Path(parse_qs(urlsplit(url).query)["host"][0])):
        yield url
    if _is_last(session):
        asyncio.run(embedded.remove(folder))


@pytest.fixture(scope="session")
def template(cluster_url: str) -> str:
    return asyncio.run(make_template(cluster_url))


NewDatabase = Callable[..., Awaitable[str]]


@pytest.fixture(scope="session")
def maker(cluster_url: str) -> Iterator[Maker]:
    with Maker(cluster_url) as made:
        yield made


@pytest.fixture
async def new_database(cluster_url: str, maker: Maker) -> AsyncIterator[NewDatabase]:
    """Makes databases for one test: empty, or a clone of a template."""
    made = []

    async def make(template: str = "template0") -> str:
        made.append(await maker.make(template))
        return with_database(cluster_url, made[-1])

    yield make
    for name in made:
        maker.hand_back(name)


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
    await set_clock(database, BEGINS_AT)
    yield database
    await assert_every_job_is_in_one_place(database)
    await database.close()


@pytest.fixture
async def without_partitions(db: Database) -> None:
    """As before the first server came."""
    async with db.transaction() as tx:
        for parent in housekeeping.PARENTS:
            for row in await tx.rows(housekeeping.SQL.list_partitions, parent=parent):
                await tx.rows(housekeeping.SQL.drop_partition, name=row["name"])


@pytest.fixture
async def host_clock(db: Database) -> None:
    """It is as late as on this machine, whose clock phones sign by."""
    await set_clock(db, datetime.now(UTC))
    await housekeeping.make_partitions(db)


async def set_clock(database: Database, to: datetime) -> None:
    """Also backwards, which nobody else may: only while the database is as it was made."""
    await database.rows(SQL.set_clock, at=to)


async def apply_unknown(database: Database, owner: str, number: int, name: str) -> None:
    """Leaves the database as a version would that has this migration and a table for it."""
    async with database.transaction() as tx:
        await tx.script(
            f"create table pabal.of_{owner}_{number} (id int);"
            "insert into pabal.migration (owner, number, name, checksum)"
            f"values ('{owner}', {number}, '{name}', 'theirs')"
        )


def list_loaded() -> list[Migration]:
    """Those of every server, of the apps loaded by default and of the demo."""
    apps: str = Settings.model_fields["apps"].default
    return list_migrations([*(load_slice(name) for name in split_list(apps)), DEMO])


async def make_template(cluster_url: str) -> str:
    """Everything a server does to the database when it starts finds itself done. A cluster may outlive a week."""
    migrations = list_loaded()
    week = "{}w{}".format(*datetime.now(UTC).isocalendar())
    made_of = [*(migration.checksum for migration in migrations), BEGINS_AT.isoformat()]
    name = f"template_{digest(''.join(made_of))}_{week}"
    with _Locked(f"pabal-{name}"):
        admin = await asyncpg.connect(cluster_url)
        try:
            if not await admin.fetchval("select 1 from pg_database where datname = $1", name):
                await _build(admin, cluster_url, name, migrations)
        finally:
            await admin.close()
    return name


async def _build(admin: asyncpg.Connection, cluster_url: str, name: str, migrations: list[Migration]) -> None:
    half = f"{name}_half"
    await admin.execute(f'drop database if exists "{half}" with (force)')
    await admin.execute(f'create database "{half}"')
    database = await Database.open(with_database(cluster_url, half))
    await migrate(database, migrations)
    await clock.make_movable(database)
    await set_clock(database, BEGINS_AT)
    await housekeeping.make_partitions(database)
    await database.close()
    await admin.execute(f'alter database "{half}" rename to "{name}"')


async def _let_in_quickly(url: str) -> None:
    """The same password, hashed once: proving to know it took each connection longer than all else. (PostgreSQL 16)"""
    parts = urlsplit(url)
    with _Locked(f"pabal-password-{digest(url)}"):
        admin = await asyncpg.connect(url)
        try:
            if admin.get_server_version().major >= 16:
                await admin.execute("set scram_iterations = 1")
                await admin.execute(f"alter role {parts.username} password '{unquote(parts.password or '')}'")
        finally:
            await admin.close()


def _enter(session: Path) -> Path:
    """Where the cluster is; the first to come chooses for all."""
    users, place = session / "cluster-users", session / "cluster-place"
    with _Locked(f"pabal-users-{digest(session)}"):
        users.write_text(str(int(users.read_text()) + 1 if users.exists() else 1))
        if not place.exists():
            place.write_text(str(prefer_memory(session / "cluster")))
    return Path(place.read_text())


def _is_last(session: Path) -> bool:
    users = session / "cluster-users"
    with _Locked(f"pabal-users-{digest(session)}"):
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
