"""What is foreseen is what happens, if nobody interferes."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pabal.apps.adgroups.foresight import Stretch, foresee
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import Event, Schedule, State
from pabal.apps.adgroups.model.calendars import Calendar, Moved
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine.timers import fire_once
from pabal.engine.transitions import history
from tests.apps.adgroups.groups import BY_DAY, DAY, NOON, SCHEDULE, a_group
from tests.apps.adgroups.hours import calendars
from tests.apps.adgroups.making import add_approved
from tests.support.people import person, plant

OVERNIGHT = DayParts.from_json({"wed": [["22:00", "02:00"]], "thu": [["00:00", "24:00"]], "fri": [["08:30", "09:00"]]})
SCHEDULES = (
    Schedule(NOON + DAY, NOON + 3 * DAY),
    Schedule(NOON + DAY / 3, NOON + 5 * DAY, dayparts=BY_DAY),
    Schedule(NOON + DAY / 2, NOON + 9 * DAY, dayparts=OVERNIGHT),
    Schedule(NOON + DAY / 2, NOON + 8 * DAY, zone="America/New_York", dayparts=OVERNIGHT),
    # its end is at the moment its hours end: it expires, and does not wait for the next day
    Schedule(NOON - DAY, NOON + DAY / 4, dayparts=BY_DAY),
    Schedule(NOON - DAY, NOON + 30 * DAY, dayparts=BY_DAY),
)


@pytest.mark.req("E-07", "E-18", "E-80", "E-95")
async def test_the_engine_does_what_was_foreseen_moment_by_moment(db: Database) -> None:
    noon = await reach_a_wednesday(db)
    actor = person((await plant(db)).busan)
    async with db.transaction() as tx:
        ids = [await add_approved(tx, actor, shift(schedule, noon - NOON)) for schedule in SCHEDULES]
        foreseen = {one.id: foresee(one, noon, noon + 10 * DAY) for one in await load_subjects(tx, ids)}
    moments = sorted({stretch.since for stretches in foreseen.values() for stretch in stretches})

    for moment in moments:
        await reach(db, moment)
        while await fire_once(db, [AD_GROUP]):
            pass

        async with db.transaction() as tx:
            states = {one.id: one.state for one in await load_subjects(tx, ids)}
        assert states == {id_: state_at(stretches, moment) for id_, stretches in foreseen.items()}
    async with db.transaction() as tx:
        for id_, stretches in foreseen.items():
            made = [one.event for one in await history(tx, AD_GROUP, id_) if one.actor == "engine"]
            assert made == [one.by for one in stretches if one.by is not None]


async def reach_a_wednesday(db: Database) -> datetime:
    """The clock only moves forward: to the next one, at noon in Seoul."""
    async with db.transaction() as tx:
        weeks = -((NOON - tx.now) // (7 * DAY))
    await reach(db, NOON + weeks * 7 * DAY)
    return NOON + weeks * 7 * DAY


def shift(schedule: Schedule, by: timedelta) -> Schedule:
    return replace(schedule, start_at=schedule.start_at + by, end_at=schedule.end_at + by)


async def reach(db: Database, moment: datetime) -> None:
    async with db.transaction() as tx:
        now = tx.now
    await clock.advance(db, max(moment - now, timedelta(0)))


def state_at(stretches: list[Stretch], moment: datetime) -> State:
    return next(one.state for one in stretches if one.since <= moment < one.until)


@settings(max_examples=30, deadline=None)
@given(calendars(), st.sampled_from((State.APPROVED, State.RUNNING, State.PENDING, State.PAUSED)))
def test_what_is_foreseen_has_no_gap_and_keeps_to_the_hours(made: tuple[Calendar, datetime], state: State) -> None:
    calendar, begin = made
    schedule = Schedule(begin + DAY, begin + 6 * DAY, calendar.zone, calendar.dayparts, calendar.moved)
    if state is not State.APPROVED:
        schedule = replace(schedule, start_at=begin - DAY)

    stretches = foresee(a_group(state, schedule), begin, begin + 7 * DAY)

    assert stretches[0].since == begin
    assert stretches[-1].until == begin + 7 * DAY
    assert all(one.until == other.since for one, other in pairwise(stretches))
    for one in stretches:
        expected = schedule.end_at if one.state is State.EXPIRED else one.since
        assert one.since >= expected
        if one.state is State.RUNNING:
            assert schedule.start_at <= one.since < one.until <= schedule.end_at
            assert calendar.is_inside(one.since)
            assert (calendar.next_end(one.since) or schedule.end_at) >= one.until
    assert stretches[-1].state is State.EXPIRED


def test_what_nobody_approved_or_what_was_held_stays_what_it_is() -> None:
    week = NOON + 7 * DAY
    held = replace(SCHEDULE, start_at=NOON + DAY, end_at=NOON + 9 * DAY, is_held=True)

    assert foresee(a_group(State.DRAFT), NOON, week) == [Stretch(State.DRAFT, NOON, week, None)]
    assert foresee(a_group(State.APPROVED, held), NOON, week) == [Stretch(State.APPROVED, NOON, week, None)]


def test_a_boundary_that_was_moved_is_foreseen_where_it_is_now() -> None:
    tonight = NOON + timedelta(hours=6)
    later = Moved("daily_end", tonight, tonight + timedelta(hours=2), "kim")
    schedule = replace(SCHEDULE, dayparts=BY_DAY, moved=(later,))

    [first, second, *_] = foresee(a_group(State.RUNNING, schedule), NOON, NOON + DAY)

    assert (first.until, second.by) == (tonight + timedelta(hours=2), Event.DAILY_END)
