from dataclasses import replace
from datetime import timedelta

import pytest

from pabal.apps.adgroups.model.adgroups import State
from pabal.apps.adgroups.model.calculator import Calculated, Dates, calculate, should_end, should_start, to_state
from pabal.apps.adgroups.model.calendars import Calendar
from tests.apps.adgroups.groups import BY_DAY, BY_NIGHT, DAY, NOON

ALWAYS = Calendar(None, "Asia/Seoul")
TICK = timedelta(microseconds=1)
NOW_RUNNING = Dates(NOON - DAY, NOON + DAY, NOON - 2 * DAY, NOON - 2 * DAY)
LATER = replace(NOW_RUNNING, start_at=NOON + TICK)
OVER = replace(NOW_RUNNING, end_at=NOON - TICK)


@pytest.mark.req("E-01")
@pytest.mark.parametrize(
    ("dates", "calculated"),
    [
        (replace(OVER, deleted_at=NOON), Calculated.UNKNOWN),
        (OVER, Calculated.EXPIRED),
        (NOW_RUNNING, Calculated.RUNNING),
        # both ends are in it, and nobody asks whether it was confirmed
        (replace(NOW_RUNNING, start_at=NOON), Calculated.RUNNING),
        (replace(NOW_RUNNING, end_at=NOON), Calculated.RUNNING),
        (replace(NOW_RUNNING, ready_at=None, ready_confirmed_at=None), Calculated.RUNNING),
        (LATER, Calculated.READY_CONFIRM),
        (replace(LATER, ready_at=None), Calculated.READY_CONFIRM),
        (replace(LATER, ready_confirmed_at=None), Calculated.READY),
        (replace(LATER, ready_at=None, ready_confirmed_at=None), Calculated.DRAFT),
        (Dates(None, None), Calculated.DRAFT),
        (Dates(NOON - DAY, None), Calculated.DRAFT),
        (Dates(None, NOON - TICK), Calculated.EXPIRED),
    ],
)
def test_it_says_what_the_old_one_said_in_its_order(dates: Dates, calculated: Calculated) -> None:
    assert calculate(dates, NOON) is calculated


@pytest.mark.req("E-01", "E-85")
@pytest.mark.parametrize(
    ("dates", "calendar", "state"),
    [
        (replace(NOW_RUNNING, deleted_at=NOON), ALWAYS, State.DELETED),
        (OVER, ALWAYS, State.EXPIRED),
        (NOW_RUNNING, ALWAYS, State.RUNNING),
        (NOW_RUNNING, Calendar(BY_DAY, "Asia/Seoul"), State.RUNNING),
        (NOW_RUNNING, Calendar(BY_NIGHT, "Asia/Seoul"), State.PENDING),
        (replace(NOW_RUNNING, end_at=NOON), ALWAYS, State.EXPIRED),
        (LATER, ALWAYS, State.APPROVED),
        (replace(LATER, ready_confirmed_at=None), ALWAYS, State.READY),
        (Dates(None, None), ALWAYS, State.DRAFT),
    ],
)
def test_each_of_its_words_is_a_state_of_the_machine(dates: Dates, calendar: Calendar, state: State) -> None:
    assert to_state(calculate(dates, NOON), dates, calendar, NOON) is state


@pytest.mark.req("E-08")
def test_the_old_decider_starts_what_is_confirmed_and_ends_what_is_over_or_deleted() -> None:
    unconfirmed = replace(NOW_RUNNING, ready_confirmed_at=None)

    assert [should_start(dates, NOON) for dates in (NOW_RUNNING, unconfirmed, LATER, OVER)] == [
        True,
        False,
        False,
        False,
    ]
    assert [should_end(dates, NOON) for dates in (OVER, replace(NOW_RUNNING, deleted_at=NOON), NOW_RUNNING)] == [
        True,
        True,
        False,
    ]
