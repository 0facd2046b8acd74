"""How the fields of a schedule are written: times on a wall clock, weekdays, zones, images. Read here, once."""

from datetime import date, datetime, time
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BeforeValidator, Field, StringConstraints, WithJsonSchema

from pabal.apps.messaging.api.parts import Shown, long_schema, read_long
from pabal.apps.messaging.model.content import Picture
from pabal.engine import ids
from pabal.engine.recurrence import Weekday
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR, split_commas

SEOUL = "Asia/Seoul"
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
Type = Annotated[Literal["once", "daily", "weekly"], Field(examples=["daily"])]
Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
# more than this cannot be any setting's limit
MOST_IMAGES = 100
LONGEST_TEXT = 65_000
_TIME = r"^([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$"
_MOMENT = {
    "type": "string",
    "description": "RFC 3339, or the wall time of `timezone` without an offset.",
    "examples": ["2026-07-01T00:00:00"],
}


class ImageShown(Shown):
    """An uploaded image; its bytes are at /api/v1/messages/images/{id}/content."""

    id: str = Field(examples=["file_01h2xcejqtf2n"])
    name: str = Field(examples=["poster.jpg"])
    media_type: str = Field(examples=["image/jpeg"])
    size: int = Field(examples=[48211])
    width: int = Field(examples=[1080])
    height: int = Field(examples=[1350])
    frames: int = Field(examples=[1])


def show_image(picture: Picture) -> ImageShown:
    return ImageShown(
        id=ids.show("file", picture.file_id),
        name=picture.name,
        media_type=picture.media_type,
        size=picture.size,
        width=picture.width,
        height=picture.height,
        frames=picture.frames,
    )


def _read_image(given: Any) -> Picture:
    """Only which file it is counts: the rest is the stored file's."""
    if isinstance(given, Picture):
        return given
    named = given.get("id", "") if isinstance(given, dict) else given
    return Picture(read_long("file", named), str(named), "image/png", 0, 0, 0)


def _none_is_empty(given: Any) -> Any:
    return () if given is None else given


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


Image = Annotated[
    Picture,
    BeforeValidator(_read_image),
    WithJsonSchema(
        {
            "anyOf": [
                long_schema("file"),
                {"type": "object", "required": ["id"], "properties": {"id": long_schema("file")}},
            ],
            "examples": ["file_01h2xcejqtf2n"],
        }
    ),
]
Images = Annotated[tuple[Image, ...], BeforeValidator(_none_is_empty), Field(max_length=MOST_IMAGES)]
# as long as may be typed; what a room takes is the check's business, in the reader's language
Title = Annotated[str, StringConstraints(max_length=1000), Field(examples=["아침 공지"])]
Prose = Annotated[str, StringConstraints(max_length=LONGEST_TEXT), Field(examples=["오늘도 좋은 하루 되세요"])]
WallTime = Annotated[
    time,
    BeforeValidator(_read_time),
    AfterValidator(_plain),
    WithJsonSchema({"type": "string", "pattern": _TIME, "examples": ["09:00"]}),
]
WallDate = Annotated[date, AfterValidator(_near_date), Field(examples=["2026-07-03"])]
WallMoment = Annotated[datetime, BeforeValidator(_read_wall), AfterValidator(_near_date), WithJsonSchema(_MOMENT)]
Zone = Annotated[str, StringConstraints(max_length=64), AfterValidator(_known_zone), Field(examples=[SEOUL])]
Weekdays = Annotated[
    tuple[Day, ...],
    BeforeValidator(_none_is_empty),
    BeforeValidator(split_commas),
    Field(description="Names, or one text with commas between them.", max_length=14, examples=[["monday", "friday"]]),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"enum": list(DAYS)}}, {"type": "string"}, {"type": "null"}]}),
]
# the check says, with its sentence, what is too long; this only bounds the sum of all waits
Wait = Annotated[int, Field(ge=0, le=2**31 - 1)]


def aware(moment: datetime, zone: str) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(zone))


def read_days(days: tuple[str, ...]) -> tuple[Weekday, ...]:
    return tuple(Weekday(DAYS.index(day)) for day in days)


def show_days(days: tuple[Weekday, ...]) -> list[str]:
    return [DAYS[day] for day in days]


def show_time(moment: time) -> str:
    return moment.isoformat(timespec="seconds")
