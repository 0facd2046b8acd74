"""Pages of a list: opaque cursors, an envelope with a link to the next, a total on request, the same rows as CSV."""

import base64
import binascii
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.engine import listing
from pabal.engine.ids import BadId
from pabal.platform.resources import View, plain
from pabal.platform.spreadsheets import write_csv
from pabal.platform.web.filters import Paged
from pabal.platform.web.visit import Visit

T = TypeVar("T")
M = TypeVar("M")
CAP = listing.CAP
AT_ONCE = 500
CSV = "text/csv"


class BadCursor(Invalid, code="bad_cursor"):
    """This cursor does not come from this list. Leave it out and begin at the first page."""

    status = 400


class AtLeast(BaseModel):
    """There are more than were counted."""

    at_least: int = Field(examples=[CAP + 1])


class Page(BaseModel, Generic[M]):
    """Some of a list. `next_cursor` asks for what follows; with `count=true` there is a total, exact up to 10,000."""

    items: list[M]
    next_cursor: str | None = Field(examples=["WyJqb2JzIiwiam9iXzAxaDJ4Y2VqcXRmMm4iXQ"])
    has_more: bool = Field(examples=[True])
    total: int | AtLeast = Field(default=0, examples=[1])


@dataclass(frozen=True)
class Source(Generic[T, M]):
    """One list: its name, how a page of it is loaded after a cursor, and how a row is shown.

    Without `count` the rows themselves are counted. `model` is what `show` makes, a view or a model: its fields are the
    columns of a CSV.
    """

    name: str
    model: type[M]
    load: Callable[[Tx, int, str | None], Awaitable[listing.Page[T]]]
    show: Callable[[T], M]
    count: Callable[[Tx], Awaitable[int]] | None = None


async def answer_list(visit: Visit, listed: Paged, source: Source[T, M], *, has_csv: bool = False) -> Response:
    """The page asked for, or with `Accept: text/csv` everything from there on."""
    cursor = read_cursor(source.name, listed.cursor)
    if has_csv and wants_csv(visit):
        return await _answer_csv(visit, source, cursor)
    async with visit.read() as tx:
        found = await _load(tx, source, listed.limit, cursor)
        total = await _count(tx, source) if listed.count else 0
    following = None if found.cursor is None else show_cursor(source.name, found.cursor)
    page = _envelope([source.show(row) for row in found.items], following)
    if listed.count:
        page["total"] = _plain(total)
    return _write(page, headers=_link(visit, following))


def answer_all(items: Sequence[Any]) -> Response:
    """A list that is short by its nature, in the same envelope."""
    return _write(_envelope(items, None))


def answer_json(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return _write(_plain(body), status, headers)


def _write(body: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return Response(text, status, headers, media_type="application/json")


def _envelope(items: Sequence[Any], following: str | None) -> dict[str, Any]:
    return {"items": [_plain(one) for one in items], "next_cursor": following, "has_more": following is not None}


def _plain(shown: Any) -> Any:
    return shown.model_dump(mode="json") if isinstance(shown, BaseModel) else plain(shown)


def show_cursor(name: str, inner: str) -> str:
    packed = json.dumps([name, inner], separators=(",", ":"))
    return base64.urlsafe_b64encode(packed.encode()).decode().rstrip("=")


def read_cursor(name: str, cursor: str | None) -> str | None:
    """It comes back from outside, so it may be anything; and it may come from another list."""
    if cursor is None:
        return None
    try:
        found = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError, binascii.Error) as error:
        raise BadCursor(ascii(cursor[:80])) from error
    match found:
        case [of, str(inner)] if of == name:
            return inner
    raise BadCursor(ascii(cursor[:80]))


def wants_csv(visit: Visit) -> bool:
    """Named before JSON, or without it."""
    accepted = [part.split(";")[0].strip().lower() for part in visit.request.headers.get("Accept", "").split(",")]
    return next((kind for kind in accepted if kind in (CSV, "application/json", "*/*")), None) == CSV


async def _answer_csv(visit: Visit, source: Source[T, M], cursor: str | None) -> Response:
    # the first rows now: what is wrong with the question is said before the answer begins
    async with visit.read() as tx:
        first = await _load(tx, source, AT_ONCE, cursor)
    headers = {"Content-Disposition": f'attachment; filename="{source.name}.csv"', "Vary": "Accept"}
    return StreamingResponse(_csv_lines(visit, source, first), media_type=CSV, headers=headers)


async def _csv_lines(visit: Visit, source: Source[T, M], page: listing.Page[T]) -> AsyncIterator[str]:
    """No transaction is open while somebody slow reads. The mark in front tells Excel that this is UTF-8."""
    yield "\ufeff" + write_csv([_names(source.model)])
    while True:
        yield write_csv([list(_plain(source.show(row)).values()) for row in page.items])
        if page.cursor is None:
            return
        async with visit.read() as tx:
            page = await _load(tx, source, AT_ONCE, page.cursor)


async def _load(tx: Tx, source: Source[T, M], limit: int, cursor: str | None) -> listing.Page[T]:
    try:
        return await source.load(tx, limit, cursor)
    except (listing.BadCursor, BadId) as error:
        raise BadCursor(error.detail) from error


async def _count(tx: Tx, source: Source[T, M]) -> int | AtLeast:
    found = await (_count_rows(tx, source) if source.count is None else source.count(tx))
    return found if found <= CAP else AtLeast(at_least=CAP + 1)


async def _count_rows(tx: Tx, source: Source[T, M]) -> int:
    found, cursor = 0, None
    while found <= CAP:
        page = await source.load(tx, AT_ONCE, cursor)
        found, cursor = found + len(page.items), page.cursor
        if cursor is None:
            break
    return found


def _link(visit: Visit, cursor: str | None) -> dict[str, str]:
    if cursor is None:
        return {}
    query = [(name, value) for name, value in visit.request.query_params.multi_items() if name != "cursor"]
    return {"Link": f'<{visit.path}?{urlencode([*query, ("cursor", cursor)])}>; rel="next"'}


def _names(model: Any) -> list[str]:
    return model.names() if issubclass(model, View) else list(model.model_fields)
