"""I14: in every zone, at every transition from 1970 to 2037, gap and fold give exactly what was declared.

The oracle never asks what a wall time means. It finds the transitions on the line of instants, and knows between two of
them the one offset of the clock; from that it says which instants show a wall time, if any does.
"""

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest

from pabal.engine.recurrence import Cron, Daily, Fold, Gap, Interval, Timing, Weekday, Weekly

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
YEARS = (1970, 1980, 1988, 1996, 2004, 2012, 2020, 2029, 2038)
ERAS = list(pairwise(datetime(year, 1, 1, tzinfo=UTC) for year in YEARS))
# The clock of Recife and others was changed for 6.96 days in 2000; none since 1970 stayed less.
STRIDE = 3 * DAY
# No rule asked for here looks farther than the oracle does.
REACH = 7 * DAY
ZONES = sorted(available_timezones() - {"localtime", "Factory"})
GAP_POLICIES: list[tuple[Gap, Fold]] = [("shift", "first"), ("skip", "both")]
FOLD_POLICIES: list[tuple[Gap, Fold]] = [("shift", "first"), ("skip", "second"), ("shift", "both")]
KNOWN = {
    "Asia/Seoul": date(1988, 5, 8),
    "America/New_York": date(2025, 3, 9),
    "Europe/London": date(2025, 10, 26),
    "Australia/Lord_Howe": date(2025, 4, 6),
    "Pacific/Apia": date(2011, 12, 30),
    "America/Sao_Paulo": date(2018, 11, 4),
    "Africa/Cairo": date(2024, 4, 26),
    "America/Havana": date(2025, 11, 2),
    "Africa/Monrovia": date(1972, 1, 7),
}


@pytest.mark.slow
@pytest.mark.parametrize(("begin", "end"), ERAS, ids=[f"{begin.year}" for begin, _ in ERAS])
def test_every_transition_of_every_zone_gives_the_declared_result(begin: datetime, end: datetime) -> None:
    """Of zones whose clocks go alike for weeks around a transition, one is asked: the name is no part of the rule."""
    asked: set[tuple[datetime, tuple[Period, ...]]] = set()
    seen = 0

    for zone in ZONES:
        known = transitions(zone, begin - 2 * REACH, end + 2 * REACH)
        for transition in (one for one in known if begin <= one < end):
            seen += 1
            start, last = transition - DAY / 2, transition + DAY
            stretches = periods(zone, known, start, last)
            if (transition, stretches) not in asked:
                asked.add((transition, stretches))
                ask_around(zone, transition, stretches, start, last)

    assert seen > 2500
    assert len(asked) > 400


def test_every_name_of_a_zone_goes_by_its_own_clock() -> None:
    for zone in ZONES:
        for moment in (datetime(2025, 1, 15, tzinfo=UTC), datetime(2025, 7, 15, tzinfo=UTC)):
            found = Timing(Daily((time(9),)), zone).next_after(moment)

            assert found is not None
            assert moment < found <= moment + DAY, zone
            assert found.astimezone(ZoneInfo(zone)).time() == time(9), zone


@pytest.mark.slow
@pytest.mark.parametrize("zone", KNOWN)
@pytest.mark.parametrize("gap", ["shift", "skip"])
@pytest.mark.parametrize("fold", ["first", "second", "both"])
def test_a_fixed_time_of_day_equals_a_minute_by_minute_reading_of_the_clock(zone: str, gap: Gap, fold: Fold) -> None:
    around = datetime.combine(KNOWN[zone], time(), tzinfo=UTC)
    start, end = around - 2 * DAY, around + 3 * DAY

    for times in alone_and_together(
        {time(0), time(0, 30), time(1, 15), time(1, 45), time(2, 30), time(3), time(23, 30)}
    ):
        by_day = list(Timing(Daily(times), zone, gap=gap, fold=fold).moments_between(start, end))
        by_week = list(Timing(Weekly(tuple(Weekday), times), zone, gap=gap, fold=fold).moments_between(start, end))

        assert by_day == read_minute_by_minute(zone, times, start, end, gap=gap, fold=fold), times
        assert by_week == by_day


