"""Applies numbered .sql files once, in order, under a lock. Forward only; each owner numbers its own."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pabal.base.database import Connection, Database
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit

SQL = load(__file__)
BASE = Path(__file__).parent / "migrations"
AMENDED = "amended"

declare("migrations.applied", "Migrations applied", labels=("owner",))
declare("migrations.amended", "Migrations applied in an earlier text and brought to today's", labels=("owner",))


class MigrationChanged(Conflict, code="migration_changed"):
    """A migration that was already applied has another text now. Put the old text back and add a new migration."""


class MigrationMisnamed(Invalid, code="migration_misnamed"):
    """Migrations are numbered without gaps: 0001_first.sql, 0002_second.sql, …"""


class DatabaseNewer(Conflict, code="database_newer"):
    """A newer version of Pabal or of an app has migrated this database, and this version does not know what it changed.
    Start the newer version here, or restore a backup that was taken before the upgrade."""


@dataclass(frozen=True)
class Migration:
    """`amendments` bring what an earlier text of this migration made to what today's makes, by that text's checksum.

    They are for the few that were edited after they had landed. That does not happen any more: a test in
    tests/architecture holds every file by its checksum.
    """

    owner: str
    number: int
    name: str
    text: str
    amendments: Mapping[str, str] = field(default_factory=dict, repr=False)

    def __str__(self) -> str:
        return f"{self.owner} {self.name}"

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Applied:
    """A row of the ledger."""

    owner: str
    number: int
    name: str
    checksum: str


@dataclass(frozen=True)
class Comparison:
    """How a database stands to the migrations of this code.

    `missing` are not applied yet; `amended` were applied in an earlier text that is known, `changed` in an unknown one.
    `newer` are unknown here though their owner is loaded; `unloaded` belong to apps that are not.
    """

    missing: tuple[Migration, ...]
    amended: tuple[Migration, ...]
    changed: tuple[Migration, ...]
    newer: tuple[str, ...]
    unloaded: tuple[str, ...]

    def refuse_unknown(self) -> None:
        """What this code must not begin to work on."""
        if self.newer:
            raise DatabaseNewer(", ".join(self.newer))
        if self.changed:
            raise MigrationChanged(", ".join(map(str, self.changed)))


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
            return await _bring_up_to_date(connection, migrations)
    finally:
        await connection.close()


async def compare(database: Database, migrations: Sequence[Migration]) -> Comparison:
    """What `migrate` would find. Writes nothing, and refuses nothing: a server that runs goes on beside a newer one."""
    connection = await database.connect()
    try:
        applied = await _list_applied(connection) if await connection.fetchval(SQL.has_ledger.text) else []
    finally:
        await connection.close()
    return compare_applied(applied, migrations)


def compare_applied(applied: Sequence[Applied], migrations: Sequence[Migration]) -> Comparison:
    """The same for a ledger that was read elsewhere: in a dump."""
    checksums = {(row.owner, row.number): row.checksum for row in applied}
    known = {(one.owner, one.number) for one in migrations}
    owners = {one.owner for one in migrations}
    other = [one for one in migrations if checksums.get((one.owner, one.number), one.checksum) != one.checksum]
    amended = [one for one in other if checksums[one.owner, one.number] in one.amendments]
    unknown = sorted((row.owner, row.name) for row in applied if (row.owner, row.number) not in known)
    return Comparison(
        missing=tuple(one for one in migrations if (one.owner, one.number) not in checksums),
        amended=tuple(amended),
        changed=tuple(one for one in other if one not in amended),
        newer=tuple(f"{owner} {name}" for owner, name in unknown if owner in owners),
        unloaded=tuple(f"{owner} {name}" for owner, name in unknown if owner not in owners),
    )


async def _bring_up_to_date(connection: Connection, migrations: Sequence[Migration]) -> list[Migration]:
    applied = await _list_applied(connection)
    found = compare_applied(applied, migrations)
    found.refuse_unknown()
    checksums = {(row.owner, row.number): row.checksum for row in applied}
    # Before the rest, which is written for what today's text makes.
    for migration in found.amended:
        await _amend(connection, migration, checksums[migration.owner, migration.number])
    for migration in found.missing:
        await _apply(connection, migration)
    return [*found.amended, *found.missing]


async def _list_applied(connection: Connection) -> list[Applied]:
    return [Applied(**row) for row in await connection.fetch(SQL.list_applied.text)]


async def _amend(connection: Connection, migration: Migration, earlier: str) -> None:
    await connection.execute(migration.amendments[earlier])
    await connection.execute(SQL.update_applied.text, *SQL.update_applied.arguments(_row_of(migration)))
    emit("migrations.amended", owner=migration.owner, migration=migration.name)


async def _apply(connection: Connection, migration: Migration) -> None:
    await connection.execute(migration.text)
    await connection.execute(SQL.insert_applied.text, *SQL.insert_applied.arguments(_row_of(migration)))
    emit("migrations.applied", owner=migration.owner, migration=migration.name)


def _row_of(migration: Migration) -> dict[str, Any]:
    return {
        "owner": migration.owner,
        "number": migration.number,
        "name": migration.name,
        "checksum": migration.checksum,
    }


def _read(owner: str, path: Path) -> Migration:
    number, _, _ = path.stem.partition("_")
    if not number.isdigit():
        raise MigrationMisnamed(f"{owner}: {path.name}")
    amendments = {
        one.stem.rpartition(".")[2]: one.read_text(encoding="utf-8")
        for one in sorted((path.parent / AMENDED).glob(f"{path.stem}.*.sql"))
    }
    return Migration(owner, int(number), path.stem, path.read_text(encoding="utf-8"), amendments)
