"""A schedule as programs ask for it and see it, in our own words. The seed's words are in seed.py."""

from dataclasses import replace
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from fastapi.exceptions import RequestValidationError
from pydantic import Field, ValidationError

from pabal.apps.messaging.api.fields import (
    SEOUL,
    Images,
    ImageShown,
    Prose,
    Title,
    Type,
    Wait,
    WallDate,
    WallMoment,
    WallTime,
    Weekdays,
    Zone,
    aware,
    read_days,
    show_days,
    show_image,
    show_time,
)
from pabal.apps.messaging.api.parts import Asked, Id, Shown, fill
from pabal.apps.messaging.model.content import Content, SendOrder
from pabal.apps.messaging.model.schedules import (
    LatePolicy,
    NewSchedule,
    Schedule,
    ScheduleState,
    ScheduleType,
    When,
)
from pabal.base.errors import Invalid
from pabal.engine import recurrence, why
from pabal.platform.language.pairs import Lang

# what a finding calls a field, and what it is called here
NAMES = {"zone": "timezone"}


class ScheduleAsked(Asked):
    """What is sent, where and when. Without a unit it belongs to the room's."""

    title: Title
    description: Prose = Field(default="", examples=["매일 아침 여는 인사"])
    unit_id: Id | None = Field(default=None, examples=[3])
    room_id: Id = Field(examples=[3])
    bot_id: Id = Field(examples=[1])
    text: Prose | None = None
    images_1: Images = ()
    images_2: Images = ()
    send_order: SendOrder = SendOrder.TEXT_FIRST
    send_interval_seconds: Wait = Field(default=1, description="Between components; 0 sends the next at once.")
    media_wait_1: Wait = Field(default=0, description="Milliseconds the bot waits after group 1; 0: its own setting.")
    media_wait_2: Wait = Field(default=0, description="Milliseconds the bot waits after group 2; 0: its own setting.")
    schedule_type: Type
    schedule_date: WallDate | None = Field(default=None, description="Of a one-time send.", examples=[None])
    schedule_time: WallTime
    schedule_weekdays: Weekdays = Field(default=(), description="Of a weekly one.", examples=[[]])
    timezone: Zone = SEOUL
    valid_from: WallMoment
    valid_until: WallMoment = Field(examples=["2026-12-31T23:59:59"])
    late_policy: LatePolicy = LatePolicy.WINDOW
    is_active: bool = True
    template_id: Id | None = Field(default=None, examples=[None])

    def as_new(self) -> NewSchedule:
        return NewSchedule(
            title=self.title,
            room_id=self.room_id,
            bot_id=self.bot_id,
            content=self.content,
            when=self.when,
            description=self.description,
            late_policy=self.late_policy,
            is_active=self.is_active,
            template_id=self.template_id,
            unit_id=self.unit_id,
        )

    @property
    def content(self) -> Content:
        return Content(
            text=self.text,
            images_1=self.images_1,
            images_2=self.images_2,
            send_order=self.send_order,
            send_interval_seconds=self.send_interval_seconds,
            media_wait_1=self.media_wait_1,
            media_wait_2=self.media_wait_2,
        )

    @property
    def when(self) -> When:
        return When(
            schedule_type=ScheduleType(self.schedule_type),
            schedule_time=self.schedule_time,
            valid_from=aware(self.valid_from, self.timezone),
            valid_until=aware(self.valid_until, self.timezone),
            schedule_date=self.schedule_date,
            schedule_weekdays=read_days(self.schedule_weekdays),
            zone=self.timezone,
        )


