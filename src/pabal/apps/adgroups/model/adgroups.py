"""An ad group: what is delivered when, as its row and as it was asked for; and the campaign it belongs to."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from pabal.apps.adgroups.model.calendars import Calendar, Moved
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.engine.recurrence import find_zone
from pabal.platform.findings import Finding

AREA = "adgroups"
ABOUT = "adgroup"
# the seed's name of the sorted set that its delayed events lie in
DELAYED_KEY = "adgroup:delayed:events"
ZONE = "Asia/Seoul"
MOST_NAME = 200
# of inventory, as ad servers ask for it
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
TOO_LONG = Finding("too_long", "name", ("At most 200 characters.", "200자까지 적을 수 있습니다."))
ENDS_EARLY = Finding("ends_early", "end_at", ("It must end after it starts.", "종료는 시작보다 늦어야 합니다."))


class State(StrEnum):
    DRAFT = "draft"
    READY = "ready"
    APPROVED = "approved"
    RUNNING = "running"
    PAUSED = "paused"
    # outside its daily hours; in older systems this word meant paused
    PENDING = "pending"
    EXPIRED = "expired"
    DELETED = "deleted"


class Event(StrEnum):
    COMPLETE_SETUP = "complete_setup"
    APPROVE = "approve"
    REJECT = "reject"
    PAUSE = "pause"
    RESUME = "resume"
    DELETE = "delete"
    START = "start"
    EXPIRE = "expire"
    DAILY_START = "daily_start"
    DAILY_END = "daily_end"


class CampaignState(StrEnum):
    """Planned and open ones let their ad groups be approved; closed ones do not."""

    PLANNED = "planned"
    OPEN = "open"
    CLOSED = "closed"


class Source(StrEnum):
    """Whose state is shown: the stored one, or what the old calculator says."""

    MACHINE = "machine"
    CALCULATOR = "calculator"


TIMED = (Event.START, Event.EXPIRE, Event.DAILY_START, Event.DAILY_END)
OPEN = tuple(state for state in State if state not in (State.EXPIRED, State.DELETED))


@dataclass(frozen=True, slots=True)
class Campaign:
    id: int
    unit_id: int
    state: CampaignState
    name: str
    start_at: datetime
    end_at: datetime | None
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class NewCampaign:
    """`start_at` None: it starts when it is made."""

    name: str
    start_at: datetime | None = None
    end_at: datetime | None = None
    state: CampaignState = CampaignState.OPEN


@dataclass(frozen=True, slots=True)
class Inventory:
    """Where ads are shown; its code is what ad servers ask for."""

    id: int
    unit_id: int
    code: str
    name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Schedule:
    """From when, until when (not included), in which hours of which zone; and which boundaries were moved."""

    start_at: datetime
    end_at: datetime
    zone: str = ZONE
    dayparts: DayParts | None = None
    moved: tuple[Moved, ...] = ()
    # a start that somebody took out: it waits for another word
    is_held: bool = False

    @property
    def calendar(self) -> Calendar:
        return Calendar(self.dayparts, self.zone, self.moved)


@dataclass(frozen=True, slots=True)
class NewAdGroup:
    name: str
    campaign_id: int
    schedule: Schedule


@dataclass(frozen=True, slots=True)
class AdGroup:
    """`schedule_version` rises with every change of what its delayed events depend on."""

    id: int
    unit_id: int
    state: State
    version: int
    name: str
    campaign_id: int
    campaign_name: str
    schedule: Schedule
    schedule_version: int
    creatives: int
    inventories: int
    source: Source
    ready_at: datetime | None
    ready_confirmed_at: datetime | None
    deleted_at: datetime | None
    legacy_id: str | None
    created_by: str
    created_at: datetime
    updated_at: datetime

    @property
    def about(self) -> str:
        return about_of(self.id)


def on_wall(moment: datetime, zone: str) -> datetime:
    """What has no offset of its own is on the zone's wall clock."""
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=find_zone(zone))


def about_of(ad_group_id: int) -> str:
    return f"{ABOUT}:{ad_group_id}"


def moved_to_json(moved: tuple[Moved, ...]) -> list[dict[str, Any]]:
    return [
        {
            "event": one.event,
            "due_at": one.due_at.isoformat(),
            "to": None if one.to is None else one.to.isoformat(),
            "by": one.by,
        }
        for one in moved
    ]


def moved_from_json(data: list[dict[str, Any]]) -> tuple[Moved, ...]:
    return tuple(
        Moved(
            one["event"],
            datetime.fromisoformat(one["due_at"]),
            None if one["to"] is None else datetime.fromisoformat(one["to"]),
            one["by"],
        )
        for one in data
    )


def needed(field: str) -> Finding:
    return Finding("needed", field, ("Fill this in.", "꼭 채워야 하는 칸입니다."))


def list_name_problems(name: str) -> list[Finding]:
    return [needed("name")] if not name.strip() else [TOO_LONG] if len(name.strip()) > MOST_NAME else []


def list_campaign_problems(new: NewCampaign) -> list[Finding]:
    """What forbids it to be saved."""
    return [*list_name_problems(new.name), *list_period_problems(new.start_at, new.end_at)]


def list_problems(new: NewAdGroup) -> list[Finding]:
    """What forbids it to be saved."""
    return [*list_name_problems(new.name), *list_period_problems(new.schedule.start_at, new.schedule.end_at)]


def list_period_problems(start_at: datetime | None, end_at: datetime | None) -> list[Finding]:
    return [ENDS_EARLY] if start_at is not None and end_at is not None and end_at <= start_at else []
