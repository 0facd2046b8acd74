"""What a recurrence promises; gap and fold are in test_recurrence_dst.py, what people read in _words.py."""

import json
from datetime import UTC, datetime, time, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.base.errors import Invalid
from pabal.engine import recurrence as r
from pabal.engine.recurrence import Cron, Daily, Interval, Once, Timing, Weekday, Weekly, Window

SEOUL, NEW_YORK = "Asia/Seoul", "America/New_York"
DAY = timedelta(days=1)
NINE = (time(9),)

moments = st.datetimes(datetime(1975, 1, 1), datetime(2060, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - given UTC here
times = st.lists(st.builds(time, st.integers(0, 23), st.integers(0, 59), st.integers(0, 59)), min_size=1, max_size=4)
zones = st.sampled_from([SEOUL, NEW_YORK, "Europe/London", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"])
crons = st.sampled_from(["*/15 * * * *", "30 1,2 * * *", "0 9 * * MON-FRI", "0 0 L * *", "5 */6 * * *", "30 2 29 2 *"])
recurrences = st.one_of(
    st.builds(Once, moments),
    st.builds(Daily, times.map(tuple)),
    st.builds(Weekly, st.lists(st.sampled_from(Weekday), min_size=1).map(tuple), times.map(tuple)),
    st.builds(Cron, crons),
    st.builds(Interval, st.integers(1, 10**7).map(lambda seconds: timedelta(seconds=seconds)), moments),
)
timings = st.builds(
    Timing,
    recurrences,
    zones,
    gap=st.sampled_from(["shift", "skip"]),
    fold=st.sampled_from(["first", "second", "both"]),
)


# ---- what comes next


@given(timings, moments)
def test_next_after_is_strictly_later_and_in_utc(timing: Timing, moment: datetime) -> None:
    for _ in range(5):
        following = timing.next_after(moment)
        if following is None:
            return

        assert following > moment
        assert following.tzinfo is UTC
        moment = following


@given(timings, moments, st.timedeltas(timedelta(0), timedelta(days=3)))
def test_nothing_lies_between_a_moment_and_the_next(timing: Timing, moment: datetime, earlier: timedelta) -> None:
    following = timing.next_after(moment)
    between = timing.next_after(moment - earlier)

    if following is not None:
        assert between is not None
        assert between <= moment or between == following


@given(timings, moments)
def test_moments_between_are_repeated_next_after_with_the_end_and_without_the_start(
    timing: Timing, moment: datetime
) -> None:
    found = list(islice(timing.moments_between(moment, moment + 400 * DAY), 6))

    for before, after in zip([moment, *found], found, strict=False):
        assert timing.next_after(before) == after
    if found:
        assert list(timing.moments_between(moment, found[-1])) == found
        assert list(timing.moments_between(found[-1] - timedelta(microseconds=1), found[-1])) == found[-1:]


@given(timings, moments, zones)
def test_the_zone_a_moment_is_written_in_changes_nothing(timing: Timing, moment: datetime, zone: str) -> None:
    assert timing.next_after(moment.astimezone(ZoneInfo(zone))) == timing.next_after(moment)


def test_a_week_of_mondays_and_fridays_in_seoul() -> None:
    timing = Timing(Weekly((Weekday.FRI, Weekday.MON), (time(18), time(9))), SEOUL)
    monday = datetime(2025, 6, 2, tzinfo=ZoneInfo(SEOUL))

    found = [moment.astimezone(monday.tzinfo) for moment in timing.moments_between(monday, monday + 7 * DAY)]

    assert [f"{moment:%a %H}" for moment in found] == ["Mon 09", "Mon 18", "Fri 09", "Fri 18"]


def test_once_happens_once_and_an_interval_begins_at_its_anchor() -> None:
    at = datetime(2025, 6, 2, 9, tzinfo=ZoneInfo(SEOUL))
    hourly = Timing(Interval(timedelta(hours=1), at), SEOUL)

    assert list(Timing(Once(at), SEOUL).moments_between(at - DAY, at + DAY)) == [at]
    assert list(hourly.moments_between(at - DAY, at + timedelta(hours=1))) == [at, at + timedelta(hours=1)]


def test_a_validity_includes_its_beginning_and_not_its_end() -> None:
    begin, end = datetime(2025, 6, 2, 9, tzinfo=UTC), datetime(2025, 6, 5, 9, tzinfo=UTC)
    timing = Timing(Daily(NINE), "UTC", Window(begin, end))

    found = list(timing.moments_between(begin - 100 * DAY, end + 100 * DAY))

    assert found == [begin, begin + DAY, begin + 2 * DAY]


def test_the_ends_of_the_calendar_are_no_accident() -> None:
    for recurrence in (Daily(NINE), Cron("0 9 * * *"), Interval(DAY, datetime(2025, 1, 1, tzinfo=UTC))):
        timing = Timing(recurrence, "Pacific/Kiritimati")

        assert timing.next_after(datetime.min.replace(tzinfo=UTC)) is not None
        assert timing.next_after(datetime.max.replace(tzinfo=UTC)) is None
    assert Timing(Once(datetime.max.replace(tzinfo=UTC)), SEOUL).next_after(datetime(2025, 1, 1, tzinfo=UTC)) is None


# ---- refusals


@pytest.mark.parametrize(
    ("build", "refusal"),
    [
        (lambda: Once(datetime(2025, 1, 1)), r.NaiveMoment),  # noqa: DTZ001 - the naive one is the point
        (lambda: Interval(DAY, datetime(2025, 1, 1)), r.NaiveMoment),  # noqa: DTZ001 - as above
        (lambda: Window(valid_from=datetime(2025, 1, 1)), r.NaiveMoment),  # noqa: DTZ001 - as above
        (lambda: Timing(Daily(NINE), SEOUL).next_after(datetime(2025, 1, 1)), r.NaiveMoment),  # noqa: DTZ001 - as above
        (lambda: Daily(()), r.BadTimes),
        (lambda: Daily((time(9, tzinfo=UTC),)), r.BadTimes),
        (lambda: Daily((time(9, microsecond=1),)), r.BadTimes),
        (lambda: Weekly((), NINE), r.BadTimes),
        (lambda: Weekly((Weekday.MON,), ()), r.BadTimes),
        (lambda: Weekly((7,), NINE), r.BadTimes),  # type: ignore[arg-type]
        (lambda: Cron("0 0 9 * * *"), r.BadCron),
        (lambda: Cron("@daily"), r.BadCron),
        (lambda: Cron(""), r.BadCron),
        (lambda: Cron("60 9 * * *"), r.BadCron),
        (lambda: Cron("0 9 32 2 *"), r.BadCron),
        (lambda: Cron("0 9 31 2 *"), r.NeverFires),
        (lambda: Cron("0 9 31 4,6,9,11 *"), r.NeverFires),
        (lambda: Cron("0 9 */9 2 MON#5"), r.NeverFires),
        (lambda: Interval(timedelta(0), datetime(2025, 1, 1, tzinfo=UTC)), r.BadInterval),
        (lambda: Interval(-DAY, datetime(2025, 1, 1, tzinfo=UTC)), r.BadInterval),
        (lambda: Interval(timedelta(seconds=1.5), datetime(2025, 1, 1, tzinfo=UTC)), r.BadInterval),
        (lambda: Window(datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)), r.BadWindow),
        (lambda: Timing(Daily(NINE), "Asia/Nowhere"), r.UnknownZone),
        (lambda: Timing(Daily(NINE), "Asia"), r.UnknownZone),
        (lambda: Timing(Daily(NINE), "localtime"), r.UnknownZone),
        (lambda: Timing(Daily(NINE), SEOUL, gap="jump"), r.BadPolicy),  # type: ignore[arg-type]
    ],
)
def test_what_cannot_be_right_is_refused(build, refusal) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(refusal) as caught:
        build()

    assert isinstance(caught.value, Invalid)


# ---- as JSON


@given(recurrences)
def test_a_recurrence_survives_its_way_through_json(recurrence: r.Recurrence) -> None:
    assert r.from_json(json.loads(json.dumps(r.to_json(recurrence)))) == recurrence


def test_json_reads_as_a_person_would_write_it() -> None:
    weekly = Weekly((Weekday.MON, Weekday.FRI), (time(9), time(18, 30, 5)))

    assert r.to_json(weekly) == {"form": "weekly", "days": ["mon", "fri"], "times": ["09:00", "18:30:05"]}


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"form": "yearly"},
        {"form": ["daily"]},
        {"form": "daily"},
        {"form": "daily", "times": ["09:00"], "zone": SEOUL},
        {"form": "daily", "times": "09:00"},
        {"form": "daily", "times": [9]},
        {"form": "daily", "times": ["9:00"]},
        {"form": "daily", "times": ["09:00+09:00"]},
        {"form": "daily", "times": []},
        {"form": "weekly", "days": ["monday"], "times": ["09:00"]},
        {"form": "weekly", "days": [["mon"]], "times": ["09:00"]},
        {"form": "weekly", "days": "mon", "times": ["09:00"]},
        {"form": "cron", "expression": 5},
        {"form": "cron", "expression": "@daily"},
        {"form": "once", "at": "2025-01-01T09:00:00"},
        {"form": "once", "at": "9999-12-31T23:00:00-09:00"},
        {"form": "once", "at": 1735689600},
        {"form": "interval", "every_seconds": True, "anchor": "2025-01-01T09:00:00Z"},
        {"form": "interval", "every_seconds": 1.5, "anchor": "2025-01-01T09:00:00Z"},
        {"form": "interval", "every_seconds": 10**30, "anchor": "2025-01-01T09:00:00Z"},
    ],
)
def test_json_that_is_no_recurrence_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        r.from_json(data)