class ScheduleChange(Asked):
    """JSON merge patch: only what is given changes; null takes a value back to what it is without being said."""

    title: Title | None = None
    description: Prose | None = None
    unit_id: Id | None = Field(default=None, examples=[3])
    room_id: Id | None = Field(default=None, examples=[3])
    bot_id: Id | None = Field(default=None, examples=[1])
    text: Prose | None = None
    images_1: Images | None = None
    images_2: Images | None = None
    send_order: SendOrder | None = None
    send_interval_seconds: Wait | None = None
    media_wait_1: Wait | None = None
    media_wait_2: Wait | None = None
    schedule_type: Type | None = None
    schedule_date: WallDate | None = Field(default=None, examples=[None])
    schedule_time: WallTime | None = None
    schedule_weekdays: Weekdays | None = Field(default=None, examples=[[]])
    timezone: Zone | None = None
    valid_from: WallMoment | None = None
    valid_until: WallMoment | None = Field(default=None, examples=["2026-12-31T23:59:59"])
    late_policy: LatePolicy | None = None
    is_active: bool | None = None
    template_id: Id | None = Field(default=None, examples=[None])

    def apply(self, schedule: Schedule) -> NewSchedule:
        """Raises what FastAPI raises of a body that does not fit: null where something is needed, say."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        whole = {**_as_asked(schedule), **given}
        try:
            asked = ScheduleAsked(**{name: value for name, value in whole.items() if value is not None})
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error
        return asked.as_new()


class MessageScheduleShown(Shown):
    """A schedule and what has become of it so far. `timetable` is the engine's: see /api/v1/schedules/{timetable}."""

    id: int = Field(examples=[12])
    unit_id: int = Field(examples=[3])
    state: ScheduleState = Field(examples=["active"])
    version: int = Field(examples=[1])
    timetable: str | None = Field(examples=["sch_12"])
    title: str = Field(examples=["아침 공지"])
    description: str = Field(examples=["매일 아침 여는 인사"])
    created_by: str = Field(examples=["user:12"])
    room_id: int = Field(examples=[3])
    room_name: str = Field(examples=["부산-운영"])
    channel_id: str = Field(examples=["18390001"])
    room_type: str = Field(examples=["production"])
    bot_id: int = Field(examples=[1])
    bot_name: str = Field(examples=["busan1"])
    text: str | None = Field(examples=["오늘도 좋은 하루 되세요"])
    images_1: list[ImageShown]
    images_2: list[ImageShown]
    send_order: SendOrder
    send_interval_seconds: int = Field(examples=[1])
    media_wait_1: int = Field(examples=[0])
    media_wait_2: int = Field(examples=[0])
    says: str = Field(description="Its rule as a sentence.", examples=["Every day at 09:00 (Asia/Seoul)"])
    schedule_type: Type
    schedule_date: date | None = Field(examples=[None])
    schedule_time: str = Field(examples=["09:00:00"])
    schedule_weekdays: list[str] = Field(examples=[[]])
    timezone: str = Field(examples=[SEOUL])
    valid_from: datetime
    valid_until: datetime = Field(examples=["2026-12-31T14:59:59Z"])
    late_policy: LatePolicy
    is_active: bool
    template_id: int | None = Field(examples=[None])
    next_send_at: datetime | None
    last_sent_at: datetime | None
    send_count: int = Field(examples=[7])
    failures: int = Field(description="In a row.", examples=[0])
    created_at: datetime
    updated_at: datetime


def show_schedule(schedule: Schedule, lang: Lang) -> MessageScheduleShown:
    content, when = schedule.content, schedule.when
    return fill(
        MessageScheduleShown,
        schedule,
        timetable=None if schedule.timetable_id is None else why.show_schedule(schedule.timetable_id),
        text=content.text,
        images_1=[show_image(one) for one in content.images_1],
        images_2=[show_image(one) for one in content.images_2],
        send_order=content.send_order,
        send_interval_seconds=content.send_interval_seconds,
        media_wait_1=content.media_wait_1,
        media_wait_2=content.media_wait_2,
        says=describe(when, lang),
        schedule_type=when.schedule_type,
        schedule_date=when.schedule_date,
        schedule_time=show_time(when.schedule_time),
        schedule_weekdays=show_days(when.schedule_weekdays),
        timezone=when.zone,
        valid_from=when.valid_from,
        valid_until=when.valid_until,
    )


def describe(when: When, lang: Lang) -> str:
    """A rule that can no longer be read, of a zone that is gone say, must not hide its schedule."""
    try:
        return recurrence.describe(when.timing, lang)
    except Invalid:
        return "–"


def stays_active(schedule: Schedule) -> bool:
    """Whether an edit that does not speak of it leaves it active: one that is over comes back with new moments."""
    return schedule.state in (ScheduleState.ACTIVE, ScheduleState.COMPLETED)


def _as_asked(schedule: Schedule) -> dict[str, Any]:
    content, when = schedule.content, schedule.when
    zone = ZoneInfo(when.zone)
    return {
        "title": schedule.title,
        "description": schedule.description,
        "unit_id": schedule.unit_id,
        "room_id": schedule.room_id,
        "bot_id": schedule.bot_id,
        "text": content.text,
        "images_1": content.images_1,
        "images_2": content.images_2,
        "send_order": content.send_order,
        "send_interval_seconds": content.send_interval_seconds,
        "media_wait_1": content.media_wait_1,
        "media_wait_2": content.media_wait_2,
        "schedule_type": when.schedule_type,
        "schedule_date": when.schedule_date,
        "schedule_time": when.schedule_time,
        "schedule_weekdays": tuple(show_days(when.schedule_weekdays)),
        "timezone": when.zone,
        "valid_from": when.valid_from.astimezone(zone),
        "valid_until": when.valid_until.astimezone(zone),
        "late_policy": schedule.late_policy,
        "is_active": stays_active(schedule),
        "template_id": schedule.template_id,
    }


def with_owner(new: NewSchedule, old: Schedule) -> NewSchedule:
    """Whoever does not name an owner leaves it as it is, unless the room is another."""
    if new.unit_id is None and new.room_id == old.room_id:
        return replace(new, unit_id=old.unit_id)
    return new
