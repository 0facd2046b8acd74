"""Day parts: in which hours of which weekdays, days off apart, an ad group runs, by its zone's wall clock. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, Literal

from pabal.apps.adgroups.errors import BadDayParts
from pabal.engine.recurrence import Weekday, find_zone

DAY = 24 * 60
MOST_PER_DAY = 24
MOST_DAYS_OFF = 100
OFF = "off"
_CLOCK = re.compile(r"([01]\d|2[0-3]):([0-5]\d)|24:00")
Cell = Literal["on", "off", "part"]
HOURS = 24
HOUR = 60
_WEEK = DAY * len(Weekday)
EMPTY: list[list[Cell]] = [["off"] * HOURS for _ in Weekday]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Minutes of the day it begins on. The end is not in it; one that is not later is the next day's."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < DAY or not 0 <= self.end <= DAY:
            raise BadDayParts(f"{self.start}-{self.end}")

    @property
    def minutes(self) -> int:
        """From 1 to 24 hours."""
        return (self.end - self.start) % DAY or DAY

    @property
    def is_overnight(self) -> bool:
        return self.start + self.minutes > DAY

    def __str__(self) -> str:
        return f"{show_clock(self.start)}-{show_clock(self.end)}"


@dataclass(frozen=True, slots=True)
class DayParts:
    """For each weekday, Monday first, the spans that begin on it, at least one in the week; on a day off, none does."""

    days: tuple[tuple[Span, ...], ...]
    off: tuple[date, ...] = ()
    # thousands that start in one second ask for what is remembered of the same hours
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.days, self.off)))
        if len(self.days) != len(Weekday) or not any(self.days):
            raise BadDayParts("a week has seven days and at least one span")
        if any(len(spans) > MOST_PER_DAY or len(set(spans)) != len(spans) for spans in self.days):
            raise BadDayParts("a span twice, or too many on one day")
        if len(self.off) > MOST_DAYS_OFF or list(self.off) != sorted(set(self.off)):
            raise BadDayParts("a day off twice, or too many of them")

    def __hash__(self) -> int:
        return self._hash

    def spans_of(self, day: date) -> tuple[Span, ...]:
        """Those that begin on it."""
        return () if day in self.off else self.days[day.weekday()]

    @classmethod
    def every_day(cls, start: time, end: time) -> "DayParts":
        """The seed's dailyStartTime and dailyEndTime."""
        span = Span(start.hour * 60 + start.minute, end.hour * 60 + end.minute)
        return cls(((span,),) * len(Weekday))

    @classmethod
    def from_json(cls, data: Any) -> "DayParts":
        """{"mon": [["09:00", "18:00"], ["22:00", "02:00"]], "off": ["2026-12-25"]}: days not named have none."""
        if not isinstance(data, Mapping) or not data.keys() <= {OFF, *(day.name.lower() for day in Weekday)}:
            raise BadDayParts("days are mon, tue, wed, thu, fri, sat, sun; days off are off")
        days = tuple(tuple(sorted(_read_spans(data.get(day.name.lower(), ())))) for day in Weekday)
        return cls(days, tuple(sorted(_read_days(data.get(OFF, ())))))

    def to_json(self) -> dict[str, Any]:
        days: dict[str, Any] = {
            day.name.lower(): [[show_clock(span.start), show_clock(span.end)] for span in spans]
            for day, spans in zip(Weekday, self.days, strict=True)
            if spans
        }
        return days | ({OFF: [day.isoformat() for day in self.off]} if self.off else {})


def show_clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _read_spans(data: Any) -> list[Span]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise BadDayParts(f"{data!r} is no list of spans")
    return [_read_span(one) for one in data]


def _read_span(data: Any) -> Span:
    if not isinstance(data, Sequence) or isinstance(data, str) or len(data) != 2:
        raise BadDayParts(f"{data!r} is no span: write ['09:00', '18:00']")
    return Span(_read_clock(data[0]), _read_clock(data[1]))


def _read_days(data: Any) -> list[date]:
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise BadDayParts(f"{data!r} is no list of days off")
    try:
        return [date.fromisoformat(one) for one in data]
    except (TypeError, ValueError) as error:
        raise BadDayParts(f"{error}: write a day off as 2026-12-25") from error


def _read_clock(text: Any) -> int:
    if not isinstance(text, str) or _CLOCK.fullmatch(text) is None:
        raise BadDayParts(f"{text!r} is no time of day: write 09:00")
    return int(text[:2]) * 60 + int(text[3:])


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
