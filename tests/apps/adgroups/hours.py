"""Random hours, and a slow way to say what lies inside them."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from pabal.apps.adgroups.model.calendars import Calendar, Change, Moved
from pabal.apps.adgroups.model.dayparts import DayParts, Span
from pabal.engine.recurrence import instant_of

# no daylight saving, both kinds of change within the weeks looked at, one of half an hour, one at midnight
ZONES = ("Asia/Seoul", "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Africa/Cairo")
# in these weeks of 2026 clocks change: Cairo April, Berlin and New York in autumn, Lord Howe in spring of the south
BEGINS = (datetime(2026, 10, 4, tzinfo=UTC), datetime(2026, 10, 28, tzinfo=UTC), datetime(2026, 4, 23, tzinfo=UTC))
DAY = timedelta(days=1)

_minutes = st.integers(0, 47).map(lambda half: half * 30)
spans = st.builds(Span, _minutes, st.integers(0, 48).map(lambda half: half * 30))


@st.composite
def dayparts(draw: st.DrawFn) -> DayParts:
    days = draw(st.lists(st.lists(spans, max_size=3, unique=True), min_size=7, max_size=7).filter(any))
    first = draw(st.sampled_from(BEGINS)).date()
    off = draw(st.lists(st.integers(-3, 20), max_size=4, unique=True))
    return DayParts(tuple(tuple(sorted(day)) for day in days), tuple(sorted(first + DAY * day for day in off)))


@st.composite
def calendars(draw: st.DrawFn) -> tuple[Calendar, datetime]:
    """One, and a moment to look at it from; up to two of the boundaries near it were moved or taken out."""
    plain = Calendar(draw(dayparts()), draw(st.sampled_from(ZONES)))
    begin = draw(st.sampled_from(BEGINS))
    near = [one for one in slow_changes(plain, begin, 12) if abs(one.moment - begin) < 8 * DAY]
    picked = draw(st.lists(st.sampled_from(near), max_size=2, unique=True)) if near else []
    moved = tuple(
        Moved(
            "daily_start" if one.inside else "daily_end",
            one.moment,
            draw(st.none() | st.integers(-7 * 48, 7 * 48).map(lambda half, at=one.moment: at + DAY / 48 * half)),
            "kim",
        )
        for one in picked
    )
    return Calendar(plain.dayparts, plain.zone, moved), begin


def slow_changes(calendar: Calendar, around: datetime, days: int = 40) -> list[Change]:
    """Every half hour is asked whether some span of some day holds it, long before and long after."""
    windows = list(_windows(calendar, around.date(), days))
    changes, inside = [], False
    moment = around - DAY * days
    while moment <= around + DAY * days:
        now = any(start <= moment < end for start, end in windows)
        if now is not inside:
            changes.append(Change(moment, now))
        inside, moment = now, moment + DAY / 48
    places = {(one.event == "daily_start", one.due_at): one.to for one in calendar.moved}
    there = [(places.get((one.inside, one.moment), one.moment), one.inside) for one in changes]
    return _toggled([(moment, inside) for moment, inside in there if moment is not None])


def _toggled(changes: list[tuple[datetime, bool]]) -> list[Change]:
    found: list[Change] = []
    at = {moment: any(inside for when, inside in changes if when == moment) for moment, _ in changes}
    for moment, inside in sorted(at.items()):
        if inside is not (found[-1].inside if found else False):
            found.append(Change(moment, inside))
    return found


def _windows(calendar: Calendar, middle: date, days: int) -> list[tuple[datetime, datetime]]:
    zone = ZoneInfo(calendar.zone)
    found = []
    for number in range(-days - 3, days + 4):
        day = middle + DAY * number
        midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001 -- a wall clock's
        for span in calendar.dayparts.spans_of(day) if calendar.dayparts else ():
            start = midnight + timedelta(minutes=span.start)
            found.append((instant_of(start, zone), instant_of(start + timedelta(minutes=span.minutes), zone)))
    return found
