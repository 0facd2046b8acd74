"""When an ad group is inside its hours: day parts in a zone, and the boundaries somebody moved. Pure."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from itertools import groupby
from operator import attrgetter
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.engine.recurrence import find_zone, instant_of

Boundary = Literal["daily_start", "daily_end"]
# A week and a day on both sides hold every boundary that matters; what was moved may matter for a week longer.
_REACH = timedelta(days=9)
FURTHEST = timedelta(days=7)
# How far ahead a change is looked for: a week may be empty because its boundaries were taken out, and another one.
_AHEAD = timedelta(days=28)


@dataclass(frozen=True, slots=True)
class Moved:
    """A boundary of the calendar that somebody moved; to nothing: took out."""

    event: Boundary
    due_at: datetime
    to: datetime | None
    by: str


class Change(NamedTuple):
    """From this moment on it is inside, or not."""

    moment: datetime
    inside: bool


class Window(NamedTuple):
    """The end is not in it; None: there is none in sight."""

    start: datetime
    end: datetime | None


class _Stretch(NamedTuple):
    """What holds before the first change, then the changes, each of the other kind than the one before."""

    inside: bool
    changes: tuple[Change, ...]


@dataclass(frozen=True, slots=True)
class Calendar:
    """Without day parts it is always inside. A day off takes away what begins on it, not what began the day before."""

    dayparts: DayParts | None
    zone: str
    moved: tuple[Moved, ...] = ()

    def is_inside(self, moment: datetime) -> bool:
        if self.dayparts is None:
            return True
        stretch = self._around(moment)
        place = bisect_right(stretch.changes, moment, key=lambda change: change.moment)
        return stretch.changes[place - 1].inside if place else stretch.inside

    def next_change(self, after: datetime) -> Change | None:
        """None: nothing changes any more."""
        if self.dayparts is None:
            return None
        inside = self.is_inside(after)
        day, last = self._day_of(after), self._last_day(after)
        while day <= last:
            for change in _find_stretch(self, day).changes:
                if change.moment > after and change.inside is not inside:
                    return change
            day += _REACH
        return None

    def last_change(self, upto: datetime) -> Change | None:
        """None: none in the days before."""
        if self.dayparts is None:
            return None
        changes = self._around(upto).changes
        place = bisect_right(changes, upto, key=attrgetter("moment"))
        return changes[place - 1] if place else None

    def next_start(self, after: datetime) -> datetime | None:
        return self._next(after, inside=True)

    def next_end(self, after: datetime) -> datetime | None:
        return self._next(after, inside=False)

    def windows(self, since: datetime, until: datetime) -> Iterator[Window]:
        """Those that touch this time, from their own start or from `since`."""
        start: datetime | None = since if self.is_inside(since) else None
        moment = since
        while change := self.next_change(moment):
            moment = change.moment
            if start is not None:
                yield Window(start, moment)
            if moment >= until:
                return
            start = moment if change.inside else None
        if start is not None:
            yield Window(start, None)

    def _next(self, after: datetime, *, inside: bool) -> datetime | None:
        change = self.next_change(after)
        while change is not None and change.inside is not inside:
            change = self.next_change(change.moment)
        return None if change is None else change.moment

    def _around(self, moment: datetime) -> _Stretch:
        return _find_stretch(self, self._day_of(moment))

    def _day_of(self, moment: datetime) -> date:
        return moment.astimezone(find_zone(self.zone)).date()

    def _last_day(self, after: datetime) -> date:
        """Days off may be far away, and come in a row."""
        day = self._day_of(after)
        return max((day, *(self.dayparts.off if self.dayparts is not None else ()))) + _AHEAD


@lru_cache(maxsize=4096)
def _find_stretch(calendar: Calendar, day: date) -> _Stretch:
    """Around this day; the same for all who ask on one day, and many have the same hours."""
    zone = find_zone(calendar.zone)
    reach = _REACH + FURTHEST if calendar.moved else _REACH
    begin, end = _midnight_of(day - reach, zone), _midnight_of(day + reach, zone)
    windows = list(_merge(_list_windows(calendar, zone, day - reach, day + reach)))
    inside = any(start <= begin < stop for start, stop in windows)
    changes = [change for start, stop in windows for change in (Change(start, True), Change(stop, False))]
    # the last window may only seem to end: what begins after it is not known here
    known = [change for change in changes if begin < change.moment <= end]
    # nor is what was moved to here from beyond
    last = _midnight_of(day + _REACH, zone)
    moved = sorted(change for change in _apply(known, calendar.moved) if change.moment <= last)
    return _Stretch(inside, tuple(_alternate(inside, moved)))


def _list_windows(calendar: Calendar, zone: ZoneInfo, first: date, last: date) -> Iterator[tuple[datetime, datetime]]:
    day = first - timedelta(days=1)
    while day <= last + timedelta(days=1) and calendar.dayparts is not None:
        midnight = datetime.combine(day, datetime.min.time())
        for span in calendar.dayparts.spans_of(day):
            start = midnight + timedelta(minutes=span.start)
            yield instant_of(start, zone), instant_of(start + timedelta(minutes=span.minutes), zone)
        day += timedelta(days=1)


def _midnight_of(day: date, zone: ZoneInfo) -> datetime:
    return instant_of(datetime.combine(day, datetime.min.time()), zone)


def _merge(windows: Iterator[tuple[datetime, datetime]]) -> Iterator[tuple[datetime, datetime]]:
    """What overlaps or touches is one; what a gap in the clock left empty is none."""
    open_start: datetime | None = None
    open_end: datetime | None = None
    for start, end in sorted(window for window in windows if window[0] < window[1]):
        if open_start is not None and open_end is not None and start <= open_end:
            open_end = max(open_end, end)
            continue
        if open_start is not None and open_end is not None:
            yield open_start, open_end
        open_start, open_end = start, end
    if open_start is not None and open_end is not None:
        yield open_start, open_end


def _apply(changes: list[Change], moved: tuple[Moved, ...]) -> Iterator[Change]:
    """Each boundary where it is now. What was moved no boundary stands at any more is left out."""
    to = {Change(one.due_at, one.event == "daily_start"): one.to for one in moved}
    for change in changes:
        moment = to.get(change, change.moment)
        if moment is not None:
            yield Change(moment, change.inside)


def _alternate(inside: bool, changes: list[Change]) -> Iterator[Change]:
    """Only what changes something. Of an end and a start at one moment the start counts: nothing lies between."""
    for moment, alike in groupby(changes, key=attrgetter("moment")):
        is_inside = any(change.inside for change in alike)
        if is_inside is not inside:
            inside = is_inside
            yield Change(moment, inside)
