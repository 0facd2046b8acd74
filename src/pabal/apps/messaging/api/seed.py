"""A schedule and a send log in the words of the system this replaces: kb_schedule and kb_schedule_logs.

Names, values and integer ids are an outside contract; here they become ours, and ours become them.
"""

from dataclasses import replace
from datetime import date, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from pabal.apps.messaging.api.parts import (
    SEOUL,
    Images,
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
)
from pabal.apps.messaging.api.schedules import with_owner
from pabal.apps.messaging.model import seed
from pabal.apps.messaging.model.content import Content, SendOrder
from pabal.apps.messaging.model.deliveries import Delivery
from pabal.apps.messaging.model.schedules import LatePolicy, NewSchedule, Schedule, ScheduleType, When
from pabal.apps.messaging.resources.images import ImageView, view_image
from pabal.apps.messaging.resources.schedules import DAYS, stays_active
from pabal.engine.recurrence import Weekday
from pabal.platform.language.pairs import Lang
from pabal.platform.resources import case, plain
from pabal.platform.tenants import Unit
from pabal.platform.web.endpoints import LAST, Asked, Shown, fill, rules
from pabal.platform.web.models import model_of

Status = Literal["active", "inactive", "completed", "error"]
OwnerType = Annotated[Literal["hq", "distributor", "agency", "branch"], Field(examples=["branch"])]
LogStatus = Literal["success", "failed", "partial"]
# what a finding calls a field, and the seed's column
NAMES = {
    "unit_id": "created_by_id",
    "bot_id": "target_bot_name",
    "room_id": "target_room_id",
    "text": "message_text",
    "images_1": "message_images_1",
    "images_2": "message_images_2",
    "media_wait_1": "media_wait_time_1",
    "media_wait_2": "media_wait_time_2",
}
# the system's own columns
READ_ONLY = frozenset(
    ("id", "created_by_mb_id", "room_type", "last_sent_at", "next_send_at", "send_count", "created_at", "updated_at")
)
Image: Any = model_of(ImageView)
Key = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Owner = Annotated[str | int, Field(examples=["3"], description="The unit's id.")]


class KbScheduleAsked(Asked):
    """kb_schedule as it is written. What only the system writes may be sent back as it was read, and is ignored.

    Without created_by_type and created_by_id it belongs to the room's unit.
    """

    model_config = rules(
        {
            "anyOf": [
                case(created_by_type={"type": "null"}),
                case("created_by_id", created_by_id={"not": {"type": "null"}}),
            ]
        }
    )

    title: Title
    description: Prose | None = Field(default=None, examples=["매일 아침 여는 인사"])
    created_by_type: OwnerType | None = None
    created_by_id: Owner | None = None
    target_bot_name: Key = Field(examples=["busan1"])
    target_room_id: Key = Field(description="The channel id.", examples=["18390001"])
    message_text: Prose | None = None
    message_images_1: Images = ()
    message_images_2: Images = ()
    send_interval_seconds: Wait = 1
    media_wait_time_1: Wait = 0
    media_wait_time_2: Wait = 0
    schedule_type: Type
    schedule_date: WallDate | None = Field(default=None, examples=[None])
    schedule_time: WallTime
    schedule_weekdays: Weekdays = Field(default=(), examples=[[]])
    valid_from: WallMoment
    valid_until: WallMoment = Field(examples=["2026-12-31T23:59:59"])
    status: Status = "active"
    send_order: SendOrder = SendOrder.TEXT_FIRST
    late_policy: LatePolicy = LatePolicy.WINDOW
    timezone: Zone = SEOUL

    @model_validator(mode="before")
    @classmethod
    def _leave_out_what_is_only_read(cls, given: Any) -> Any:
        return {name: given[name] for name in given if name not in READ_ONLY} if isinstance(given, dict) else given

    @model_validator(mode="after")
    def _owner_is_whole(self) -> Self:
        if self.created_by_type is not None and self.created_by_id is None:
            raise ValueError("created_by_type comes with created_by_id")
        return self

    @property
    def owner(self) -> int | None:
        """0, which no unit has, for what cannot be a unit's."""
        given = str(self.created_by_id or "")
        if not given:
            return None
        is_number = given.isascii() and given.isdigit() and len(given) < 20
        return int(given) if is_number and int(given) <= LAST else 0

    def as_new(self, *, room_id: int, bot_id: int) -> NewSchedule:
        return NewSchedule(
            title=self.title,
            room_id=room_id,
            bot_id=bot_id,
            content=Content(
                text=self.message_text,
                images_1=self.message_images_1,
                images_2=self.message_images_2,
                send_order=self.send_order,
                send_interval_seconds=self.send_interval_seconds,
                media_wait_1=self.media_wait_time_1,
                media_wait_2=self.media_wait_time_2,
            ),
            when=self.when(self.timezone),
            description=self.description or "",
            late_policy=self.late_policy,
            is_active=self.status in ("active", "completed"),
            unit_id=self.owner,
        )

    def as_edit(self, old: Schedule, *, room_id: int, bot_id: int) -> NewSchedule:
        """What the old system did not know stays as it is unless it is said."""
        new = replace(self.as_new(room_id=room_id, bot_id=bot_id), template_id=old.template_id)
        said = self.model_fields_set
        when = new.when if "timezone" in said else self.when(old.when.zone)
        new = replace(new, when=replace(when, more_times=old.when.more_times, every_weeks=old.when.every_weeks))
        if "send_order" not in said:
            new = replace(new, content=replace(new.content, send_order=old.content.send_order))
        if "late_policy" not in said:
            new = replace(new, late_policy=old.late_policy)
        if "status" not in said:
            new = replace(new, is_active=stays_active(old))
        if room_id == old.room_id:
            # the first of many rooms: the others stay
            new = replace(new, audience=old.audience)
        return with_owner(new, old)

    def when(self, zone: str) -> When:
        return When(
            schedule_type=ScheduleType(self.schedule_type),
            schedule_time=self.schedule_time,
            valid_from=aware(self.valid_from, zone),
            valid_until=aware(self.valid_until, zone),
            schedule_date=self.schedule_date,
            schedule_weekdays=tuple(Weekday(DAYS.index(day)) for day in self.schedule_weekdays),
            zone=zone,
        )


