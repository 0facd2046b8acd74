"""Backups: the last good one, what was taken when, whether it was proven by restoring it; take one, check one."""

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from pabal.engine import ids, listing
from pabal.engine.listing import schedules
from pabal.platform import backup, settings
from pabal.platform.actor import Right
from pabal.platform.backup import AREA, Backup
from pabal.platform.tenants import require_house
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId

router = APIRouter()
PAGE = 30
LATE = timedelta(hours=26)


@router.get("/backup")
async def backups(visit: Visitor, before: Annotated[int | None, Query(ge=0)] = None) -> Response:
    async with visit.read() as tx:
        await require_house(tx, visit.actor, Right.READ, AREA)
        more = {} if before is None else {"before": before}
        found = await backup.list_backups(tx, visit.actor, limit=PAGE + 1, **more)
        newest = await backup.find_newest_good(tx)
        values = [await settings.get_setting(tx, setting) for setting in backup.SETTINGS]
        planned = await listing.list_schedules(tx, schedules.Wanted(units=None, kind=backup.TAKE), limit=1)
        folder = visit.services.settings.data_dir / "backups"
        strays = await backup.list_stray_files(tx, visit.actor, folder)
    return await visit.show(
        "backup.html",
        backups=found[:PAGE],
        newest=newest,
        is_late=_is_late(newest, visit.now) if newest else any(one.ending == "failed" for one in found),
        values=values,
        next_at=planned.items[0].next_at if planned.items else None,
        strays=[file.name for file in strays],
        folder=folder,
        job=lambda number: ids.show("job", number),
        pager={"next": f"/backup?before={found[PAGE - 1].id}" if len(found) > PAGE else None},
        live_topics="backup.*",
    )


@router.post("/backup/take")
async def take(visit: Visitor) -> Response:
    async with visit.change() as tx:
        asked = await backup.back_up_now(tx, visit.actor)
    return visit.go(f"/jobs/{asked}", said=("The backup is under way.", "백업을 시작했습니다."))


@router.post("/backup/{backup_id}/check")
async def check(visit: Visitor, backup_id: RowId) -> Response:
    async with visit.change() as tx:
        asked = await backup.check_now(tx, visit.actor, backup_id)
    return visit.go(f"/jobs/{asked}", said=("The restore check is under way.", "복원 확인을 시작했습니다."))


def _is_late(newest: Backup, now: datetime) -> bool:
    return newest.ended_at is None or now - newest.ended_at > LATE
