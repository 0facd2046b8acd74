"""An ad group as programs ask for it and see it, in the seed's words."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError, model_validator

from pabal.apps.adgroups.api.names import (
    HOURS,
    CampaignNamed,
    EventName,
    Hours,
    Status,
    show_campaign_id,
    show_event,
    show_id,
    show_status,
)
from pabal.apps.adgroups.model.adgroups import AdGroup, NewAdGroup, Schedule
from pabal.apps.adgroups.model.calculator import state_of
from pabal.apps.adgroups.model.dayparts import DayParts, show_clock
from pabal.apps.adgroups.sentences import describe_hours, explain_state, next_event, show_brief
from pabal.platform.language.pairs import Lang, put
from pabal.platform.web.endpoints import Asked, Shown, case, fill, rules
from pabal.platform.web.filters import Word
from pabal.platform.web.wall import SEOUL, WallMoment, WallTime, Zone, aware


class MovedShown(Shown):
    """A boundary of its hours that somebody moved; `to` null: took out."""

    event: str = Field(examples=["DAILY_END"])
    due_at: datetime
    to: datetime | None
    by: str = Field(examples=["user:12"])


class AdGroupKept(Shown):
    """What is stored of an ad group. Its ETag is of this."""

    id: str = Field(examples=["adg_01h2xcejqtf2n"])
    unit_id: int = Field(examples=[3])
    status: Status = Field(description="As `source` has it.", examples=["RUNNING"])
    stored_status: Status = Field(description="The machine's, which events move.", examples=["RUNNING"])
    version: int = Field(description="Rises with every transition.", examples=[4])
    name: str = Field(examples=["여름 행사"])
    campaign: str = Field(examples=["cmp_01h2xcejqtf2n"])
    campaign_name: str = Field(examples=["2026 여름"])
    start_at: datetime
    end_at: datetime = Field(description="Not included.", examples=["2026-08-01T00:00:00Z"])
    zone: str = Field(examples=[SEOUL])
    dayparts: dict[str, Any] | None = Field(examples=[HOURS])
    daily_start_time: str | None = Field(description="Where every day has the same one span.", examples=[None])
    daily_end_time: str | None = Field(examples=[None])
    moved: list[MovedShown]
    is_held: bool = Field(description="Its start was taken out; it waits for another word.", examples=[False])
    schedule_version: int = Field(description="Rises when what its delayed events depend on changes.", examples=[1])
    creatives: int = Field(examples=[2])
    inventories: int = Field(examples=[1])
    source: Literal["machine", "calculator"] = Field(examples=["machine"])
    ready_at: datetime | None
    ready_confirmed_at: datetime | None
    deleted_at: datetime | None = Field(examples=[None])
    legacy_id: str | None = Field(examples=[None])
    created_by: str = Field(examples=["user:12"])
    created_at: datetime
    updated_at: datetime


class AdGroupShown(AdGroupKept):
    """An ad group: `reason` says why it is as it is, `next_event` what comes by itself and when."""

    reason: str = Field(examples=["running until 18:00 KST"])
    hours: str = Field(examples=["Mon–Fri 09:00–18:00 KST"])
    next_event: EventName | None = Field(examples=["DAILY_END"])
    next_at: datetime | None


class AdGroupAsked(Asked):
    """A draft, of its campaign's unit. `daily_start_time` and `daily_end_time` stand for the same hours every day."""

    model_config = rules(
        {
            "oneOf": [
                case(daily_start_time={"type": "null"}, daily_end_time={"type": "null"}),
                case(
                    *("daily_start_time", "daily_end_time"),
                    daily_start_time={"type": "string"},
                    daily_end_time={"type": "string"},
                    dayparts={"type": "null"},
                ),
            ]
        }
    )

    name: Word = Field(examples=["여름 행사"])
    campaign: CampaignNamed
    start_at: WallMoment
    end_at: WallMoment = Field(examples=["2026-08-01T00:00:00"])
    zone: Zone = SEOUL
    dayparts: Hours = Field(default=None)
    daily_start_time: WallTime | None = Field(default=None, examples=[None])
    daily_end_time: WallTime | None = Field(default=None, examples=[None])

    @model_validator(mode="after")
    def fits(self) -> "AdGroupAsked":
        if (self.daily_start_time is None) != (self.daily_end_time is None):
            raise ValueError("daily_start_time and daily_end_time are said together")
        if self.daily_start_time is not None and self.dayparts is not None:
            raise ValueError("say dayparts, or daily_start_time and daily_end_time")
        return self

    def as_new(self) -> NewAdGroup:
        start, end = aware(self.start_at, self.zone), aware(self.end_at, self.zone)
        hours = self.dayparts
        if self.daily_start_time is not None and self.daily_end_time is not None:
            hours = DayParts.every_day(self.daily_start_time, self.daily_end_time)
        return NewAdGroup(self.name, self.campaign, Schedule(start, end, self.zone, hours))


