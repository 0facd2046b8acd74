"""The five forms of recurrence and the window of validity. What exists is valid: anything else was refused."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import IntEnum
from functools import lru_cache
from typing import Literal

from cronsim import CronSim, CronSimError

from pabal.base.errors import Invalid

# Cron counts wall times, which have no zone.
_ANY_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 - a wall time, as said above
_LONGEST_INTERVAL = timedelta(days=36_500)


MOST_WEEKS = 52


class BadRecurrence(Invalid, code="bad_recurrence"):
    """This recurrence cannot be kept as it is written."""


class NaiveMoment(BadRecurrence, code="naive_moment"):
    """A moment needs its time zone: without one it means something else on every server."""


class OutOfCalendar(BadRecurrence, code="out_of_calendar"):
    """This moment lies outside the years 1 to 9999."""


class BadTimes(BadRecurrence, code="bad_times"):
    """Times are whole seconds on the wall clock, days are Monday to Sunday, and there is at least one of each."""


class BadCron(BadRecurrence, code="bad_cron"):
    """A cron expression has five fields: minute, hour, day of month, month, day of week."""


class NeverFires(BadRecurrence, code="never_fires"):
    """No day ever matches this cron expression."""


class BadInterval(BadRecurrence, code="bad_interval"):
    """An interval is a whole number of seconds, from one second to a hundred years."""


class BadWindow(BadRecurrence, code="bad_window"):
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
class EveryWeeks:
    """Every second, third … week: in the week of `first` (from Monday) and every so many weeks on, never before it."""

    every: int
    first: date
    days: tuple[Weekday, ...]
    times: tuple[time, ...]

    def __post_init__(self) -> None:
        if not 2 <= self.every <= MOST_WEEKS:
            raise BadTimes(f"every {self.every} weeks")
        weekly = Weekly(self.days, self.times)
        object.__setattr__(self, "days", weekly.days)
        object.__setattr__(self, "times", weekly.times)

    def has(self, day: date) -> bool:
        """Whether the day's week is one of them."""
        weeks = (_monday(day) - _monday(self.first)).days // 7
        return weeks % self.every == 0


def _monday(day: date) -> date:
    return date.fromordinal(max(day.toordinal() - day.weekday(), 1))


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


Recurrence = Once | Daily | Weekly | EveryWeeks | Cron | Interval


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


Oddity = Literal[
    "every_minute_of_an_hour", "either_day_matches", "both_days_must_match", "months_skipped", "uneven_step"
]

