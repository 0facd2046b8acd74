"""Archives: finished months of deliveries, put away in the file store. They hold everybody's: the house's alone."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from pabal.apps.messaging.actions import archives
from pabal.apps.messaging.api.parts import BASE, Shown, noun
from pabal.platform import storage
from pabal.platform.web.etags import is_known
from pabal.platform.web.identify import Visitor
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


class MessageArchiveShown(Shown):
    """A month is one in Seoul. `link` is where its deliveries are, as gzipped JSON lines of `size` bytes."""

    month: str = Field(examples=["2026-10"])
    deliveries: int = Field(examples=[48210])
    made_at: datetime
    size: int = Field(examples=[1048576])
    link: str = Field(examples=[f"{BASE}/archives/2026-10"])


@router.get("/archives", response_model=Page[MessageArchiveShown])
async def list_message_archives(visit: Visitor) -> Response:
    """Lists the months of deliveries that were put away, the newest first. Only administrators of the head office."""
    async with visit.read() as tx:
        found = [_show(one) for one in await archives.list_months(tx, visit.actor)]
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


def _show(month: archives.Month) -> MessageArchiveShown:
    return MessageArchiveShown(
        month=month.name,
        deliveries=month.archive.deliveries,
        made_at=month.archive.made_at,
        size=month.file.size,
        link=f"{BASE}/archives/{month.name}",
    )
