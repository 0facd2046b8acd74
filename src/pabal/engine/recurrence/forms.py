"""The five forms of recurrence and the window of validity. What exists is valid: anything else was refused."""

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from enum import IntEnum
from functools import lru_cache

from cronsim import CronSim, CronSimError

from pabal.base.errors import Invalid

# Cron counts wall times, which have no zone.
_ANY_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 - a wall time, as said above
_LONGEST_INTERVAL = timedelta(days=36_500)


class BadRecurrence(Invalid):
    """This recurrence cannot be kept as it is written."""


class NaiveMoment(BadRecurrence):
    """A moment needs its time zone: without one it means something else on every server."""


class OutOfCalendar(BadRecurrence):
    """This moment lies outside the years 1 to 9999."""


class BadTimes(BadRecurrence):
    """Times are whole seconds on the wall clock, days are Monday to Sunday, and there is at least one of each."""


class BadCron(BadRecurrence):
    """A cron expression has five fields: minute, hour, day of month, month, day of week."""


class NeverFires(BadRecurrence):
    """No day ever matches this cron expression."""


class BadInterval(BadRecurrence):
    """An interval is a whole number of seconds, from one second to a hundred years."""


class BadWindow(BadRecurrence):
    """A validity must end after it begins."""


class Weekday(IntEnum):
    MON = 0
    TUE = 1
    WED = 2
    THU = 3
    FRI = 4
    SAT = 5
    SUN = 6


@dataclass(frozen=True, slots=True)
class Once:
    """One instant."""

    at: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "at", as_instant(self.at))


@dataclass(frozen=True, slots=True)
class Daily:
    times: tuple[time, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", _in_order(self.times))


@dataclass(frozen=True, slots=True)
class Weekly:
    days: tuple[Weekday, ...]
    times: tuple[time, ...]

    def __post_init__(self) -> None:
        try:
            days = tuple(sorted({Weekday(day) for day in self.days}))
        except ValueError as error:
            raise BadTimes(str(error)) from error
        if not days:
            raise BadTimes("no days")
        object.__setattr__(self, "days", days)
        object.__setattr__(self, "times", _in_order(self.times))


@dataclass(frozen=True, slots=True)
class Cron:
    expression: str

    def __post_init__(self) -> None:
        expression = " ".join(self.expression.split())
        _check_cron(expression)
        object.__setattr__(self, "expression", expression)

    @property
    def fields(self) -> list[str]:
        return self.expression.upper().split()

    @property
    def follows_elapsed_time(self) -> bool:
        """With `*` or `/` in minute or hour it means "as long as the clock shows this", not "at this time of day"."""
        minute, hour, *_ = self.fields
        return any(sign in field for sign in "*/" for field in (minute, hour))


@dataclass(frozen=True, slots=True)
class Interval:
    """Elapsed time: the anchor is the first moment, and each next one is `every` later."""

    every: timedelta
    anchor: datetime

    def __post_init__(self) -> None:
        if not timedelta(seconds=1) <= self.every <= _LONGEST_INTERVAL or self.every.microseconds:
            raise BadInterval(str(self.every))
        object.__setattr__(self, "anchor", as_instant(self.anchor))


Recurrence = Once | Daily | Weekly | Cron | Interval


@dataclass(frozen=True, slots=True)
class Window:
    """Validity: `valid_from` itself is inside, `valid_until` is not; None is open."""

    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def __post_init__(self) -> None:
        valid_from = None if self.valid_from is None else as_instant(self.valid_from)
        valid_until = None if self.valid_until is None else as_instant(self.valid_until)
        if valid_from is not None and valid_until is not None and valid_until <= valid_from:
            raise BadWindow(f"{valid_from.isoformat()} to {valid_until.isoformat()}")
        object.__setattr__(self, "valid_from", valid_from)
        object.__setattr__(self, "valid_until", valid_until)


def as_instant(moment: datetime) -> datetime:
    """In UTC, because two moments of one zone compare by their wall clocks, which a fold shows twice."""
    if moment.utcoffset() is None:
        raise NaiveMoment(moment.isoformat())
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise OutOfCalendar(moment.isoformat()) from error


def _in_order(times: tuple[time, ...]) -> tuple[time, ...]:
    for each in times:
        if each.tzinfo is not None or each.microsecond:
            raise BadTimes(each.isoformat())
    if not times:
        raise BadTimes("no times")
    return tuple(sorted(set(times)))


# Cached because a server builds a million schedules from far fewer expressions.
@lru_cache(maxsize=8192)
def _check_cron(expression: str) -> None:
    fields = expression.upper().split()
    if len(fields) != 5:
        raise BadCron(f"{expression!r} has {len(fields)}")
    try:
        moments = CronSim(expression, _ANY_DAY)
    except CronSimError as error:
        # cronsim calls a day that no month has a bad day; alone in a good month it is none.
        if _is_cron(" ".join([*fields[:3], "*", fields[4]])) and _is_cron(" ".join([*fields[:2], "*", *fields[3:]])):
            raise NeverFires(repr(expression)) from error
        raise BadCron(f"{expression!r}: {error}") from error
    if next(moments, None) is None:
        raise NeverFires(repr(expression))


def _is_cron(expression: str) -> bool:
    try:
        CronSim(expression, _ANY_DAY)
    except CronSimError:
        return False
    return True
