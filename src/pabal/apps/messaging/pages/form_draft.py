"""What is typed into the form of a schedule: kept as it was typed, and understood as what somebody asks for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Self, TypeVar
from zoneinfo import ZoneInfo

from pabal.apps.messaging.model.bulks import LONGEST_SPAN, Audience, Target
from pabal.apps.messaging.model.content import IMAGES_1, IMAGES_2, Content, Picture, SendOrder
from pabal.apps.messaging.model.rooms import Room, RoomType
from pabal.apps.messaging.model.schedules import LatePolicy, NewSchedule, Schedule, ScheduleType, When
from pabal.engine.recurrence import Weekday
from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.lists import read_number

E = TypeVar("E", bound=StrEnum)
D = TypeVar("D", bound=date)
GROUPS = (IMAGES_1, IMAGES_2)
ZONES = (
    *("Asia/Seoul", "Asia/Tokyo", "Asia/Shanghai", "Asia/Singapore"),
    *("America/Los_Angeles", "America/New_York", "Europe/London", "UTC"),
)
FIRST_VALIDITY = timedelta(days=365)


@dataclass(frozen=True, slots=True)
class Draft:
    """Every field as it was typed, so that nothing is lost when one of them does not fit."""

    title: str = ""
    description: str = ""
    room_type: str = ""
    room_id: str = ""
    bot_id: str = ""
    unit_id: str = ""
    text: str = ""
    send_order: str = "text_first"
    send_interval_seconds: str = "1"
    media_wait_1: str = "0"
    media_wait_2: str = "0"
    schedule_type: str = ""
    schedule_date: str = ""
    schedule_time: str = ""
    more_times: str = ""
    every_weeks: str = "1"
    zone: str = "Asia/Seoul"
    valid_from: str = ""
    valid_until: str = ""
    late_policy: str = "window"
    state: str = "active"
    template_id: str = ""
    template_name: str = ""
    version: str = ""
    schedule_id: str = ""
    once: str = ""
    step: str = "1"
    group_id: str = ""
    rooms_csv: str = ""
    share_bots: str = ""
    spread_minutes: str = ""
    window_minutes: str = ""
    schedule_weekdays: tuple[str, ...] = ()
    rooms: tuple[str, ...] = ()
    images_1: tuple[Picture, ...] = ()
    images_2: tuple[Picture, ...] = ()

    @classmethod
    def fresh(cls, now: datetime) -> Self:
        """Valid from the beginning of today on, for a year."""
        today = now.astimezone(ZoneInfo("Asia/Seoul")).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        until = (today + FIRST_VALIDITY).replace(hour=23, minute=59)
        return cls(valid_from=_show_moment(today), valid_until=_show_moment(until))

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        content, when = schedule.content, schedule.when
        zone = ZoneInfo(when.zone)
        return cls(
            title=schedule.title,
            description=schedule.description,
            room_type=schedule.room_type,
            room_id=str(schedule.room_id),
            bot_id=str(schedule.bot_id),
            unit_id=str(schedule.unit_id),
            send_order=content.send_order,
            send_interval_seconds=str(content.send_interval_seconds),
            media_wait_1=str(content.media_wait_1),
            media_wait_2=str(content.media_wait_2),
            schedule_type=when.schedule_type,
            schedule_date=when.schedule_date.isoformat() if when.schedule_date else "",
            schedule_time=_show_time(when.schedule_time),
            more_times=", ".join(_show_time(one) for one in when.more_times),
            schedule_weekdays=tuple(str(int(day)) for day in when.schedule_weekdays),
            every_weeks=str(when.every_weeks),
            zone=when.zone,
            valid_from=_show_moment(when.valid_from.astimezone(zone)),
            valid_until=_show_moment(when.valid_until.astimezone(zone)),
            late_policy=schedule.late_policy,
            state="active" if schedule.is_active else "inactive",
            template_id=str(schedule.template_id or ""),
            version=str(schedule.version),
            **_draft_audience(schedule.audience),
        ).with_content(content)

    def with_content(self, content: Content) -> Self:
        return replace(self, text=content.text or "", images_1=content.images_1, images_2=content.images_2)

    def images(self, group: str) -> tuple[Picture, ...]:
        return self.images_1 if group == IMAGES_1 else self.images_2

    def with_images(self, group: str, pictures: Sequence[Picture]) -> Self:
        if group == IMAGES_1:
            return replace(self, images_1=tuple(pictures))
        return replace(self, images_2=tuple(pictures))

    @property
    def number(self) -> int | None:
        """The schedule it changes, where it changes one."""
        return read_number(self.schedule_id)

    @property
    def is_bulk(self) -> bool:
        """To many rooms: some are picked, a group is chosen, or there is a CSV."""
        return bool(self.rooms or self.group_id or self.rooms_csv.strip())


SEVERAL = ("schedule_weekdays", "rooms")
SINGLE = frozenset(each.name for each in fields(Draft)) - {*SEVERAL, *GROUPS}


def _draft_audience(audience: Audience | None) -> dict[str, Any]:
    if audience is None:
        return {}
    return {
        "rooms": tuple(str(one) for one in audience.picked),
        "group_id": str(audience.group_id or ""),
        "rooms_csv": audience.rooms_csv or "",
        "share_bots": "on" if audience.share_bots else "",
        "spread_minutes": str(audience.spread_minutes or ""),
        "window_minutes": str(audience.window_minutes or ""),
    }


def rearrange(draft: Draft, what: str, group: str, index: int) -> Draft:
    """left, right, other and drop, for those who have no script: as pictures.js does it."""
    pictures = list(draft.images(group))
    if not 0 <= index < len(pictures):
        return draft
    picture = pictures.pop(index)
    if what == "other":
        other = IMAGES_2 if group == IMAGES_1 else IMAGES_1
        draft = draft.with_images(other, [*draft.images(other), picture])
    elif what in ("left", "right"):
        pictures.insert(max(0, index - 1) if what == "left" else index + 1, picture)
    return draft.with_images(group, pictures)


@dataclass
class Understood:
    """`new` has something sensible where a field could not be read; `faults` says which those are."""

    new: NewSchedule
    faults: list[Finding] = field(default_factory=list)


def understand(draft: Draft, rooms: Mapping[int, Room], now: datetime) -> Understood:
    reader = _Reader(draft)
    audience = reader.read_audience() if draft.is_bulk else None
    room = None if draft.is_bulk else rooms.get(read_number(draft.room_id) or 0)
    if audience is None:
        reader.check_room(room)
    bot_id = read_number(draft.bot_id) or (room.bots[0].bot_id if room and room.bots else 0)
    new = NewSchedule(
        title=draft.title.strip(),
        description=draft.description.strip(),
        room_id=read_number(draft.room_id) or 0,
        bot_id=bot_id,
        content=reader.read_content(),
        when=reader.read_when(now),
        late_policy=reader.choose("late_policy", LatePolicy, LatePolicy.WINDOW),
        is_active=draft.state != "inactive",
        template_id=read_number(draft.template_id),
        unit_id=read_number(draft.unit_id),
        audience=audience,
    )
    if draft.state not in ("active", "inactive"):
        reader.fault("state", CHOOSE)
    return Understood(new, reader.faults)


CHOOSE: Pair = ("Choose one.", "하나를 고르세요.")
NEEDED: Pair = ("Fill this in.", "꼭 채워야 하는 칸입니다.")


class _Reader:
    """Reads one field after the other and remembers what did not fit."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self.faults: list[Finding] = []

    def fault(self, name: str, text: Pair) -> None:
        self.faults.append(Finding("unreadable", name, text))

    def check_room(self, room: Room | None) -> None:
        kind = self.choose("room_type", RoomType, room.room_type if room else RoomType.TEST)
        if not self._draft.room_id:
            self.fault("room_id", ("Choose the room it goes to.", "보낼 톡방을 고르세요."))
        elif room is not None and room.room_type is not kind:
            self.fault("room_type", _WRONG_KIND[room.room_type])
        if room is not None and not self._draft.bot_id and not room.bots:
            self.fault("bot_id", ("No bot is in this room yet.", "이 톡방에는 아직 봇이 없습니다."))

    def read_audience(self) -> Audience:
        draft = self._draft
        picked = tuple(Target(number) for one in draft.rooms if (number := read_number(one)))
        window = self.count("window_minutes", most=LONGEST_SPAN, otherwise=0, is_optional=True)
        return Audience(
            picked,
            group_id=read_number(draft.group_id),
            rooms_csv=draft.rooms_csv if draft.rooms_csv.strip() else None,
            share_bots=draft.share_bots == "on",
            spread_minutes=self.count("spread_minutes", most=LONGEST_SPAN, otherwise=0, is_optional=True),
            window_minutes=window or None,
        )

    def read_content(self) -> Content:
        draft = self._draft
        text = draft.text.replace("\r\n", "\n").replace("\r", "\n")
        return Content(
            text=text if text.strip() else None,
            images_1=draft.images_1,
            images_2=draft.images_2,
            send_order=self.choose("send_order", SendOrder, SendOrder.TEXT_FIRST),
            send_interval_seconds=self.count("send_interval_seconds", most=3600, otherwise=1),
            media_wait_1=self.count("media_wait_1", most=600_000, otherwise=0, is_optional=True),
            media_wait_2=self.count("media_wait_2", most=600_000, otherwise=0, is_optional=True),
        )

    def read_when(self, now: datetime) -> When:
        kind = self.choose("schedule_type", ScheduleType, ScheduleType.DAILY)
        zone = self._zone()
        is_once = kind is ScheduleType.ONCE
        return When(
            schedule_type=kind,
            schedule_time=self._time(),
            valid_from=self._moment("valid_from", zone, now),
            valid_until=self._moment("valid_until", zone, now + FIRST_VALIDITY),
            schedule_date=self._date(now) if is_once else None,
            schedule_weekdays=self._weekdays() if kind is ScheduleType.WEEKLY else (),
            zone=zone.key,
            more_times=() if is_once else self._more_times(),
            every_weeks=self._weeks() if kind is ScheduleType.WEEKLY else 1,
        )

    def choose(self, name: str, kind: type[E], otherwise: E) -> E:
        typed = getattr(self._draft, name)
        if typed in set(kind):
            return kind(typed)
        self.fault(name, CHOOSE)
        return otherwise

    def count(self, name: str, *, most: int, otherwise: int, is_optional: bool = False) -> int:
        typed = getattr(self._draft, name).strip().replace(",", "")
        if not typed and is_optional:
            return otherwise
        if typed.isascii() and typed.isdigit() and len(typed) < 9 and int(typed) <= most:
            return int(typed)
        self.fault(name, (f"A whole number from 0 to {most:,}.", f"0부터 {most:,}까지의 정수로 적으세요."))
        return otherwise

    def _zone(self) -> ZoneInfo:
        try:
            return ZoneInfo(self._draft.zone)
        except (ValueError, OSError, LookupError):
            self.fault("zone", CHOOSE)
            return ZoneInfo("Asia/Seoul")

    def _time(self) -> time:
        try:
            return time.fromisoformat(self._draft.schedule_time).replace(tzinfo=None)
        except ValueError:
            self.fault("schedule_time", NEEDED if not self._draft.schedule_time else _TIME)
            return time(9, 0)

    def _more_times(self) -> tuple[time, ...]:
        """Separated by commas or spaces."""
        typed = self._draft.more_times.replace(",", " ").split()
        try:
            return tuple(time.fromisoformat(one.rjust(5, "0")).replace(tzinfo=None, microsecond=0) for one in typed)
        except ValueError:
            self.fault("more_times", _TIMES)
            return ()

    def _weeks(self) -> int:
        weeks = read_number(self._draft.every_weeks.strip() or "1")
        if weeks is None:
            self.fault("every_weeks", _WEEKS)
        return weeks or 1

    def _date(self, now: datetime) -> date:
        try:
            return _near(date.fromisoformat(self._draft.schedule_date))
        except ValueError:
            self.fault("schedule_date", NEEDED if not self._draft.schedule_date else _DATE)
            return (now + timedelta(days=1)).date()

    def _moment(self, name: str, zone: ZoneInfo, otherwise: datetime) -> datetime:
        typed = getattr(self._draft, name)
        try:
            return _near(datetime.fromisoformat(typed)).replace(tzinfo=zone)
        except ValueError:
            self.fault(name, NEEDED if not typed else _MOMENT)
            return otherwise

    def _weekdays(self) -> tuple[Weekday, ...]:
        return tuple(sorted({Weekday(int(day)) for day in self._draft.schedule_weekdays if day in tuple("0123456")}))


