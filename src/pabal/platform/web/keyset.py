"""Lists whose order is their id, newest first: where a page begins, and the cursor of the next."""

from collections.abc import Sequence
from typing import Protocol, TypeVar

from pabal.base.errors import Invalid
from pabal.engine.listing.paging import LAST, Page, cut, read_cursor, show_cursor


class Numbered(Protocol):
    @property
    def id(self) -> int: ...


T = TypeVar("T", bound=Numbered)


def read_before(cursor: str) -> int:
    """The id the page before ended with; what somebody mistyped is the first page."""
    try:
        before: int = read_cursor(cursor, int)[0] if cursor else LAST
    except Invalid:
        return LAST
    return before


def cut_by_id(found: Sequence[T], limit: int) -> Page[T]:
    """`found` holds one more than the page, if there is one."""
    return cut(found, limit, lambda one: show_cursor(one.id))
