"""Backups: taken, kept and proven."""

from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Number, Shown, answer, noun
from pabal.base.database import Tx
from pabal.platform import backup
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.rest import DryRun, rest
from pabal.resources.backups import BACKUP

router = noun("backups")
rest(router, BACKUP)


class BackupAsked(Shown):
    """The job that does it."""

    job: str = Field(examples=["job_01h2xcejqtf2n"])
    is_new: bool = Field(description="False: it was asked for already and has not ended.", examples=[True])


@router.post("/backups", response_model=BackupAsked, status_code=202)
async def take_backup(visit: Visitor, once: OnceOnly, dry_run: DryRun = False) -> Response:
    """Takes a backup now."""

    async def act(tx: Tx) -> Response:
        asked = await backup.back_up_now(tx, visit.actor)
        return answer(BackupAsked(job=str(asked), is_new=asked.is_new), 202, location=f"/jobs/{asked}")

    return await once.run(act, dry_run=dry_run)


@router.post("/backups/{id}/check", response_model=BackupAsked, status_code=202)
async def check_backup(visit: Visitor, once: OnceOnly, id: Number, dry_run: DryRun = False) -> Response:
    """Brings a backup back into a scratch database, to prove that it can be."""

    async def act(tx: Tx) -> Response:
        asked = await backup.check_now(tx, visit.actor, id)
        return answer(BackupAsked(job=str(asked), is_new=asked.is_new), 202, location=f"/jobs/{asked}")

    return await once.run(act, dry_run=dry_run)
