"""Whose state is shown: the stored one, or what the old calculator says; never both, and without a query."""

from datetime import datetime

from pabal.apps.adgroups.model.adgroups import AdGroup, Source, State
from pabal.apps.adgroups.model.calculator import Calculated, Dates, calculate, to_state


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
