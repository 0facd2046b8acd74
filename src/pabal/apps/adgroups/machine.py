"""The life of an ad group, declared once: eight states, ten events, their guards, and the timers of each state."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, NamedTuple

from pabal.apps.adgroups import asking
from pabal.apps.adgroups.model.adgroups import OPEN, CampaignState, Event, Schedule, State, moved_from_json
from pabal.apps.adgroups.model.calendars import Calendar, Moved
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.settings import STRICT_MATRIX
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, Refusal, arms, choose, move
from pabal.platform import settings

Values = Mapping[str, Any]
Test = Callable[[Any, datetime], tuple[bool, Values]]
SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Condition:
    """`name` is a code; the sentence is made from it and the values."""

    name: str
    test: Test


@dataclass(frozen=True, slots=True)
class Checked:
    name: str
    holds: bool
    values: Values


class Guard:
    """Refuses with the first condition that does not hold; `report` says of every one whether it does."""

    def __init__(self, name: str, *conditions: Condition) -> None:
        self.__name__ = name
        self.conditions = conditions

    def __call__(self, subject: Any, now: datetime) -> Refusal | None:
        for condition in self.conditions:
            holds, values = condition.test(subject, now)
            if not holds:
                return Refusal(condition.name, values)
        return None

    def report(self, subject: Any, now: datetime) -> Sequence[Checked]:
        return [Checked(one.name, *one.test(subject, now)) for one in self.conditions]


@dataclass(frozen=True, slots=True)
class Subject:
    """What guards and timers look at."""

    id: int
    unit_id: int
    state: str
    version: int
    schedule: Schedule
    creatives: int
    inventories: int
    campaign_state: str
    campaign_end_at: datetime | None
    is_strict: bool


def _has_creatives(group: Subject, now: datetime) -> tuple[bool, Values]:
    return group.creatives > 0, {"creatives": group.creatives}


def _has_inventory(group: Subject, now: datetime) -> tuple[bool, Values]:
    return group.inventories > 0, {"inventories": group.inventories}


def _campaign_is_open(group: Subject, now: datetime) -> tuple[bool, Values]:
    return group.campaign_state != CampaignState.CLOSED, {"campaign_state": group.campaign_state}


def _campaign_lasts(group: Subject, now: datetime) -> tuple[bool, Values]:
    ends = group.campaign_end_at
    return ends is None or ends > now, {"now": now, "campaign_end_at": ends}


def _has_not_ended(group: Subject, now: datetime) -> tuple[bool, Values]:
    return now < group.schedule.end_at, {"now": now, "end_at": group.schedule.end_at}


def _has_ended(group: Subject, now: datetime) -> tuple[bool, Values]:
    return now >= group.schedule.end_at, {"now": now, "end_at": group.schedule.end_at}


def _has_begun(group: Subject, now: datetime) -> tuple[bool, Values]:
    return now >= group.schedule.start_at, {"now": now, "start_at": group.schedule.start_at}


def _is_in_hours(group: Subject, now: datetime) -> tuple[bool, Values]:
    hours = _hours_at(group.schedule.calendar, now)
    return hours.inside, {"now": now, "next_start_at": hours.next_start}


def _is_off_hours(group: Subject, now: datetime) -> tuple[bool, Values]:
    hours = _hours_at(group.schedule.calendar, now)
    return not hours.inside, {"now": now, "next_end_at": hours.next_end}


def _is_not_paused(group: Subject, now: datetime) -> tuple[bool, Values]:
    return group.state != State.PAUSED, {"state": group.state}


def _is_not_over(group: Subject, now: datetime) -> tuple[bool, Values]:
    return group.state in OPEN, {"state": group.state}


def _may_pause_early(group: Subject, now: datetime) -> tuple[bool, Values]:
    return not group.is_strict, {"state": group.state, "strict_matrix": group.is_strict}


NOT_ENDED = Condition("has_not_ended", _has_not_ended)
setup_complete = Guard(
    "setup_complete", Condition("has_creatives", _has_creatives), Condition("has_inventory", _has_inventory)
)
approvable = Guard(
    "approvable",
    Condition("campaign_is_open", _campaign_is_open),
    Condition("campaign_lasts", _campaign_lasts),
    NOT_ENDED,
)
startable = Guard("startable", Condition("has_begun", _has_begun), NOT_ENDED)
expirable = Guard("expirable", Condition("has_ended", _has_ended))
pausable = Guard("pausable", Condition("is_not_paused", _is_not_paused))
pausable_early = Guard(
    "pausable_early", Condition("may_pause_early", _may_pause_early), Condition("is_not_paused", _is_not_paused)
)
resumable = Guard("resumable", NOT_ENDED)
deletable = Guard("deletable", Condition("is_not_over", _is_not_over))
in_hours = Guard("in_hours", NOT_ENDED, Condition("is_in_hours", _is_in_hours))
off_hours = Guard("off_hours", Condition("is_off_hours", _is_off_hours))


class _Hours(NamedTuple):
    inside: bool
    next_start: datetime | None
    next_end: datetime | None


@lru_cache(maxsize=4096)
def _hours_at(calendar: Calendar, now: datetime) -> _Hours:
    """Thousands start at one moment, and most have the hours of others: the calendar is asked once for all of them."""
    inside = calendar.is_inside(now)
    return _Hours(inside, calendar.next_start(now), calendar.next_end(now))


def before_start(group: Subject, now: datetime) -> bool:
    return now < group.schedule.start_at


def inside_hours(group: Subject, now: datetime) -> bool:
    return _hours_at(group.schedule.calendar, now).inside


@arms(Event.START, Event.EXPIRE)
def when_approved(group: Subject, now: datetime) -> Mapping[str, datetime | None]:
    start = None if group.schedule.is_held else group.schedule.start_at
    return {Event.START: start, Event.EXPIRE: group.schedule.end_at}


@arms(Event.DAILY_END, Event.EXPIRE)
def when_running(group: Subject, now: datetime) -> Mapping[str, datetime | None]:
    hours = _hours_at(group.schedule.calendar, now)
    end = hours.next_end if hours.inside else now
    return {Event.DAILY_END: _before_end(group, end), Event.EXPIRE: group.schedule.end_at}


@arms(Event.DAILY_START, Event.EXPIRE)
def when_pending(group: Subject, now: datetime) -> Mapping[str, datetime | None]:
    hours = _hours_at(group.schedule.calendar, now)
    start = now if hours.inside else hours.next_start
    return {Event.DAILY_START: _before_end(group, start), Event.EXPIRE: group.schedule.end_at}


@arms(Event.EXPIRE)
def when_paused(group: Subject, now: datetime) -> Mapping[str, datetime | None]:
    return {Event.EXPIRE: group.schedule.end_at}


def _before_end(group: Subject, moment: datetime | None) -> datetime | None:
    """Nothing begins or ends by the day once it expires."""
    return moment if moment is not None and moment < group.schedule.end_at else None


async def load_subjects(tx: Tx, ids: list[int]) -> list[Subject]:
    is_strict = await settings.value(tx, STRICT_MATRIX)
    return [_as_subject(row, is_strict) for row in await tx.rows(SQL.load_subjects, ids=ids)]


def _as_subject(row: Row, is_strict: bool) -> Subject:
    id_, unit_id, state, version, creatives, inventories, campaign_state, campaign_end_at, *schedule = row
    return Subject(
        id_,
        unit_id,
        state,
        version,
        as_schedule(*schedule),
        creatives,
        inventories,
        campaign_state,
        campaign_end_at,
        is_strict,
    )


def as_schedule(*columns: Any) -> Schedule:
    start_at, end_at, zone, dayparts, moved, is_held = columns
    return Schedule(start_at, end_at, zone, _read_dayparts(dayparts), _read_moved(moved), is_held)


# Thousands start in one second, and most have the hours of others: each text is read once.
@lru_cache(maxsize=4096)
def _read_dayparts(text: str | None) -> DayParts | None:
    return None if text is None else DayParts.from_json(json.loads(text))


@lru_cache(maxsize=4096)
def _read_moved(text: str) -> tuple[Moved, ...]:
    return moved_from_json(json.loads(text))


AD_GROUP = Machine(
    name="adgroup",
    table="pabal.ad_group",
    states=State,
    initial=State.DRAFT,
    final=(State.EXPIRED, State.DELETED),
    moves=(
        move(Event.COMPLETE_SETUP, State.DRAFT, State.READY, guard=setup_complete),
        move(Event.APPROVE, State.READY, State.APPROVED, guard=approvable),
        move(Event.REJECT, State.READY, State.DRAFT),
        # before the daily ones: of two for one moment the first declared goes first
        move(
            Event.EXPIRE,
            (State.APPROVED, State.RUNNING, State.PAUSED, State.PENDING),
            State.EXPIRED,
            guard=expirable,
        ),
        move(Event.START, State.APPROVED, choose(inside_hours, State.RUNNING, State.PENDING), guard=startable),
        move(Event.DAILY_START, State.PENDING, State.RUNNING, guard=in_hours),
        move(Event.DAILY_END, State.RUNNING, State.PENDING, guard=off_hours),
        move(Event.PAUSE, State.RUNNING, State.PAUSED, guard=pausable),
        # an extension of the seed's matrix, which a setting takes away
        move(Event.PAUSE, (State.PENDING, State.APPROVED), State.PAUSED, guard=pausable_early),
        move(
            Event.RESUME,
            State.PAUSED,
            choose(before_start, State.APPROVED, choose(inside_hours, State.RUNNING, State.PENDING)),
            guard=resumable,
        ),
        move(Event.DELETE, OPEN, State.DELETED, guard=deletable),
    ),
    timers={
        State.APPROVED: when_approved,
        State.RUNNING: when_running,
        State.PENDING: when_pending,
        State.PAUSED: when_paused,
    },
    effects={
        State.READY: asking.on_ready,
        **dict.fromkeys((State.DRAFT, State.APPROVED, State.DELETED), asking.on_decided),
    },
    loader=load_subjects,
)
EXTENSION = ((State.PENDING, Event.PAUSE), (State.APPROVED, Event.PAUSE))
