"""The archive of the send logs: finished months as files. They hold everybody's sends: the house's alone."""

from dataclasses import dataclass

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.errors import ArchiveNotFound
from pabal.apps.messaging.pages.listing import AREA
from pabal.apps.messaging.store.archives import Archive, list_archives
from pabal.base.database import Tx
from pabal.engine import listing
from pabal.engine.listing import schedules
from pabal.platform import settings, storage
from pabal.platform.actor import Right
from pabal.platform.storage import File
from pabal.platform.tenants import require_house, visible_to
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/deliveries/archives", include_in_schema=False)
KIND = "messaging.archive"


@dataclass(frozen=True, slots=True)
class Line:
    archive: Archive
    file: File

    @property
    def month(self) -> str:
        return f"{self.archive.month:%Y-%m}"


@router.get("")
async def archives(visit: Visitor) -> Response:
    async with visit.read() as tx:
        lines = await _list(tx, visit)
        planned = await listing.list_schedules(tx, schedules.Wanted(units=None, kind=KIND), limit=1)
        kept = await settings.value(tx, own.KEEP_LOGS)
    return await visit.show(
        "messaging/archives.html",
        lines=lines,
        next_at=planned.items[0].next_at if planned.items else None,
        days=kept.days,
    )


@router.get("/{month}")
async def download(visit: Visitor, month: str) -> Response:
    async with visit.read() as tx:
        found = [line.file for line in await _list(tx, visit) if line.month == month]
    if not found:
        raise ArchiveNotFound(month[:20])
    content = await storage.read(visit.services.files, found[0])
    headers = {
        "Content-Length": str(content.size),
        "Content-Disposition": f'attachment; filename="{found[0].name}"',
    }
    return StreamingResponse(content.chunks, 200, headers, media_type="application/gzip")


async def may_see_archives(tx: Tx, visit: Visit) -> bool:
    """For links: the pages themselves ask again."""
    return visit.actor.may(Right.MANAGE, AREA) and (await visible_to(tx, visit.actor)).units is None


async def _list(tx: Tx, visit: Visit) -> list[Line]:
    """The newest first."""
    await require_house(tx, visit.actor, Right.MANAGE, AREA)
    scope = await visible_to(tx, visit.actor)
    found = await list_archives(tx)
    return [Line(one, await storage.get_file(tx, scope, one.file_id)) for one in reversed(found)]
