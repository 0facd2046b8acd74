"""USE_SSM_STATUS: id before campaign, before new and so many of a hundred; kept as each ad group's source."""

import pytest

from pabal.apps.adgroups.actions import adgroups, campaigns
from pabal.apps.adgroups.errors import AdGroupNotFound, BadFlag, FlagNotFound
from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.apps.adgroups.model.adgroups import NewAdGroup, NewCampaign, Source
from pabal.platform.actor import Actor, NotAllowed
from pabal.platform.tenants import HeadOfficeOnly, visible_to
from tests.apps.adgroups.actions.world import LATER, START, World, boss, operator
from tests.apps.adgroups.legacy.olds import CONFIRMED, Mover, an_old

MACHINE, CALCULATOR = Source.MACHINE, Source.CALCULATOR


async def sources(world: World, *ids: int) -> list[Source]:
    return [(await world.get(one)).source for one in ids]


@pytest.mark.req("E-82", "E-92")
async def test_new_ad_groups_use_the_machine_and_old_ones_the_calculator_until_flags_say_otherwise(mover: Mover):
    world, house = mover.world, boss(mover.world.tree.hq)
    run = await mover.bring(an_old(1, CONFIRMED), an_old(2, CONFIRMED))
    [one, two] = (await mover.ids(run)).values()
    new = await world.make()
    assert await sources(world, one, two, new) == [CALCULATOR, CALCULATOR, MACHINE]

    assert await world.do(flags.set_flag, FlagKind.ID, one) == 1
    assert await sources(world, one, two, new) == [MACHINE, CALCULATOR, MACHINE]

    campaign = (await world.get(one)).campaign_id
    assert await world.do(flags.set_flag, FlagKind.CAMPAIGN, campaign) == 1
    await world.do(flags.set_flag, FlagKind.ID, one, is_on=False)
    assert await sources(world, one, two, new) == [CALCULATOR, MACHINE, MACHINE], "the nearer one decides"

    await world.do(flags.clear_flag, FlagKind.CAMPAIGN, campaign)
    await world.do(flags.set_flag, FlagKind.NEW, 0, is_on=False, by=house)
    later = await world.make()
    assert await sources(world, one, two, new, later) == [CALCULATOR] * 4

    moved = await world.do(campaigns.create_campaign, NewCampaign("다른", START))
    await world.do(flags.set_flag, FlagKind.CAMPAIGN, moved.id)
    await world.do(adgroups.edit, later, NewAdGroup("옮김", moved.id, LATER))
    assert await sources(world, later) == [MACHINE], "it follows its campaign"


@pytest.mark.req("E-87", "E-103")
async def test_a_percentage_only_grows_and_a_hundred_switches_the_calculator_off(mover: Mover):
    world, house = mover.world, boss(mover.world.tree.hq)
    run = await mover.bring(*(an_old(n, CONFIRMED) for n in range(40)))
    ids = list((await mover.ids(run)).values())
    before: set[int] = set()

    for percent in (0, 10, 50, 90):
        await world.do(flags.set_flag, FlagKind.PERCENT, percent, by=house)
        using = {one for one in ids if (await world.get(one)).source is MACHINE}
        assert before <= using
        assert len(using) == pytest.approx(percent * 40 / 100, abs=10)
        before = using

    await world.do(flags.set_flag, FlagKind.ID, ids[0], is_on=False)
    await world.do(flags.switch_off_calculator, by=house)
    assert await world.do(flags.count_sources) == {MACHINE: 40, CALCULATOR: 0}
    [flag] = await _list(world)
    assert (flag.kind, flag.value, flag.set_by) == (FlagKind.PERCENT, 100, house.name)

    await world.do(flags.clear_flag, FlagKind.PERCENT, by=house)
    assert await world.do(flags.count_sources) == {MACHINE: 0, CALCULATOR: 40}, "and back again"


async def test_who_may_set_which_flag(world: World):
    group_id, tree = await world.make(), world.tree

    with pytest.raises(NotAllowed):
        await world.do(flags.set_flag, FlagKind.ID, group_id, by=operator(tree.haeundae))
    with pytest.raises(AdGroupNotFound):
        await world.do(flags.set_flag, FlagKind.ID, group_id, by=boss(tree.nampo))
    with pytest.raises(HeadOfficeOnly):
        await world.do(flags.set_flag, FlagKind.PERCENT, 10)
    with pytest.raises(BadFlag):
        await world.do(flags.set_flag, FlagKind.PERCENT, 101, by=boss(tree.hq))
    await world.do(flags.set_flag, FlagKind.ID, group_id)
    with pytest.raises(FlagNotFound):
        await world.do(flags.clear_flag, FlagKind.ID, group_id, by=boss(tree.nampo))
    assert await _list(world, boss(tree.nampo)) == []


async def _list(world: World, by: Actor | None = None) -> list[flags.Flag]:
    async with world.db.transaction() as tx:
        return await flags.list_flags(tx, await visible_to(tx, by or world.admin))
