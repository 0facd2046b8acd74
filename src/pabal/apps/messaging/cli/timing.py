"""Reads when something is sent as people write it: --at '내일 09:00', --daily 09:00, --weekly '월,목 09:00'."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from pabal.apps.messaging.errors import BadWhen
from pabal.apps.messaging.model.schedules import ScheduleType, When
from pabal.engine.recurrence import Weekday
from pabal.platform.commands.lazily import lazily

with lazily():
    from pabal.platform.commands import moments

SEOUL = "Asia/Seoul"
_YEAR, _DAY, _SECOND = timedelta(days=365), timedelta(days=1), timedelta(seconds=1)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_KOREAN = "월화수목금토일"


@dataclass(frozen=True)
class Timed:
    """As it was typed. At most one of at, daily and weekly is given."""

    at: str | None = None
    daily: str | None = None
    weekly: str | None = None
    zone: str | None = None
    since: str | None = None
    until: str | None = None

    @property
    def says_rule(self) -> bool:
        return any(one is not None for one in (self.at, self.daily, self.weekly))


def read_when(timed: Timed, now: datetime, old: When | None) -> When:
    """A new rule, or an old one with what is said anew. What names no zone is on the schedule's wall clock."""
    try:
        return _read(timed, now, old)
    except OverflowError as error:
        raise BadWhen(f"{timed.at or ''} {timed.until or ''}".strip()[:100]) from error


def _read(timed: Timed, now: datetime, old: When | None) -> When:
    zone = _zone(timed.zone or (old.zone if old is not None else SEOUL))
    when = _rule(timed, now, zone) if timed.says_rule or old is None else replace(old, zone=zone.key)
    if old is not None:
        when = replace(when, valid_from=old.valid_from, valid_until=old.valid_until)
    if timed.since is not None:
        when = replace(when, valid_from=moments.read_moment(timed.since, now, zone))
    if timed.until is not None:
        when = replace(when, valid_until=_end(timed.until, now, zone))
    return when


def _rule(timed: Timed, now: datetime, zone: ZoneInfo) -> When:
    """Valid from now on for a year, or for a day after its one moment."""
    said = [one for one in (timed.at, timed.daily, timed.weekly) if one is not None]
    if len(said) != 1:
        raise BadWhen(", ".join(said))
    if timed.at is not None:
        moment = moments.read_moment(timed.at, now, zone).astimezone(zone).replace(microsecond=0)
        until = max(now, moment) + _DAY
        return When(ScheduleType.ONCE, moment.time(), now, until, moment.date(), zone=zone.key)
    if timed.daily is not None:
        return When(ScheduleType.DAILY, _time(timed.daily), now, now + _YEAR, zone=zone.key)
    days, clock = _split(timed.weekly or "")
    return When(ScheduleType.WEEKLY, _time(clock), now, now + _YEAR, schedule_weekdays=days, zone=zone.key)


def _split(text: str) -> tuple[tuple[Weekday, ...], str]:
    days, _, clock = text.strip().rpartition(" ")
    return tuple(_weekday(one.strip()) for one in days.split(",")), clock


def _weekday(text: str) -> Weekday:
    """mon, Monday, 월, 월요일."""
    first = text.removesuffix("요일")
    if len(first) == 1 and first in _KOREAN:
        return Weekday(_KOREAN.index(first))
    found = [day for day in Weekday if len(text) >= 3 and text[:3].upper() == day.name]
    if not found:
        raise BadWhen(text[:100])
    return found[0]


def _time(text: str) -> time:
    try:
        return time.fromisoformat(text.strip().rjust(5, "0")).replace(tzinfo=None, microsecond=0)
    except ValueError as error:
        raise BadWhen(text[:100]) from error


def _end(text: str, now: datetime, zone: ZoneInfo) -> datetime:
    """A day is valid to its end."""
    moment = moments.read_moment(text, now, zone)
    return moment + _DAY - _SECOND if _DATE.fullmatch(text.strip()) else moment


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ValueError, OSError, LookupError) as error:
        raise BadWhen(name[:100]) from error
