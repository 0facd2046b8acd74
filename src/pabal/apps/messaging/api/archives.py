"""Archives: finished months of deliveries, put away in the file store. They hold everybody's: the house's alone."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from pabal.apps.messaging.api.parts import AREA, BASE, Shown, noun
from pabal.apps.messaging.errors import ArchiveNotFound
from pabal.apps.messaging.store.archives import Archive, list_archives
from pabal.base.database import Tx
from pabal.platform import storage
from pabal.platform.actor import Right
from pabal.platform.storage import File
from pabal.platform.tenants import require_house, visible_to
from pabal.platform.web.etags import is_known
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all
from pabal.platform.web.visit import Visit

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
async def list_message_archives(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the months of deliveries that were put away, the newest first. Only administrators of the head office."""
    async with visit.read() as tx:
        found = [_show(one, await _get_file(tx, visit, one)) for one in await _list(tx, visit)]
    return answer_all(found[::-1])


@router.get("/archives/{month}", response_class=Response, responses={200: {"content": _PACKED}})
async def get_message_archive(visit: Visitor, month: Month) -> Response:
    """Sends the deliveries of a month: gzipped JSON lines, one a delivery, with the fields of the seed's send logs."""
    async with visit.read() as tx:
        file = await _find(tx, visit, month)
    tag = f'"{file.sha256[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    content = await storage.read(visit.services.files, file)
    headers["Content-Length"] = str(content.size)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return StreamingResponse(content.chunks, 200, headers, media_type=GZIP)


async def _list(tx: Tx, visit: Visit) -> list[Archive]:
    await require_house(tx, visit.actor, Right.MANAGE, AREA)
    return await list_archives(tx)


async def _find(tx: Tx, visit: Visit, month: str) -> File:
    for one in await _list(tx, visit):
        if f"{one.month:%Y-%m}" == month:
            return await _get_file(tx, visit, one)
    raise ArchiveNotFound(month)


async def _get_file(tx: Tx, visit: Visit, archive: Archive) -> File:
    return await storage.get_file(tx, await visible_to(tx, visit.actor), archive.file_id)


def _show(archive: Archive, file: File) -> MessageArchiveShown:
    month = f"{archive.month:%Y-%m}"
    return MessageArchiveShown(
        month=month,
        deliveries=archive.deliveries,
        made_at=archive.made_at,
        size=file.size,
        link=f"{BASE}/archives/{month}",
    )
