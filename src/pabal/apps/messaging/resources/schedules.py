"""Schedules of messages: what is sent to which room, and when."""

from collections.abc import Mapping
from datetime import date, datetime, time
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

from pabal.apps.messaging.model.bulks import Audience, Target
from pabal.apps.messaging.model.content import Content, Picture, SendOrder
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.model.schedules import LatePolicy, NewSchedule, Schedule, ScheduleState, ScheduleType, When
from pabal.apps.messaging.resources.images import (
    CONTENT,
    SEND_ORDERS,
    ImageView,
    content_of,
    images_field,
    name_images,
    text_field,
)
from pabal.base.errors import Invalid
from pabal.engine import recurrence
from pabal.engine.recurrence import Weekday
from pabal.platform.commands.lazily import lazily
from pabal.platform.language.pairs import Lang, put
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, column, edit_of, field

with lazily():
    from pabal.engine import why

AREA = "messaging"
# no room and no bot has this number: what is needed and was not said is not found
NOBODY = 0
AUDIENCE = ("group_id", "rooms_csv", "share_bots", "spread_minutes", "window_minutes")
SEOUL = "Asia/Seoul"
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
ROOM_TYPES = {"production": ("production", "운영"), "test": ("test", "테스트")}
_HERE = "pabal.apps.messaging"
_ACTIONS, _STORE, _FIND = f"{_HERE}.actions.schedules", f"{_HERE}.store.schedules", f"{_HERE}.cli.finding"
_FIELDS = f"{_HERE}.api.parts"
# the check says, with its sentence, what is too long; this only bounds the sum of all waits
_COUNT = Rules(ge=0, le=2**31 - 1)
_BOTS_OWN = {"0": ("the bot's setting", "봇 설정")}
_LATE = {
    "window": ("sends within the window", "정해진 시간 안에만 보냄"),
    "send_late": ("sends it late", "늦어도 보냄"),
    "ask": ("asks", "물어봄"),
    "skip": ("skips it", "건너뜀"),
}