_TIMES: Pair = (
    "Write times as 13:00, 18:30, with commas between them.",
    "13:00, 18:30처럼 쉼표로 나누어 적으세요.",
)
_WEEKS: Pair = ("A whole number of weeks, from 1 on.", "1부터 정수로 적으세요.")
_TIME: Pair = ("A time reads 09:20.", "시각은 09:20처럼 적으세요.")
_DATE: Pair = ("A date reads 2026-07-03.", "날짜는 2026-07-03처럼 적으세요.")
_MOMENT: Pair = ("A moment reads 2026-07-03T09:20.", "날짜와 시각은 2026-07-03T09:20처럼 적으세요.")
_WRONG_KIND: dict[RoomType, Pair] = {
    RoomType.TEST: (
        "This room is a test room. Choose “test”, or another room.",
        "고른 톡방은 테스트 톡방입니다. ‘테스트’를 고르거나 다른 톡방을 고르세요.",
    ),
    RoomType.PRODUCTION: (
        "This room is a production room. Choose “production”, or another room.",
        "고른 톡방은 운영 톡방입니다. ‘운영’을 고르거나 다른 톡방을 고르세요.",
    ),
}


def _near(day: D) -> D:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"a year lies between {FIRST_YEAR} and {LAST_YEAR}")
    return day


def _show_moment(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M")


def _show_time(moment: time) -> str:
    return moment.isoformat(timespec="seconds" if moment.second else "minutes")
