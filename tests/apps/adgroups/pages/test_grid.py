"""The week as a table of hours."""

from datetime import UTC, datetime

from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.pages.grid import count_hours, find_cell, make_cells


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