class MessageScheduleView(View):
    """A schedule and what has become of it so far. `timetable` is the engine's: see /api/v1/schedules/{timetable}."""

    id: int = field(("No.", "번호"), example=12)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    state: ScheduleState = field(("State", "상태"), status="message_schedule", example="active")
    version: int = field(("Version", "버전"), example=1)
    timetable: str | None = field(("Timetable", "시간표"), example="sch_12")
    title: str = field(("Title", "제목"), example="아침 공지")
    description: str = field(("Description", "설명"), example="매일 아침 여는 인사")
    created_by: str = field(("Made by", "만든 사람"), example="user:12")
    room_id: int = field(("Room no.", "톡방 번호"), example=3)
    room_name: str = field(("Room", "톡방"), example="부산-운영")
    channel_id: str = field(("Channel", "채널ID"), example="18390001")
    room_type: RoomType = field(("Kind", "종류"), words=ROOM_TYPES, example="production")
    bot_id: int = field(("Bot no.", "봇 번호"), example=1)
    bot_name: str = field(("Bot", "봇"), example="busan1")
    text: str | None = text_field()
    images_1: list[ImageView] = images_field(1)
    images_2: list[ImageView] = images_field(2)
    send_order: SendOrder = field(("Order", "순서"), words=SEND_ORDERS)
    send_interval_seconds: int = field(("Pause between messages (s)", "메시지 사이 간격(초)"), example=1)
    media_wait_1: int = field(("Wait after images 1 (ms)", "그림 1 뒤 기다림(ms)"), words=_BOTS_OWN, example=0)
    media_wait_2: int = field(("Wait after images 2 (ms)", "그림 2 뒤 기다림(ms)"), words=_BOTS_OWN, example=0)
    says: str = field(
        ("When", "언제"), description="Its rule as a sentence.", example="Every day at 09:00 (Asia/Seoul)"
    )
    schedule_type: ScheduleType = field(("Repeat", "반복"), example="daily")
    schedule_date: date | None = field(("Date", "보낼 날짜"), example=None)
    schedule_time: str = field(("Time", "보낼 시각"), example="09:00:00")
    more_times: list[str] = field(("Further times", "더 보낼 시각"), example=[])
    schedule_weekdays: list[str] = field(("Days", "요일"), example=[])
    every_weeks: int = field(("Every … weeks", "몇 주마다"), example=1)
    timezone: str = field(("Time zone", "시간대"), example=SEOUL)
    valid_from: datetime = field(("From", "유효 시작"))
    valid_until: datetime = field(("Until", "유효 끝"), example="2026-12-31T14:59:59Z")
    late_policy: LatePolicy = field(("When late", "늦었을 때"), words=_LATE)
    is_active: bool = field(("Active", "활성"))
    template_id: int | None = field(("Template", "템플릿"), example=None)
    is_bulk: bool = field(
        ("Many rooms", "여러 톡방"),
        description="It goes to many rooms; room and bot are the first of them.",
        example=False,
    )
    rooms: list[int] = field(("Rooms picked", "고른 톡방"), example=[])
    group_id: int | None = field(("Group of rooms", "톡방 그룹"), example=None)
    rooms_csv: str | None = field(("Rooms as CSV", "톡방 CSV"), example=None)
    share_bots: bool = field(("Over all bots", "여러 봇이 나눔"), example=False)
    spread_minutes: int = field(("Spread over (min)", "나누어 보내는 시간(분)"), example=0)
    window_minutes: int | None = field(("Window (min)", "발송 시간(분)"), example=None)
    next_send_at: datetime | None = field(("Next", "다음 발송"))
    last_sent_at: datetime | None = field(("Last sent", "마지막 발송"))
    send_count: int = field(("Sends", "발송 수"), example=7)
    failures: int = field(("Failures in a row", "이어진 실패"), description="In a row.", example=0)
    created_at: datetime = field(("Made", "만든 때"))
    updated_at: datetime = field(("Changed", "바뀐 때"))

    @column(("Images 1", "그림 1"))
    def pictures_1(self, _: Lang) -> str:
        return name_images(self.images_1)

    @column(("Images 2", "그림 2"))
    def pictures_2(self, _: Lang) -> str:
        return name_images(self.images_2)


def view_schedule(schedule: Schedule, viewer: Viewer) -> MessageScheduleView:
    when = schedule.when
    return MessageScheduleView.of(
        schedule,
        **content_of(schedule.content),
        is_bulk=schedule.audience is not None,
        **_audience_of(schedule),
        timetable=None if schedule.timetable_id is None else why.show_schedule(schedule.timetable_id),
        says=describe(when, viewer.lang),
        schedule_type=when.schedule_type,
        schedule_date=when.schedule_date,
        schedule_time=when.schedule_time.isoformat(timespec="seconds"),
        more_times=[one.isoformat(timespec="seconds") for one in when.more_times],
        schedule_weekdays=[DAYS[day] for day in when.schedule_weekdays],
        every_weeks=when.every_weeks,
        timezone=when.zone,
        valid_from=when.valid_from,
        valid_until=when.valid_until,
    )


def _audience_of(schedule: Schedule) -> dict[str, Any]:
    said = schedule.audience or Audience()
    return {"rooms": list(said.picked), **{name: getattr(said, name) for name in AUDIENCE}}


def pace_of(content: Content, lang: Lang) -> list[tuple[str, str]]:
    """The waits of a message with their labels, for people."""
    found = {name: getattr(content, name) for name in CONTENT}
    waits = {name: value for name, value in found.items() if isinstance(value, int)}
    about = MessageScheduleView.fields
    return [
        (put(lang, about[name].label), put(lang, about[name].word(value) or (f"{value:,}", f"{value:,}")))
        for name, value in waits.items()
    ]


def describe(when: When, lang: Lang) -> str:
    """A rule that can no longer be read, of a zone that is gone say, must not hide its schedule."""
    try:
        return recurrence.describe(when.timing, lang)
    except Invalid:
        return "–"


class ListedState(StrEnum):
    ACTIVE = "active"
    INACTIVE = "inactive"
    COMPLETED = "completed"
    ERROR = "error"


