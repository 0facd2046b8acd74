"""Measures, rules on them, and the alerts they make: values and what is wrong with a declared one."""

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, NamedTuple

from pabal.base.database import Tx
from pabal.base.errors import Invalid, NotFound
from pabal.engine import ids
from pabal.platform.language.pairs import Pair
from pabal.platform.settings import Setting

AREA = "alerts"
PREFIX = "alr"
GROUP: Pair = ("Alerts", "경보")
LONGEST_FOR = timedelta(hours=24)
_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")

SAMPLE_EVERY = Setting(
    key="alerts.sample_every",
    default=timedelta(seconds=15),
    least=timedelta(seconds=5),
    most=timedelta(minutes=5),
    label=("Time between samples", "지표를 재는 간격"),
    help=(
        "How often each measure is read. Rules see a breach no sooner than this.",
        "지표를 얼마나 자주 재는지 정합니다. 규칙은 이 간격보다 빨리 알아채지 못합니다.",
    ),
    group=GROUP,
)
KEEP_SAMPLES = Setting(
    key="alerts.keep_samples",
    default=timedelta(days=8),
    least=timedelta(days=2),
    most=timedelta(days=60),
    label=("How long samples are kept", "지표 보관 기간"),
    help=(
        "Charts reach back this far. Twenty measures take about 14 MB a day.",
        "그래프를 이만큼 거슬러 볼 수 있습니다. 지표 20개가 하루에 약 14MB를 씁니다.",
    ),
    group=GROUP,
)
REMIND_AFTER = Setting(
    key="alerts.remind_after",
    default=timedelta(hours=1),
    least=timedelta(minutes=5),
    most=timedelta(days=7),
    label=("Time between reminders", "다시 알리는 간격"),
    help=(
        "An alert that nobody acknowledged is told again after this.",
        "아무도 확인하지 않은 경보는 이 시간이 지나면 다시 알립니다.",
    ),
    group=GROUP,
)


class Level(StrEnum):
    """What it asks of people: look at it today, or now."""

    ATTENTION = "attention"
    FAILURE = "failure"


class BadMeasure(Invalid, code="bad_measure"):
    """A measure is declared wrongly: its name reads area.name and it is named once."""


class BadRule(Invalid, code="bad_rule"):
    """A rule is declared wrongly: named once as area.name, on a measure that is read, held for a day at most."""


class RuleNotFound(NotFound, code="rule_not_found"):
    """There is no such rule. The alerts page lists them all."""


class AlertNotFound(NotFound, code="alert_not_found"):
    """There is no such alert, or it is not yours to see."""


class BadSilence(Invalid, code="bad_silence"):
    """A silence ends at a moment ahead, within 30 days. Choose another end."""


class NoteTooLong(Invalid, code="note_too_long"):
    """A note has at most 500 characters. Shorten it."""


class Reading(NamedTuple):
    """One value of a measure. `about` names whose it is where a measure has several (a server, a bot)."""

    value: float
    about: str = ""
    unit_id: int | None = None


# None: there is nothing to say now, such as a rate of nothing. A missing sample is never a breach.
Read = Callable[[Tx], Awaitable[float | Sequence[Reading] | None]]


@dataclass(frozen=True, slots=True)
class Measure:
    """`read` is one or few cheap statements, run every 15 seconds by one server; nothing outside is asked.

    `unit` is the sign behind the number: s, ms, %, MB, or empty for a count. `is_per_host`: each host reads its own.
    """

    name: str
    label: Pair
    read: Read
    unit: str = ""
    is_per_host: bool = False

    def __post_init__(self) -> None:
        if _NAME.fullmatch(self.name) is None:
            raise BadMeasure(self.name)


class Limit(NamedTuple):
    """What a rule allows now: beyond `threshold` for all of `held_for` is too much."""

    beyond: Literal["above", "below"]
    threshold: float
    held_for: timedelta

    def is_broken_by(self, value: float) -> bool:
        return value > self.threshold if self.beyond == "above" else value < self.threshold

    def worse(self, one: float, other: float) -> float:
        return max(one, other) if self.beyond == "above" else min(one, other)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """`threshold` and `held_for` hold while no operator changes them. The same time without a breach ends the alert.

    `advice` says what to do, `href` is where to look, `area` the app it belongs to.
    """

    name: str
    label: Pair
    measure: Measure
    beyond: Literal["above", "below"]
    threshold: float
    held_for: timedelta
    level: Level
    advice: Pair
    area: str
    href: str = ""

    def __post_init__(self) -> None:
        if _NAME.fullmatch(self.name) is None or not timedelta(0) <= self.held_for <= LONGEST_FOR:
            raise BadRule(self.name)

    @property
    def threshold_setting(self) -> Setting[float]:
        """Made anew each time: a setting is known by its key."""
        return Setting(
            key=f"alerts.{self.name}.threshold",
            default=float(self.threshold),
            label=(f"{self.label[0]}: threshold", f"{self.label[1]}: 기준"),
            help=self.advice,
            group=GROUP,
            unit=(self.measure.unit, self.measure.unit) if self.measure.unit else None,
        )

    @property
    def held_for_setting(self) -> Setting[timedelta]:
        return Setting(
            key=f"alerts.{self.name}.held_for",
            default=self.held_for,
            most=LONGEST_FOR,
            label=(f"{self.label[0]}: for how long", f"{self.label[1]}: 지속 시간"),
            help=(
                "The alert fires when the threshold was passed all this time, and ends after the same time without.",
                "이 시간 내내 기준을 벗어나면 알리고, 같은 시간 동안 괜찮으면 끝냅니다.",
            ),
            group=GROUP,
        )


@dataclass(frozen=True, slots=True)
class Alert:
    """`said_by`, `note` and `moved_at` are of its last transition: who acknowledged or silenced it, and why."""

    id: int
    unit_id: int | None
    rule: str
    about: str
    level: str
    state: str
    version: int
    value: float
    worst: float
    threshold: float
    since: datetime
    fired_at: datetime
    seen_at: datetime
    told_at: datetime | None
    silenced_until: datetime | None
    resolved_at: datetime | None
    said_by: str
    note: str | None
    moved_at: datetime

    @property
    def shown_id(self) -> str:
        return ids.show(PREFIX, self.id)


class News(StrEnum):
    """Why somebody is told of an alert. What was silent is told as new when its silence ends."""

    FIRED = "fired"
    REMINDED = "reminded"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a notification says. `rule` is None when the alert's rule is not in this server's code."""

    news: News
    alert: Alert
    rule: AlertRule | None


# Writes rows only: a notification is durable work.
Tell = Callable[[Tx, Announcement], Awaitable[None]]


def list_rule_settings(rules: Iterable[AlertRule]) -> tuple[Setting[float] | Setting[timedelta], ...]:
    """What a slice with these rules adds to its settings."""
    return tuple(setting for rule in rules for setting in (rule.threshold_setting, rule.held_for_setting))


def check_rules(measures: Sequence[Measure], rules: Sequence[AlertRule]) -> None:
    """Once at start, over all slices: a rule on a measure nobody reads would be silent for ever."""
    known, named = [measure.name for measure in measures], [rule.name for rule in rules]
    for name in known:
        if known.count(name) > 1:
            raise BadMeasure(f"{name} is declared twice")
    for rule in rules:
        if named.count(rule.name) > 1 or rule.measure not in measures:
            raise BadRule(f"{rule.name} on {rule.measure.name}")


def find_rule(rules: Iterable[AlertRule], name: str) -> AlertRule:
    for rule in rules:
        if rule.name == name:
            return rule
    raise RuleNotFound(name[:100])
