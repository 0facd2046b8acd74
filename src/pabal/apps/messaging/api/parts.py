"""What the hand-written endpoints of messaging share."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import BeforeValidator, Field, StringConstraints, WithJsonSchema

from pabal.apps.messaging.model.content import Picture
from pabal.apps.messaging.resources.schedules import DAYS
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused
from pabal.platform.web import endpoints
from pabal.platform.web.endpoints import LAST, long_schema, read_long
from pabal.platform.web.filters import split_commas
from pabal.platform.web.identify import guess_language
from pabal.platform.web.problems import name_faults
from pabal.platform.web.visit import Visit
from pabal.platform.web.wall import SEOUL, WallDate, WallMoment, WallTime, Zone, aware

AREA = "messaging"
BASE = "/api/v1/messages"
Number = Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]
# as a body or a filter names a row
Id = Annotated[int, Field(ge=1, le=LAST)]


def noun(tag: str = "messages") -> APIRouter:
    return endpoints.noun(tag)


def may_read(visit: Visit) -> None:
    visit.actor.require(Right.READ, AREA)


@contextmanager
def naming(visit: Visit, names: Mapping[str, str]) -> Iterator[None]:
    """Findings under the names of a contract of others."""
    try:
        yield
    except FieldsRefused as error:
        faults = name_faults(error.findings, guess_language(visit.request), names)
        error.faults = faults
        error.detail = ", ".join(dict.fromkeys(one.pointer for one in faults))
        raise


__all__ = ["SEOUL", "WallDate", "WallMoment", "WallTime", "Zone", "aware"]

Type = Annotated[Literal["once", "daily", "weekly"], Field(examples=["daily"])]
Day = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
# more than this cannot be any setting's limit
MOST_IMAGES = 100
LONGEST_TEXT = 65_000


def _read_image(given: Any) -> Picture:
    """Only which file it is counts: the rest is the stored file's."""
    if isinstance(given, Picture):
        return given
    named = given.get("id", "") if isinstance(given, dict) else given
    return Picture(read_long("file", named), str(named), "image/png", 0, 0, 0)


def _none_is_empty(given: Any) -> Any:
    return () if given is None else given


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
WallTimes = Annotated[
    tuple[WallTime, ...],
    BeforeValidator(_none_is_empty),
    Field(max_length=100, examples=[["13:00:00", "18:00:00"]]),
]
Weekdays = Annotated[
    tuple[Day, ...],
    BeforeValidator(_none_is_empty),
    BeforeValidator(split_commas),
    Field(description="Names, or one text with commas between them.", max_length=14, examples=[["monday", "friday"]]),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"enum": list(DAYS)}}, {"type": "string"}, {"type": "null"}]}),
]
# as many as one schedule may have, and some: the check says what is too much
RoomNumbers = Annotated[tuple[Id, ...], BeforeValidator(_none_is_empty), Field(max_length=10_000, examples=[[3, 4]])]
LONGEST_CSV = 500_000
RoomsCsv = Annotated[
    str, StringConstraints(max_length=LONGEST_CSV), Field(examples=["톡방,담당자\n해운대 손님방,김하늘"])
]
# the check says, with its sentence, what is too long; this only bounds the sum of all waits
Wait = Annotated[int, Field(ge=0, le=2**31 - 1)]