class AdGroupChange(Asked):
    """JSON merge patch: only what is given changes; null for `dayparts` is all day, every day."""

    name: Word | None = Field(default=None, examples=["여름 행사 2"])
    campaign: CampaignNamed | None = None
    start_at: WallMoment | None = None
    end_at: WallMoment | None = Field(default=None, examples=["2026-09-01T00:00:00"])
    zone: Zone | None = Field(default=None, examples=[SEOUL])
    dayparts: Hours = Field(default=None)
    daily_start_time: WallTime | None = Field(default=None, examples=[None])
    daily_end_time: WallTime | None = Field(default=None, examples=[None])

    def apply(self, group: AdGroup) -> NewAdGroup:
        """Raises what FastAPI raises of a body that does not fit: null where something is needed, say."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        kept = _as_asked(group)
        if given.get("campaign") is not None:
            given["campaign"] = show_campaign_id(given["campaign"])
        if self.daily_start_time is not None or self.daily_end_time is not None:
            del kept["dayparts"]
        whole = {**kept, **given}
        try:
            asked = AdGroupAsked(**{name: value for name, value in whole.items() if value is not None})
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error
        return asked.as_new()


def keep_group(group: AdGroup, now: datetime) -> AdGroupKept:
    return fill(AdGroupKept, group, **_named(group, now))


def show_group(group: AdGroup, now: datetime, lang: Lang) -> AdGroupShown:
    coming = next_event(group, now)
    seen = replace(group, state=state_of(group, now))
    return fill(
        AdGroupShown,
        group,
        **_named(group, now),
        reason=explain_state(seen, now).tell(lang, teller(group, now, lang)),
        hours=put(lang, describe_hours(group.schedule.dayparts, group.schedule.zone, now)),
        next_event=None if coming is None else show_event(coming[0]),
        next_at=None if coming is None else coming[1],
    )


def teller(group: AdGroup, now: datetime, lang: Lang) -> Callable[[datetime], str]:
    """How sentences about it write moments: on its own clock."""
    return lambda moment: show_brief(moment, now, group.schedule.zone, lang)


def _named(group: AdGroup, now: datetime) -> dict[str, Any]:
    schedule = group.schedule
    first, last = _daily(schedule.dayparts)
    return {
        "id": show_id(group.id),
        "status": show_status(state_of(group, now)),
        "stored_status": show_status(group.state),
        "campaign": show_campaign_id(group.campaign_id),
        "start_at": schedule.start_at,
        "end_at": schedule.end_at,
        "zone": schedule.zone,
        "dayparts": None if schedule.dayparts is None else schedule.dayparts.to_json(),
        "daily_start_time": first,
        "daily_end_time": last,
        "moved": [
            MovedShown(event=one.event.upper(), due_at=one.due_at, to=one.to, by=one.by) for one in schedule.moved
        ],
        "is_held": schedule.is_held,
        "source": group.source.value,
    }


def _daily(dayparts: DayParts | None) -> tuple[str | None, str | None]:
    if dayparts is None or len(set(dayparts.days)) != 1 or len(dayparts.days[0]) != 1:
        return None, None
    [span] = dayparts.days[0]
    return show_clock(span.start), show_clock(span.end)


def _as_asked(group: AdGroup) -> dict[str, Any]:
    schedule = group.schedule
    return {
        "name": group.name,
        "campaign": show_campaign_id(group.campaign_id),
        "start_at": schedule.start_at,
        "end_at": schedule.end_at,
        "zone": schedule.zone,
        "dayparts": schedule.dayparts,
    }