@pytest.mark.parametrize("zone", KNOWN)
@pytest.mark.parametrize("minute", ["*/15", "0", "*", "5/20"])
def test_a_cron_with_wildcards_fires_whenever_the_clock_shows_it(zone: str, minute: str) -> None:
    minutes = {"*/15": {0, 15, 30, 45}, "0": {0}, "*": set(range(60)), "5/20": {5, 25, 45}}[minute]
    around = datetime.combine(KNOWN[zone], time(), tzinfo=UTC)
    start, end = around - DAY, around + 2 * DAY

    found = list(Timing(Cron(f"{minute} * * * *"), zone).moments_between(start, end))

    clock = [(moment, moment.astimezone(ZoneInfo(zone))) for moment in by_seconds(start, end, 30)]
    assert found == [moment for moment, local in clock if local.minute in minutes and local.second == 0]


def test_a_quarter_hourly_cron_keeps_its_pace_through_gap_and_fold() -> None:
    timing = Timing(Cron("*/15 * * * *"), "America/New_York")

    for day in (datetime(2025, 3, 9, tzinfo=UTC), datetime(2025, 11, 2, tzinfo=UTC)):
        found = list(timing.moments_between(day, day + DAY))

        assert found == [day + 15 * MINUTE * step for step in range(1, 97)]


def test_an_interval_keeps_its_pace_through_gap_and_fold() -> None:
    anchor = datetime(2025, 3, 8, 12, 34, 56, tzinfo=UTC)
    timing = Timing(Interval(timedelta(hours=6), anchor), "America/New_York")

    found = list(timing.moments_between(anchor - DAY, anchor + 2 * DAY))

    assert found == [anchor + 6 * HOUR * step for step in range(9)]


@pytest.mark.req("D-83")
def test_a_fixed_hour_cron_follows_the_declared_rule() -> None:
    before_gap, before_fold = datetime(2025, 3, 8, 12, tzinfo=UTC), datetime(2025, 11, 1, 12, tzinfo=UTC)
    gap_end = datetime(2025, 3, 9, 7, tzinfo=UTC)
    first, second = datetime(2025, 11, 2, 5, 30, tzinfo=UTC), datetime(2025, 11, 2, 6, 30, tzinfo=UTC)

    def moments(expression: str, start: datetime, gap: Gap = "shift", fold: Fold = "first") -> list[datetime]:
        timing = Timing(Cron(expression), "America/New_York", gap=gap, fold=fold)
        return list(timing.moments_between(start, start + DAY))

    assert moments("30 2 * * *", before_gap) == [gap_end]
    assert moments("30 2 * * *", before_gap, gap="skip") == []
    assert moments("0,20,40 2 * * *", before_gap) == [gap_end], "what shifts onto one instant is one moment"
    assert moments("30 1 * * *", before_fold) == [first]
    assert moments("30 1 * * *", before_fold, fold="second") == [second]
    assert moments("30 1 * * *", before_fold, fold="both") == [first, second]


def test_the_day_that_samoa_left_out_gives_one_moment_not_two() -> None:
    midnight = datetime(2011, 12, 30, 10, tzinfo=UTC)
    shifting = Timing(Daily((time(0), time(9))), "Pacific/Apia")
    skipping = Timing(Daily((time(9),)), "Pacific/Apia", gap="skip")

    assert list(shifting.moments_between(midnight - HOUR, midnight + 9 * HOUR)) == [midnight, midnight + 9 * HOUR]
    assert list(skipping.moments_between(midnight - DAY, midnight + DAY)) == [midnight - 15 * HOUR, midnight + 9 * HOUR]


def test_a_rule_that_lives_in_the_gap_alone_ends_instead_of_searching_for_ever() -> None:
    timing = Timing(Cron("30 2 * 3 SUN#2"), "America/New_York", gap="skip")

    assert timing.next_after(datetime(2025, 1, 1, tzinfo=UTC)) is None


# ---- the oracle


Period = tuple[datetime, datetime, timedelta]


def ask_around(zone: str, transition: datetime, stretches: tuple[Period, ...], start: datetime, end: datetime) -> None:
    for gap, fold in GAP_POLICIES if is_gap(zone, transition) else FOLD_POLICIES:
        for times in alone_and_together(edge_times(zone, transition)):
            timing = Timing(Daily(times), zone, gap=gap, fold=fold)

            found = list(timing.moments_between(start, end))

            assert found == expected(timing, times, stretches, start, end), (zone, transition, gap, fold, times)


def transitions(zone: str, begin: datetime, end: datetime) -> list[datetime]:
    """Instants at which the offset of the clock changes."""
    info = ZoneInfo(zone)
    offsets = [(moment, moment.astimezone(info).utcoffset()) for moment in strides(begin, end)]
    return [bisect(info, low, high) for (low, before), (high, after) in pairwise(offsets) if before != after]


