"""Applies numbered .sql files once, in order, under a lock. Forward only; each owner numbers its own."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pabal.base.database import Connection, Database
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit

SQL = load(__file__)
BASE = Path(__file__).parent / "migrations"

declare("migrations.applied", "Migrations applied", labels=("owner",))


class MigrationChanged(Conflict):
    """A migration that was already applied has another text now. Put the old text back and add a new migration."""


class MigrationMisnamed(Invalid):
    """Migrations are numbered without gaps: 0001_first.sql, 0002_second.sql, …"""


@dataclass(frozen=True)
class Migration:
    owner: str
    number: int
    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def read_migrations(owner: str, folder: Path) -> list[Migration]:
    found = [_read(owner, path) for path in sorted(folder.glob("*.sql"))]
    for expected, migration in enumerate(found, start=1):
        if migration.number != expected:
            raise MigrationMisnamed(f"{owner}: expected {expected:04}, found {migration.name}")
    return found


async def migrate(database: Database, migrations: Sequence[Migration]) -> list[Migration]:
    """Brings the schema up to date; answers what it applied. Servers that start together wait for one another."""
    connection = await database.connect(timeout=None)
    try:
        async with connection.transaction():
            await connection.execute(SQL.lock_migrations.text)
            await connection.execute(SQL.create_ledger.text)
            return await _apply_missing(connection, migrations)
    finally:
        await connection.close()


async def find_missing(database: Database, migrations: Sequence[Migration]) -> list[Migration]:
    """What `migrate` would apply. Writes nothing."""
    connection = await database.connect()
    try:
        rows = await connection.fetch(SQL.list_applied.text) if await connection.fetchval(SQL.has_ledger.text) else []
    finally:
        await connection.close()
    applied = {(row["owner"], row["number"]) for row in rows}
    return [migration for migration in migrations if (migration.owner, migration.number) not in applied]


async def _apply_missing(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    rows = await connection.fetch(SQL.list_applied.text)
    applied = {(row["owner"], row["number"]): row["checksum"] for row in rows}
    missing = []
    for migration in migrations:
        known = applied.get((migration.owner, migration.number))
        if known is None:
            await _apply(connection, migration)
            missing.append(migration)
        elif known != migration.checksum:
            raise MigrationChanged(f"{migration.owner} {migration.name}")
    return missing


async def _apply(connection: Connection, migration: Migration) -> None:
    await connection.execute(migration.text)
    values = {
        "owner": migration.owner,
        "number": migration.number,
        "name": migration.name,
        "checksum": migration.checksum,
    }
    await connection.execute(SQL.insert_applied.text, *SQL.insert_applied.arguments(values))
    emit("migrations.applied", owner=migration.owner, migration=migration.name)


def _read(owner: str, path: Path) -> Migration:
    number, _, _ = path.stem.partition("_")
    if not number.isdigit():
        raise MigrationMisnamed(f"{owner}: {path.name}")
    return Migration(owner, int(number), path.stem, path.read_text(encoding="utf-8"))