class KbScheduleShown(Shown):
    """kb_schedule, and behind it what it lacked: send_order, room_type, late_policy, timezone."""

    id: int = Field(examples=[12])
    title: str = Field(examples=["아침 공지"])
    description: str | None = Field(examples=["매일 아침 여는 인사"])
    created_by_type: OwnerType
    created_by_id: str = Field(examples=["3"])
    created_by_mb_id: str = Field(description="Who registered it.", examples=["user:12"])
    target_bot_name: str = Field(examples=["busan1"])
    target_room_id: str = Field(examples=["18390001"])
    message_text: str | None = Field(examples=["오늘도 좋은 하루 되세요"])
    message_images_1: list[Image]
    message_images_2: list[Image]
    send_interval_seconds: int = Field(examples=[1])
    media_wait_time_1: int = Field(examples=[0])
    media_wait_time_2: int = Field(examples=[0])
    schedule_type: Type
    schedule_date: date | None = Field(examples=[None])
    schedule_time: str = Field(examples=["09:00:00"])
    schedule_weekdays: list[str] | None = Field(examples=[None])
    valid_from: datetime
    valid_until: datetime = Field(examples=["2026-12-31T14:59:59Z"])
    status: Status
    last_sent_at: datetime | None
    next_send_at: datetime | None
    send_count: int = Field(examples=[7])
    created_at: datetime
    updated_at: datetime
    send_order: SendOrder
    room_type: str = Field(examples=["production"])
    late_policy: LatePolicy
    timezone: str = Field(examples=[SEOUL])


class KbLogShown(Shown):
    """kb_schedule_logs. `outcome` is our own word: sent, partial, failed, unknown or missed."""

    id: int = Field(examples=[242665213952000001])
    schedule_id: int = Field(examples=[12])
    target_room_id: str = Field(examples=["18390001"])
    sent_message_text: str | None = Field(examples=["오늘도 좋은 하루 되세요"])
    sent_images_1: list[dict[str, Any]] = Field(examples=[[]])
    sent_images_2: list[dict[str, Any]] = Field(examples=[[]])
    send_components: str = Field(examples=["text"])
    status: LogStatus
    error_message: str | None = Field(examples=[None])
    api_response: dict[str, Any] = Field(examples=[{"parts": [], "attempts": 1, "errors": []}])
    scheduled_at: datetime
    started_at: datetime
    completed_at: datetime | None
    duration_ms: int | None = Field(examples=[1840])
    created_at: datetime
    is_catch_up: bool = Field(examples=[False])
    outcome: str = Field(examples=["sent"])
    lock: str = Field(examples=["schedule_lock_12"])


def show_kb_schedule(schedule: Schedule, unit: Unit) -> KbScheduleShown:
    content, when = schedule.content, schedule.when
    return fill(
        KbScheduleShown,
        schedule,
        description=schedule.description or None,
        created_by_type=str(unit.level),
        created_by_id=str(unit.id),
        created_by_mb_id=schedule.created_by,
        target_bot_name=schedule.bot_name,
        target_room_id=schedule.channel_id,
        message_text=content.text,
        message_images_1=[Image.model_validate(plain(view_image(one))) for one in content.images_1],
        message_images_2=[Image.model_validate(plain(view_image(one))) for one in content.images_2],
        send_interval_seconds=content.send_interval_seconds,
        media_wait_time_1=content.media_wait_1,
        media_wait_time_2=content.media_wait_2,
        schedule_type=when.schedule_type,
        schedule_date=when.schedule_date,
        schedule_time=when.schedule_time.isoformat(timespec="seconds"),
        schedule_weekdays=[DAYS[day] for day in when.schedule_weekdays] or None,
        valid_from=when.valid_from,
        valid_until=when.valid_until,
        status=schedule.state,
        send_order=content.send_order,
        timezone=when.zone,
    )


def show_kb_log(delivery: Delivery, lang: Lang) -> KbLogShown:
    return KbLogShown(**seed.as_seed(delivery, lang))
