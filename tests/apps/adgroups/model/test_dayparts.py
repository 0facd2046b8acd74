from datetime import date, time
from typing import Any

import pytest
from hypothesis import given

from pabal.apps.adgroups.errors import BadDayParts
from pabal.apps.adgroups.model.dayparts import DayParts, Span
from tests.apps.adgroups.hours import dayparts


@given(dayparts())
def test_what_is_written_as_json_is_read_as_the_same(parts: DayParts) -> None:
    assert DayParts.from_json(parts.to_json()) == parts


def test_daily_start_and_end_times_are_the_same_span_every_day() -> None:
    parts = DayParts.every_day(time(22), time(2, 30))

    assert parts.to_json() == {day: [["22:00", "02:30"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}


@pytest.mark.parametrize(
    ("span", "minutes", "is_overnight"),
    [
        (Span(9 * 60, 18 * 60), 540, False),
        (Span(22 * 60, 2 * 60), 240, True),
        (Span(9 * 60, 9 * 60), 1440, True),
        (Span(0, 1440), 1440, False),
        (Span(0, 0), 1440, False),
        (Span(1439, 1440), 1, False),
    ],
)
def test_a_span_that_ends_before_it_begins_ends_the_next_day(span: Span, minutes: int, is_overnight: bool) -> None:
    assert (span.minutes, span.is_overnight) == (minutes, is_overnight)


def test_nothing_begins_on_a_day_off() -> None:
    parts = DayParts.from_json({"fri": [["09:00", "18:00"]], "off": ["2026-12-25"]})

    assert parts.spans_of(date(2026, 12, 25)) == ()
    assert parts.spans_of(date(2026, 12, 18)) == (Span(540, 1080),)


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"mon": []},
        {"monday": [["09:00", "18:00"]]},
        {"mon": "09:00-18:00"},
        {"mon": [["09:00"]]},
        {"mon": ["09:00-18:00"]},
        {"mon": [["9:00", "18:00"]]},
        {"mon": [["09:00", "25:00"]]},
        {"mon": [["24:00", "02:00"]]},
        {"mon": [["09:00", "24:01"]]},
        {"mon": [[9, 18]]},
        {"mon": [["09:00", "18:00"], ["09:00", "18:00"]]},
        {"mon": [[f"{hour:02}:{minute}", "23:00"] for hour in range(13) for minute in ("00", "30")]},
        {"mon": [["09:00", "18:00"]], "off": "2026-12-25"},
        {"mon": [["09:00", "18:00"]], "off": ["25 Dec"]},
        {"mon": [["09:00", "18:00"]], "off": [20261225]},
        {"mon": [["09:00", "18:00"]], "off": ["2026-12-25", "2026-12-25"]},
    ],
)
def test_hours_that_cannot_be_kept_are_refused(data: Any) -> None:
    with pytest.raises(BadDayParts):
        DayParts.from_json(data)
