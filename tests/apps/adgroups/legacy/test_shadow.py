"""Both ways run side by side and are compared without end: every difference is kept with its cause (E-81, E-83)."""

from dataclasses import replace
from datetime import datetime

import pytest

from pabal.apps.adgroups.actions import adgroups, delayed
from pabal.apps.adgroups.legacy import shadow
from pabal.apps.adgroups.legacy.model import Cause
from pabal.apps.adgroups.legacy.shadow import Mismatch
from pabal.apps.adgroups.model.adgroups import Event, NewAdGroup, Source, State
from pabal.apps.adgroups.resources.migration import MismatchFilter, Standing
from pabal.apps.adgroups.settings import COMPARE
from pabal.platform import settings
from pabal.platform.actor import NotAllowed
from pabal.platform.tenants import visible_to
from tests.apps.adgroups.actions.world import BY_DAY, DAY, HOUR, LATER, START, World, boss, operator
from tests.apps.adgroups.legacy.olds import CONFIRMED, TO_COME, Mover, an_old

ALL = MismatchFilter(state=Standing.ALL)


async def listed(world: World, wanted: MismatchFilter = MismatchFilter()) -> dict[int, Mismatch]:  # noqa: B008 -- frozen
    async with world.db.transaction() as tx:
        page = await shadow.list_mismatches(tx, await visible_to(tx, world.admin), wanted)
    return {one.ad_group_id: one for one in page.items}


def hour_of(moment: datetime | None) -> int:
    """Hours since the beginning: within one the clock goes on by itself."""
    assert moment is not None
    return (moment - START) // HOUR


@pytest.mark.req("E-81", "E-83", "E-84")
async def test_each_difference_is_kept_with_its_cause_until_both_agree(mover: Mover):
    """Timers stand still here, as if no server ran: the calculator goes on with the clock, the machine does not."""
    world = mover.world
    agrees = await world.make_approved(replace(LATER, start_at=START + 30 * DAY, end_at=START + 40 * DAY))
    held = await world.make_approved()
    await world.do(delayed.cancel, held, Event.START)
    made = {
        Cause.START_HELD: held,
        Cause.PAUSED_BY_HAND: await world.make(Event.COMPLETE_SETUP, Event.APPROVE, Event.PAUSE),
        Cause.NEVER_APPROVED: await world.make(Event.COMPLETE_SETUP),
        Cause.DATE_PASSED: await world.make(schedule=replace(LATER, end_at=LATER.start_at + HOUR)),
        Cause.START_MOMENT: await world.make_approved(),
        Cause.END_MOMENT: await world.make_approved(replace(LATER, end_at=LATER.start_at + HOUR)),
        Cause.DATES_CHANGED: await world.make_approved(),
    }
    changed = replace(LATER, start_at=LATER.start_at + HOUR)
    await world.do(adgroups.edit, made[Cause.DATES_CHANGED], NewAdGroup("달라짐", world.campaign_id, changed))
    by_day = await world.make_approved(replace(LATER, start_at=START + HOUR, dayparts=BY_DAY))
    await world.fire(START + 2 * HOUR)
    made[Cause.DAILY_HOURS] = by_day
    await world.pass_to(START + 12 * HOUR)

    assert await shadow.compare_all(world.db) == len(made) + 1

    found = await listed(world)
    assert {one.cause: one.ad_group_id for one in found.values()} == made
    assert agrees not in found
    one = found[made[Cause.NEVER_APPROVED]]
    assert (one.calculated, one.stored, one.source) == (State.RUNNING, State.READY, Source.MACHINE)
    assert (hour_of(one.since), one.resolved_at, one.decision) == (12, None, None)
    assert found[by_day].calculated is State.PENDING

    await world.fire(START + 13 * HOUR)
    await shadow.compare_all(world.db)

    late = {Cause.START_MOMENT, Cause.END_MOMENT, Cause.DATES_CHANGED, Cause.DAILY_HOURS}
    assert {one.cause for one in (await listed(world)).values()} == made.keys() - late
    seen = (await listed(world, ALL))[made[Cause.NEVER_APPROVED]]
    assert (hour_of(seen.since), hour_of(seen.seen_at)) == (12, 13)
    assert hour_of((await listed(world, ALL))[by_day].resolved_at) == 13


@pytest.mark.req("E-81")
async def test_what_the_old_system_changed_after_it_was_brought_over_is_found(mover: Mover):
    world = mover.world
    run = await mover.bring(an_old(1, CONFIRMED), an_old(2, CONFIRMED))
    ids = await mover.ids(run)
    await mover.bring(an_old(1, CONFIRMED, TO_COME), an_old(2, CONFIRMED, deleted_at=START))

    await shadow.compare_all(world.db)

    causes = {one.ad_group_id: one.cause for one in (await listed(world)).values()}
    assert causes == {ids["old-1"]: Cause.DATES_CHANGED, ids["old-2"]: Cause.DELETED_THERE}


async def test_a_timer_that_is_a_moment_behind_is_no_difference(world: World):
    await world.make_approved()
    await world.pass_to(LATER.start_at)

    await shadow.compare_all(world.db)

    assert await listed(world) == {}


@pytest.mark.req("E-104")
async def test_the_walk_goes_on_where_it_was_and_rests_between_passes(world: World, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(shadow, "SLICE", 2)
    for _ in range(3):
        await world.make(Event.COMPLETE_SETUP)
    await world.pass_to(LATER.start_at + HOUR)

    steps = [await shadow.compare_once(world.db) for _ in range(3)]

    assert steps == [2, 1, 0]
    assert len(await listed(world)) == 3
    async with world.db.transaction() as tx:
        at = await shadow.last_pass(tx)
        assert at is not None
        assert (at.compared, hour_of(at.finished_at)) == (3, 5)
    await world.pass_to(LATER.start_at + 2 * HOUR)
    assert await shadow.compare_once(world.db) == 2, "the next pass is due"


@pytest.mark.req("E-87")
async def test_comparing_can_be_switched_off(world: World):
    await world.make()
    async with world.db.transaction() as tx:
        await settings.change(tx, boss(world.tree.hq), COMPARE, False)

    assert await shadow.compare_once(world.db) == 0


@pytest.mark.req("E-83")
async def test_one_word_decides_whom_to_believe(world: World):
    group_id = await world.make(Event.COMPLETE_SETUP)
    await world.pass_to(LATER.start_at + HOUR)
    await shadow.compare_all(world.db)
    [found] = (await listed(world)).values()

    with pytest.raises(NotAllowed):
        await world.do(shadow.decide, found.id, Source.CALCULATOR, by=operator(world.tree.haeundae))
    with pytest.raises(shadow.MismatchNotFound):
        await world.do(shadow.decide, found.id, Source.CALCULATOR, by=boss(world.tree.nampo))
    kept = await world.do(shadow.decide, found.id, Source.CALCULATOR)

    assert (kept.source, kept.decision, kept.decided_by) == (Source.CALCULATOR, Source.CALCULATOR, world.admin.name)
    assert (await world.get(group_id)).source is Source.CALCULATOR
    await shadow.compare_all(world.db)
    assert list(await listed(world, MismatchFilter(decided=True))) == [group_id], "it stays decided"
    trusted = await world.do(shadow.decide, found.id, Source.MACHINE)
    assert (trusted.source, (await world.get(group_id)).source) == (Source.MACHINE, Source.MACHINE)
    async with world.db.transaction() as tx:
        assert await shadow.count_open(tx, await visible_to(tx, world.admin)) == {Cause.NEVER_APPROVED: 1}
        assert await shadow.count_open(tx, await visible_to(tx, boss(world.tree.nampo))) == {}
