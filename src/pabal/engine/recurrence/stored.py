"""Recurrences as JSON, for a jsonb column and the edges: one way to write each, anything else is refused."""

from collections.abc import Callable, Mapping
from datetime import datetime, time, timedelta

from pabal.engine.recurrence.forms import BadRecurrence, Cron, Daily, Interval, Once, Recurrence, Weekday, Weekly


class BadStored(BadRecurrence):
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
    "cron": (frozenset({"form", "expression"}), _cron),
    "interval": (frozenset({"form", "every_seconds", "anchor"}), _interval),
}
