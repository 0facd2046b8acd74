import pytest

from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import UnitNotFound, may_see, visible_to
from tests.support.people import person, plant


async def test_a_distributor_sees_its_own_subtree_and_nothing_beside_it(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.busan))

    assert set(scope.units or ()) == {tree.busan.id, tree.haeundae.id, tree.nampo.id}
    assert scope.unit_id == tree.busan.id
    assert not scope.holds(tree.seoul.id)
    assert not scope.holds(None)


async def test_the_hq_and_the_engine_see_everything_and_what_nobody_owns(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        of_hq, of_engine = await visible_to(tx, person(tree.hq)), await visible_to(tx, ENGINE)

    assert of_hq == of_engine
    assert of_hq.units is None
    assert of_hq.holds(None)
    assert of_hq.unit_id == tree.hq.id


async def test_a_scope_narrows_to_a_unit_below(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.hq), within=tree.seoul.id)

    assert set(scope.units or ()) == {tree.seoul.id, tree.gangnam.id}


async def test_a_scope_never_widens_to_a_neighbour_or_above(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        for elsewhere in (tree.hq.id, tree.seoul.id, tree.nampo.id, 10**15):
            with pytest.raises(UnitNotFound):
                await visible_to(tx, person(tree.haeundae), within=elsewhere)
        with pytest.raises(UnitNotFound):
            await visible_to(tx, person(tree.hq), within=10**15)


async def test_a_branch_may_see_itself_only(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        seen = [unit.name for unit in vars_of(tree) if await may_see(tx, person(tree.haeundae), unit.id)]

    assert seen == ["해운대점"]


def vars_of(tree):
    return [tree.hq, tree.busan, tree.haeundae, tree.nampo, tree.seoul, tree.gangnam]
