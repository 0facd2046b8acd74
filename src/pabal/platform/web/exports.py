"""Lists of pages as CSV files for a spreadsheet."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from fastapi.responses import Response, StreamingResponse

from pabal.engine.listing import Page
from pabal.platform.spreadsheets import write_csv
from pabal.platform.web.paging import CSV

MARK = "\ufeff"  # tells Excel that this is UTF-8

Row = Sequence[Any]


def answer_csv(name: str, rows: Sequence[Row]) -> Response:
    """For tables that are short by their nature; the first row names the columns."""
    return Response(MARK + write_csv(rows), media_type=CSV, headers=_headers(name))


def stream_csv(name: str, columns: Row, read: Callable[[str | None], Awaitable[Page[Row]]]) -> Response:
    """`read` opens its own transaction for each page: none is open while somebody slow reads."""
    return StreamingResponse(_lines(columns, read), media_type=CSV, headers=_headers(name))


async def _lines(columns: Row, read: Callable[[str | None], Awaitable[Page[Row]]]) -> AsyncIterator[str]:
    yield MARK + write_csv([columns])
    cursor: str | None = None
    while True:
        page = await read(cursor)
        yield write_csv(page.items)
        cursor = page.cursor
        if cursor is None:
            return


def _headers(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