class ScheduleSort(StrEnum):
    NEXT = "next_send_at"
    NEWEST = "-created_at"


class MessageScheduleFilter(Filter):
    state: tuple[ListedState, ...] = ask("Any of these, separated by commas.", default=())
    type: tuple[ScheduleType, ...] = ask("Any of these, separated by commas.", default=())
    room: int | None = ask("Only to this room.", rules=ROW_ID, find=f"{_FIND}:find_room_id", example=3, default=None)
    bot: int | None = ask("Only by this bot.", rules=ROW_ID, find=f"{_FIND}:find_bot_id", example=1, default=None)
    q: str | None = ask("A part of the title or the text.", option="--find", default=None)
    due: bool = ask("Only those whose moment has come and that were not sent yet.", default=False)
    sort: ScheduleSort = ask("What is sent next first, or the newest first.", default=ScheduleSort.NEXT)


class MessageScheduleNew(Ask):
    """What is sent, where and when. Without a unit it belongs to the room's."""

    title: str = ask("Without it the first line of the text.", read=f"{_FIELDS}:Title")
    description: str = ask(
        "For whoever looks later.", read=f"{_FIELDS}:Prose", example="매일 아침 여는 인사", default=""
    )
    unit_id: int | None = ask(
        "On whose behalf: number or name.",
        option="--org",
        metavar="UNIT",
        find="pabal.platform.commands.options:find_unit_id",
        rules=ROW_ID,
        example=3,
        default=None,
    )
    room_id: int | None = ask(
        "Where: number, name or channel id; not needed with many rooms.",
        option="--room",
        find=f"{_FIND}:find_room_id",
        rules=ROW_ID,
        example=3,
        default=None,
    )
    bot_id: int | None = ask(
        "Who sends: number or name; without it the room's first.",
        option="--bot",
        find=f"{_FIND}:find_bot_id",
        rules=ROW_ID,
        example=1,
        default=None,
    )
    rooms: tuple[int, ...] = ask(
        "Many rooms instead of one: numbers, names or channel ids, separated by commas.",
        find=f"{_FIND}:find_room_ids",
        read=f"{_FIELDS}:RoomNumbers",
        example=[],
        default=(),
    )
    group_id: int | None = ask(
        "The rooms of this group, as they are when it is sent: number or name.",
        option="--group",
        find=f"{_FIND}:find_group_id",
        rules=ROW_ID,
        example=None,
        default=None,
    )
    rooms_csv: str | None = ask(
        "Rooms as CSV: a column names the room, the others are variables of the text; @FILE reads it.",
        option="--csv",
        metavar="CSV|@FILE",
        read=f"{_FIELDS}:RoomsCsv",
        example=None,
        default=None,
    )
    share_bots: bool = ask(
        "Of many rooms: over all bots that share a room.", option="--share-bots/--one-bot", default=False
    )
    spread_minutes: int = ask("Of many rooms: spread over so many minutes.", option="--spread", rules=_COUNT, default=0)
    window_minutes: int | None = ask(
        "Of many rooms: what has not begun after so many minutes is missed; without it, as late as any send may be.",
        option="--window",
        rules=_COUNT,
        example=None,
        default=None,
    )
    text: str | None = ask(
        "The text; @FILE reads it, @- from stdin.", metavar="TEXT|@FILE", read=f"{_FIELDS}:Prose", default=None
    )
    images_1: tuple[Picture, ...] = ask("Image group 1.", option="--images1", read=f"{_FIELDS}:Images", default=())
    images_2: tuple[Picture, ...] = ask("Image group 2.", option="--images2", read=f"{_FIELDS}:Images", default=())
    send_order: SendOrder = ask("What comes first.", option="--order", default=SendOrder.TEXT_FIRST)
    send_interval_seconds: int = ask(
        "Seconds between components; 0 sends the next at once.",
        option="--interval",
        rules=_COUNT,
        default=1,
    )
    media_wait_1: int = ask(
        "Milliseconds the bot waits after group 1; 0: its own setting.",
        option="--wait1",
        rules=_COUNT,
        default=0,
    )
    media_wait_2: int = ask(
        "Milliseconds the bot waits after group 2; 0: its own setting.",
        option="--wait2",
        rules=_COUNT,
        default=0,
    )
    schedule_type: ScheduleType = ask("How it repeats.", rest_only=True, example="daily")
    schedule_date: date | None = ask(
        "Of a one-time send.", rest_only=True, read=f"{_FIELDS}:WallDate", example=None, default=None
    )
    schedule_time: time = ask("On the timezone's wall clock.", rest_only=True, read=f"{_FIELDS}:WallTime")
    more_times: tuple[time, ...] = ask(
        "Further times of the day, besides schedule_time.",
        rest_only=True,
        read=f"{_FIELDS}:WallTimes",
        example=[],
        default=(),
    )
    schedule_weekdays: tuple[str, ...] = ask(
        "Of a weekly one.", rest_only=True, read=f"{_FIELDS}:Weekdays", example=[], default=()
    )
    every_weeks: int = ask(
        "Of a weekly one: every so many weeks, counted from the week of valid_from.",
        option="--every-weeks",
        metavar="N",
        rules=_COUNT,
        example=1,
        default=1,
    )
    timezone: str = ask("Whose wall clock.", option="--zone", read=f"{_FIELDS}:Zone", default=SEOUL)
    valid_from: datetime = ask("Valid from; now if left out.", option="--from", read=f"{_FIELDS}:WallMoment")
    valid_until: datetime = ask(
        "Valid until: 2026-12-31 is to the end of that day.",
        option="--until",
        read=f"{_FIELDS}:WallMoment",
        example="2026-12-31T23:59:59",
    )
    late_policy: LatePolicy = ask("What to do when it could not be sent in time.", default=LatePolicy.WINDOW)
    is_active: bool = ask("Whether it is sent.", option="--active/--inactive", default=True)
    template_id: int | None = ask(
        "Begin with this one: number or name.",
        option="--template",
        find=f"{_FIND}:find_template_id",
        rules=ROW_ID,
        example=None,
        default=None,
    )
    # how people say when; programs say it with type, date, time and weekdays
    at: str | None = ask("Once: 내일 09:00, tomorrow 09:00, +2h, an ISO moment.", command_only=True, default=None)
    daily: str | None = ask(
        "Every day: 09:00, or several times: 09:00,18:00.", metavar="TIMES", command_only=True, default=None
    )
    weekly: str | None = ask(
        "'mon,thu 09:00', '월,목 09:00,18:00'.", metavar="'DAYS TIMES'", command_only=True, default=None
    )


