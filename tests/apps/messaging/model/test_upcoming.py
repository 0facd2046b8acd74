from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pabal.apps.messaging.model.schedules import ScheduleType, When
from pabal.apps.messaging.model.upcoming import (
    Around,
    Neighbour,
    count_day,
    list_conflicts,
    list_upcoming,
    start_after,
)
from pabal.engine.recurrence import Weekday
from tests.apps.messaging.asking import DAY, NINE, START, daily, once

GAP = timedelta(seconds=30)
SECOND = timedelta(seconds=1)
days = st.dates(date(2035, 1, 10), date(2035, 12, 20))
times = st.builds(time, st.integers(0, 23), st.integers(0, 59))
zones = st.sampled_from(["Asia/Seoul", "America/New_York"])


@pytest.mark.req("A-138")
@settings(max_examples=150, deadline=None)
@given(days, times, times, zones, st.sets(st.sampled_from(list(Weekday)), min_size=1))
def test_the_next_moment_is_the_seeds(day: date, at: time, clock: time, zone: str, chosen: set[Weekday]):
    """Once: none. Daily: the next day, same time. Weekly: the next chosen weekday within 7 days. All on the wall."""
    here = ZoneInfo(zone)
    valid = (datetime(2035, 1, 1, tzinfo=here), datetime(2036, 1, 1, tzinfo=here))
    now = datetime.combine(day, clock, here)

    def wall(moment: datetime | None) -> datetime | None:
        return None if moment is None else moment.astimezone(here).replace(tzinfo=None)

    def expected(day: date) -> datetime:
        """What the clock jumps over is sent right after the jump, and of an hour shown twice the first counts."""
        return datetime.combine(day, at, here).astimezone(ZoneInfo("UTC")).astimezone(here).replace(tzinfo=None, fold=0)

    single = When(ScheduleType.ONCE, at, *valid, schedule_date=day, zone=zone).timing
    assert single.next_after(datetime.combine(day, at, here)) is None

    today = datetime.combine(day, at, here)
    every_day = When(ScheduleType.DAILY, at, *valid, zone=zone).timing
    tomorrow = day + timedelta(days=1) if now >= today else day
    assert same_hour(wall(every_day.next_after(now)), expected(tomorrow))

    weekly = When(ScheduleType.WEEKLY, at, *valid, schedule_weekdays=tuple(chosen), zone=zone).timing
    ahead = [each for n in range(8) if (each := tomorrow + timedelta(days=n)).weekday() in chosen]
    assert same_hour(wall(weekly.next_after(now)), expected(ahead[0]))


def same_hour(found: datetime | None, expected: datetime) -> bool:
    """Within a gap the engine says the end of it, Python the time moved on by an hour: the same day and hour."""
    return found is not None and found.date() == expected.date() and found.hour == expected.hour


def test_the_next_five_are_shown_with_why_others_between_them_are_not_sent():
    when = daily(valid_from=NINE + DAY, valid_until=NINE + 4 * DAY)
    around = Around(START, skipped=[NINE + 2 * DAY], bot_reason="bot_offline")

    rows = list_upcoming(when, around)

    assert [(row.moment, row.excluded) for row in rows] == [
        (NINE, "not_yet_valid"),
        (NINE + DAY, None),
        (NINE + 2 * DAY, "skipped"),
        (NINE + 3 * DAY, None),
        (NINE + 4 * DAY, None),
        (NINE + 5 * DAY, "no_longer_valid"),
    ]
    assert rows[1].reasons[0][1] == "지금 봇이 연결되어 있지 않습니다."
    assert rows[2].is_skipped
    assert rows[3].reasons == ()
    assert [row.excluded for row in list_upcoming(daily(), Around(START, is_paused=True))] == ["paused"] * 5
    assert list_upcoming(once(START - DAY), Around(START)) == ()


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], 0),
        ([0], 30),
        ([-10], 20),
        ([-30], 0),
        ([1], 0),
        ([0, 0], 60),
        ([-40, -20], 20),
        ([-31, -29, -1], 59),
    ],
)
def test_sends_to_a_room_begin_a_gap_apart_in_the_order_they_are_due(others: list[int], expected: int):
    moments = [NINE + n * SECOND for n in others]

    assert start_after(NINE, moments, GAP) == NINE + expected * SECOND


def test_two_schedules_for_one_room_are_told_who_goes_when():
    before = Neighbour("앞 예약", daily(time(8, 59, 50)))
    after = Neighbour(None, daily(time(9, 0, 40)))
    around = Around(START, gap=GAP, neighbours=[before, after])
    rows = list_upcoming(daily(), around)

    busy, delays = list_conflicts(daily(), rows, around)

    assert rows[0].deferred_until == NINE + 20 * SECOND
    assert "6월 4일 (월) 09:00:20 KST" in rows[0].reasons[0][1]
    assert busy.code == "room_busy"
    assert "'앞 예약'" in busy.text[1]
    assert "09:00:20 KST" in busy.text[1]
    assert (delays.code, delays.text[1][:9]) == ("delays_another", "다른 조직의 예약")
    assert "09:00:50 KST" in delays.text[0]
    assert list(list_conflicts(daily(), list_upcoming(daily(), Around(START)), Around(START))) == []
    assert count_day(daily(), NINE, around) == 3
