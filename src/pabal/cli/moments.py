"""Reads moments as people write them: +2h, -30m, 09:00, 내일 09:00, 2026-07-03, ISO 8601."""

import re
from datetime import date, datetime, time, timedelta

from pabal.base.errors import Invalid
from pabal.base.settings import BadDuration, parse_duration

_DAYS = {"yesterday": -1, "어제": -1, "today": 0, "오늘": 0, "tomorrow": 1, "내일": 1, "모레": 2}
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


class BadMoment(Invalid):
    """This is no moment. Write +2h or -30m from now, 09:00, tomorrow 09:00, 2026-07-03, or 2026-07-03T09:00+09:00."""


def read_moment(text: str, now: datetime) -> datetime:
    """What names no zone is on this machine's wall clock. A time without a day is today's."""
    said = text.strip()
    try:
        if said[:1] in ("+", "-"):
            length = parse_duration(said[1:])
            return now + length if said[0] == "+" else now - length
        return _read_wall(said, now.astimezone()) or datetime.fromisoformat(said).astimezone()
    except (ValueError, OverflowError, BadDuration) as error:
        raise BadMoment(text[:100]) from error


def _read_wall(said: str, now: datetime) -> datetime | None:
    first, _, rest = said.partition(" ")
    if first in _DAYS:
        return _at(now.date() + timedelta(days=_DAYS[first]), rest.strip() or "00:00")
    return _at(now.date(), said) if _TIME.fullmatch(said) else None


def _at(day: date, clock: str) -> datetime:
    found = _TIME.fullmatch(clock)
    if found is None:
        raise ValueError(clock)
    hour, minute, second = (int(part or 0) for part in found.groups())
    # Read as local time, with the offset of that day: a summer day has another one than today.
    return datetime.combine(day, time(hour, minute, second)).astimezone()
