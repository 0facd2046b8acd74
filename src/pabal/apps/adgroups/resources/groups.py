"""Ad groups, their creatives and the places they are shown in."""

from datetime import datetime, time
from typing import Any, Literal, TypeVar

from pabal.apps.adgroups.labels import SOURCES
from pabal.apps.adgroups.model.adgroups import AREA, ZONE, NewAdGroup, Schedule, Source, on_wall
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.resources.names import (
    APP,
    CAMPAIGN_EXAMPLE,
    EVENT_WORDS,
    GROUP_EXAMPLE,
    GROUP_PREFIX,
    STATUS_WORDS,
    AdGroupEvent,
    AdGroupStatus,
)
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import KEPT, Ask, Filter, Kept, Noun, View, ask, case, column, field

_ACTIONS, _STORE, _FIND = f"{APP}.actions.adgroups", f"{APP}.store.adgroups", f"{APP}.cli.finding"
_READ, _WALL = f"{APP}.api.readings", "pabal.platform.web.wall"
WHICH = "Its id (adg_…), its number, or its name."
HOURS = {"mon": [["09:00", "18:00"]], "fri": [["09:00", "18:00"], ["22:00", "02:00"]]}
T = TypeVar("T")
NO_GROUPS = (
    "No ad groups. Example: pabal ad create --name NAME --campaign CAMPAIGN --until 2026-12-31",
    "광고그룹이 없습니다. 예: pabal ad create --name 이름 --campaign 캠페인 --until 2026-12-31",
)
NO_PLACES = (
    "No inventory. Example: pabal ad inventory set AD_GROUP CODE",
    "인벤토리가 없습니다. 예: pabal ad inventory set 광고그룹 코드",
)
NO_CREATIVES = (
    "No creatives. Example: pabal ad creative add AD_GROUP --name NAME --url https://…",
    "소재가 없습니다. 예: pabal ad creative add 광고그룹 --name 이름 --url https://…",
)


class MovedView(View):
    """A boundary of its hours that somebody moved; `to` null: took out."""

    event: str = field(("Event", "이벤트"), words=EVENT_WORDS, example="DAILY_END")
    due_at: datetime = field(("Due", "예정"))
    to: datetime | None = field(("Moved to", "옮긴 시각"))
    by: str = field(("Who", "누가"), example="user:12")


class AdGroupView(View):
    """An ad group: `reason` says why it is as it is, `next_event` what comes by itself and when."""

    id: str = field(("ID", "ID"), example=GROUP_EXAMPLE)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    status: AdGroupStatus = field(
        ("State", "상태"), status="adgroup_status", description="As `source` has it.", example="RUNNING"
    )
    stored_status: AdGroupStatus = field(
        ("Stored state", "저장된 상태"),
        status="adgroup_status",
        description="The machine's, which events move.",
        example="RUNNING",
    )
    version: int = field(("Version", "버전"), description="Rises with every transition.", example=4)
    name: str = field(("Name", "이름"), example="여름 행사")
    campaign: str = field(("Campaign ID", "캠페인 ID"), example=CAMPAIGN_EXAMPLE)
    campaign_name: str = field(("Campaign", "캠페인"), example="2026 여름")
    start_at: datetime = field(("Start", "시작"))
    end_at: datetime = field(
        ("End (not included)", "종료(그 시각 전까지)"), description="Not included.", example="2026-08-01T00:00:00Z"
    )
    zone: str = field(("Zone", "표준시"), example=ZONE)
    dayparts: dict[str, Any] | None = field(("Day parts", "시간대 설정"), example=HOURS)
    daily_start_time: str | None = field(
        ("Daily start", "일별 시작"), description="Where every day has the same one span.", example=None
    )
    daily_end_time: str | None = field(("Daily end", "일별 종료"), example=None)
    moved: list[MovedView] = field(("Moved", "옮긴 이벤트"))
    is_held: bool = field(
        ("Start cancelled", "시작 취소됨"),
        description="Its start was taken out; it waits for another word.",
        example=False,
    )
    schedule_version: int = field(
        ("Schedule version", "일정 버전"),
        description="Rises when what its delayed events depend on changes.",
        example=1,
    )
    creatives: int = field(("Creatives", "소재"), example=2)
    inventories: int = field(("Places", "인벤토리 수"), example=1)
    source: Literal["machine", "calculator"] = field(("State from", "상태의 근거"), words=SOURCES, example="machine")
    ready_at: datetime | None = field(("Ready", "준비한 때"))
    ready_confirmed_at: datetime | None = field(("Approved", "승인한 때"))
    deleted_at: datetime | None = field(("Deleted", "삭제한 때"), example=None)
    legacy_id: str | None = field(("Old ID", "옛 ID"), example=None)
    created_by: str = field(("Made by", "만든 사람"), example="user:12")
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"))
    reason: str = field(("Reason", "이유"), is_told=True, example="running until 18:00 KST")
    hours: str = field(("Hours", "시간대"), is_told=True, example="Mon–Fri 09:00–18:00 KST")
    next_event: AdGroupEvent | None = field(
        ("Next event", "다음 이벤트"), words=EVENT_WORDS, is_told=True, example="DAILY_END"
    )
    next_at: datetime | None = field(("When", "언제"), is_told=True)

    @column(("Start cancelled", "시작 취소됨"))
    def held(self, lang: Lang) -> bool | None:
        """Only where it is worth a line."""
        return self.is_held or None


