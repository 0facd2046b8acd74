"""Takes a dump and counts, in the same snapshot, what it must bring back."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from pabal.base import embedded
from pabal.base.database import Connection, Database
from pabal.base.sql import load

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
