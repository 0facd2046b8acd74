import asyncio

import pytest

from pabal.base.database import Database, Tx
from pabal.base.errors import PabalError
from pabal.platform import audit, tenants
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.language.errors import korean
from pabal.platform.tenants import BadLevel, BadName, Level, Unit, UnitNotEmpty, UnitNotFound
from tests.platform.auth.support import until_somebody_waits
from tests.support.people import person, plant


async def names(tx: Tx, actor: Actor = ENGINE) -> list[str]:
    return [unit.name for unit in await tenants.list_units(tx, (await tenants.visible_to(tx, actor)).listed)]


async def entries(tx: Tx, action: str) -> list[audit.Entry]:
    return await audit.list_entries(tx, audit.Wanted(action=action))


async def add(tx: Tx, actor: Actor, parent: Unit, level: Level, name: str) -> Unit:
    return await tenants.add_unit(tx, actor, parent_id=parent.id, level=level, name=name)


async def test_units_are_listed_in_the_order_of_the_tree(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        assert await names(tx) == ["본사", "부산총판", "남포점", "해운대점", "서울총판", "강남점"]
        assert await names(tx, person(tree.busan)) == ["부산총판", "남포점", "해운대점"]
        path = await tenants.list_path(tx, tree.gangnam.id)

    assert [unit.name for unit in path] == ["본사", "서울총판", "강남점"]


async def test_there_is_one_hq_however_many_servers_start(db: Database):
    async def start() -> int:
        async with db.transaction() as tx:
            return (await tenants.ensure_hq(tx)).id

    assert len(set(await asyncio.gather(*(start() for _ in range(5))))) == 1


async def test_an_administrator_adds_below_themselves_and_the_audit_says_so(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        made = await add(tx, person(tree.busan), tree.busan, Level.AGENCY, "  동래  대리점 ")
        [entry, *_] = await entries(tx, "units.add")

    assert (made.name, made.level, made.parent_id) == ("동래 대리점", Level.AGENCY, tree.busan.id)
    assert (entry.actor, entry.about, entry.origin) == ("user:1", f"unit:{made.id}", "127.0.0.1")
    assert entry.after == {"name": "동래 대리점", "level": "agency", "parent_id": tree.busan.id}


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_only_an_administrator_changes_the_tree(db: Database, role: Role):
    tree = await plant(db)
    actor = person(tree.hq, role)

    async with db.transaction() as tx:
        before = await names(tx)
        for verb in (
            tenants.add_unit(tx, actor, parent_id=tree.busan.id, level=Level.BRANCH, name="새 지점"),
            tenants.rename_unit(tx, actor, tree.busan.id, "새 이름"),
            tenants.move_unit(tx, actor, tree.nampo.id, parent_id=tree.seoul.id),
            tenants.remove_unit(tx, actor, tree.nampo.id),
        ):
            with pytest.raises(NotAllowed):
                await verb
        assert await names(tx) == before


async def test_a_token_for_something_else_does_not_change_the_tree(db: Database):
    tree = await plant(db)
    program = Actor("token:1", tree.hq.id, Role.ADMIN, scopes=("jobs:manage", "people:write"))

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await tenants.rename_unit(tx, program, tree.busan.id, "새 이름")


async def test_what_is_beside_or_above_is_not_there(db: Database):
    tree = await plant(db)
    actor = person(tree.busan)

    async with db.transaction() as tx:
        for elsewhere in (tree.hq, tree.seoul, tree.gangnam):
            for verb in (
                tenants.add_unit(tx, actor, parent_id=elsewhere.id, level=Level.BRANCH, name="새 지점"),
                tenants.rename_unit(tx, actor, elsewhere.id, "새 이름"),
                tenants.move_unit(tx, actor, elsewhere.id, parent_id=tree.busan.id),
                tenants.move_unit(tx, actor, tree.nampo.id, parent_id=elsewhere.id),
                tenants.remove_unit(tx, actor, elsewhere.id),
            ):
                with pytest.raises(UnitNotFound):
                    await verb


async def test_a_unit_that_is_nowhere_is_not_there_for_the_hq_either(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        for verb in (
            tenants.add_unit(tx, person(tree.hq), parent_id=10**15, level=Level.BRANCH, name="새 지점"),
            tenants.rename_unit(tx, person(tree.hq), 10**15, "새 이름"),
            tenants.remove_unit(tx, person(tree.hq), 10**15),
        ):
            with pytest.raises(UnitNotFound):
                await verb


async def test_a_level_may_be_left_out_but_not_turned_around(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        await add(tx, ENGINE, tree.hq, Level.BRANCH, "직영점")
        for parent, level in ((tree.busan, Level.DISTRIBUTOR), (tree.nampo, Level.AGENCY), (tree.hq, Level.HQ)):
            with pytest.raises(BadLevel):
                await add(tx, ENGINE, parent, level, "거꾸로")


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "nul\x00", "\u202ebackwards"])
async def test_a_name_that_cannot_be_shown_is_refused(db: Database, name: str):
    tree = await plant(db)

    async with db.transaction() as tx:
        with pytest.raises(BadName):
            await add(tx, ENGINE, tree.busan, Level.BRANCH, name)
        with pytest.raises(BadName):
            await tenants.rename_unit(tx, ENGINE, tree.busan.id, name)


async def test_a_name_is_free_again_elsewhere_but_not_among_neighbours(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        with pytest.raises(BadName):
            await add(tx, ENGINE, tree.busan, Level.BRANCH, "남포점")
        with pytest.raises(BadName):
            await tenants.rename_unit(tx, ENGINE, tree.nampo.id, "해운대점")
        twin = await add(tx, ENGINE, tree.seoul, Level.BRANCH, "남포점")
        with pytest.raises(BadName):
            await tenants.move_unit(tx, ENGINE, twin.id, parent_id=tree.busan.id)
        same = await tenants.rename_unit(tx, ENGINE, tree.nampo.id, "남포점")

    assert same == tree.nampo


async def test_of_two_who_take_a_name_at_once_one_gets_it(db: Database):
    tree = await plant(db)

    async def take() -> None:
        async with db.transaction() as tx:
            await add(tx, ENGINE, tree.busan, Level.BRANCH, "동래점")

    answers = await asyncio.gather(*(take() for _ in range(4)), return_exceptions=True)

    assert sorted(type(one).__name__ for one in answers) == ["BadName"] * 3 + ["NoneType"]


async def test_a_parent_removed_meanwhile_is_not_there(db: Database):
    tree = await plant(db)
    async with db.transaction() as tx:
        agency = await add(tx, ENGINE, tree.seoul, Level.AGENCY, "송파 대리점")

    async def grow() -> None:
        async with db.transaction() as tx:
            await add(tx, ENGINE, agency, Level.BRANCH, "송파점")

    async with db.transaction() as tx:
        await tenants.remove_unit(tx, ENGINE, agency.id)
        growing = asyncio.create_task(grow())
        await until_somebody_waits(db)

    with pytest.raises(UnitNotFound):
        await growing


async def test_a_rename_says_what_the_name_was(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        await tenants.rename_unit(tx, person(tree.busan), tree.busan.id, "부산 총판")
        [entry] = await entries(tx, "units.rename")

    assert (entry.before, entry.after) == ({"name": "부산총판"}, {"name": "부산 총판"})
    assert entry.unit_id == tree.busan.id


async def test_a_unit_moves_with_all_below_it_and_so_does_who_sees_it(db: Database):
    tree = await plant(db)
    async with db.transaction() as tx:
        agency = await add(tx, ENGINE, tree.busan, Level.AGENCY, "동래 대리점")
        await add(tx, ENGINE, agency, Level.BRANCH, "동래점")

    async with db.transaction() as tx:
        await tenants.move_unit(tx, person(tree.hq), agency.id, parent_id=tree.seoul.id)

        assert "동래점" in await names(tx, person(tree.seoul))
        assert "동래점" not in await names(tx, person(tree.busan))
        [entry] = await entries(tx, "units.move")
    assert (entry.before, entry.after) == ({"parent_id": tree.busan.id}, {"parent_id": tree.seoul.id})


async def test_nothing_moves_below_itself_or_a_lower_level_and_the_hq_stays(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        for unit, parent in (
            (tree.busan, tree.busan),
            (tree.busan, tree.nampo),
            (tree.busan, tree.gangnam),
            (tree.hq, tree.busan),
        ):
            with pytest.raises(BadLevel):
                await tenants.move_unit(tx, ENGINE, unit.id, parent_id=parent.id)


async def test_nobody_moves_or_removes_the_unit_they_stand_in(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await tenants.move_unit(tx, person(tree.nampo), tree.nampo.id, parent_id=tree.nampo.id)
        with pytest.raises(NotAllowed):
            await tenants.remove_unit(tx, person(tree.nampo), tree.nampo.id)
        with pytest.raises(NotAllowed):
            await tenants.remove_unit(tx, ENGINE, tree.hq.id)


async def test_only_an_empty_unit_is_removed(db: Database):
    tree = await plant(db)

    async with db.transaction() as tx:
        with pytest.raises(UnitNotEmpty):
            await tenants.remove_unit(tx, person(tree.hq), tree.seoul.id)
        await tenants.remove_unit(tx, person(tree.hq), tree.gangnam.id)
        await tenants.remove_unit(tx, person(tree.hq), tree.seoul.id)
        assert await names(tx) == ["본사", "부산총판", "남포점", "해운대점"]
        last, _ = await entries(tx, "units.remove")

    assert last.before == {"name": "서울총판", "level": "distributor", "parent_id": tree.hq.id}
    assert last.unit_id == tree.hq.id


def test_every_error_of_the_tree_has_a_korean_sentence():
    made = [thing for thing in vars(tenants).values() if isinstance(thing, type) and issubclass(thing, PabalError)]
    own = {kind().code for kind in made if kind.__module__ == tenants.__name__}

    assert own | {"not_allowed"} <= set(korean())
