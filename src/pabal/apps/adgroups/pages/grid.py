"""The week as a table of hours: which are inside the day parts, which only in part. Pure."""

from datetime import datetime
from typing import Literal

from pabal.apps.adgroups.model.dayparts import DAY, DayParts
from pabal.engine.recurrence import Weekday, find_zone

Cell = Literal["on", "off", "part"]
HOURS = 24
HOUR = 60
_WEEK = DAY * len(Weekday)
EMPTY: list[list[Cell]] = [["off"] * HOURS for _ in Weekday]


def make_cells(dayparts: DayParts | None) -> list[list[Cell]]:
    """Seven days of 24 hours; what begins in the evening reaches into the next day, and Sunday's into Monday."""
    minutes = _fill(dayparts)
    return [
        [_look(minutes[start : start + HOUR]) for start in range(int(day) * DAY, (int(day) + 1) * DAY, HOUR)]
        for day in Weekday
    ]


def count_hours(dayparts: DayParts) -> float:
    """Of an ordinary week, what overlaps counted once."""
    return sum(_fill(dayparts)) / HOUR


def find_cell(now: datetime, zone: str) -> tuple[int, int]:
    """Where now is: weekday and hour."""
    local = now.astimezone(find_zone(zone))
    return local.weekday(), local.hour


def _fill(dayparts: DayParts | None) -> bytearray:
    minutes = bytearray(_WEEK) if dayparts is not None else bytearray(b"\1") * _WEEK
    for day, spans in zip(Weekday, dayparts.days if dayparts is not None else ((),) * len(Weekday), strict=True):
        for span in spans:
            for minute in range(span.start, span.start + span.minutes):
                minutes[(int(day) * DAY + minute) % _WEEK] = 1
    return minutes


def _look(minutes: bytearray) -> Cell:
    return "on" if all(minutes) else "part" if any(minutes) else "off"
