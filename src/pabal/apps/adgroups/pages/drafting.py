"""What is typed into the form of an ad group: kept as it was typed, and understood as what somebody asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Annotated, Self

from pydantic import AfterValidator, BaseModel, ConfigDict

from pabal.apps.adgroups.errors import BadDayParts
from pabal.apps.adgroups.model.adgroups import ZONE, AdGroup, NewAdGroup, Schedule, State
from pabal.apps.adgroups.model.dayparts import DAY, DayParts, Span
from pabal.engine.recurrence import UnknownZone, Weekday, find_zone, instant_of
from pabal.platform.language.pairs import Pair
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.lists import read_number

ALWAYS, PARTS = "always", "parts"
DAY_FIELDS = tuple(day.name.lower() for day in Weekday)
ZONES = (
    *("Asia/Seoul", "Asia/Tokyo", "Asia/Shanghai", "Asia/Singapore"),
    *("America/Los_Angeles", "America/New_York", "Europe/London", "UTC"),
)
FIRST_RUN = timedelta(days=30)
MOST_NAME = 200
_SPAN = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*[-–~]\s*(\d{1,2})(?::(\d{2}))?")
_PRESETS: dict[str, tuple[str, Sequence[Weekday]]] = {
    "weekdays": ("09:00-18:00", tuple(Weekday)[:5]),
    "evenings": ("18:00-23:00", tuple(Weekday)),
    "nights": ("22:00-02:00", tuple(Weekday)),
}

Typed = Annotated[str, AfterValidator(lambda text: text.replace("\0", "").strip()[:2000])]


class Draft(BaseModel):
    """Every field as it was typed, so that nothing is lost when one of them does not fit."""

    model_config = ConfigDict(frozen=True)

    name: Typed = ""
    campaign_id: Typed = ""
    start_at: Typed = ""
    end_at: Typed = ""
    zone: Typed = ZONE
    hours: Typed = ALWAYS
    mon: Typed = ""
    tue: Typed = ""
    wed: Typed = ""
    thu: Typed = ""
    fri: Typed = ""
    sat: Typed = ""
    sun: Typed = ""
    off: Typed = ""
    version: Typed = ""
    # the one it was opened in; it says only what is worth a note
    state: Typed = State.DRAFT
    once: Typed = ""
    do: Typed = "save"

    @classmethod
    def fresh(cls, now: datetime) -> Self:
        """From the beginning of tomorrow on, for thirty days, all day."""
        tomorrow = datetime.combine(now.astimezone(find_zone(ZONE)).date() + timedelta(days=1), datetime.min.time())
        return cls(start_at=_show_moment(tomorrow), end_at=_show_moment(tomorrow + FIRST_RUN))

    @classmethod
    def of(cls, group: AdGroup) -> Self:
        schedule, zone = group.schedule, find_zone(group.schedule.zone)
        return cls(
            name=group.name,
            campaign_id=str(group.campaign_id),
            start_at=_show_moment(schedule.start_at.astimezone(zone)),
            end_at=_show_moment(schedule.end_at.astimezone(zone)),
            zone=schedule.zone,
            version=str(group.schedule_version),
            state=group.state,
        ).with_hours(schedule.dayparts)

    def with_hours(self, dayparts: DayParts | None) -> Self:
        if dayparts is None:
            return self.model_copy(update={"hours": ALWAYS})
        days = {name: ", ".join(map(str, spans)) for name, spans in zip(DAY_FIELDS, dayparts.days, strict=True)}
        off = ", ".join(day.isoformat() for day in dayparts.off)
        return self.model_copy(update={"hours": PARTS, **days, "off": off})

    def with_preset(self, name: str) -> Self:
        """As the buttons do it for those who have no script; what is not known clears the week."""
        text, days = _PRESETS.get(name, ("", ()))
        spans = {field: text if day in days else "" for field, day in zip(DAY_FIELDS, Weekday, strict=True)}
        return self.model_copy(update={"hours": PARTS, **spans})


@dataclass
class Understood:
    """`new` is there when nothing was wrong; `dayparts` as far as they could be read, for the table of hours."""

    new: NewAdGroup | None = None
    dayparts: DayParts | None = None
    faults: dict[str, Pair] = field(default_factory=dict)


def understand(draft: Draft) -> Understood:
    faults: dict[str, Pair] = {}
    if not 1 <= len(draft.name) <= MOST_NAME:
        faults["name"] = NEEDED if not draft.name else ("At most 200 signs.", "200자까지 적을 수 있습니다.")
    campaign_id = read_number(draft.campaign_id)
    if campaign_id is None:
        faults["campaign_id"] = ("Choose a campaign.", "캠페인을 고르세요.")
    zone = _read_zone(draft, faults)
    start, end = _read_moment(draft, "start_at", zone, faults), _read_moment(draft, "end_at", zone, faults)
    if start is not None and end is not None and end <= start:
        faults["end_at"] = ("It must end after it starts.", "종료는 시작보다 늦어야 합니다.")
    dayparts = _read_week(draft, faults) if draft.hours == PARTS else None
    if faults or start is None or end is None or campaign_id is None:
        return Understood(None, dayparts, faults)
    return Understood(NewAdGroup(draft.name, campaign_id, Schedule(start, end, zone, dayparts)), dayparts, faults)


NEEDED: Pair = ("Fill this in.", "꼭 채워야 하는 칸입니다.")
_MOMENT: Pair = ("A moment reads 2026-07-03T09:20.", "날짜와 시각은 2026-07-03T09:20처럼 적으세요.")
_SPANS: Pair = ("Spans read 09:00-18:00, 22:00-02:00.", "구간은 09:00-18:00, 22:00-02:00처럼 적으세요.")
_OFF: Pair = ("Days off read 2026-12-25, 2027-01-01.", "쉬는 날은 2026-12-25, 2027-01-01처럼 적으세요.")
_NONE: Pair = (
    "No hour is chosen. Choose some, or “all day, every day”.",
    "고른 시간이 없습니다. 시간을 고르거나 ‘매일 온종일’을 고르세요.",
)


def _read_zone(draft: Draft, faults: dict[str, Pair]) -> str:
    try:
        return find_zone(draft.zone).key
    except UnknownZone:
        faults["zone"] = ("Choose one.", "하나를 고르세요.")
        return ZONE


def _read_moment(draft: Draft, name: str, zone: str, faults: dict[str, Pair]) -> datetime | None:
    typed = getattr(draft, name)
    try:
        local = datetime.fromisoformat(typed)
    except ValueError:
        faults[name] = NEEDED if not typed else _MOMENT
        return None
    if local.tzinfo is not None or not FIRST_YEAR <= local.year <= LAST_YEAR:
        faults[name] = _MOMENT
        return None
    return instant_of(local, find_zone(zone))


def _read_week(draft: Draft, faults: dict[str, Pair]) -> DayParts | None:
    days = tuple(_read_day(draft, name, faults) for name in DAY_FIELDS)
    off = _read_off(draft, faults)
    if not any(days) and not any(name in faults for name in DAY_FIELDS):
        faults["hours"] = _NONE
    try:
        return DayParts(days, off)
    except BadDayParts:
        if any(days):
            faults.setdefault("hours", _SPANS)
        return None


def _read_day(draft: Draft, name: str, faults: dict[str, Pair]) -> tuple[Span, ...]:
    spans: set[Span] = set()
    for part in filter(None, re.split(r"[,;]\s*|\n", getattr(draft, name))):
        found = _SPAN.fullmatch(part.strip())
        start, end = (_minutes(*found.groups()[:2]), _minutes(*found.groups()[2:])) if found else (DAY, 0)
        if not 0 <= start < DAY or not 0 <= end <= DAY:
            faults[name] = _SPANS
            continue
        spans.add(Span(start, end))
    return tuple(sorted(spans))


def _minutes(hour: str, minute: str | None) -> int:
    """Beyond the day what cannot be one."""
    return int(hour) * 60 + int(minute or 0) if int(minute or 0) < 60 else 2 * DAY


def _read_off(draft: Draft, faults: dict[str, Pair]) -> tuple[date, ...]:
    try:
        return tuple(sorted({date.fromisoformat(one) for one in re.split(r"[,;\s]+", draft.off) if one}))
    except ValueError:
        faults["off"] = _OFF
        return ()


def _show_moment(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="seconds" if moment.second else "minutes")
