"""A message schedule: what is sent where and when, as its row and as it was asked for."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo

from pabal.apps.messaging.model.bulks import Audience
from pabal.apps.messaging.model.content import Content
from pabal.engine.recurrence import Daily, EveryWeeks, Once, Recurrence, Timing, Weekday, Weekly, Window

ABOUT = "message_schedule"


class ScheduleState(StrEnum):
    ACTIVE = "active"
    INACTIVE = "inactive"
    COMPLETED = "completed"
    ERROR = "error"
    DELETED = "deleted"


class ScheduleType(StrEnum):
    ONCE = "once"
    DAILY = "daily"
    WEEKLY = "weekly"


class LatePolicy(StrEnum):
    """What becomes of an occurrence that could not be sent in time and was never begun."""

    WINDOW = "window"
    SEND_LATE = "send_late"
    ASK = "ask"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class When:
    """The rule on the wall clock of a zone, and the validity. Weeks are counted from the one of the first valid day."""

    schedule_type: ScheduleType
    schedule_time: time
    valid_from: datetime
    valid_until: datetime
    schedule_date: date | None = None
    schedule_weekdays: tuple[Weekday, ...] = ()
    zone: str = "Asia/Seoul"
    more_times: tuple[time, ...] = ()
    every_weeks: int = 1

    @property
    def times(self) -> tuple[time, ...]:
        return (self.schedule_time, *self.more_times)

    @property
    def recurrence(self) -> Recurrence:
        """Raises what the recurrence refuses."""
        if self.schedule_type is ScheduleType.ONCE and self.schedule_date is not None:
            return Once(datetime.combine(self.schedule_date, self.schedule_time, ZoneInfo(self.zone)))
        if self.schedule_type is not ScheduleType.WEEKLY:
            return Daily(self.times)
        if self.every_weeks == 1:
            return Weekly(self.schedule_weekdays, self.times)
        first = self.valid_from.astimezone(ZoneInfo(self.zone)).date()
        return EveryWeeks(self.every_weeks, first, self.schedule_weekdays, self.times)

    @property
    def timing(self) -> Timing:
        # The end is included: a message due in the validity's last minute is sent, the seed's BETWEEN says so.
        until = self.valid_until + timedelta(microseconds=1)
        return Timing(self.recurrence, self.zone, Window(self.valid_from, until))


@dataclass(frozen=True, slots=True)
class NewSchedule:
    """What somebody asks for. `unit_id` None: the room's unit. With an audience, room and bot are the first of many."""

    title: str
    room_id: int
    bot_id: int
    content: Content
    when: When
    description: str = ""
    late_policy: LatePolicy = LatePolicy.WINDOW
    is_active: bool = True
    template_id: int | None = None
    unit_id: int | None = None
    audience: Audience | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """A row, with the names one shows beside it. `next_send_at` is the engine's."""

    id: int
    unit_id: int
    state: str
    version: int
    timetable_id: int | None
    title: str
    description: str
    created_by: str
    bot_id: int
    bot_name: str
    room_id: int
    room_name: str
    channel_id: str
    room_type: str
    content: Content
    when: When
    late_policy: LatePolicy
    template_id: int | None
    next_send_at: datetime | None
    last_sent_at: datetime | None
    send_count: int
    failures: int
    created_at: datetime
    updated_at: datetime
    audience: Audience | None = None

    @property
    def about(self) -> str:
        return f"{ABOUT}:{self.id}"

    @property
    def is_active(self) -> bool:
        return self.state == ScheduleState.ACTIVE

    def as_new(self) -> NewSchedule:
        """As if it were asked for again: for an edit that changes one thing, and for a copy."""
        return NewSchedule(
            title=self.title,
            room_id=self.room_id,
            bot_id=self.bot_id,
            content=self.content,
            when=replace(self.when),
            description=self.description,
            late_policy=self.late_policy,
            # one that is over is asked for again in order to be sent again
            is_active=self.state in (ScheduleState.ACTIVE, ScheduleState.COMPLETED),
            template_id=self.template_id,
            unit_id=self.unit_id,
            audience=self.audience,
        )
