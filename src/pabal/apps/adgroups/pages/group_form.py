"""The form of an ad group: kept as typed, understood, previewed and saved; the week painted or typed."""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Annotated, Any, Self

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pabal.apps.adgroups.actions import adgroups
from pabal.apps.adgroups.errors import (
    AdGroupChanged,
    AdGroupOver,
    AlreadyStarted,
    BadDayParts,
    CampaignElsewhere,
    CampaignNotFound,
    SetupLocked,
)
from pabal.apps.adgroups.model.adgroups import (
    AREA,
    ZONE,
    AdGroup,
    NewAdGroup,
    Schedule,
    State,
    list_name_problems,
    list_period_problems,
    needed,
)
from pabal.apps.adgroups.model.calendars import Window
from pabal.apps.adgroups.model.dayparts import DAY, EMPTY, DayParts, Span, count_hours, find_cell, make_cells
from pabal.apps.adgroups.pages.page_texts import (
    CHOOSE,
    LIST,
    MOST_CHOICES,
    NO_MOMENT,
    Typed,
    at,
    read_wall_clock,
    still_says,
)
from pabal.apps.adgroups.sentences import DAYS, describe_hours
from pabal.apps.adgroups.store.adgroups import get_ad_group
from pabal.apps.adgroups.store.campaigns import list_campaigns
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.engine.recurrence import UnknownZone, Weekday, find_zone
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused, Finding, find_wrong, texts_by_field
from pabal.platform.language.errors import explain
from pabal.platform.language.moments import show_zone
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import visible_to
from pabal.platform.web.idempotency import Once
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, read_number
from pabal.platform.web.visit import Visit

ALWAYS, PARTS = "always", "parts"
DAY_FIELDS = tuple(day.name.lower() for day in Weekday)
ZONES = (
    *("Asia/Seoul", "Asia/Tokyo", "Asia/Shanghai", "Asia/Singapore"),
    *("America/Los_Angeles", "America/New_York", "Europe/London", "UTC"),
)
FIRST_RUN = timedelta(days=30)
_SPAN = re.compile(r"(\d{1,2})(?::(\d{2}))?\s*[-–~]\s*(\d{1,2})(?::(\d{2}))?")
_PRESETS: dict[str, tuple[str, Sequence[Weekday]]] = {
    "weekdays": ("09:00-18:00", tuple(Weekday)[:5]),
    "evenings": ("18:00-23:00", tuple(Weekday)),
    "nights": ("22:00-02:00", tuple(Weekday)),
}

_SPANS = Finding(
    "unreadable", "", ("Spans read 09:00-18:00, 22:00-02:00.", "구간은 09:00-18:00, 22:00-02:00처럼 적으세요.")
)
_OFF = Finding(
    "unreadable", "", ("Days off read 2026-12-25, 2027-01-01.", "쉬는 날은 2026-12-25, 2027-01-01처럼 적으세요.")
)
_NO_CAMPAIGN = Finding("not_offered", "", ("Choose a campaign.", "캠페인을 고르세요."))
_NONE = Finding(
    "no_hours",
    "",
    (
        "No hour is chosen. Choose some, or “all day, every day”.",
        "고른 시간이 없습니다. 시간을 고르거나 ‘매일 온종일’을 고르세요.",
    ),
)
router = APIRouter(prefix="/ads/groups", include_in_schema=False)
SHOWN = 6
AHEAD = timedelta(days=28)
# where an error of saving belongs in the form
_FIELDS: dict[type[PabalError], str] = {
    AlreadyStarted: "start_at",
    CampaignNotFound: "campaign_id",
    CampaignElsewhere: "campaign_id",
    SetupLocked: "campaign_id",
    AdGroupOver: "",
}


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


Posted = Annotated[Draft, Form()]


@dataclass
class Understood:
    """`new` is there when nothing was wrong; `dayparts` as far as they could be read, for the table of hours."""

    new: NewAdGroup | None = None
    dayparts: DayParts | None = None
    faults: list[Finding] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Preview:
    """What would come of it: hours in words and the next windows; nothing where the fields cannot be read yet."""

    schedule: Schedule | None
    hours: str = ""
    weekly: float | None = None
    windows: tuple[Window, ...] = ()
    notes: tuple[Pair, ...] = ()


class _NotSaved(Exception):
    """Takes the faults out of a transaction in which nothing may be left behind."""

    def __init__(self, *faults: Finding, status: int = 422) -> None:
        self.faults, self.status = faults, status


@router.get("/new")
async def new(visit: Visitor, campaign: str = "") -> Response:
    visit.actor.require(Right.WRITE, AREA)
    number = read_number(campaign)
    chosen = {"campaign_id": str(number or ""), "once": secrets.token_urlsafe(12)}
    return await _show(visit, Draft.fresh(visit.now).model_copy(update=chosen), None)


