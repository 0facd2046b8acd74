"""The film of a finished render, with ranges so that a player can seek, and pictures of it."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import Path, Query
from fastapi.responses import Response, StreamingResponse

from pabal.apps.rendering.api.jobs import find_render
from pabal.apps.rendering.api.readings import JobId, noun
from pabal.apps.rendering.delivering import Picture, find_film, find_picture
from pabal.apps.rendering.model.renders import Render
from pabal.platform.storage import Span
from pabal.platform.web.etags import is_known
from pabal.platform.web.identify import Visitor
from pabal.platform.web.ranges import disposition, headers_of, read_span

router = noun()
VIDEO, JPEG, WEBP = "video/mp4", "image/jpeg", "image/webp"
_TYPES = {".mp4": VIDEO, ".mov": "video/quicktime", ".webm": "video/webm"}
_BYTES = {"schema": {"type": "string", "format": "binary"}}
_FILM: dict[str, Any] = {VIDEO: _BYTES}
_PICTURE: dict[str, Any] = {JPEG: _BYTES, WEBP: _BYTES}
WHICH = "Which picture; sheet is all three side by side, loop two seconds from the middle that play for ever."
Which = Annotated[Picture, Path(description=WHICH, examples=["middle"])]
AsFile = Annotated[Literal["inline", "attachment"], Query(description="To look at it, or to keep it.")]


@router.get("/jobs/{id}/video", response_class=Response, responses={200: {"content": _FILM}, 206: {"content": _FILM}})
async def get_render_video(visit: Visitor, id: JobId, show: AsFile = "inline") -> Response:
    """Sends the finished film, or with a Range header a part of it."""
    async with visit.read() as tx:
        render = await find_render(tx, visit, id)
    film = await find_film(visit.services, render)
    tag = f'"{film.tag}"'
    if is_known(visit, tag):
        return Response(status_code=304, headers={"ETag": tag})
    span = read_span(visit, film.size, tag)
    content = film.read(Span() if span is None else span)
    named = {"ETag": tag, "Content-Disposition": disposition(show, film.path.name)}
    headers = named | headers_of(content, is_part=span is not None)
    media = _TYPES.get(film.path.suffix.lower(), VIDEO)
    return StreamingResponse(content.chunks, 200 if span is None else 206, headers, media_type=media)


@router.get("/jobs/{id}/pictures/{which}", response_class=Response, responses={200: {"content": _PICTURE}})
async def get_render_picture(visit: Visitor, id: JobId, which: Which) -> Response:
    """Sends the first, middle or last picture of the finished film, all three side by side, or two seconds of it."""
    async with visit.read() as tx:
        render = await find_render(tx, visit, id)
    tag = f'"{_stem(render)}-{which}"'
    if is_known(visit, tag):
        return Response(status_code=304, headers={"ETag": tag})
    path = await find_picture(visit.services, render, which)
    content = await asyncio.to_thread(path.read_bytes)
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    return Response(content, headers=headers, media_type=WEBP if path.suffix == ".webp" else JPEG)


def _stem(render: Render) -> str:
    return (render.output_sha256 or "none")[:24]
