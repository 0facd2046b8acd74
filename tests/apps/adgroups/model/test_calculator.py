from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

import pytest

from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.apps.adgroups.model.adgroups import Event, Schedule, Source, State
from pabal.apps.adgroups.model.calculator import (
    Calculated,
    Dates,
    calculate,
    calculated_of,
    raw_of,
    should_end,
    should_start,
    state_of,
    to_state,
)
from pabal.apps.adgroups.model.calendars import Calendar
from pabal.apps.adgroups.store import adgroups as store
from pabal.platform.tenants import Scope
from tests.apps.adgroups.actions.world import HOUR, World
from tests.apps.adgroups.actions.world import LATER as LATER_SCHEDULE
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
    # to the moment: it starts at its start, and ends once its end is over
    at_its = [replace(NOW_RUNNING, start_at=NOON), replace(NOW_RUNNING, end_at=NOON)]
    assert [(should_start(dates, NOON), should_end(dates, NOON)) for dates in at_its] == [(True, False)] * 2
    assert [should_start(dates, NOON) for dates in (replace(NOW_RUNNING, deleted_at=NOON), Dates(None, None))] == [
        False,
        False,
    ]


@pytest.mark.req("E-08")
def test_the_old_enum_has_its_six_words_and_the_new_one_its_eight() -> None:
    assert [one.value for one in Calculated] == ["UNKNOWN", "EXPIRED", "RUNNING", "READY_CONFIRM", "READY", "DRAFT"]
    names = "DRAFT READY APPROVED RUNNING PAUSED PENDING EXPIRED DELETED"
    assert [one.upper() for one in State] == names.split()


@pytest.mark.req("E-02", "E-92")
async def test_the_flag_of_one_ad_group_says_which_of_two_states_is_shown(world: World):
    """Paused before its start: only the machine knows."""
    group_id = await world.make(Event.COMPLETE_SETUP, Event.APPROVE, Event.PAUSE)

    shown = {}
    for is_on in (True, False):
        await world.do(flags.set_flag, FlagKind.ID, group_id, is_on=is_on)
        group = await world.get(group_id)
        async with world.db.transaction() as tx:
            shown[group.source] = state_of(group, tx.now)

    assert shown == {Source.MACHINE: State.PAUSED, Source.CALCULATOR: State.APPROVED}


@pytest.mark.req("E-04", "E-93")
async def test_a_whole_page_is_resolved_without_a_statement(world: World):
    """And what the machine decides is not calculated: dates long past do not matter to it."""
    ids = [await world.make() for _ in range(3)]
    await world.do(flags.set_flag, FlagKind.ID, ids[0], is_on=False)
    await world.pass_to(LATER_SCHEDULE.end_at + HOUR)

    async with world.db.transaction() as tx:
        page = await store.list_ad_groups(tx, Scope(None, None))
        counted: list[object] = []
        with tx._connection.query_logger(counted.append):
            shown = {one.id: state_of(one, tx.now) for one in page.items}

    assert counted == []
    assert shown == {ids[0]: State.EXPIRED, ids[1]: State.DRAFT, ids[2]: State.DRAFT}


@pytest.mark.req("E-04", "E-93")
async def test_the_state_that_is_read_is_the_column_whatever_dates_and_moment_say(world: World):
    """No moment is given, and its dates are none: whoever calculated would fail."""
    group_id = await world.make()
    for state in State:
        async with world.db.transaction() as tx:
            await tx.script(f"update pabal.ad_group set state = '{state}' where id = {group_id}")
            [group] = await store.load_ad_groups(tx, [group_id])
        timeless = replace(group, schedule=cast(Schedule, None))

        assert state_of(timeless, cast(datetime, None)) is state


@pytest.mark.req("E-93")
def test_the_statement_that_reads_ad_groups_reads_the_column() -> None:
    columns = store.SQL.load_ad_groups.text.partition("select ")[2].partition("from ")[0].split(",")

    assert [one.strip() for one in columns if "state" in one] == ["g.state"]


@pytest.mark.req("E-05")
async def test_the_moment_is_the_databases(world: World):
    """This process lives years before the database's clock: what is shown follows the database alone."""
    group_id = await world.make_approved()
    await world.fire(LATER_SCHEDULE.start_at + HOUR)
    group = await world.get(group_id)

    async with world.db.transaction() as tx:
        now = tx.now
        shown = [state_of(group, tx.now)]
        await flags.set_flag(tx, world.admin, FlagKind.ID, group_id, is_on=False)
    async with world.db.transaction() as tx:
        shown.append(state_of((await store.load_ad_groups(tx, [group_id]))[0], tx.now))

    assert shown == [State.RUNNING, State.RUNNING]
    assert (raw_of(group, now), calculated_of(group, LATER_SCHEDULE.start_at - HOUR)) == ("RUNNING", State.APPROVED)
