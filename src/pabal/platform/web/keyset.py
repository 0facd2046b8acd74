"""Where a page of a list begins, and the cursor of the next."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from pabal.base.errors import Invalid
from pabal.engine.listing.paging import LAST, BadCursor, Page, cut, read_cursor, show_cursor


class Numbered(Protocol):
    @property
    def id(self) -> int: ...


T = TypeVar("T")
N = TypeVar("N", bound=Numbered)


async def read_page(read: Callable[[str | None], Awaitable[Page[T]]], cursor: str) -> Page[T]:
    """What somebody mistyped is the first page."""
    try:
        return await read(cursor or None)
    except BadCursor:
        return await read(None)


def read_before(cursor: str) -> int:
    """Of a list whose order is its id, newest first: the id the page before ended with."""
    try:
        before: int = read_cursor(cursor, int)[0] if cursor else LAST
    except Invalid:
        return LAST
    return before


def cut_by_id(found: Sequence[N], limit: int) -> Page[N]:
    """`found` holds one more than the page, if there is one."""
    return cut(found, limit, lambda one: show_cursor(one.id))
