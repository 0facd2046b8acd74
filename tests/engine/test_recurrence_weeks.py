"""Every n weeks: on some weekdays, at some times, from a first day on."""

from datetime import UTC, date, datetime, time
from itertools import islice

import pytest

from pabal.engine.recurrence import BadStored, BadTimes, EveryWeeks, Timing, Weekday, describe, from_json, to_json

MONDAY, WEDNESDAY = Weekday(0), Weekday(2)
FIRST = date(2026, 11, 18)
SECOND_WEEK = EveryWeeks(2, FIRST, (WEDNESDAY, MONDAY), (time(18), time(9)))
TIMING = Timing(SECOND_WEEK, "Asia/Seoul")


def test_it_fires_in_its_own_weeks_only_and_not_before_its_first_day() -> None:
    moments = TIMING.moments_between(datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 12, 31, tzinfo=UTC))

    assert [f"{moment:%m-%d %H}" for moment in islice(moments, 7)] == [
        *("11-18 00", "11-18 09", "11-30 00", "11-30 09", "12-02 00", "12-02 09", "12-14 00"),
    ]


def test_its_weeks_are_counted_over_a_new_year() -> None:
    assert TIMING.next_after(datetime(2027, 12, 30, tzinfo=UTC)) == datetime(2028, 1, 10, tzinfo=UTC)


def test_it_is_said_in_words_and_kept_as_json() -> None:
    assert describe(TIMING) == (
        "Every 2 weeks on Monday and Wednesday at 09:00 and 18:00, from 2026-11-18 (Asia/Seoul)"
    )
    assert describe(TIMING, "ko") == "2026-11-18부터 2주마다 월·수 09:00, 18:00 (Asia/Seoul)"
    assert from_json(to_json(SECOND_WEEK)) == SECOND_WEEK


@pytest.mark.parametrize("every", [0, 1, 53])
def test_one_week_is_weekly_and_a_year_is_the_most(every: int) -> None:
    with pytest.raises(BadTimes):
        EveryWeeks(every, FIRST, (MONDAY,), (time(9),))


@pytest.mark.parametrize("changed", [{"every": "2"}, {"first": "soon"}, {"first": None}])
def test_json_that_says_something_else_is_refused(changed: dict[str, object]) -> None:
    with pytest.raises(BadStored):
        from_json({**to_json(SECOND_WEEK), **changed})
