"""A heartbeat: when a report is expected, what came, and what its silence means. Values and pure rules."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from pabal.apps.rules.heartbeats.errors import BadHeartbeat
from pabal.engine.recurrence import Cron, Lang, Timing, describe

AREA = "rules"
ABOUT = "heartbeat"
ADDRESS = "/ping"
LONGEST_NAME = 100
LONGEST_BODY = 10_000
SHORTEST, LONGEST_EVERY, LONGEST_GRACE = timedelta(minutes=1), timedelta(days=365), timedelta(days=30)
DEFAULT_GRACE = timedelta(minutes=10)
SOON = timedelta(minutes=1)


class HeartbeatState(StrEnum):
    """`new`: nothing came yet, and nothing is expected. `late`: due, its grace time runs. `down`: missing or failed."""

    NEW = "new"
    UP = "up"
    LATE = "late"
    DOWN = "down"
    PAUSED = "paused"


class ReportKind(StrEnum):
    SUCCESS = "success"
    START = "start"
    FAIL = "fail"
    LOG = "log"


@dataclass(frozen=True, slots=True)
class HeartbeatPlan:
    """When reports are expected: by `cron` in a zone, or `every` so long after the last one. `grace` is what one may be
    late before somebody is told, and how long a job that said it began may take."""

    cron: str | None
    every: timedelta | None
    zone: str
    grace: timedelta

    def __post_init__(self) -> None:
        if (self.cron is None) == (self.every is None):
            raise BadHeartbeat("either cron or every")
        if self.every is not None and not SHORTEST <= self.every <= LONGEST_EVERY:
            raise BadHeartbeat("every")
        if not SHORTEST <= self.grace <= LONGEST_GRACE:
            raise BadHeartbeat("grace")
        _ = self.cron and Timing(Cron(self.cron), self.zone)

    def next_after(self, moment: datetime) -> datetime | None:
        """When a report is expected that follows one of this moment."""
        if self.cron is not None:
            return Timing(Cron(self.cron), self.zone).next_after(moment)
        return moment + (self.every or SHORTEST)

    def describe(self, lang: Lang) -> str | None:
        """None where it has no clock of its own, but follows the last report."""
        return None if self.cron is None else describe(Timing(Cron(self.cron), self.zone), lang)


@dataclass(frozen=True, slots=True)
class Heartbeat:
    id: int
    unit_id: int
    key: UUID
    name: str
    cron: str | None
    every_seconds: int | None
    zone: str
    grace_seconds: int
    state: str
    version: int
    reported_at: datetime | None
    started_at: datetime | None
    due_at: datetime | None
    created_at: datetime

    @property
    def plan(self) -> HeartbeatPlan:
        every = None if self.every_seconds is None else timedelta(seconds=self.every_seconds)
        return HeartbeatPlan(self.cron, every, self.zone, self.grace)

    @property
    def grace(self) -> timedelta:
        return timedelta(seconds=self.grace_seconds)

    @property
    def path(self) -> str:
        return f"{ADDRESS}/{self.key}"

    @property
    def late_at(self) -> datetime | None:
        """A little after it is due: a job that takes some seconds is not late every day."""
        return None if self.due_at is None else self.due_at + min(SOON, self.grace / 2)

    @property
    def missed_at(self) -> datetime | None:
        """When its silence becomes an alert: one that began has its grace time to end."""
        since = self.started_at or self.due_at
        return None if since is None else since + self.grace


@dataclass(frozen=True, slots=True)
class Report:
    """What somebody sent to the address."""

    kind: ReportKind
    origin: str
    body: str = ""
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class KeptReport:
    id: int
    heartbeat_id: int
    kind: str
    at: datetime
    took: timedelta | None
    exit_code: int | None
    origin: str
    body: str


def read_kind(word: str) -> tuple[ReportKind, int | None] | None:
    """What stands behind the key: nothing, `start`, `fail`, `log`, or what a program ended with, as in `$?`."""
    if word in ("", ReportKind.SUCCESS):
        return ReportKind.SUCCESS, None
    if word.isascii() and word.isdigit() and len(word) <= 3 and int(word) <= 255:
        return (ReportKind.SUCCESS if int(word) == 0 else ReportKind.FAIL), int(word)
    return (ReportKind(word), None) if word in set(ReportKind) else None


def read_body(content: bytes) -> str:
    """The first ten thousand characters, as far as they can be kept."""
    return content.decode("utf-8", "replace").replace("\0", "")[:LONGEST_BODY]
