"""When something is sent, as people write it: on the wall clock of the schedule's zone."""

from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

import pytest

from pabal.apps.messaging.cli.schedule_options import Timed, read_when
from pabal.apps.messaging.errors import BadWhen
from pabal.apps.messaging.model.schedules import ScheduleType
from pabal.engine.recurrence import Weekday
from pabal.platform.commands.moments import BadMoment

# 01:30 on 2 July in Seoul
NOW = datetime(2026, 7, 1, 16, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "day", "clock"),
    [
        ("내일 09:00", date(2026, 7, 3), time(9)),
        ("today 09:00", date(2026, 7, 2), time(9)),
        ("+2h", date(2026, 7, 2), time(3, 30)),
        ("2026-08-01 09:00", date(2026, 8, 1), time(9)),
        ("2026-08-01T00:00Z", date(2026, 8, 1), time(9)),
    ],
)
def test_once_is_on_the_wall_clock_of_the_zone(text: str, day: date, clock: time) -> None:
    when = read_when(Timed(at=text), NOW, None)

    assert (when.schedule_type, when.schedule_date, when.schedule_time) == (ScheduleType.ONCE, day, clock)
    assert when.timing.next_after(NOW) == datetime.combine(day, clock).replace(tzinfo=UTC) - timedelta(hours=9)


@pytest.mark.parametrize("text", ["mon,thu 09:00", "월,목 9:00", "Monday, thursday 09:00:00", "월요일,목요일 09:00"])
def test_weekdays_are_understood_in_both_languages(text: str) -> None:
    when = read_when(Timed(weekly=text), NOW, None)

    assert (when.schedule_weekdays, when.schedule_time) == ((Weekday.MON, Weekday.THU), time(9))


@pytest.mark.parametrize("text", ["9:05,13:00,18:30", "18:30, 9:05, 13:00"])
def test_a_day_may_have_several_times(text: str) -> None:
    when = read_when(Timed(daily=text), NOW, None)

    assert sorted(when.times) == [time(9, 5), time(13), time(18, 30)]


def test_every_second_week_is_counted_from_the_week_it_is_valid_from_and_stays_when_the_days_change() -> None:
    first = read_when(Timed(weekly="월, 목 09:00, 18:00", every_weeks=2), NOW, None)
    other = read_when(Timed(weekly="fri 10:00"), NOW, first)
    each = read_when(Timed(every_weeks=1), NOW, first)

    # Thursday 2 July is of the first week; the next are those of 13 July
    assert [
        moment.isoformat() for moment in islice(first.timing.moments_between(NOW, NOW + timedelta(days=13)), 4)
    ] == [
        "2026-07-02T00:00:00+00:00",
        "2026-07-02T09:00:00+00:00",
        "2026-07-13T00:00:00+00:00",
        "2026-07-13T09:00:00+00:00",
    ]
    assert (other.every_weeks, other.times, each.every_weeks, each.times) == (2, (time(10),), 1, first.times)


def test_a_day_is_valid_to_its_end_and_a_new_end_keeps_the_rule() -> None:
    first = read_when(Timed(daily="09:00", zone="Asia/Tokyo", until="2026-12-31"), NOW, None)
    after = read_when(Timed(until="2027-01-05"), NOW + timedelta(days=9), first)

    assert first.valid_until == datetime(2026, 12, 31, 14, 59, 59, tzinfo=UTC)
    assert (after.zone, after.schedule_time, after.valid_from) == ("Asia/Tokyo", time(9), first.valid_from)
    assert after.valid_until == datetime(2027, 1, 5, 14, 59, 59, tzinfo=UTC)


def test_a_one_time_send_is_postponed_by_its_moment_alone_and_one_brought_forward_keeps_its_end() -> None:
    first = read_when(Timed(at="2026-07-03 09:00"), NOW, None)

    later = read_when(Timed(at="2026-07-20 09:00"), NOW, first)
    sooner = read_when(Timed(at="2026-07-02 09:00"), NOW, first)
    asked = read_when(Timed(at="2026-07-20 09:00", until="2026-07-31"), NOW, first)

    assert later.timing.next_after(NOW) == datetime(2026, 7, 20, tzinfo=UTC)
    assert later.valid_until == datetime(2026, 7, 21, tzinfo=UTC)
    assert (later.valid_from, sooner.valid_until) == (first.valid_from, first.valid_until)
    assert asked.valid_until == datetime(2026, 7, 31, 14, 59, 59, tzinfo=UTC)


@pytest.mark.parametrize(
    "wrong",
    [
        Timed(),
        Timed(daily="09:00", weekly="mon 09:00"),
        Timed(daily="9"),
        Timed(daily="09:00,"),
        Timed(weekly="someday 09:00"),
        Timed(weekly="09:00"),
        Timed(daily="09:00", zone="Nowhere/City"),
        Timed(at="soon"),
        Timed(at="9999-12-31 23:59"),
        Timed(daily="09:00", until="9999-12-31"),
    ],
)
def test_what_is_no_rule_is_refused(wrong: Timed) -> None:
    with pytest.raises((BadWhen, BadMoment)):
        read_when(wrong, NOW, None)
