"""The seed's words at the edge: states and events in capitals, ids as programs see them, hours as they are written."""

from typing import Annotated, Any, Literal, cast

from fastapi import APIRouter, Path, Query
from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from pabal.apps.adgroups.errors import BadDayParts
from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.apps.adgroups.model.dayparts import OFF, DayParts
from pabal.engine import ids
from pabal.engine.recurrence import Weekday
from pabal.platform.web import endpoints
from pabal.platform.web.endpoints import LAST, long_id

BASE = "/api/v1/adgroups"
# str.upper() is the only mapping
Status = Literal["DRAFT", "READY", "APPROVED", "RUNNING", "PAUSED", "PENDING", "EXPIRED", "DELETED"]
EventName = Literal[
    "COMPLETE_SETUP",
    "APPROVE",
    "REJECT",
    "PAUSE",
    "RESUME",
    "DELETE",
    "START",
    "EXPIRE",
    "DAILY_START",
    "DAILY_END",
]
TimedName = Literal["START", "EXPIRE", "DAILY_START", "DAILY_END"]
CampaignStatus = Literal["PLANNED", "OPEN", "CLOSED"]

AdGroupId = Annotated[int, *long_id("adg"), Path(description="The ad group's id.")]
CampaignId = Annotated[int, *long_id("cmp"), Path(description="The campaign's id.")]
CreativeNumber = Annotated[int, Path(ge=1, le=LAST, description="The creative's number.", examples=[5])]
# as a body or a filter names one
AdGroupNamed = Annotated[int, *long_id("adg")]
CampaignNamed = Annotated[int, *long_id("cmp")]
Id = Annotated[int, Field(ge=1, le=LAST)]
DryRun = Annotated[bool, Query(description="Only say what would come of it; nothing is changed.")]


def noun() -> APIRouter:
    return endpoints.noun("adgroups")


def show_id(ad_group_id: int) -> str:
    return ids.show("adg", ad_group_id)


def show_campaign_id(campaign_id: int) -> str:
    return ids.show("cmp", campaign_id)


def show_status(state: str) -> Status:
    return cast(Status, State(state).upper())


def show_event(event: str) -> EventName:
    return cast(EventName, Event(event).upper())


def read_event(name: EventName | TimedName) -> Event:
    return Event(name.lower())


def _read_dayparts(given: Any) -> Any:
    if given is None or isinstance(given, DayParts):
        return given
    try:
        return DayParts.from_json(given)
    except BadDayParts as error:
        raise PydanticCustomError("bad_day_parts", "{said}", {"said": str(error)}) from error


_SPAN = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
_DAYS = {
    **{day.name.lower(): {"type": "array", "items": _SPAN} for day in Weekday},
    OFF: {"type": "array", "items": {"type": "string", "format": "date"}},
}
HOURS = {"mon": [["09:00", "18:00"]], "fri": [["09:00", "18:00"], ["22:00", "02:00"]]}
Hours = Annotated[
    DayParts | None,
    BeforeValidator(_read_dayparts),
    WithJsonSchema(
        {
            "anyOf": [{"type": "object", "properties": _DAYS, "additionalProperties": False}, {"type": "null"}],
            "description": "For each weekday spans on the clock of the zone; an end that is not later is the next "
            "day's; days off are named in `off`. null: all day, every day.",
            "examples": [HOURS],
        }
    ),
]
