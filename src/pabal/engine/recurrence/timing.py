"""A recurrence in a zone, with its validity and its rule for gap and fold: turns wall times into instants."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from functools import cache
from itertools import chain, islice
from typing import Literal, NamedTuple, get_args
from zoneinfo import ZoneInfo, available_timezones

from cronsim import CronSim

from pabal.base.errors import Invalid
from pabal.engine.recurrence.forms import (
    Cron,
    Daily,
    EveryWeeks,
    Interval,
    Once,
    Recurrence,
    Weekday,
    Weekly,
    Window,
    as_instant,
)

Gap = Literal["shift", "skip"]
Fold = Literal["first", "second", "both"]
Mark = Literal["dst_gap", "dst_shifted", "dst_first", "dst_second"]

ALWAYS = Window()
TICK = timedelta(microseconds=1)
_DAY = timedelta(days=1)
_EVERY_DAY = tuple(Weekday)

# A rule whose every wall time falls into a gap would otherwise be searched to the end of the calendar.
_REACH = timedelta(days=60 * 366)
# Far enough from both ends of the calendar that no step in between can leave it.
_EARLIEST = datetime(2, 1, 1, tzinfo=UTC)
_LATEST = datetime(9900, 1, 1, tzinfo=UTC)


class UnknownZone(Invalid, code="unknown_zone"):
    """There is no such IANA time zone."""


class BadPolicy(Invalid, code="bad_policy"):
    """A gap is shifted or skipped; of a fold the first, the second or both are taken."""


class Pass(NamedTuple):
    """One time the clock passes what the recurrence asks for; `dst_gap` is one it jumped over."""

    moment: datetime
    wall: datetime
    mark: Mark | None


@dataclass(frozen=True, slots=True)
class Timing:
    recurrence: Recurrence
    zone: str
    window: Window = ALWAYS
    gap: Gap = "shift"
    fold: Fold = "first"

    def __post_init__(self) -> None:
        find_zone(self.zone)
        if self.gap not in get_args(Gap) or self.fold not in get_args(Fold):
            raise BadPolicy(f"gap {self.gap}, fold {self.fold}")

    def next_after(self, moment: datetime) -> datetime | None:
        """The first instant strictly after the moment, in UTC; None when there is none."""
        after, valid_from, valid_until = as_instant(moment), self.window.valid_from, self.window.valid_until
        if valid_from is not None and after < valid_from:
            after = valid_from - TICK
        for found in passes(self, after):
            if found.mark != "dst_gap":
                return found.moment if valid_until is None or found.moment < valid_until else None
        return None

    def moments_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        """Those after the start, up to and with the end."""
        last = as_instant(end)
        moment = self.next_after(start)
        while moment is not None and moment <= last:
            yield moment
            moment = self.next_after(moment)


def passes(timing: Timing, after: datetime) -> Iterator[Pass]:
    """In the order of their moments, strictly after, whatever the validity; what fires does so at distinct moments."""
    if after >= _LATEST:
        return
    zone = find_zone(timing.zone)
    match timing.recurrence:
        case Once() | Interval() as recurrence:
            for moment in _elapsed(recurrence, after):
                yield Pass(moment, wall_clock(moment, zone), None)
        case Daily() | Weekly() | EveryWeeks() | Cron():
            last = max(after, _EARLIEST)
            for found in _wall_passes(timing, zone, last):
                if found.moment > last:
                    if found.mark != "dst_gap":
                        last = found.moment
                    yield found


@cache
def find_zone(name: str) -> ZoneInfo:
    if name not in _zone_names():
        raise UnknownZone(repr(name))
    return ZoneInfo(name)


def instant_of(wall: datetime, zone: ZoneInfo) -> datetime:
    """By the usual rule: a time that a gap swallows is the gap's end, of one that a fold shows twice the first."""
    return _resolve(wall, zone, gap="shift", fold="first")[0].moment


def wall_clock(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None, fold=0)


@cache
def _zone_names() -> frozenset[str]:
    # These two exist as files but name no place: one is whatever the server is set to, the other "not set".
    return frozenset(available_timezones() - {"localtime", "Factory"})


