"""Archives: finished months of deliveries, put away in the file store. They hold everybody's: the house's alone."""

from typing import Annotated, Any

from fastapi import Path
from fastapi.responses import Response, StreamingResponse

from pabal.apps.messaging.actions import archives
from pabal.apps.messaging.api.parts import noun
from pabal.apps.messaging.resources.statistics import MessageArchiveView, archive_of
from pabal.platform import storage
from pabal.platform.web.etags import is_known
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all

router = noun()
GZIP = "application/gzip"
_PACKED: dict[str, Any] = {GZIP: {"schema": {"type": "string", "format": "binary"}}}
Month = Annotated[
    str,
    Path(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])$",
        description="The month, as clocks in Seoul have it.",
        examples=["2026-10"],
    ),
]


@router.get("/archives", response_model=Page[model_of(MessageArchiveView)])  # type: ignore[misc]  # made from the view
async def list_message_archives(visit: Visitor) -> Response:
    """Lists the months of deliveries that were put away, the newest first. Only administrators of the head office."""
    async with visit.read() as tx:
        found = [MessageArchiveView(**archive_of(one)) for one in await archives.list_months(tx, visit.actor)]
    return answer_all(found)


@router.get("/archives/{month}", response_class=Response, responses={200: {"content": _PACKED}})
async def get_message_archive(visit: Visitor, month: Month) -> Response:
    """Sends the deliveries of a month: gzipped JSON lines, one a delivery, with the fields of the seed's send logs."""
    async with visit.read() as tx:
        file = (await archives.get_month(tx, visit.actor, month)).file
    tag = f'"{file.sha256[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    content = await storage.read(visit.services.files, file)
    headers["Content-Length"] = str(content.size)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return StreamingResponse(content.chunks, 200, headers, media_type=GZIP)