_MONTHS = ("", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
# The days every such month has: in February it depends on the year, so 29 is not one of them.
_LENGTHS = (0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")


@dataclass(frozen=True, slots=True)
class CronWarning:
    code: Oddity
    en: str
    ko: str


def cron_warnings(expression: str) -> list[CronWarning]:
    """Raises as Cron does when the expression is not valid."""
    minute, hour, day, month, weekday = Cron(expression).fields
    return [
        *_every_minute(minute, hour),
        *_both_days(day, weekday),
        *_months_skipped(day, month),
        *_uneven(minute, "minute", 60),
        *_uneven(hour, "hour", 24),
    ]


def numbers(field: str, names: tuple[str, ...] = ()) -> tuple[int, ...] | None:
    """What a plain list of numbers, names and ranges stands for; None for anything with `*`, `/`, `L`, `W` or `#`."""
    found: list[int] = []
    for term in field.split(","):
        ends = [names.index(end) if end in names else int(end) if end.isdigit() else None for end in term.split("-")]
        low, high = ends[0], ends[-1]
        if low is None or high is None:
            return None
        found += range(low, high + 1)
    return tuple(sorted(set(found)))


def weekdays(field: str) -> tuple[Weekday, ...] | None:
    found = numbers(field, _DAYS)
    # Cron counts from Sunday, and calls it both 0 and 7.
    return None if found is None else tuple(sorted({Weekday((number - 1) % 7) for number in found}))


def months(field: str) -> tuple[int, ...] | None:
    return numbers(field, _MONTHS)


def step(field: str) -> int | None:
    """15 of `*/15`, 1 of `*`; None for anything else."""
    if field == "*":
        return 1
    start, _, every = field.partition("/")
    return int(every) if start == "*" and every.isdigit() else None


def _every_minute(minute: str, hour: str) -> Iterator[CronWarning]:
    if step(minute) == 1 and step(hour) != 1:
        yield CronWarning(
            "every_minute_of_an_hour",
            f"Fires in every minute of the hour {hour}; for once, write a minute first.",
            f"{hour}시의 매분마다 실행됩니다. 한 번만 실행하려면 분을 적으세요.",
        )


def _both_days(day: str, weekday: str) -> Iterator[CronWarning]:
    if day == "*" or weekday == "*":
        return
    if day.startswith("*") or weekday.startswith("*"):
        yield CronWarning(
            "both_days_must_match",
            f"Fires only on days that match both {day} (day of month) and {weekday} (day of week).",
            f"날짜 {day} 와 요일 {weekday} 가 모두 맞는 날에만 실행됩니다.",
        )
    else:
        yield CronWarning(
            "either_day_matches",
            f"Fires on days that match either {day} (day of month) or {weekday} (day of week), not only both.",
            f"날짜 {day} 또는 요일 {weekday} 중 하나만 맞아도 실행됩니다.",
        )


def _months_skipped(day: str, month: str) -> Iterator[CronWarning]:
    chosen = months(month) or range(1, 13)
    late = [
        int(term) for term in day.split(",") if term.isdigit() and int(term) > min(_LENGTHS[each] for each in chosen)
    ]
    if late:
        listed = ", ".join(str(each) for each in late)
        yield CronWarning(
            "months_skipped",
            f"Months (or years) without day {listed} are skipped; L is the last day of every month.",
            f"{listed}일이 없는 달(해)은 건너뜁니다. 매월 말일은 L 로 적으세요.",
        )


def _uneven(field: str, name: str, size: int) -> Iterator[CronWarning]:
    every = step(field)
    if every is not None and size % every:
        unit = "분" if name == "minute" else "시간"
        yield CronWarning(
            "uneven_step",
            f"Every {every} {name}s starts again at 0, so the last step of each round is shorter.",
            f"{every}{unit} 간격은 0부터 다시 시작하므로 마지막 간격이 더 짧습니다.",
        )


class BadStored(BadRecurrence, code="bad_stored"):
    """This JSON is no recurrence."""


def to_json(recurrence: Recurrence) -> dict[str, object]:
    match recurrence:
        case Once(at):
            return {"form": "once", "at": at.isoformat()}
        case Daily(times):
            return {"form": "daily", "times": [time_text(each) for each in times]}
        case Weekly(days, times):
            names = [day.name.lower() for day in days]
            return {"form": "weekly", "days": names, "times": [time_text(each) for each in times]}
        case EveryWeeks(every, first, days, times):
            weekly = to_json(Weekly(days, times))
            return {**weekly, "form": "weeks", "every": every, "first": first.isoformat()}
        case Cron(expression):
            return {"form": "cron", "expression": expression}
        case Interval(every, anchor):
            return {"form": "interval", "every_seconds": every // _SECOND, "anchor": anchor.isoformat()}


def from_json(data: Mapping[str, object]) -> Recurrence:
    """Checks everything each time: the checks cost less than the parsing, and cron's are cached."""
    form = data.get("form")
    fields, build = _FORMS.get(form, (_NO_FIELDS, None)) if isinstance(form, str) else (_NO_FIELDS, None)
    if build is None:
        raise BadStored(f"form {form!r}")
    if data.keys() != fields:
        raise BadStored(f"{form} has the fields {', '.join(sorted(fields))}; given {', '.join(sorted(data))}")
    return build(data)


def time_text(value: time) -> str:
    return value.isoformat("seconds" if value.second else "minutes")


def _once(data: Mapping[str, object]) -> Once:
    return Once(_moment(data["at"]))


def _daily(data: Mapping[str, object]) -> Daily:
    return Daily(_times(data["times"]))


def _weekly(data: Mapping[str, object]) -> Weekly:
    days = data["days"]
    if not isinstance(days, list):
        raise BadStored(f"days {days!r}")
    try:
        return Weekly(tuple(_WEEKDAYS[day] for day in days), _times(data["times"]))
    except (KeyError, TypeError) as error:
        raise BadStored(f"days {days!r}") from error


def _weeks(data: Mapping[str, object]) -> EveryWeeks:
    weekly, every = _weekly(data), data["every"]
    if type(every) is not int:
        raise BadStored(f"every {every!r}")
    return EveryWeeks(every, _day(data["first"]), weekly.days, weekly.times)


def _day(value: object) -> date:
    try:
        return date.fromisoformat(value)  # type: ignore[arg-type]  # anything but text is the TypeError below
    except (TypeError, ValueError) as error:
        raise BadStored(f"day {value!r}") from error


def _cron(data: Mapping[str, object]) -> Cron:
    expression = data["expression"]
    if not isinstance(expression, str):
        raise BadStored(f"expression {expression!r}")
    return Cron(expression)


def _interval(data: Mapping[str, object]) -> Interval:
    seconds = data["every_seconds"]
    if type(seconds) is not int:
        raise BadStored(f"every_seconds {seconds!r}")
    try:
        every = timedelta(seconds=seconds)
    except OverflowError as error:
        raise BadStored(f"every_seconds {seconds!r}") from error
    return Interval(every, anchor=_moment(data["anchor"]))


def _moment(value: object) -> datetime:
    try:
        return datetime.fromisoformat(value)  # type: ignore[arg-type]  # anything but text is the TypeError below
    except (TypeError, ValueError) as error:
        raise BadStored(f"moment {value!r}") from error


def _times(value: object) -> tuple[time, ...]:
    if not isinstance(value, list):
        raise BadStored(f"times {value!r}")
    return tuple(_time(each) for each in value)


def _time(value: object) -> time:
    try:
        found = time.fromisoformat(value)  # type: ignore[arg-type]  # anything but text is the TypeError below
    except (TypeError, ValueError) as error:
        raise BadStored(f"time {value!r}") from error
    if time_text(found) != value:
        raise BadStored(f"time {value!r}; write HH:MM or HH:MM:SS")
    return found


_SECOND = timedelta(seconds=1)
_WEEKDAYS: Mapping[object, Weekday] = {day.name.lower(): day for day in Weekday}
_NO_FIELDS: frozenset[str] = frozenset()
_FORMS: Mapping[str, tuple[frozenset[str], Callable[[Mapping[str, object]], Recurrence]]] = {
    "once": (frozenset({"form", "at"}), _once),
    "daily": (frozenset({"form", "times"}), _daily),
    "weekly": (frozenset({"form", "days", "times"}), _weekly),
    "weeks": (frozenset({"form", "every", "first", "days", "times"}), _weeks),
    "cron": (frozenset({"form", "expression"}), _cron),
    "interval": (frozenset({"form", "every_seconds", "anchor"}), _interval),
}
