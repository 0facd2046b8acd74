"""Files of messages: images that were uploaded, and finished months of deliveries."""

from typing import Annotated, Any

from fastapi import Path
from fastapi.responses import Response, StreamingResponse

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import reports
from pabal.apps.messaging.api.parts import AREA, BASE, may_read, noun
from pabal.apps.messaging.errors import NoPicture
from pabal.apps.messaging.model.content import Picture
from pabal.apps.messaging.resources.images import ImageView, view_image
from pabal.apps.messaging.resources.statistics import MessageArchiveView, archive_of
from pabal.apps.messaging.store.templates import get_picture_file
from pabal.platform import storage
from pabal.platform.actor import Right
from pabal.platform.settings import value
from pabal.platform.storage import Content, File, Upload, UploadLimits
from pabal.platform.tenants import visible_to
from pabal.platform.web.endpoints import long_id
from pabal.platform.web.etags import answer_one, is_known
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, answer_all, answer_json
from pabal.platform.web.uploads import FilePart, PartLimits, UploadOrg, read_parts
from pabal.platform.web.visit import Visit

router = noun()
ImageId = Annotated[int, *long_id("file"), Path(description="The image's id.")]
MB = 1024 * 1024
# more than any setting allows: a picture that is too large is told so, instead of the whole upload
MOST_BODY = 100 * MB
_FIELD = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}
_BODY = {"required": True, "content": {"multipart/form-data": {"schema": _FIELD}}}
_BINARY: dict[str, Any] = {
    f"image/{kind}": {"schema": {"type": "string", "format": "binary"}} for kind in ("jpeg", "png", "gif")
}
_PICTURE: dict[str, Any] = {"image/webp": {"schema": {"type": "string", "format": "binary"}}}


@router.post("/images", response_model=model_of(ImageView), status_code=201, openapi_extra={"requestBody": _BODY})
async def upload_image(visit: Visitor, org: UploadOrg = None) -> Response:
    """Uploads one JPG, PNG or GIF for a message. Once nothing refers to it, it stays for a day."""
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        most = await value(tx, settings.MAX_IMAGE_BYTES) * MB
    made: File | None = None
    async for part in read_parts(visit.request, PartLimits(MOST_BODY, max_parts=5)):
        if made is None and isinstance(part, FilePart):
            made = await _accept(visit, part, UploadLimits(max_bytes=most))
    if made is None:
        raise NoPicture
    return answer_json(_show(made), 201, {"Location": f"{BASE}/images/{made.shown_id}"})


@router.get("/images/{id}", response_model=model_of(ImageView))
async def get_image(visit: Visitor, id: ImageId) -> Response:
    """Says what is known about an image."""
    return answer_one(visit, _show(await _find(visit, id)))


@router.get("/images/{id}/content", response_class=Response, responses={200: {"content": _BINARY}})
async def get_image_content(visit: Visitor, id: ImageId) -> Response:
    """Sends an image as it was uploaded."""
    file = await _find(visit, id)
    tag = f'"{file.sha256[:32]}"'
    if is_known(visit, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return _stream(await storage.read(visit.services.files, file), tag, file.media_type)


@router.get("/images/{id}/thumbnail", response_class=Response, responses={200: {"content": _PICTURE}})
async def get_image_thumbnail(visit: Visitor, id: ImageId) -> Response:
    """Sends a small picture of an image."""
    file = await _find(visit, id)
    tag = f'"t{file.sha256[:31]}"'
    if is_known(visit, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return _stream(await storage.read_thumbnail(visit.services.files, file), tag, storage.THUMBNAIL_MEDIA_TYPE)


async def _accept(visit: Visit, part: FilePart, limits: UploadLimits) -> File:
    services = visit.services
    upload = Upload(part.chunks, part.filename, visit.scope.unit_id, area=AREA)
    return await storage.accept_image(services.changes, services.files, visit.actor, upload, limits)


async def _find(visit: Visit, file_id: int) -> File:
    may_read(visit)
    async with visit.read() as tx:
        return await get_picture_file(tx, await visible_to(tx, visit.actor), file_id)


def _stream(content: Content, tag: str, media_type: str) -> Response:
    headers = {
        "ETag": tag,
        "Content-Length": str(content.end - content.start),
        "Cache-Control": "private, no-cache",
        # what somebody uploaded is shown, never run
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return StreamingResponse(content.chunks, 200, headers, media_type=media_type)


def _show(file: File) -> ImageView:
    picture = Picture(
        file.id, file.name, file.media_type, file.size, file.width or 0, file.height or 0, file.frames or 1
    )
    return view_image(picture)


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
        found = [MessageArchiveView(**archive_of(one)) for one in await reports.list_months(tx, visit.actor)]
    return answer_all(found)


@router.get("/archives/{month}", response_class=Response, responses={200: {"content": _PACKED}})
async def get_message_archive(visit: Visitor, month: Month) -> Response:
    """Sends the deliveries of a month: gzipped JSON lines, one a delivery, with the fields of the seed's send logs."""
    async with visit.read() as tx:
        file = (await reports.get_month(tx, visit.actor, month)).file
    tag = f'"{file.sha256[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    content = await storage.read(visit.services.files, file)
    headers["Content-Length"] = str(content.size)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return StreamingResponse(content.chunks, 200, headers, media_type=GZIP)
