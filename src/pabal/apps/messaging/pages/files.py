"""Pictures on their own: one upload answered with its card, and the small picture of one."""

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from pabal.apps.messaging.errors import NoPicture
from pabal.apps.messaging.model.content import Picture
from pabal.apps.messaging.pages.listing import AREA
from pabal.apps.messaging.pages.reading import GROUPS
from pabal.apps.messaging.pages.receiving import PostedForm, accept, tell
from pabal.apps.messaging.pages.sheet import Limits, Refused, load_limits
from pabal.apps.messaging.store.pictures import get_picture_file
from pabal.base.errors import Invalid
from pabal.platform import storage
from pabal.platform.actor import Right
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import is_known
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId
from pabal.platform.web.uploads import FilePart
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages", include_in_schema=False)


@router.post("/files")
async def upload(posted: PostedForm) -> Response:
    """Always a card, so that a script has only one thing to put into the page: the picture, or why there is none."""
    visit = posted.visit
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        limits = await load_limits(tx)
    group, taken = GROUPS[0], None
    async for part in posted.parts:
        if isinstance(part, FilePart):
            taken = await _take(visit, part, group, limits)
        elif part.name == "group" and part.value in GROUPS:
            group = part.value
    if taken is None:
        raise NoPicture
    status = 422 if isinstance(taken, Refused) else 201
    return await visit.show("messaging/uploaded.html", status, group=group, taken=taken, is_bad=status == 422)


@router.get("/files/{file_id}/thumbnail")
async def thumbnail(visit: Visitor, file_id: RowId) -> Response:
    """Whoever sees a schedule or a template sees its pictures, whosever they are."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        file = await get_picture_file(tx, await visible_to(tx, visit.actor), file_id)
    tag = f'"t{file.sha256[:31]}"'
    headers = {"ETag": tag, "Cache-Control": "private, max-age=86400"}
    if is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    content = await storage.read_thumbnail(visit.services.files, file)
    headers["Content-Length"] = str(content.end - content.start)
    headers["Content-Security-Policy"] = "default-src 'none'; sandbox"
    return StreamingResponse(content.chunks, 200, headers, media_type=storage.THUMBNAIL_MEDIA_TYPE)


async def _take(visit: Visit, part: FilePart, group: str, limits: Limits) -> Picture | Refused:
    try:
        return await accept(visit, part, limits)
    except Invalid as error:
        announced = visit.request.headers.get("Content-Length", "")
        size = int(announced) if announced.isdigit() else None
        return Refused(group, part.filename, tell(error, limits, size), error.code)
