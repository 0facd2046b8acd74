"""The tables of files and of what refers to them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.storage.model import File

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Kept:
    """How much lies in one store, as the rows say."""

    store: str
    files: int
    bytes: int


async def new_id(tx: Tx) -> int:
    made: int = await tx.value(SQL.new_id)
    return made


async def insert_file(tx: Tx, file: File, *, oldest: datetime, store: str) -> File | None:
    """None when its id was taken before `oldest`."""
    return await tx.one(
        File,
        SQL.insert_file,
        id=file.id,
        unit_id=file.unit_id,
        key=file.key,
        thumbnail_key=file.thumbnail_key,
        name=file.name,
        media_type=file.media_type,
        size=file.size,
        sha256=file.sha256,
        width=file.width,
        height=file.height,
        frames=file.frames,
        made_by=file.made_by,
        now=file.created_at,
        keep_until=file.keep_until,
        oldest=oldest,
        store=store,
    )


async def find_file(tx: Tx, file_id: int, units: list[int] | None) -> File | None:
    return await tx.one(File, SQL.find_file, id=file_id, units=units)


async def lock_file(tx: Tx, file_id: int) -> bool:
    """False when there is none, or it is doomed."""
    return await tx.value(SQL.lock_file, id=file_id) is not None


async def insert_use(tx: Tx, file_id: int, about: str) -> None:
    await tx.run(SQL.insert_use, file_id=file_id, about=about, now=tx.now)
    await tx.run(SQL.hold_file, id=file_id)


async def list_files(tx: Tx, file_ids: Collection[int], units: list[int] | None) -> list[File]:
    return await tx.all(File, SQL.list_files, ids=sorted(file_ids), units=units)


async def insert_uses(tx: Tx, uses: Collection[tuple[int, str]]) -> None:
    file_ids, abouts = [file_id for file_id, _ in uses], [about for _, about in uses]
    await tx.run(SQL.insert_uses, file_ids=file_ids, abouts=abouts, now=tx.now)


async def delete_uses(tx: Tx, abouts: Sequence[str]) -> None:
    await tx.run(SQL.delete_uses, abouts=list(abouts), now=tx.now)


async def delete_use(tx: Tx, file_id: int, about: str) -> None:
    await tx.run(SQL.delete_use, file_id=file_id, about=about)
    await tx.run(SQL.loosen_file, id=file_id, now=tx.now)


async def list_uses(tx: Tx, file_id: int) -> list[str]:
    return [row["about"] for row in await tx.rows(SQL.list_uses, file_id=file_id)]


async def doom_file(tx: Tx, file_id: int) -> None:
    await tx.run(SQL.doom_file, id=file_id, now=tx.now)


async def hand_over(tx: Tx, unit_ids: Sequence[int], heir: int) -> None:
    await tx.run(SQL.hand_over, units=list(unit_ids), heir=heir, now=tx.now)


async def doom_loose(tx: Tx, *, before: datetime, limit: int) -> int:
    return await tx.run(SQL.doom_loose, now=tx.now, before=before, most=limit)


async def list_doomed(tx: Tx, *, limit: int) -> list[File]:
    return await tx.all(File, SQL.list_doomed, most=limit)


async def delete_doomed(tx: Tx, file_ids: list[int]) -> int:
    return await tx.run(SQL.delete_doomed, ids=file_ids)


async def list_strays(tx: Tx, file_ids: list[int], *, before: datetime) -> set[int]:
    return {row["id"] for row in await tx.rows(SQL.list_strays, ids=file_ids, before=before)}


async def list_to_move(tx: Tx, store: str, *, after: int, limit: int) -> list[File]:
    """Those whose row points elsewhere, by id."""
    return await tx.all(File, SQL.list_to_move, store=store, after=after, most=limit)


async def point_to(tx: Tx, file_id: int, store: str) -> bool:
    """False when it was removed meanwhile."""
    return await tx.run(SQL.point_to, id=file_id, store=store) > 0


async def list_moved(tx: Tx, file_ids: list[int], store: str) -> set[int]:
    return {row["id"] for row in await tx.rows(SQL.list_moved, ids=file_ids, store=store)}


async def count_by_store(tx: Tx) -> list[Kept]:
    return await tx.all(Kept, SQL.count_by_store)