MessageScheduleEdit = edit_of(
    MessageScheduleNew,
    "MessageScheduleEdit",
    "JSON merge patch: only what is given changes; null takes a value back to what it is without being said.",
)


def audience_of(asked: Mapping[str, Any]) -> Audience | None:
    """None: it goes to one room."""
    rooms, group_id, rooms_csv = (asked.get(name) for name in ("rooms", "group_id", "rooms_csv"))
    if not (rooms or group_id or rooms_csv):
        return None
    said = {name: asked[name] for name in AUDIENCE if asked.get(name) is not None}
    return Audience(tuple(Target(one) for one in rooms or ()), **said)


def as_new(asked: MessageScheduleNew) -> NewSchedule:
    zone = ZoneInfo(asked.timezone)
    return NewSchedule(
        title=asked.title,
        room_id=asked.room_id or NOBODY,
        bot_id=asked.bot_id or NOBODY,
        content=Content(**{name: getattr(asked, name) for name in CONTENT}),
        when=When(
            schedule_type=asked.schedule_type,
            schedule_time=asked.schedule_time,
            valid_from=_aware(asked.valid_from, zone),
            valid_until=_aware(asked.valid_until, zone),
            schedule_date=asked.schedule_date,
            schedule_weekdays=tuple(Weekday(DAYS.index(day)) for day in asked.schedule_weekdays),
            zone=asked.timezone,
            more_times=asked.more_times,
            every_weeks=asked.every_weeks,
        ),
        description=asked.description,
        late_policy=asked.late_policy,
        is_active=asked.is_active,
        template_id=asked.template_id,
        unit_id=asked.unit_id,
        audience=audience_of({name: getattr(asked, name) for name in ("rooms", *AUDIENCE)}),
    )


