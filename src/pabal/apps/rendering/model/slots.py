"""Slots: each renders one job at a time. When one is open, and why it is not."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pabal.base.errors import Invalid

# So long after its last heartbeat a slot counts as gone.
ALIVE_FOR = timedelta(seconds=30)


class BadHours(Invalid, code="bad_slot_hours"):
    """Hours are days from 1 (Monday) to 7, two times such as 09:00 and 18:00, and a time zone such as Asia/Seoul."""


@dataclass(frozen=True, slots=True)
class Hours:
    """When a slot works. `ends` before `begins` reaches into the next day; the day is the one it begins on."""

    days: tuple[int, ...]
    begins: time
    ends: time
    zone: str

    def hold(self, now: datetime) -> bool:
        local = now.astimezone(ZoneInfo(self.zone))
        day, at = local.isoweekday(), local.time()
        if self.begins < self.ends:
            return day in self.days and self.begins <= at < self.ends
        before = (day - 2) % 7 + 1
        return (day in self.days and at >= self.begins) or (before in self.days and at < self.ends)

    def to_json(self) -> dict[str, Any]:
        return {
            "days": list(self.days),
            "begins": self.begins.strftime("%H:%M"),
            "ends": self.ends.strftime("%H:%M"),
            "zone": self.zone,
        }


def read_hours(data: Mapping[str, Any]) -> Hours:
    try:
        days = tuple(sorted({int(day) for day in data["days"]}))
        begins, ends = time.fromisoformat(str(data["begins"])), time.fromisoformat(str(data["ends"]))
        zone = str(data.get("zone") or "Asia/Seoul")
        ZoneInfo(zone)
    except (KeyError, TypeError, ValueError, ZoneInfoNotFoundError) as error:
        raise BadHours(str(data)[:200]) from error
    if not days or not set(days) <= set(range(1, 8)) or begins == ends or begins.tzinfo or ends.tzinfo:
        raise BadHours(str(data)[:200])
    return Hours(days, begins, ends, zone)


@dataclass(frozen=True, slots=True)
class TemplatePause:
    """What a slot failed at in a row; `paused_at`: it does not get it any more."""

    slot_id: UUID
    composition_id: str
    failures: int
    last_reason: str | None
    last_render_id: int | None
    paused_at: datetime | None


@dataclass(frozen=True, slots=True)
class Slot:
    id: UUID
    worker_id: str
    number: int
    name: str
    host: str
    server: int | None
    beat_at: datetime | None
    started_at: datetime | None
    nexrender_url: str
    nexrender_ok: bool | None
    nexrender_seen_at: datetime | None
    nexrender_latency_ms: float | None
    paused_at: datetime | None
    paused_by: str | None
    paused_reason: str | None
    draining_at: datetime | None
    hours: dict[str, Any] | None
    last_poll_at: datetime | None
    next_poll_at: datetime | None
    empty_polls: int
    job_count_completed: int
    # since it last failed one
    success_streak: int
    # the render it holds, and that render's unit, for those who may not see it
    render_id: int | None = None
    render_unit_id: int | None = None

    def is_alive(self, now: datetime) -> bool:
        return self.beat_at is not None and self.beat_at > now - ALIVE_FOR

    def state(self, now: datetime) -> str:
        """gone, busy, draining, drained, paused, off_hours or idle: what people are shown."""
        if not self.is_alive(now):
            return "gone"
        if self.draining_at is not None:
            return "drained" if self.render_id is None else "draining"
        if self.render_id is not None:
            return "busy"
        if self.paused_at is not None:
            return "paused"
        return "idle" if self.is_open(now) else "off_hours"

    def is_open(self, now: datetime) -> bool:
        """Whether it takes work, busy or not."""
        if self.paused_at is not None or self.draining_at is not None:
            return False
        return self.hours is None or read_hours(self.hours).hold(now)