def _elapsed(recurrence: Once | Interval, after: datetime) -> Iterator[datetime]:
    if isinstance(recurrence, Once):
        if after < recurrence.at < _LATEST:
            yield recurrence.at
        return
    anchor, every = recurrence.anchor, recurrence.every
    moment = anchor if after < anchor else anchor + ((after - anchor) // every + 1) * every
    while moment < _LATEST:
        yield moment
        moment += every


def _wall_passes(timing: Timing, zone: ZoneInfo, after: datetime) -> Iterator[Pass]:
    gap, fold = timing.gap, timing.fold
    if isinstance(timing.recurrence, Cron) and timing.recurrence.follows_elapsed_time:
        gap, fold = "skip", "both"
    start = _first_wall(after, zone)
    # The second passes of a fold, which come after the first passes of later wall times.
    waiting: list[Pass] = []
    for wall in _walls(timing.recurrence, start):
        if wall - start > _REACH:
            break
        found = _resolve(wall, zone, gap=gap, fold=fold)
        while waiting and waiting[0].moment <= found[0].moment:
            yield waiting.pop(0)
        yield found[0]
        waiting += found[1:]
    yield from waiting


def _first_wall(after: datetime, zone: ZoneInfo) -> datetime:
    """The wall time to search from: earlier than the clock's by the length of a fold that is about to repeat it."""
    local = after.astimezone(zone)
    repeated = local.replace(fold=1).astimezone(UTC)
    wall = local.replace(tzinfo=None, fold=0)
    return wall - (repeated - after) if repeated > after else wall


def _walls(recurrence: Recurrence, after: datetime) -> Iterator[datetime]:
    match recurrence:
        case Daily(times):
            return _walls_by_day(_EVERY_DAY, times, after)
        case Weekly(days, times):
            return _walls_by_day(days, times, after)
        case EveryWeeks(_, first, days, times) as weeks:
            start = max(after, datetime.combine(first, time()) - TICK)
            return (wall for wall in _walls_by_day(days, times, start) if weeks.has(wall.date()))
        case Cron(expression):
            # Naive on purpose: given a zone, cronsim applies gap and fold rules of its own.
            return CronSim(expression, after)
        case _:
            return iter(())


def _walls_by_day(days: tuple[Weekday, ...], times: tuple[time, ...], after: datetime) -> Iterator[datetime]:
    day = after.date()
    if day.weekday() in days:
        now = after.time()
        for each in times:
            if each > now:
                yield datetime.combine(day, each)
    while True:
        day += _DAY
        if day.weekday() in days:
            for each in times:
                yield datetime.combine(day, each)


def _resolve(wall: datetime, zone: ZoneInfo, *, gap: Gap, fold: Fold) -> tuple[Pass, ...]:
    """At least one pass. The first ones of rising wall times never fall, which is what lets passes be merged."""
    first = wall.replace(tzinfo=zone, fold=0).astimezone(UTC)
    second = wall.replace(tzinfo=zone, fold=1).astimezone(UTC)
    if first == second:
        return (Pass(first, wall, None),)
    if first > second:
        return (Pass(_gap_end(wall, zone, second, first), wall, "dst_shifted" if gap == "shift" else "dst_gap"),)
    both = (Pass(first, wall, "dst_first"), Pass(second, wall, "dst_second"))
    return both if fold == "both" else both[:1] if fold == "first" else both[1:]


def _gap_end(wall: datetime, zone: ZoneInfo, before: datetime, after: datetime) -> datetime:
    """The first second at which the clock shows more than a wall time that it never shows."""
    low, high = 0, int((after - before).total_seconds())
    while high - low > 1:
        middle = (low + high) // 2
        if wall_clock(before + timedelta(seconds=middle), zone) > wall:
            high = middle
        else:
            low = middle
    return before + timedelta(seconds=high)


Exclusion = Literal["not_yet_valid", "no_longer_valid", "skipped", "paused", "dst_gap"]
Note = Literal["dst_shifted", "dst_first", "dst_second"]

_MOST_EXCLUDED = 50
# Enough to show that a validity begins or ends here; a minutely rule would fill pages with the rest.
_MOST_OUTSIDE = 5


@dataclass(frozen=True, slots=True)
class Upcoming:
    """`wall` is the time the recurrence names on the zone's clock; `moment` the instant it became.

    Where a gap swallowed it (`dst_gap`, `dst_shifted`), the moment is the end of the gap.
    """

    moment: datetime
    wall: datetime
    excluded: Exclusion | None = None
    note: Note | None = None


def preview(
    timing: Timing, after: datetime, count: int, *, skipped: Collection[datetime] = (), paused: bool = False
) -> list[Upcoming]:
    """The next `count` that will fire (or would, were it not paused), and between them at most 50 that will not."""
    skips = frozenset(as_instant(moment) for moment in skipped)
    rows: list[Upcoming] = []
    firing = excluded = outside = 0
    for found in _candidates(timing, as_instant(after)):
        if firing >= count or excluded >= _MOST_EXCLUDED or outside >= _MOST_OUTSIDE:
            break
        row = _row(timing, found, skips=skips, paused=paused)
        rows.append(row)
        firing += row.excluded in (None, "paused")
        excluded += row.excluded not in (None, "paused")
        outside += row.excluded == "no_longer_valid"
    return rows


def _candidates(timing: Timing, after: datetime) -> Iterator[Pass]:
    valid_from = timing.window.valid_from
    if valid_from is None or valid_from <= after:
        found = passes(timing, after)
    else:
        early = (each for each in islice(passes(timing, after), _MOST_OUTSIDE) if each.moment < valid_from)
        found = chain(early, passes(timing, valid_from - TICK))
    if isinstance(timing.recurrence, Cron) and timing.recurrence.fields[1] == "*":
        # What runs every hour loses nothing in a gap: the hour itself was not there.
        return (each for each in found if each.mark != "dst_gap")
    return found


def _row(timing: Timing, found: Pass, *, skips: frozenset[datetime], paused: bool) -> Upcoming:
    moment, wall, mark = found
    window = timing.window
    excluded: Exclusion | None = None
    if window.valid_from is not None and moment < window.valid_from:
        excluded = "not_yet_valid"
    elif window.valid_until is not None and moment >= window.valid_until:
        excluded = "no_longer_valid"
    elif mark == "dst_gap":
        excluded = "dst_gap"
    elif moment in skips:
        excluded = "skipped"
    elif paused:
        excluded = "paused"
    return Upcoming(moment, wall, excluded=excluded, note=None if mark == "dst_gap" else mark)
