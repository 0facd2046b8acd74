"""A schedule as a value: what was asked for, checked; and the row it became."""

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

from pabal.base.database import Row
from pabal.base.errors import Invalid
from pabal.engine import queue
from pabal.engine.misfires import LARGEST_MAX, Misfire, Overlap, Policy
from pabal.engine.queue import NewJob, Priority
from pabal.engine.recurrence import Fold, Gap, Recurrence, Timing, Window, from_json, to_json

RESERVED_ARGS = ("schedule_id", "fire_at")


class BadSchedule(Invalid):
    """This schedule cannot be kept as it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSchedule:
    """When to enqueue which job.

    The job gets these args and two more: `schedule_id` and `fire_at`, the moment in ISO 8601. `expires_after` counts
    from the moment. `misfire_window`: older moments are never made up for (None: however old).
    """

    name: str
    kind: str
    recurrence: Recurrence
    zone: str
    args: dict[str, Any] = field(default_factory=dict)
    about: str | None = None
    route: str | None = None
    lane: str | None = None
    priority: Priority = Priority.NORMAL
    expires_after: timedelta | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    misfire: Misfire = Misfire.LATEST
    misfire_window: timedelta | None = timedelta(minutes=5)
    misfire_max: int | None = None
    overlap: Overlap = Overlap.ALLOW
    dst_gap: Gap = "shift"
    dst_fold: Fold = "first"
    unit_id: int | None = None

    @property
    def window(self) -> Window:
        return Window(self.valid_from, self.valid_until)

    @property
    def timing(self) -> Timing:
        return Timing(self.recurrence, self.zone, self.window, self.dst_gap, self.dst_fold)

    @property
    def policy(self) -> Policy:
        return Policy(self.misfire, self.misfire_window, self.misfire_max, self.overlap, self.expires_after)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule(NewSchedule):
    """`next_at` is its first moment without a decision, None when there is none ahead; `problem`: why we paused it."""

    id: int
    next_at: datetime | None
    paused_at: datetime | None
    paused_by: str | None
    problem: str | None
    created_at: datetime

    @property
    def is_paused(self) -> bool:
        return self.paused_at is not None

    def job_for(self, fire_at: datetime) -> NewJob:
        lane = self.lane
        if self.overlap is Overlap.QUEUE and lane is None:
            lane = f"schedule:{self.id}"
        return NewJob(
            self.kind,
            {**self.args, "schedule_id": self.id, "fire_at": fire_at.isoformat()},
            lane=lane,
            route=self.route,
            about=self.about,
            priority=self.priority,
            expires_at=None if self.expires_after is None else fire_at + self.expires_after,
            unit_id=self.unit_id,
            cause=f"schedule:{self.id}",
        )


def check(new: NewSchedule) -> Timing:
    """Raises an Invalid that says what cannot be right; answers the timing, which is right then."""
    queue.check(NewJob(new.kind, route=new.route))
    if not new.name.strip():
        raise BadSchedule("a schedule has a name")
    taken = [name for name in RESERVED_ARGS if name in new.args]
    if taken:
        raise BadSchedule(f"the engine itself gives the args {' and '.join(taken)}")
    if (new.misfire is Misfire.ALL) != (new.misfire_max is not None):
        raise BadSchedule("misfire_max belongs to the misfire policy all, which needs it")
    if new.misfire_max is not None and not 1 <= new.misfire_max <= LARGEST_MAX:
        raise BadSchedule(f"misfire_max is 1 to {LARGEST_MAX}, not {new.misfire_max}")
    for name in ("misfire_window", "expires_after"):
        span: timedelta | None = getattr(new, name)
        if span is not None and span <= timedelta(0):
            raise BadSchedule(f"{name} is longer than nothing")
    return new.timing


def from_row(row: Row) -> Schedule:
    values = dict(row)
    values["recurrence"] = _read_recurrence(values["recurrence"])
    values["priority"] = Priority(values["priority"])
    values["misfire"] = Misfire(values["misfire"])
    values["overlap"] = Overlap(values["overlap"])
    return Schedule(**values)


# Cached because a million schedules share some thousand times of day.
@lru_cache(maxsize=8192)
def _read_recurrence(text: str) -> Recurrence:
    return from_json(json.loads(text))


def to_columns(new: NewSchedule) -> dict[str, Any]:
    return {
        "unit_id": new.unit_id,
        "name": new.name,
        "kind": new.kind,
        "args": new.args,
        "about": new.about,
        "route": new.route,
        "lane": new.lane,
        "priority": new.priority,
        "expires_after": new.expires_after,
        "recurrence": to_json(new.recurrence),
        "zone": new.zone,
        "valid_from": new.valid_from,
        "valid_until": new.valid_until,
        "misfire": new.misfire,
        "misfire_window": new.misfire_window,
        "misfire_max": new.misfire_max,
        "overlap": new.overlap,
        "dst_gap": new.dst_gap,
        "dst_fold": new.dst_fold,
    }
