"""Files: uploaded in pieces, checked, and served to those who may see them."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from pabal.api.parts import Asked, FileId, Shown, answer, may_read, no_content, noun
from pabal.base.errors import Invalid
from pabal.platform import storage
from pabal.platform.storage import File, Span, Upload, UploadLimits
from pabal.platform.storage.model import AREA
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, is_known
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.ranges import disposition, headers_of, read_span
from pabal.platform.web.uploads import FilePart, PartLimits, UploadOrg, read_parts
from pabal.platform.web.visit import Visit
from pabal.resources.files import FileView, view_file

router = noun("files")
LIMITS = UploadLimits()
MOST_BYTES = 100 * 1024 * 1024
_BODY = {
    "required": True,
    "content": {
        "multipart/form-data": {
            "schema": {
                "type": "object",
                "properties": {"file": {"type": "string", "format": "binary"}},
                "required": ["file"],
            }
        }
    },
}
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_CONTENT: dict[str, Any] = dict.fromkeys((*storage.MEDIA_TYPES.values(), storage.ANY_MEDIA_TYPE), _BYTES)
_PICTURE: dict[str, Any] = {storage.THUMBNAIL_MEDIA_TYPE: _BYTES}


class NoFile(Invalid, code="no_file"):
    """The upload holds no file. Send it as the field named file."""


class LinkToMake(Asked):
    expires_in: Annotated[int, Field(ge=1, le=7 * 86_400, description="Seconds.", examples=[60])] = 3600


class Link(Shown):
    """Only for files that are kept in a bucket."""

    url: str = Field(examples=["https://store.example.com/pabal/kept/01h/file_01h2xcejqtf2n?X-Amz-Signature=…"])
    expires_at: datetime


@router.post("/files", response_model=model_of(FileView), status_code=201, openapi_extra={"requestBody": _BODY})
async def upload_file(
    visit: Visitor,
    kind: Annotated[
        Literal["picture", "any"], Query(description="A picture is decoded to its end before it is kept.")
    ] = "picture",
    org: UploadOrg = None,
) -> Response:
    """Uploads one file. Once nothing refers to it, it stays for a day."""
    made: File | None = None
    async for part in read_parts(visit.request, PartLimits(MOST_BYTES + 65_536, max_parts=5)):
        if made is None and isinstance(part, FilePart):
            made = await _accept(visit, part, kind)
    if made is None:
        raise NoFile
    return answer(view_file(made), 201, location=f"/files/{made.shown_id}")


@router.get("/files/{id}", response_model=model_of(FileView))
async def get_file(visit: Visitor, id: FileId) -> Response:
    """Says what is known about a file."""
    return answer_one(visit, view_file(await _find(visit, id)))


@router.get(
    "/files/{id}/content", response_class=Response, responses={200: {"content": _CONTENT}, 206: {"content": _CONTENT}}
)
async def get_content(visit: Visitor, id: FileId) -> Response:
    """Sends a file's content, or with a Range header a part of it."""
    file = await _find(visit, id)
    tag = f'"{file.sha256[:32]}"'
    if is_known(visit, tag):
        return Response(status_code=304, headers={"ETag": tag})
    span = read_span(visit, file.size, tag)
    content = await storage.read(visit.services.files, file, Span() if span is None else span)
    named = disposition("inline" if file.width is not None else "attachment", file.name)
    headers = {"ETag": tag, "Content-Disposition": named, **headers_of(content, is_part=span is not None)}
    return StreamingResponse(content.chunks, 200 if span is None else 206, headers, media_type=file.media_type)


@router.get("/files/{id}/thumbnail", response_class=Response, responses={200: {"content": _PICTURE}})
async def get_thumbnail(visit: Visitor, id: FileId) -> Response:
    """Sends a small picture of a picture."""
    file = await _find(visit, id)
    tag = f'"t{file.sha256[:31]}"'
    if is_known(visit, tag):
        return Response(status_code=304, headers={"ETag": tag})
    content = await storage.read_thumbnail(visit.services.files, file)
    headers = {"ETag": tag, **headers_of(content, is_part=False)}
    return StreamingResponse(content.chunks, 200, headers, media_type=storage.THUMBNAIL_MEDIA_TYPE)


@router.post("/files/{id}/link", response_model=Link, status_code=201)
async def make_link(visit: Visitor, id: FileId, asked: LinkToMake) -> Response:
    """Makes an address of the file store that opens this one file to whoever has it, for a while."""
    lifetime = timedelta(seconds=asked.expires_in)
    file = await _find(visit, id)
    url = await storage.sign_link(visit.services.files, visit.actor, file, lifetime)
    made = answer(Link(url=url, expires_at=visit.now + lifetime), 201)
    made.headers["Cache-Control"] = "no-store"
    return made


@router.delete("/files/{id}", status_code=204)
async def remove_file(visit: Visitor, id: FileId) -> Response:
    """Removes a file that nothing refers to."""
    async with visit.change() as tx:
        await storage.remove_file(tx, visit.actor, id)
    return no_content()


async def _accept(visit: Visit, part: FilePart, kind: str) -> File:
    services = visit.services
    upload = Upload(part.chunks, part.filename, visit.scope.unit_id)
    if kind == "picture":
        return await storage.accept_image(services.changes, services.files, visit.actor, upload, LIMITS)
    return await storage.accept_file(services.changes, services.files, visit.actor, upload, max_bytes=MOST_BYTES)


async def _find(visit: Visit, file_id: int) -> File:
    may_read(visit, AREA)
    async with visit.read() as tx:
        return await storage.get_file(tx, await visible_to(tx, visit.actor), file_id)
