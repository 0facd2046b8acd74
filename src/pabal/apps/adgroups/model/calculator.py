"""The old way, kept for comparison: the state as it was calculated from dates whenever somebody looked. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pabal.apps.adgroups.model.adgroups import AdGroup, Source, State
from pabal.apps.adgroups.model.calendars import Calendar


class Calculated(StrEnum):
    UNKNOWN = "UNKNOWN"
    EXPIRED = "EXPIRED"
    RUNNING = "RUNNING"
    READY_CONFIRM = "READY_CONFIRM"
    READY = "READY"
    DRAFT = "DRAFT"


@dataclass(frozen=True, slots=True)
class Dates:
    """What the calculator looks at."""

    start_at: datetime | None
    end_at: datetime | None
    ready_at: datetime | None = None
    ready_confirmed_at: datetime | None = None
    deleted_at: datetime | None = None


def calculate(dates: Dates, now: datetime) -> Calculated:
    """In this order, with both ends included, as it always was."""
    if dates.deleted_at is not None:
        return Calculated.UNKNOWN
    if dates.end_at is not None and now > dates.end_at:
        return Calculated.EXPIRED
    if dates.start_at is not None and dates.end_at is not None and dates.start_at <= now <= dates.end_at:
        return Calculated.RUNNING
    if dates.ready_confirmed_at is not None:
        return Calculated.READY_CONFIRM
    if dates.ready_at is not None:
        return Calculated.READY
    return Calculated.DRAFT


def to_state(calculated: Calculated, dates: Dates, calendar: Calendar, now: datetime) -> State:
    """What the machine calls it: its end is not included, and it knows daily hours."""
    match calculated:
        case Calculated.UNKNOWN:
            return State.DELETED
        case Calculated.READY_CONFIRM:
            return State.APPROVED
        case Calculated.RUNNING if dates.end_at is not None and now >= dates.end_at:
            return State.EXPIRED
        case Calculated.RUNNING if not calendar.is_inside(now):
            return State.PENDING
        case _:
            return State(calculated.lower())


def should_start(dates: Dates, now: datetime) -> bool:
    """The old decider's candidates for the start of transmission."""
    return calculate(dates, now) is Calculated.RUNNING and dates.ready_confirmed_at is not None


def should_end(dates: Dates, now: datetime) -> bool:
    """And those for its end."""
    return calculate(dates, now) in (Calculated.EXPIRED, Calculated.UNKNOWN)


def state_of(group: AdGroup, now: datetime) -> State:
    """`now` is the database's, so that no server's clock has a say; `source` is what USE_SSM_STATUS came to."""
    return group.state if group.source is Source.MACHINE else calculated_of(group, now)


def calculated_of(group: AdGroup, now: datetime) -> State:
    """The calculator's answer in the machine's words."""
    dates = dates_of(group)
    return to_state(calculate(dates, now), dates, group.schedule.calendar, now)


def raw_of(group: AdGroup, now: datetime) -> Calculated:
    """In its own words."""
    return calculate(dates_of(group), now)


def dates_of(group: AdGroup) -> Dates:
    return Dates(
        group.schedule.start_at,
        group.schedule.end_at,
        ready_at=group.ready_at,
        ready_confirmed_at=group.ready_confirmed_at,
        deleted_at=group.deleted_at,
    )