@router.post("/new")
async def create(visit: Visitor, draft: Posted) -> Response:
    return await _receive(visit, draft, None)


@router.post("/preview")
async def preview(visit: Visitor, draft: Posted) -> Response:
    """A fragment: what would come of what is typed so far."""
    visit.actor.require(Right.WRITE, AREA)
    return await visit.show("adgroups/preview.html", seen=_look(visit, draft))


@router.get("/{ad_group_id}/edit")
async def edit(visit: Visitor, ad_group_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
    return await _show(visit, Draft.of(group), group)


@router.post("/{ad_group_id}/edit")
async def change(visit: Visitor, ad_group_id: RowId, draft: Posted) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
    return await _receive(visit, draft, group)


async def _receive(visit: Visit, draft: Draft, group: AdGroup | None) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    what, _, which = draft.do.partition(":")
    if what == "preset":
        return await _show(visit, draft.with_preset(which), group)
    if what != "save":
        return await _show(visit, draft, group)
    understood = understand(draft)
    if understood.new is None:
        return await _show(visit, draft, group, understood.faults, 422)
    return await _save_once(visit, draft, group, _keep_exact(understood.new, draft, group))


def _keep_exact(new: NewAdGroup, draft: Draft, group: AdGroup | None) -> NewAdGroup:
    """A field shows no more than seconds: one that nobody touched is the moment it was."""
    if group is None or draft.zone != group.schedule.zone:
        return new
    was, zone = group.schedule, find_zone(group.schedule.zone)
    start = was.start_at if still_says(draft.start_at, was.start_at, zone) else new.schedule.start_at
    end = was.end_at if still_says(draft.end_at, was.end_at, zone) else new.schedule.end_at
    return replace(new, schedule=replace(new.schedule, start_at=start, end_at=end))


async def _save_once(visit: Visit, draft: Draft, group: AdGroup | None, wanted: NewAdGroup) -> Response:
    """A form sent twice makes one ad group, and is answered the same twice."""

    async def act(tx: Tx) -> Response:
        made = await _save(visit, tx, draft, group, wanted)
        said = ("Made: {name}", "만들었습니다: {name}") if group is None else ("Saved: {name}", "저장했습니다: {name}")
        return visit.go(f"{LIST}/{made.id}", said=said, name=made.name)

    key = f"form:{draft.once[:100]}" if draft.once and group is None else None
    try:
        return await Once(visit, key).run(act, fingerprint=b"ad group")
    except _NotSaved as kept:
        if group is not None and kept.status == 409:
            async with visit.read() as tx:
                group = await get_ad_group(tx, await visible_to(tx, visit.actor), group.id)
            draft = draft.model_copy(update={"version": str(group.schedule_version)})
        return await _show(visit, draft, group, kept.faults, kept.status)


async def _save(visit: Visit, tx: Tx, draft: Draft, group: AdGroup | None, wanted: NewAdGroup) -> AdGroup:
    try:
        if group is None:
            return await adgroups.create(tx, visit.actor, wanted)
        version = read_number(draft.version)
        return await adgroups.edit(tx, visit.actor, group.id, wanted, expect_version=version)
    except FieldsRefused as error:
        raise _NotSaved(*error.findings) from error
    except tuple(_FIELDS) as error:
        raise _NotSaved(find_wrong(error, _FIELDS[type(error)])) from error
    except AdGroupChanged as error:
        said = (
            f"{explain(error, 'en')} What you typed is still here; saving again replaces the other's change.",
            f"{explain(error, 'ko')} 적은 내용은 그대로 있습니다. 다시 저장하면 다른 사람의 변경을 덮어씁니다.",
        )
        raise _NotSaved(Finding(error.code, "", said), status=409) from error


async def _show(
    visit: Visit, draft: Draft, group: AdGroup | None, faults: Sequence[Finding] = (), status: int = 200
) -> Response:
    async with visit.read() as tx:
        campaigns = (await list_campaigns(tx, visit.scope, limit=MOST_CHOICES)).items
    dayparts = understand(draft).dayparts
    return await visit.show(
        "adgroups/form.html",
        status,
        draft=draft,
        group=group,
        faults=texts_by_field(faults),
        campaigns=[(str(one.id), one.name) for one in campaigns],
        zones=_list_zones(visit, draft.zone),
        days=[(name, visit.say(*DAYS[day])) for name, day in zip(DAY_FIELDS, DAYS, strict=True)],
        cells=make_cells(dayparts) if dayparts is not None else EMPTY,
        now_cell=find_cell(visit.now, draft.zone if draft.zone in dict(_list_zones(visit, "")) else ZONES[0]),
        seen=_look(visit, draft),
    )


def understand(draft: Draft) -> Understood:
    faults: list[Finding] = []
    campaign_id = read_number(draft.campaign_id)
    if campaign_id is None:
        faults.append(at("campaign_id", _NO_CAMPAIGN))
    zone = _read_zone(draft, faults)
    start, end = _read_moment(draft, "start_at", zone, faults), _read_moment(draft, "end_at", zone, faults)
    faults += [*list_name_problems(draft.name), *list_period_problems(start, end)]
    dayparts = _read_week(draft, faults) if draft.hours == PARTS else None
    if faults or start is None or end is None or campaign_id is None:
        return Understood(None, dayparts, faults)
    return Understood(NewAdGroup(draft.name, campaign_id, Schedule(start, end, zone, dayparts)), dayparts, faults)


def _read_zone(draft: Draft, faults: list[Finding]) -> str:
    try:
        return find_zone(draft.zone).key
    except UnknownZone:
        faults.append(at("zone", CHOOSE))
        return ZONE


def _read_moment(draft: Draft, name: str, zone: str, faults: list[Finding]) -> datetime | None:
    typed = getattr(draft, name)
    moment = read_wall_clock(typed, find_zone(zone))
    if moment is None:
        faults.append(at(name, NO_MOMENT) if typed else needed(name))
    return moment


def _read_week(draft: Draft, faults: list[Finding]) -> DayParts | None:
    days = tuple(_read_day(draft, name, faults) for name in DAY_FIELDS)
    off = _read_off(draft, faults)
    if not any(days) and not any(one.field in DAY_FIELDS for one in faults):
        faults.append(at("hours", _NONE))
    try:
        return DayParts(days, off)
    except BadDayParts:
        if any(days):
            faults.append(at("hours", _SPANS))
        return None


def _read_day(draft: Draft, name: str, faults: list[Finding]) -> tuple[Span, ...]:
    spans: set[Span] = set()
    is_readable = True
    for part in filter(None, re.split(r"[,;]\s*|\n", getattr(draft, name))):
        found = _SPAN.fullmatch(part.strip())
        start, end = (_minutes(*found.groups()[:2]), _minutes(*found.groups()[2:])) if found else (DAY, 0)
        if not 0 <= start < DAY or not 0 <= end <= DAY:
            is_readable = False
            continue
        spans.add(Span(start, end))
    if not is_readable:
        faults.append(at(name, _SPANS))
    return tuple(sorted(spans))


def _minutes(hour: str, minute: str | None) -> int:
    """Beyond the day what cannot be one."""
    return int(hour) * 60 + int(minute or 0) if int(minute or 0) < 60 else 2 * DAY


def _read_off(draft: Draft, faults: list[Finding]) -> tuple[date, ...]:
    try:
        return tuple(sorted({date.fromisoformat(one) for one in re.split(r"[,;\s]+", draft.off) if one}))
    except ValueError:
        faults.append(at("off", _OFF))
        return ()


def _show_moment(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="seconds" if moment.second else "minutes")


def _list_zones(visit: Visit, also: str) -> list[tuple[str, str]]:
    """The usual ones, and the one it has."""
    names = list(ZONES)
    if also not in ZONES and _is_zone(also):
        names.append(also)
    return [(name, f"{name} ({show_zone(visit.now.astimezone(find_zone(name)))})") for name in names]


def _is_zone(name: str) -> bool:
    try:
        find_zone(name)
    except PabalError:
        return False
    return True


def _look(visit: Visit, draft: Draft) -> Preview:
    understood = understand(draft)
    # the name and the campaign change nothing about the hours
    new = understood.new or understand(draft.model_copy(update={"name": "x", "campaign_id": "1"})).new
    if new is None:
        return Preview(None)
    schedule = new.schedule
    return Preview(
        schedule,
        visit.say(*describe_hours(schedule.dayparts, schedule.zone, visit.now)),
        None if schedule.dayparts is None else count_hours(schedule.dayparts),
        tuple(islice(_list_windows(schedule, visit.now), SHOWN)),
        tuple(_list_notes(schedule, draft.state, visit.now)),
    )


def _list_windows(schedule: Schedule, now: datetime) -> Any:
    """In which it would run, its own end included."""
    since = max(schedule.start_at, now)
    until = min(schedule.end_at, since + AHEAD)
    for window in schedule.calendar.windows(since, until) if since < until else ():
        end = schedule.end_at if window.end is None else min(window.end, schedule.end_at)
        yield Window(window.start, end)


def _list_notes(schedule: Schedule, state: str, now: datetime) -> list[Pair]:
    if state not in (State.DRAFT, State.READY):
        return []
    if schedule.end_at <= now:
        return [
            ("Its end is past: it cannot be approved like this.", "종료가 지났습니다. 이대로는 승인할 수 없습니다.")
        ]
    if schedule.start_at <= now:
        return [("Its start is past: once approved it begins at once.", "시작이 지났습니다. 승인하면 바로 시작합니다.")]
    return []
