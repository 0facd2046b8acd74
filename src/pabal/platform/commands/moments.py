"""Reads moments as people write them: +2h, -30m, 09:00, 내일 09:00, 2026-07-03, ISO 8601."""

import re
from datetime import date, datetime, time, timedelta, tzinfo

from pabal.base.errors import Invalid
from pabal.base.settings import BadDuration, parse_duration

_DAYS = {"yesterday": -1, "어제": -1, "today": 0, "오늘": 0, "tomorrow": 1, "내일": 1, "모레": 2}
_TIME = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2}))?")


class BadMoment(Invalid, code="bad_moment"):
    """This is no moment. Write +2h or -30m from now, 09:00, tomorrow 09:00, 2026-07-03, or 2026-07-03T09:00+09:00."""


def read_moment(text: str, now: datetime, zone: tzinfo | None = None) -> datetime:
    """What names no zone is on the wall clock of this one, or else of this machine. A time without a day is today's."""
    said = text.strip()
    try:
        if said[:1] in ("+", "-"):
            length = parse_duration(said[1:])
            return now + length if said[0] == "+" else now - length
        return _on_wall(_read_wall(said, now.astimezone(zone)) or datetime.fromisoformat(said), zone)
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
    return datetime.combine(day, time(hour, minute, second))


def _on_wall(moment: datetime, zone: tzinfo | None) -> datetime:
    """With the offset of that day: a summer day has another one than today."""
    if moment.tzinfo is None and zone is not None:
        return moment.replace(tzinfo=zone)
    return moment.astimezone(zone)
