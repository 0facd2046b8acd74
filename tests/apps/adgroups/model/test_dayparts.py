from datetime import UTC, date, datetime, time
from typing import Any

import pytest
from hypothesis import given

from pabal.apps.adgroups.errors import BadDayParts
from pabal.apps.adgroups.model.dayparts import DayParts, Span, count_hours, find_cell, make_cells
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


def test_a_cell_is_on_off_or_partly_and_a_night_reaches_into_the_next_day() -> None:
    cells = make_cells(DayParts.from_json({"mon": [["09:30", "12:00"]], "sun": [["22:00", "02:00"]]}))

    monday, tuesday, sunday = cells[0], cells[1], cells[6]
    assert [hour for hour, cell in enumerate(monday) if cell == "on"] == [0, 1, 10, 11]
    assert [hour for hour, cell in enumerate(monday) if cell == "part"] == [9]
    assert set(tuesday) == {"off"}
    assert [hour for hour, cell in enumerate(sunday) if cell == "on"] == [22, 23]


def test_without_day_parts_every_hour_is_on() -> None:
    assert {cell for day in make_cells(None) for cell in day} == {"on"}


def test_hours_that_overlap_count_once() -> None:
    assert count_hours(DayParts.from_json({"mon": [["09:00", "12:00"], ["11:00", "13:30"]]})) == 4.5


def test_now_is_where_the_clock_of_its_zone_stands() -> None:
    moment = datetime(2026, 11, 15, 23, 30, tzinfo=UTC)

    assert find_cell(moment, "Asia/Seoul") == (0, 8)
    assert find_cell(moment, "UTC") == (6, 23)
