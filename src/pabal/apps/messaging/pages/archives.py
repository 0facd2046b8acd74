"""The archive of the send logs: finished months as files. They hold everybody's sends: the house's alone."""

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import archives as actions
from pabal.apps.messaging.jobs.archive import ARCHIVE
from pabal.engine import listing
from pabal.engine.listing import schedules
from pabal.platform import settings, storage
from pabal.platform.web.identify import Visitor

router = APIRouter(prefix="/messages/deliveries/archives", include_in_schema=False)


@router.get("")
async def archives(visit: Visitor) -> Response:
    async with visit.read() as tx:
        months = await actions.list_months(tx, visit.actor)
        planned = await listing.list_schedules(tx, schedules.Wanted(units=None, kind=ARCHIVE), limit=1)
        kept = await settings.value(tx, own.KEEP_LOGS)
    return await visit.show(
        "messaging/archives.html",
        months=months,
        next_at=planned.items[0].next_at if planned.items else None,
        days=kept.days,
    )


@router.get("/{month}")
async def download(visit: Visitor, month: str) -> Response:
    async with visit.read() as tx:
        file = (await actions.get_month(tx, visit.actor, month)).file
    content = await storage.read(visit.services.files, file)
    headers = {"Content-Length": str(content.size), "Content-Disposition": f'attachment; filename="{file.name}"'}
    return StreamingResponse(content.chunks, 200, headers, media_type="application/gzip")
