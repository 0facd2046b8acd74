"""Pages by keyset: a cursor is the place of the last row of a page, and the next page begins after it."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from pabal.base.errors import Invalid

T = TypeVar("T")
# A count over this is shown as "10,000+": counting on would cost more than anybody learns from it.
CAP = 10_000
MOST = 1_000
# Of more units than this, the newest rows of all are looked through first, so many for each one wanted.
FEW, LOOK = 10, 10
LAST = 2**63 - 1


class BadCursor(Invalid, code="bad_cursor"):
    """This cursor does not come from a page before. Leave it out to begin with the first page."""


class BadPageSize(Invalid, code="bad_page_size"):
    """A page has 1 to 1,000 rows."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some rows in order. `cursor` begins the next page; None: there is none."""

    items: list[T]
    cursor: str | None


def one_more(limit: int) -> int:
    """One more than asked tells whether there is a next page."""
    if not 1 <= limit <= MOST:
        raise BadPageSize(str(limit))
    return limit + 1


def cut(found: Sequence[T], limit: int, cursor_of: Callable[[T], str]) -> Page[T]:
    items = list(found[:limit])
    return Page(items, cursor_of(items[-1]) if len(found) > limit else None)


def show_cursor(*values: int | str | datetime | None) -> str:
    plain = [value.isoformat() if isinstance(value, datetime) else value for value in values]
    return base64.urlsafe_b64encode(json.dumps(plain, separators=(",", ":")).encode()).decode().rstrip("=")


def read_cursor(cursor: str, *types: type) -> list[Any]:
    """The values it holds, one for each type (int, str or datetime). It comes back from outside, so all is checked."""
    try:
        values = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
        if not isinstance(values, list) or len(values) != len(types):
            raise BadCursor(cursor[:80])
        return [_read(value, wanted) for value, wanted in zip(values, types, strict=True)]
    except (binascii.Error, UnicodeError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise BadCursor(cursor[:80]) from error


def _read(value: Any, wanted: type) -> Any:
    if wanted is datetime:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            raise ValueError(value)
        return moment.astimezone(UTC)
    if type(value) is not wanted or (isinstance(value, int) and abs(value) > LAST):
        raise ValueError(value)
    return value