@cache
def strides(begin: datetime, end: datetime) -> list[datetime]:
    return [begin + STRIDE * count for count in range((end - begin) // STRIDE + 2)]


def bisect(info: ZoneInfo, low: datetime, high: datetime) -> datetime:
    offset = low.astimezone(info).utcoffset()
    while high - low > SECOND:
        middle = low + (high - low) // SECOND // 2 * SECOND
        low, high = (middle, high) if middle.astimezone(info).utcoffset() == offset else (low, middle)
    return high


def is_gap(zone: str, transition: datetime) -> bool:
    before, after = (moment.astimezone(ZoneInfo(zone)) for moment in (transition - SECOND, transition))
    return after.replace(tzinfo=None) - before.replace(tzinfo=None) > SECOND


def alone_and_together(times: set[time]) -> list[tuple[time, ...]]:
    """Alone too: once one time has fired at the end of a gap, no other time in that gap is asked for any more."""
    return [*((each,) for each in sorted(times)), tuple(sorted(times))]


def edge_times(zone: str, transition: datetime) -> set[time]:
    """On both edges of what is left out or repeated, a second beside them, and in the middle."""
    info = ZoneInfo(zone)
    new = transition.astimezone(info).replace(tzinfo=None)
    old = (transition - SECOND).astimezone(info).replace(tzinfo=None) + SECOND
    low, high = min(old, new), max(old, new)
    middle = low + (high - low) // SECOND // 2 * SECOND
    return {each.time().replace(fold=0) for each in (low - SECOND, low, middle, high - SECOND, high)}


def periods(zone: str, known: list[datetime], start: datetime, end: datetime) -> tuple[Period, ...]:
    """Stretches of one offset that touch the span, a week beyond it on both sides."""
    low, high = bisect_right(known, start - REACH), bisect_right(known, end + REACH)
    edges = [start - REACH, *known[low:high], end + REACH]
    info = ZoneInfo(zone)
    return tuple((a, b, a.astimezone(info).utcoffset() or timedelta()) for a, b in pairwise(edges))


def expected(
    timing: Timing, times: tuple[time, ...], stretches: tuple[Period, ...], start: datetime, end: datetime
) -> list[datetime]:
    found = set()
    # A clock is never a whole day and night away from UTC, so one day more on either side is enough.
    for days in range(-1, (end - start) // DAY + 3):
        for each in times:
            wall = datetime.combine(start.date() + days * DAY, each, tzinfo=UTC)
            shown = [wall - offset for a, b, offset in stretches if a <= wall - offset < b]
            if shown:
                found.update({"first": shown[:1], "second": shown[-1:], "both": shown}[timing.fold])
            elif timing.gap == "shift":
                found.add(next(a for a, _, offset in stretches if a + offset > wall))
    return sorted(moment for moment in found if start < moment <= end)


def read_minute_by_minute(
    zone: str, times: tuple[time, ...], start: datetime, end: datetime, *, gap: Gap, fold: Fold
) -> list[datetime]:
    shown: dict[datetime, list[datetime]] = {}
    jumped: set[datetime] = set()
    previous = None
    for moment, wall in clock_readings(zone, start - DAY, end + DAY):
        if wall.time() in times:
            shown.setdefault(wall, []).append(moment)
        if previous is not None and wall - previous > 30 * SECOND:
            missed = (previous + 30 * SECOND * n for n in range(1, (wall - previous) // (30 * SECOND)))
            jumped |= {moment for each in missed if each.time() in times}
        previous = wall
    taken = {"first": slice(1), "second": slice(-1, None), "both": slice(None)}[fold]
    found = {moment for moments in shown.values() for moment in moments[taken]}
    found |= jumped if gap == "shift" else set()
    return sorted(moment for moment in found if start < moment <= end)


@cache
def clock_readings(zone: str, start: datetime, end: datetime) -> list[tuple[datetime, datetime]]:
    """Twice a minute, because Monrovia's clock was half a minute off the minutes of UTC."""
    info = ZoneInfo(zone)
    return [(each, each.astimezone(info).replace(tzinfo=None, fold=0)) for each in by_seconds(start, end, 30)]


def by_seconds(start: datetime, end: datetime, step: int) -> Iterator[datetime]:
    for count in range(1, int((end - start).total_seconds()) // step + 1):
        yield start + timedelta(seconds=step * count)
