"""How REST reads what the descriptions of ad groups name: ids as programs write them, hours, codes."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from pabal.apps.adgroups.actions.events import MOST_AT_ONCE
from pabal.apps.adgroups.errors import BadDayParts
from pabal.apps.adgroups.model.adgroups import CODE
from pabal.apps.adgroups.model.dayparts import OFF, DayParts
from pabal.apps.adgroups.resources.groups import HOURS
from pabal.apps.adgroups.resources.names import CAMPAIGN_PREFIX, GROUP_PREFIX, TimedEvent
from pabal.engine.recurrence import Weekday
from pabal.platform.web import endpoints
from pabal.platform.web.endpoints import LAST, long_id
from pabal.platform.web.filters import Word
from pabal.platform.web.wall import WallTime

BASE = "/api/v1/adgroups"
AdGroupNamed = Annotated[int, *long_id(GROUP_PREFIX)]
CampaignNamed = Annotated[int, *long_id(CAMPAIGN_PREFIX)]
OptionalAdGroup = AdGroupNamed | None
OptionalCampaign = CampaignNamed | None
OptionalFile = Annotated[int, *long_id("file")] | None
DailyTime = WallTime | None
InventoryCode = Annotated[str, Field(pattern=f"^{CODE.pattern}$")]
InventoryCodes = Annotated[tuple[Word, ...], Field(max_length=1000)]
Address = Annotated[str, Field(max_length=2000, pattern=r"^https?://[^\s\x00]+$")]
GroupIds = Annotated[tuple[AdGroupNamed, ...], Field(min_length=1, max_length=MOST_AT_ONCE)]
AdGroupId = Annotated[int, *long_id(GROUP_PREFIX), Path(description="The ad group's id.")]
Number = Annotated[int, Path(ge=1, le=LAST, description="Its number.", examples=[3])]
DelayedName = Annotated[TimedEvent, Path(description="Which delayed event.", examples=["START"])]
OnlySay = Annotated[bool, Query(description="Only say what would come of it; nothing is changed.")]


def noun() -> APIRouter:
    return endpoints.noun("adgroups")


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
