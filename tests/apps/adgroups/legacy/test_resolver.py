"""Whose state is shown: the stored one is a column that is read; the calculator is asked only where flags say so."""

import pytest

from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.apps.adgroups.legacy.resolver import calculated_of, raw_of, state_of
from pabal.apps.adgroups.model.adgroups import Event, Source, State
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store.adgroups import Wanted
from tests.apps.adgroups.actions.world import HOUR, LATER, World


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
    await world.pass_to(LATER.end_at + HOUR)

    async with world.db.transaction() as tx:
        page = await store.list_ad_groups(tx, Wanted(None))
        counted: list[object] = []
        with tx._connection.query_logger(counted.append):
            shown = {one.id: state_of(one, tx.now) for one in page.items}

    assert counted == []
    assert shown == {ids[0]: State.EXPIRED, ids[1]: State.DRAFT, ids[2]: State.DRAFT}


@pytest.mark.req("E-05")
async def test_the_moment_is_the_databases(world: World):
    """This process lives years before the database's clock: what is shown follows the database alone."""
    group_id = await world.make_approved()
    await world.fire(LATER.start_at + HOUR)
    group = await world.get(group_id)

    async with world.db.transaction() as tx:
        now = tx.now
        shown = [state_of(group, tx.now)]
        await flags.set_flag(tx, world.admin, FlagKind.ID, group_id, is_on=False)
    async with world.db.transaction() as tx:
        shown.append(state_of((await store.load_ad_groups(tx, [group_id]))[0], tx.now))

    assert shown == [State.RUNNING, State.RUNNING]
    assert (raw_of(group, now), calculated_of(group, LATER.start_at - HOUR)) == ("RUNNING", State.APPROVED)
