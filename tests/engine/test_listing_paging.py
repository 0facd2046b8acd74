"""A cursor gives back what it holds, and nothing that somebody else made up is taken for one."""

import base64
import json
from datetime import UTC, datetime

import pytest

from pabal.engine.listing.paging import BadCursor, read_cursor, show_cursor

MOMENT = datetime(2026, 7, 3, 9, 0, 0, 123456, tzinfo=UTC)


def made_up(values: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode().rstrip("=")


def test_a_cursor_gives_back_what_it_holds() -> None:
    cursor = show_cursor(MOMENT, 7, "한글")

    assert read_cursor(cursor, datetime, int, str) == [MOMENT, 7, "한글"]


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "!",
        "한글",
        "AAAA",
        made_up({}),
        made_up([]),
        made_up([1, 2]),
        made_up(["1"]),
        made_up([True]),
        made_up([2**63]),
    ],
)
def test_what_is_no_number_of_ours_is_refused(cursor: str) -> None:
    with pytest.raises(BadCursor):
        read_cursor(cursor, int)


@pytest.mark.parametrize("moment", ["2026-07-03T09:00:00", "yesterday", 5, None, "9" * 400])
def test_what_is_no_moment_with_a_zone_is_refused(moment: object) -> None:
    with pytest.raises(BadCursor):
        read_cursor(made_up([moment]), datetime)
