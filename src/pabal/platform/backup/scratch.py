"""The restore check: a dump is brought back into a scratch database beside the real one, looked at, and dropped."""

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pabal.base import embedded
from pabal.base.database import Connection, Database, DatabaseError
from pabal.base.errors import PabalError
from pabal.base.migrations import Migration, migrate
from pabal.base.sql import load
from pabal.platform.backup.dumping import PATIENCE, count_tables
from pabal.platform.backup.model import ScratchForbidden

SQL = load(__file__)
_NO_PRIVILEGE = "42501"


async def find_faults(
    database: Database, source: Path, counts: Mapping[str, int], migrations: Sequence[Migration]
) -> list[str]:
    """What is not as it was when the dump was taken; nothing: it would bring everything back."""
    async with scratch(database) as url:
        try:
            await embedded.restore(url, source, replace=False)
        except embedded.RestoreFailed as error:
            return [str(error)]
        restored = await Database.open(url, size=1)
        try:
            return await _look(restored, counts) or await _try_migrations(restored, migrations)
        finally:
            await restored.close()


@asynccontextmanager
async def scratch(database: Database) -> AsyncIterator[str]:
    """The address of an empty database, dropped afterwards whatever happens; leftovers of a crash are swept first."""
    connection = await database.connect()
    try:
        await sweep(connection)
        try:
            yield beside(database.url, await _make(connection))
        finally:
            await sweep(connection)
    finally:
        await connection.close()


async def sweep(connection: Connection) -> None:
    for row in await connection.fetch(SQL.list_scratch.text):
        await connection.execute(row["drop"], timeout=PATIENCE)


def beside(url: str, name: str) -> str:
    """The address of another database on the same server."""
    address, _, query = url.partition("?")
    scheme, _, rest = address.partition("://")
    kept = [part for part in query.split("&") if part and part.partition("=")[0] not in ("dbname", "database")]
    return f"{scheme}://{rest.partition('/')[0]}/{name}" + ("?" + "&".join(kept) if kept else "")


async def _make(connection: Connection) -> str:
    [made] = await connection.fetch(SQL.describe_scratch.text, secrets.token_hex(4))
    try:
        await connection.execute(made["create"], timeout=PATIENCE)
    except DatabaseError as error:
        if error.sqlstate == _NO_PRIVILEGE:
            raise ScratchForbidden(str(error)) from error
        raise
    name: str = made["name"]
    return name


async def _look(restored: Database, counts: Mapping[str, int]) -> list[str]:
    connection = await restored.connect()
    try:
        found = await count_tables(connection)
        broken = await connection.fetch(SQL.list_faults.text, timeout=PATIENCE)
    finally:
        await connection.close()
    differ = [name for name in sorted({*counts, *found}) if counts.get(name) != found.get(name)]
    faults = [f"{name}: {found.get(name)} rows instead of {counts.get(name)}" for name in differ]
    return faults + [f"{row['fault']}: {row['number']}" for row in broken if row["number"]]


async def _try_migrations(restored: Database, migrations: Sequence[Migration]) -> list[str]:
    """As the first start after a recovery would."""
    try:
        await migrate(restored, migrations)
    except PabalError as error:
        return [f"migrations: {error.code}: {error}"]
    except DatabaseError as error:
        return [f"migrations: {error}"]
    return []
