"""How moments are written where a zone is said beside them: on its wall clock, or with an offset of their own."""

from datetime import date, datetime, time
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema

from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR

SEOUL = "Asia/Seoul"
_TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"
_MOMENT = {
    "type": "string",
    "description": "RFC 3339, or the wall time of `timezone` without an offset.",
    "examples": ["2026-07-01T00:00:00"],
}


def _read_time(given: Any) -> Any:
    if isinstance(given, int | float) or (isinstance(given, str) and given.replace(".", "").isdigit()):
        raise ValueError("a time is written 09:20 or 09:20:30")
    return given


def _plain(moment: time) -> time:
    if moment.tzinfo is not None or moment.microsecond:
        raise ValueError("a time is on the wall clock of the timezone, in whole seconds")
    return moment


def _near_date(day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"a date lies between {FIRST_YEAR} and {LAST_YEAR}")
    return day


def _read_wall(given: Any) -> Any:
    if isinstance(given, int | float) or (isinstance(given, str) and given.lstrip("+-").replace(".", "").isdigit()):
        raise ValueError("a moment is written 2026-07-01T09:00:00 or 2026-07-01T00:00:00Z")
    return given


def _known_zone(name: str) -> str:
    try:
        return ZoneInfo(name).key
    except (ValueError, OSError, LookupError) as error:
        raise ValueError("a timezone is named as in Asia/Seoul") from error


WallTime = Annotated[
    time,
    BeforeValidator(_read_time),
    AfterValidator(_plain),
    WithJsonSchema({"type": "string", "pattern": _TIME, "examples": ["09:00"]}),
]
WallDate = Annotated[date, AfterValidator(_near_date), Field(examples=["2026-07-03"])]
WallMoment = Annotated[datetime, BeforeValidator(_read_wall), AfterValidator(_near_date), WithJsonSchema(_MOMENT)]
Zone = Annotated[str, StringConstraints(max_length=64), AfterValidator(_known_zone), Field(examples=[SEOUL])]


def aware(moment: datetime, zone: str) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(zone))
