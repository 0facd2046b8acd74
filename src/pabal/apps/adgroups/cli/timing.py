"""Reads dates and hours as people write them: --until 2026-12-31, --hours 'mon-fri 09:00-18:00; sat 10:00-14:00'."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from typer.core import TyperCommand

from pabal.apps.adgroups.errors import BadAdGroup, BadDayParts
from pabal.apps.adgroups.model.adgroups import ZONE, Schedule, needed
from pabal.apps.adgroups.model.dayparts import OFF, DayParts
from pabal.engine.recurrence import Weekday, find_zone
from pabal.platform.commands.lazily import lazily

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.platform.commands import moments

ALWAYS = ("always", "항상", "")
EVERY_DAY = ("daily", "every day", "매일")
_DAY = timedelta(days=1)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_KOREAN = "월화수목금토일"
# what an argument that begins with one is not taken for an option with
_MINUS = "\N{MINUS SIGN}"
_PART = re.compile(r"(?P<days>.+?)\s+(?P<spans>\d.*)")


@dataclass(frozen=True)
class Timed:
    """As it was typed; None: not said."""

    since: str | None = None
    until: str | None = None
    zone: str | None = None
    hours: str | None = None


class Moments(TyperCommand):
    """A command whose arguments may be moments before now: -2h is none of its options."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [re.sub(r"^-(?=\d)", _MINUS, one) for one in args])


def read_argument(text: str, now: datetime, zone: ZoneInfo | None = None) -> datetime:
    return moments.read_moment(text.replace(_MINUS, "-"), now, zone)


def read_schedule(timed: Timed, now: datetime, old: Schedule | None) -> Schedule:
    """A new one, or an old one with what is said anew. What names no zone is on the ad group's wall clock."""
    zone = find_zone(timed.zone or (old.zone if old is not None else ZONE))
    if old is None:
        if timed.until is None:
            raise BadAdGroup([needed("end_at")])
        old = Schedule(now, read_end(timed.until, now, zone), zone.key)
    start = old.start_at if timed.since is None else moments.read_moment(timed.since, now, zone)
    end = old.end_at if timed.until is None else read_end(timed.until, now, zone)
    dayparts = old.dayparts if timed.hours is None else read_hours(timed.hours)
    return replace(old, start_at=start, end_at=end, zone=zone.key, dayparts=dayparts)


def read_end(text: str, now: datetime, zone: ZoneInfo) -> datetime:
    """A day is in it to its end."""
    if _DATE.fullmatch(text.strip()):
        midnight = moments.read_moment(text, now, zone)
        return (midnight.replace(tzinfo=None) + _DAY).replace(tzinfo=zone)
    return moments.read_moment(text, now, zone)


async def find_start(tx: Tx, scope: Scope, text: str) -> datetime:
    """Of a campaign, which has no zone of its own."""
    return moments.read_moment(text, tx.now, find_zone(ZONE))


async def find_end(tx: Tx, scope: Scope, text: str) -> datetime | None:
    """'' is none."""
    return None if text == "" else read_end(text, tx.now, find_zone(ZONE))


def read_hours(text: str) -> DayParts | None:
    """'mon-fri 09:00-18:00,20:00-22:00; 토 10:00-14:00; off 2026-12-25'; None: always."""
    if text.strip().lower() in ALWAYS:
        return None
    read: dict[str, list[Any]] = {}
    for part in text.split(";"):
        found = _PART.fullmatch(part.strip())
        if found is None:
            raise BadDayParts(f"{part.strip()[:50]!r}: write mon-fri 09:00-18:00")
        said = [one.strip() for one in found["spans"].split(",")]
        if found["days"].lower() == OFF:
            read.setdefault(OFF, []).extend(said)
            continue
        for day in _read_days(found["days"]):
            read.setdefault(day.name.lower(), []).extend([clock.strip() for clock in one.split("-")] for one in said)
    return DayParts.from_json(read)


def _read_days(text: str) -> list[Weekday]:
    if text.strip().lower() in EVERY_DAY:
        return list(Weekday)
    return [day for one in text.split(",") for day in _read_range(one)]


def _read_range(text: str) -> list[Weekday]:
    """mon-fri; 금-월 goes over the end of the week."""
    first, dash, last = text.partition("-")
    start = _read_day(first)
    if not dash:
        return [start]
    return [Weekday((start + n) % len(Weekday)) for n in range((_read_day(last) - start) % len(Weekday) + 1)]


def _read_day(text: str) -> Weekday:
    """mon, Monday, 월, 월요일."""
    said = text.strip()
    first = said.removesuffix("요일")
    if len(first) == 1 and first in _KOREAN:
        return Weekday(_KOREAN.index(first))
    found = [day for day in Weekday if len(said) >= 3 and said[:3].upper() == day.name]
    if not found:
        raise BadDayParts(f"{said[:50]!r} is no weekday")
    return found[0]
