"""Takes a dump and counts, in the same snapshot, what it must bring back; the restore check proves that it does."""

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from pabal.base import embedded
from pabal.base.database import Connection, Database, DatabaseError
from pabal.base.errors import PabalError
from pabal.base.migrations import Migration, migrate
from pabal.base.sql import load
from pabal.platform.backup.model import ScratchForbidden

SQL = load(__file__)

# Counting a large table takes its time.
PATIENCE = 3600.0
LOOK = 1.0
Report = Callable[[dict[str, int]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Dumped:
    size: int
    sha256: str
    counts: dict[str, int]


async def dump(database: Database, target: Path, report: Report) -> Dumped:
    """The transaction stays open while pg_dump reads: a snapshot lives only as long as the one who shares it."""
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    connection = await database.connect()
    try:
        async with connection.transaction(isolation="repeatable_read", readonly=True):
            snapshot = await connection.fetchval(SQL.export_snapshot.text)
            counts = await count_tables(connection)
            await _watched(embedded.backup(database.url, target, snapshot=snapshot), target, report)
    finally:
        await connection.close()
    return Dumped(target.stat().st_size, await checksum(target), counts)


async def count_tables(connection: Connection) -> dict[str, int]:
    rows = await connection.fetch(SQL.count_tables.text, timeout=PATIENCE)
    return {row["name"]: row["number"] for row in rows}


async def checksum(path: Path) -> str:
    return await asyncio.to_thread(_checksum, path)


def sweep_partials(folder: Path) -> None:
    """What a process that was killed had begun to write. Only one backup runs at a time."""
    for left in folder.glob(".pabal-*.dump.*.partial"):
        left.unlink(missing_ok=True)


def list_strays(folder: Path, known: Iterable[str]) -> list[Path]:
    """Files here that the table does not know: left alone, but shown."""
    if not folder.is_dir():
        return []
    names = set(known)
    return sorted(path for path in folder.iterdir() if path.is_file() and path.name not in names)


async def _watched(work: Awaitable[None], target: Path, report: Report) -> None:
    doing = asyncio.ensure_future(work)
    try:
        while not doing.done():
            await asyncio.wait({doing}, timeout=LOOK)
            await report({"bytes": _written(target)})
    finally:
        # Cancelled with us, and gone before we are: it holds a process and a file.
        doing.cancel()
        await asyncio.wait({doing})
    doing.result()


def _written(target: Path) -> int:
    if target.exists():
        return target.stat().st_size
    return sum(path.stat().st_size for path in target.parent.glob(f".{target.name}.*.partial"))


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
