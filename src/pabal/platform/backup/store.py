"""The table of backups."""

from collections.abc import Sequence

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.backup.model import Backup, BackupNotFound

SQL = load(__file__)
NEWEST = 2**63 - 1
ALL = 100_000


async def begin_backup(
    tx: Tx, job_id: int, *, requested_by: str | None, host: str, folder: str, file: str
) -> Backup:  # long: the five things known before it is taken, and the transaction
    given = {"job_id": job_id, "requested_by": requested_by, "host": host, "folder": folder, "file": file}
    [begun] = await tx.all(Backup, SQL.begin_backup, **given, now=tx.now)
    return begun


async def end_backup(tx: Tx, backup_id: int, *, size: int, sha256: str, counts: dict[str, int]) -> Backup:
    await tx.run(SQL.end_backup, id=backup_id, now=tx.now, size=size, sha256=sha256, counts=counts)
    return await get_backup(tx, backup_id)


async def fail_backup(tx: Tx, job_id: int, reason: str) -> Backup | None:
    """None when there is none of this job, or it has ended."""
    return await tx.one(Backup, SQL.fail_backup, job_id=job_id, now=tx.now, reason=reason)


async def write_check(tx: Tx, backup_id: int, *, result: str, detail: str) -> Backup | None:
    """None when the backup was deleted meanwhile."""
    return await tx.one(Backup, SQL.write_check, id=backup_id, now=tx.now, result=result, detail=detail)


async def get_backup(tx: Tx, backup_id: int) -> Backup:
    found = await tx.one(Backup, SQL.find_backup, id=backup_id)
    if found is None:
        raise BackupNotFound(str(backup_id))
    return found


async def find_newest_good(tx: Tx) -> Backup | None:
    """The newest that succeeded and that no check found bad."""
    return await tx.one(Backup, SQL.find_newest_good)


async def list_all(tx: Tx) -> list[Backup]:
    return await list_page(tx, before=NEWEST, limit=ALL)


async def list_page(tx: Tx, *, before: int, limit: int) -> list[Backup]:
    """Newest first."""
    return await tx.all(Backup, SQL.list_backups, before=before, most=limit)


async def list_files(tx: Tx) -> list[str]:
    return [row["file"] for row in await tx.rows(SQL.list_files)]


async def delete_backups(tx: Tx, ids: Sequence[int]) -> None:
    await tx.run(SQL.delete_backups, ids=list(ids))