class CreativeView(View):
    """What an ad group shows."""

    id: int = field(("No.", "번호"), example=5)
    name: str = field(("Name", "이름"), example="포스터")
    url: str = field(("Address", "주소"), example="https://cdn.example.com/poster.png")
    created_at: datetime = field(("Made", "만든 때"))


class AdGroupFilter(Filter):
    status: tuple[AdGroupStatus, ...] = ask(
        "By the stored state: any of these, with commas. Deleted ones only when asked for.",
        option="--state",
        default=(),
    )
    campaign: int | None = ask(
        "Only of this campaign.", read=f"{_READ}:OptionalCampaign", find=f"{_FIND}:find_campaign_id", default=None
    )
    source: Source | None = ask("Only those whose state comes from it.", default=None)
    q: str | None = ask("A part of the name.", option="--find", default=None)


# hours are said in one way or the other
_HOURS_CASES = (
    case(daily_start_time={"type": "null"}, daily_end_time={"type": "null"}),
    case(
        *("daily_start_time", "daily_end_time"),
        daily_start_time={"type": "string"},
        daily_end_time={"type": "string"},
        dayparts={"type": "null"},
    ),
)


class AdGroupAsk(Ask):
    """A draft, of its campaign's unit. `daily_start_time` and `daily_end_time` stand for the same hours every day."""

    name: str = ask("What people call it.", read="pabal.platform.web.filters:Word", example="여름 행사")
    campaign: int = ask("Which it belongs to.", read=f"{_READ}:CampaignNamed")
    start_at: datetime = ask("Its start.", option="--from", read=f"{_WALL}:WallMoment")
    end_at: datetime = ask(
        "Its end, not included.", option="--until", read=f"{_WALL}:WallMoment", example="2026-08-01T00:00:00"
    )
    zone: str = ask("Whose wall clock.", read=f"{_WALL}:Zone", example=ZONE, default=ZONE)
    dayparts: DayParts | None = ask("Its hours.", read=f"{_READ}:Hours", example=HOURS, default=None)
    daily_start_time: time | None = ask("Daily start.", read=f"{_READ}:DailyTime", example=None, default=None)
    daily_end_time: time | None = ask("Daily end.", read=f"{_READ}:DailyTime", example=None, default=None)

    cases = _HOURS_CASES

    def fits(self) -> None:
        _check_hours(self.daily_start_time, self.daily_end_time, self.dayparts)

    def arguments(self) -> dict[str, Any]:
        hours = _read_hours(self.daily_start_time, self.daily_end_time, self.dayparts)
        start, end = on_wall(self.start_at, self.zone), on_wall(self.end_at, self.zone)
        return {"new": NewAdGroup(self.name, self.campaign, Schedule(start, end, self.zone, hours))}


class AdGroupChange(Ask):
    """JSON merge patch: only what is given changes; null for `dayparts` is all day, every day."""

    name: str = ask("What people call it.", read="pabal.platform.web.filters:Word", example="여름 행사 2", default=KEPT)
    campaign: int = ask("Which it belongs to.", read=f"{_READ}:CampaignNamed", default=KEPT)
    start_at: datetime = ask("Its start.", read=f"{_WALL}:WallMoment", default=KEPT)
    end_at: datetime = ask(
        "Its end, not included.", read=f"{_WALL}:WallMoment", example="2026-09-01T00:00:00", default=KEPT
    )
    zone: str = ask("Whose wall clock.", read=f"{_WALL}:Zone", example=ZONE, default=KEPT)
    dayparts: DayParts | Kept | None = ask("Its hours.", read=f"{_READ}:Hours", example=HOURS, default=KEPT)
    daily_start_time: time | None = ask("Daily start.", read=f"{_READ}:DailyTime", example=None, default=None)
    daily_end_time: time | None = ask("Daily end.", read=f"{_READ}:DailyTime", example=None, default=None)

    cases = _HOURS_CASES

    def fits(self) -> None:
        said = None if self.dayparts is KEPT else self.dayparts
        _check_hours(self.daily_start_time, self.daily_end_time, said)

    def arguments(self) -> dict[str, Any]:
        hours = _read_hours(self.daily_start_time, self.daily_end_time, self.dayparts)
        given = {name: getattr(self, name) for name in ("name", "campaign", "start_at", "end_at", "zone")}
        return {**given, "dayparts": hours}