def as_asked(schedule: Schedule) -> Mapping[str, Any]:
    """As one would have to ask for it to be as it is."""
    content, when, zone = schedule.content, schedule.when, ZoneInfo(schedule.when.zone)
    return {
        **{name: getattr(content, name) for name in CONTENT},
        **{name: getattr(schedule, name) for name in ("title", "description", "unit_id", "room_id", "bot_id")},
        **{name: getattr(schedule, name) for name in ("late_policy", "template_id")},
        **{name: getattr(when, name) for name in ("schedule_type", "schedule_date", "schedule_time")},
        **{name: getattr(when, name) for name in ("more_times", "every_weeks")},
        "schedule_weekdays": tuple(DAYS[day] for day in when.schedule_weekdays),
        "timezone": when.zone,
        "valid_from": when.valid_from.astimezone(zone),
        "valid_until": when.valid_until.astimezone(zone),
        "is_active": stays_active(schedule),
        **_audience_of(schedule),
    }


def stays_active(schedule: Schedule) -> bool:
    """Whether an edit that does not speak of it leaves it active: one that is over comes back with new moments."""
    return schedule.state in (ScheduleState.ACTIVE, ScheduleState.COMPLETED)


def _aware(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment


SCHEDULE = Noun(
    "schedule",
    "schedules",
    AREA,
    MessageScheduleView,
    view=f"{__name__}:view_schedule",
    find=f"{_STORE}:get_schedule",
    hold=f"{_STORE}:lock_schedule",
    named=f"{_FIND}:find_schedule",
    words=f"{_HERE}.labels:STATUS",
    columns=(
        *("id", "state", "title", "description", "says", "next_send_at", "valid_from", "valid_until", "room_name"),
        *("room_type", "bot_name", "unit_id", "text", "pictures_1", "pictures_2", "send_order"),
        *("send_interval_seconds", "late_policy", "last_sent_at", "send_count", "failures", "created_by"),
        *("created_at", "updated_at"),
    ),
    which="Its number, or its title.",
    called="message_schedule",
    get_help="Shows one message schedule. How it will look and its next moments: pabal msg preview.",
    title="title",
    page="/messages/schedules/{id}",
)
SCHEDULE.lists(
    "list_message_schedules",
    "Lists message schedules: what is sent next first, then those with nothing ahead.",
    f"{_STORE}:list_schedules",
    columns=(
        *("id", "state", "title", "says", "next_send_at", "room_name", "room_type", "bot_name", "last_sent_at"),
        "unit_id",
    ),
    empty=(
        "No scheduled messages yet. Example: pabal msg schedule new --room ROOM --text 'Hello' --daily 09:00",
        "아직 예약한 메시지가 없습니다. 예: pabal msg schedule new --room 톡방 --text '안녕하세요' --daily 09:00",
    ),
    wanted=MessageScheduleFilter,
)
SCHEDULE.verb(
    "pause",
    f"{_ACTIONS}:deactivate",
    "Makes a schedule inactive: what waits is withdrawn, what has begun goes on.",
)
SCHEDULE.verb(
    "resume",
    f"{_ACTIONS}:activate",
    "Makes a schedule active again, from its next moment on. After errors it counts them again from none.",
)
SCHEDULE.verb("toggle", f"{_ACTIONS}:toggle", "Makes an active schedule inactive, and any other active.")
SCHEDULE.on_many("pause", ("Pause", "멈춤"), undo="resume")
SCHEDULE.on_many("resume", ("Resume", "다시 시작"), undo="pause")
SCHEDULE.on_many("skip", ("Skip the next send", "다음 발송 건너뛰기"), f"{_ACTIONS}:skip")
SCHEDULE.on_many("delete", ("Delete", "삭제"), f"{_ACTIONS}:delete", is_grave=True)
