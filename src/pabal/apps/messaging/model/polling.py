"""How long the scheduler sleeps when nothing wakes it: the seed's busy, quiet and other hours. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.messaging.errors import BadHours

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Polling:
    base: timedelta
    busy: timedelta
    idle: timedelta
    busy_hours: Ranges
    idle_hours: Ranges

    def interval(self, wall: datetime) -> timedelta:
        """By the wall clock of the operators' zone; busy beats quiet."""
        minute = wall.hour * 60 + wall.minute
        if _holds(self.busy_hours, minute):
            return self.busy
        return self.idle if _holds(self.idle_hours, minute) else self.base


def parse_ranges(text: str) -> Ranges:
    """`09:00-12:59,18:00-21:59` as minutes of the day, both ends included."""
    return tuple(_parse_range(part.strip()) for part in text.split(",") if part.strip())


def _parse_range(text: str) -> tuple[int, int]:
    first, dash, last = text.partition("-")
    if not dash:
        raise BadHours(text)
    return _parse_minute(first), _parse_minute(last)


def _parse_minute(text: str) -> int:
    hours, colon, minutes = text.strip().partition(":")
    if not (colon and hours.isascii() and hours.isdigit() and minutes.isascii() and minutes.isdigit()):
        raise BadHours(text)
    if int(hours) > 23 or int(minutes) > 59:
        raise BadHours(text)
    return int(hours) * 60 + int(minutes)


def _holds(ranges: Ranges, minute: int) -> bool:
    return any(_is_within(minute, first, last) for first, last in ranges)


def _is_within(minute: int, first: int, last: int) -> bool:
    """A range may go over midnight."""
    return first <= minute <= last if first <= last else minute >= first or minute <= last
