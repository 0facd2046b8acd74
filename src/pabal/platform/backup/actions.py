"""What people may ask for. A backup holds everything, so only people of the head office may."""

from pathlib import Path

from pabal.base.database import Tx
from pabal.engine import queue
from pabal.engine.queue import Enqueued, NewJob
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.backup import store
from pabal.platform.backup.dumping import list_strays
from pabal.platform.backup.jobs import check_job
from pabal.platform.backup.model import AREA, Backup, BackupNotWhole
from pabal.platform.backup.plan import ABOUT, LANE, TAKE
from pabal.platform.tenants import require_house


async def back_up_now(tx: Tx, actor: Actor) -> Enqueued:
    """One more backup, now; the one that was asked for already if it has not ended."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    asked = await queue.enqueue(tx, NewJob(TAKE, {"by": actor.name}, key="now", lane=LANE, about=ABOUT))
    if asked.is_new:
        await audit.record(tx, actor, "backup.take", str(asked))
    return asked


async def check_now(tx: Tx, actor: Actor, backup_id: int) -> Enqueued:
    """Brings it back into a scratch database; what came of it is in the backup's row."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    backup = await store.get_backup(tx, backup_id)
    if not backup.is_whole:
        raise BackupNotWhole(str(backup_id))
    asked = await queue.enqueue(tx, check_job(backup))
    if asked.is_new:
        await audit.record(tx, actor, "backup.check", f"backup:{backup_id}", after={"file": backup.file})
    return asked


async def list_backups(tx: Tx, actor: Actor, *, before: int = store.NEWEST, limit: int = 50) -> list[Backup]:
    """Newest first; the next page is before the last one's id."""
    await require_house(tx, actor, Right.READ, AREA)
    return await store.list_page(tx, before=before, limit=limit)


async def list_stray_files(tx: Tx, actor: Actor, folder: Path) -> list[Path]:
    """Files in this server's folder that no row knows, such as one copied there by hand."""
    await require_house(tx, actor, Right.READ, AREA)
    return list_strays(folder, await store.list_files(tx))
