"""A posted form with files in it, also from a browser without a script: urlencoded, or multipart read as it comes."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass

from fastapi import Request

from pabal.platform.web.identify import CSRF_FIELD, CSRF_HEADER, check_csrf, find_visit, reopen_visit
from pabal.platform.web.problems import CsrfFailed
from pabal.platform.web.uploads import FilePart, FormField, PartLimits, read_parts
from pabal.platform.web.visit import Visit

SHORT = 1024 * 1024
_MULTIPART = "multipart/form-data"


@dataclass(frozen=True, slots=True)
class Posted:
    """`parts` come in the order they were sent; a file must be read before the next part is asked for."""

    visit: Visit
    parts: AsyncIterator[FormField | FilePart]


def open_posted(limits: PartLimits) -> Callable[[Request], Awaitable[Posted]]:
    """For a page's `Annotated[Posted, Depends(open_posted(LIMITS))]`, in the place of `Visitor`."""

    async def open_within(request: Request) -> Posted:
        if not request.headers.get("Content-Type", "").startswith(_MULTIPART):
            visit = await reopen_visit(request)
            return Posted(visit, _read_fields(visit.request))
        visit = await find_visit(request)
        parts = read_parts(request, limits)
        if visit.session_id is not None:
            await _check_form(request, visit, parts)
        return Posted(visit, parts)

    return open_within


async def _check_form(request: Request, visit: Visit, parts: AsyncIterator[FormField | FilePart]) -> None:
    known = request if CSRF_HEADER in request.headers else await _find_token(request, parts)
    try:
        await check_csrf(known, visit.csrf_token)
    except CsrfFailed:
        await _hear_out(request, parts)
        raise


async def _find_token(request: Request, parts: AsyncIterator[FormField | FilePart]) -> Request:
    """Without a script the token comes in the body, as the first field of our forms; from here on the request is as if
    a script had sent it."""
    first = await anext(parts, None)
    found = first.value if isinstance(first, FormField) and first.name == CSRF_FIELD else ""
    headers = [*request.scope["headers"], (CSRF_HEADER.lower().encode(), found.encode(errors="replace"))]
    return Request({**request.scope, "headers": headers}, request.receive)


async def _hear_out(request: Request, parts: AsyncIterator[FormField | FilePart]) -> None:
    """Of a connection that is closed with something unread a browser shows no answer, so what is short is read."""
    announced = request.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) <= SHORT:
        async for _ in parts:
            pass


async def _read_fields(request: Request) -> AsyncIterator[FormField | FilePart]:
    for name, value in (await request.form()).multi_items():
        if isinstance(value, str):
            yield FormField(name, value)
