from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings

from pabal.apps.adgroups.model.calendars import Calendar, Change, Moved, Window
from pabal.apps.adgroups.model.dayparts import DayParts
from tests.apps.adgroups.hours import calendars, slow_changes

DAY = timedelta(days=1)
MONDAY = datetime(2026, 11, 16, tzinfo=UTC)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@settings(max_examples=40, deadline=None)
@given(calendars())
def test_it_agrees_with_asking_every_half_hour(made: tuple[Calendar, datetime]) -> None:
    calendar, begin = made
    expected = slow_changes(calendar, begin)

    for number in range(-9 * 8, 9 * 8):
        moment = begin + DAY / 8 * number
        before = [one for one in expected if one.moment <= moment]
        after = [one for one in expected if one.moment > moment]
        assert calendar.is_inside(moment) is (bool(before) and before[-1].inside)
        assert calendar.next_change(moment) == (after[0] if after else None)


@settings(max_examples=40, deadline=None)
@given(calendars())
def test_windows_are_apart_in_order_and_never_empty(made: tuple[Calendar, datetime]) -> None:
    calendar, begin = made

    windows = list(calendar.windows(begin, begin + 10 * DAY))

    for window in windows:
        assert window.end is None or window.start < window.end
        assert calendar.is_inside(window.start)
        assert window.end is None or not calendar.is_inside(window.end)
        assert calendar.next_end(window.start) == window.end
    for one, other in pairwise(windows):
        assert one.end is not None
        assert one.end < other.start
        assert calendar.next_start(one.start) == other.start


def test_without_day_parts_it_is_always_inside_and_nothing_changes() -> None:
    calendar = Calendar(None, "Asia/Seoul")

    assert calendar.is_inside(MONDAY)
    assert calendar.next_change(MONDAY) is None
    assert list(calendar.windows(MONDAY, MONDAY + DAY)) == [Window(MONDAY, None)]


def test_all_hours_of_all_days_never_change() -> None:
    always = Calendar(DayParts.from_json(_every_day("18:00", "18:00")), "Asia/Seoul")

    assert always.is_inside(MONDAY)
    assert always.next_change(MONDAY) is None


def test_an_overnight_span_belongs_to_the_day_it_begins_on() -> None:
    friday_night = Calendar(DayParts.from_json({"fri": [["22:00", "02:00"]]}), "Asia/Seoul")

    assert list(friday_night.windows(MONDAY, MONDAY + 7 * DAY)) == [
        Window(at("2026-11-20T22:00+09:00"), at("2026-11-21T02:00+09:00"))
    ]


def test_a_day_off_takes_what_begins_on_it_and_leaves_what_began_the_night_before() -> None:
    parts = DayParts.from_json({"thu": [["22:00", "02:00"]], "fri": [["09:00", "18:00"]], "off": ["2026-11-20"]})
    calendar = Calendar(parts, "Asia/Seoul")

    assert [window.start for window in calendar.windows(MONDAY, MONDAY + 14 * DAY)] == [
        at("2026-11-19T22:00+09:00"),
        at("2026-11-26T22:00+09:00"),
        at("2026-11-27T09:00+09:00"),
    ]


def test_the_next_start_is_found_beyond_a_month_of_days_off() -> None:
    off = [(MONDAY + DAY * number).date().isoformat() for number in range(90)]
    calendar = Calendar(DayParts.from_json({"mon": [["09:00", "18:00"]], "off": off}), "Asia/Seoul")

    assert calendar.next_start(MONDAY) == at("2027-02-15T09:00+09:00")


def test_the_start_after_one_that_was_taken_out_is_found_a_fortnight_ahead() -> None:
    taken_out = Moved("daily_start", at("2026-11-23T09:00+09:00"), None, "kim")
    calendar = Calendar(DayParts.from_json({"mon": [["09:00", "18:00"]]}), "Asia/Seoul", (taken_out,))

    assert calendar.next_start(at("2026-11-16T18:00+09:00")) == at("2026-11-30T09:00+09:00")


def test_a_boundary_that_was_moved_changes_that_day_alone() -> None:
    parts = DayParts.from_json(_every_day("09:00", "18:00"))
    later = Moved("daily_end", at("2026-11-17T18:00+09:00"), at("2026-11-17T20:30+09:00"), "kim")

    windows = list(Calendar(parts, "Asia/Seoul", (later,)).windows(MONDAY + DAY / 2, MONDAY + 3.5 * DAY))

    assert [window.end for window in windows] == [
        at("2026-11-17T20:30+09:00"),
        at("2026-11-18T18:00+09:00"),
        at("2026-11-19T18:00+09:00"),
    ]


def test_a_window_in_the_hour_that_a_gap_swallows_is_none() -> None:
    calendar = Calendar(DayParts.from_json({"sun": [["02:00", "03:00"]]}), "Europe/Berlin")

    # clocks go from 02:00 to 03:00 on 28 March 2027
    assert calendar.next_start(at("2027-03-22T00:00+01:00")) == at("2027-04-04T02:00+02:00")


@pytest.mark.parametrize("inside", [True, False])
def test_at_its_boundary_it_has_changed(inside: bool) -> None:
    calendar = Calendar(DayParts.from_json({"mon": [["09:00", "18:00"]]}), "UTC")
    moment = MONDAY + timedelta(hours=9 if inside else 18)

    assert calendar.next_change(moment - timedelta(microseconds=1)) == Change(moment, inside)
    assert calendar.is_inside(moment) is inside


def _every_day(start: str, end: str) -> dict[str, list[list[str]]]:
    return {day: [[start, end]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
