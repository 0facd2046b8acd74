"""Backups: taken, kept and proven."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Number, Shown, answer, by_id, fill, noun, read_id
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.platform import backup
from pabal.platform.backup import Backup
from pabal.platform.web.filters import Paged
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list

router = noun("backups")


class BackupShown(Shown):
    """`ending` is null while it runs; `check_result` is good, bad or failed."""

    id: int = Field(examples=[4])
    job: str = Field(examples=["job_01h2xcejqtf2n"])
    requested_by: str | None = Field(examples=["user:12"])
    host: str = Field(examples=["server-1"])
    file: str = Field(examples=["pabal-20260703-030000.dump"])
    started_at: datetime
    ended_at: datetime | None
    ending: str | None = Field(examples=["done"])
    reason: str | None = Field(examples=[None])
    size: int | None = Field(examples=[1048576])
    sha256: str | None = Field(examples=["9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"])
    checked_at: datetime | None
    check_result: str | None = Field(examples=["good"])
    check_detail: str | None = Field(examples=[None])


class BackupAsked(Shown):
    """The job that does it."""

    job: str = Field(examples=["job_01h2xcejqtf2n"])
    is_new: bool = Field(description="False: it was asked for already and has not ended.", examples=[True])


@router.get("/backups", response_model=Page[BackupShown])
async def list_backups(visit: Visitor, wanted: Annotated[Paged, Query()]) -> Response:
    """Lists backups, the newest first. They hold everything: only people of the head office see them."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Backup]:
        found = await backup.list_backups(tx, visit.actor, before=read_id(cursor), limit=limit + 1)
        return by_id(found, limit, lambda one: one.id)

    return await answer_list(visit, wanted, Source("backups", BackupShown, load, _show))


@router.post("/backups", response_model=BackupAsked, status_code=202)
async def take_backup(visit: Visitor, once: OnceOnly) -> Response:
    """Takes a backup now."""

    async def act(tx: Tx) -> Response:
        asked = await backup.back_up_now(tx, visit.actor)
        return answer(BackupAsked(job=str(asked), is_new=asked.is_new), 202, location=f"/jobs/{asked}")

    return await once.run(act)


@router.post("/backups/{id}/check", response_model=BackupAsked, status_code=202)
async def check_backup(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Brings a backup back into a scratch database, to prove that it can be."""

    async def act(tx: Tx) -> Response:
        asked = await backup.check_now(tx, visit.actor, id)
        return answer(BackupAsked(job=str(asked), is_new=asked.is_new), 202, location=f"/jobs/{asked}")

    return await once.run(act)


def _show(one: Backup) -> BackupShown:
    return fill(BackupShown, one, job=ids.show("job", one.job_id))