class CreativeAsk(Ask):
    name: str = ask("What people call it.", read="pabal.platform.web.filters:Word", example="포스터")
    url: str = ask("Where it lies.", read=f"{_READ}:Address", example="https://cdn.example.com/poster.png")


class InventoryChoice(Ask):
    """By their codes; those not named are taken out."""

    codes: tuple[str, ...] = ask("All of them.", read=f"{_READ}:InventoryCodes", example=["seoul-1"])


def _check_hours(start: time | None, end: time | None, dayparts: DayParts | None) -> None:
    if (start is None) != (end is None):
        raise ValueError("daily_start_time and daily_end_time are said together")
    if start is not None and dayparts is not None:
        raise ValueError("say dayparts, or daily_start_time and daily_end_time")


def _read_hours(start: time | None, end: time | None, dayparts: T) -> DayParts | T:
    return dayparts if start is None or end is None else DayParts.every_day(start, end)


class WhyAsk(Ask):
    """Of an event that is sent to many at once."""

    reason: str | None = ask(
        "Why; kept in the history of each.", option="--message,-m", metavar="TEXT", example="소재 교체", default=None
    )


GROUP = Noun(
    "ad_group",
    "adgroups",
    AREA,
    AdGroupView,
    view=f"{APP}.resources.views:view_group",
    find=f"{_STORE}:get_ad_group",
    hold=f"{_STORE}:lock_ad_group",
    named=f"{_FIND}:find_group",
    prefix=GROUP_PREFIX,
    path="",
    words=STATUS_WORDS,
    which=WHICH,
    columns=(
        *("id", "status", "name", "reason", "next_event", "next_at", "campaign_name", "start_at", "end_at", "hours"),
        *("zone", "held", "creatives", "unit_id", "source", "legacy_id", "created_by", "created_at", "updated_at"),
    ),
    get_help="Shows one ad group.",
    show_command="",
    title="name",
    page="/ads/groups/{id}",
)
GROUP.lists(
    "list_ad_groups",
    "Lists ad groups, the newest first, each with why it is as it is and what comes next.",
    f"{_STORE}:list_ad_groups",
    columns=("id", "status", "name", "reason", "next_event", "next_at", "campaign_name", "hours", "unit_id"),
    empty=NO_GROUPS,
    wanted=AdGroupFilter,
)
GROUP.verb(
    "create",
    f"{_ACTIONS}:create",
    "Makes a draft. It is delivered once it is set up, approved, and its start has come.",
    AdGroupAsk,
    makes=True,
    # dates and hours are typed as people say them: a command of its own
    in_commands=False,
)
GROUP.verb(
    "edit",
    f"{_ACTIONS}:amend",
    "Changes only what is given (JSON merge patch). Its delayed events follow in the same commit.",
    AdGroupChange,
    method="PATCH",
    in_commands=False,
)
_EVENTS, _WHY = f"{APP}.actions.events", {"reason": ("Reason", "이유")}
GROUP.on_many("complete_setup", ("Complete setup", "설정 완료"), f"{_EVENTS}:complete_setup", asks=WhyAsk, labels=_WHY)
GROUP.on_many("approve", ("Approve", "승인"), f"{_EVENTS}:approve", asks=WhyAsk, labels=_WHY)
GROUP.on_many("reject", ("Reject", "반려"), f"{_EVENTS}:reject", asks=WhyAsk, labels=_WHY)
GROUP.on_many("pause", ("Pause", "멈춤"), f"{_EVENTS}:pause", asks=WhyAsk, undo="resume", labels=_WHY)
GROUP.on_many("resume", ("Resume", "다시 시작"), f"{_EVENTS}:resume", asks=WhyAsk, undo="pause", labels=_WHY)
GROUP.on_many("delete", ("Delete", "삭제"), f"{_EVENTS}:delete", asks=WhyAsk, labels=_WHY, is_grave=True)
