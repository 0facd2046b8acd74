import asyncio
from dataclasses import replace

import pytest

from pabal.base.database import Database
from pabal.base.errors import PabalError
from pabal.engine.recurrence import UnknownZone
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.auth import (
    BadDisplayName,
    BadLogin,
    Caller,
    LastAdmin,
    LinkSpent,
    LoginTaken,
    NewUser,
    OwnAccount,
    Preferences,
    UserNotFound,
    tries,
)
from pabal.platform.tenants import UnitNotEmpty, UnitNotFound, visible_to
from tests.platform.auth.support import CALLER, add, again, enter, give_password, said_of, settle, until_somebody_waits


async def test_a_new_user_has_no_password_and_our_zone(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        made = await auth.add_user(
            tx, town.lee.actor(), NewUser("Han@Busan.example", " 한  지민 ", town.tree.nampo.id, Role.ADMIN)
        )

    assert (made.login, made.name, made.unit_id, made.role) == (
        "han@busan.example", "한 지민", town.tree.nampo.id, Role.ADMIN
    )  # fmt: skip
    assert (made.is_active, made.has_password) == (True, False)
    assert made.preferences == Preferences(None, "Asia/Seoul", None)
    [entry, *_] = await said_of(db, "users.add")
    assert (entry.actor, entry.about, entry.unit_id) == (f"user:{town.lee.id}", f"user:{made.id}", made.unit_id)


async def test_a_login_belongs_to_one_person_whatever_its_case(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        with pytest.raises(LoginTaken):
            await auth.add_user(tx, town.boss, NewUser("KIM", "Another", town.tree.hq.id, Role.VIEWER))


async def test_of_two_who_take_a_login_at_once_one_gets_it(db: Database):
    town = await settle(db)

    answers = await asyncio.gather(
        *(add(db, "han", unit, Role.VIEWER) for unit in (town.tree.hq, town.tree.busan)), return_exceptions=True
    )

    assert len([one for one in answers if isinstance(one, LoginTaken)]) == 1


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_only_administrators_manage_people(db: Database, role: Role):
    town = await settle(db)
    actor = Actor(f"user:{town.park.id}", town.tree.busan.id, role)

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await auth.add_user(tx, actor, NewUser("han", "Han", town.tree.haeundae.id, Role.VIEWER))
        with pytest.raises(NotAllowed):
            await auth.edit_user(tx, actor, town.park.id, name="Park 2")
        for verb in (auth.deactivate_user, auth.issue_link, auth.reset_password):
            with pytest.raises(NotAllowed):
                await verb(tx, actor, town.park.id)

    assert await again(db, town.park) == town.park


async def test_an_administrator_cannot_reach_anybody_beside_or_above(db: Database):
    town = await settle(db)
    lee = town.lee.actor()

    async with db.transaction() as tx:
        for elsewhere in (town.tree.hq.id, town.tree.gangnam.id, 10**15):
            with pytest.raises(UnitNotFound):
                await auth.add_user(tx, lee, NewUser("han", "Han", elsewhere, Role.VIEWER))
            with pytest.raises(UnitNotFound):
                await auth.edit_user(tx, lee, town.park.id, unit_id=elsewhere)
        for stranger in (town.kim.id, town.choi.id, 10**15):
            with pytest.raises(UserNotFound):
                await auth.edit_user(tx, lee, stranger, name="Mine")
            for verb in (auth.deactivate_user, auth.issue_link, auth.reset_password):
                with pytest.raises(UserNotFound):
                    await verb(tx, lee, stranger)
            with pytest.raises(UserNotFound):
                await auth.get_user(tx, await visible_to(tx, lee), stranger)

    assert [await again(db, one) for one in (town.kim, town.choi)] == [town.kim, town.choi]


async def test_the_hq_cannot_put_somebody_into_a_unit_that_is_not_there(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        with pytest.raises(UnitNotFound):
            await auth.add_user(tx, town.boss, NewUser("han", "Han", 10**15, Role.VIEWER))


async def test_a_token_for_people_cannot_make_or_take_over_an_administrator_of_everything(db: Database):
    town = await settle(db)
    program = Actor("token:1", town.tree.hq.id, Role.ADMIN, scopes=("people:manage",))

    async with db.transaction() as tx:
        for role in Role:
            with pytest.raises(NotAllowed):
                await auth.add_user(tx, program, NewUser("han", "Han", town.tree.hq.id, role))
        for verb in (auth.issue_link, auth.reset_password):
            with pytest.raises(NotAllowed):
                await verb(tx, program, town.kim.id)


async def test_an_edit_changes_what_it_names_and_the_audit_says_what(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        after = await auth.edit_user(tx, town.lee.actor(), town.park.id, name="박 서준", role=Role.ADMIN)

    assert after == replace(town.park, name="박 서준", role=Role.ADMIN)
    [entry] = await said_of(db, "users.edit")
    assert (entry.before, entry.after) == ({"name": "Park", "role": "operator"}, {"name": "박 서준", "role": "admin"})


@pytest.mark.parametrize(
    ("new", "error"),
    [
        (NewUser("김", "Kim", 0, Role.VIEWER), BadLogin),
        (NewUser("han", "\x00", 0, Role.VIEWER), BadDisplayName),
        (NewUser("han", "Han", 0, Role.VIEWER, Preferences(zone="Mars/Base")), UnknownZone),
    ],
)
async def test_a_user_that_cannot_be_right_is_refused(db: Database, new: NewUser, error: type[PabalError]):
    town = await settle(db)

    async with db.transaction() as tx:
        with pytest.raises(error):
            await auth.add_user(tx, town.boss, replace(new, unit_id=town.tree.hq.id))


async def test_nobody_locks_themselves_out(db: Database):
    town = await settle(db)
    await add(db, "jung", town.tree.busan, Role.ADMIN)
    lee = town.lee.actor()

    async with db.transaction() as tx:
        with pytest.raises(OwnAccount):
            await auth.deactivate_user(tx, lee, town.lee.id)
        with pytest.raises(OwnAccount):
            await auth.edit_user(tx, lee, town.lee.id, role=Role.VIEWER)
        with pytest.raises(OwnAccount):
            await auth.edit_user(tx, lee, town.lee.id, unit_id=town.tree.haeundae.id)
        renamed = await auth.edit_user(tx, lee, town.lee.id, name="이 도윤", role=Role.ADMIN, is_active=True)

    assert renamed == replace(town.lee, name="이 도윤")


async def test_the_last_administrator_of_the_hq_stays(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        for change in ({"role": Role.OPERATOR}, {"is_active": False}, {"unit_id": town.tree.busan.id}):
            with pytest.raises(LastAdmin):
                await auth.edit_user(tx, ENGINE, town.kim.id, **change)  # type: ignore[arg-type]


async def test_somebody_who_was_never_let_in_does_not_count_as_the_last_administrator(db: Database):
    town = await settle(db)
    await give_password(db, town.kim)
    invited = await add(db, "jung", town.tree.hq, Role.ADMIN)

    async with db.transaction() as tx:
        with pytest.raises(LastAdmin):
            await auth.deactivate_user(tx, invited.actor(), town.kim.id)
        await auth.deactivate_user(tx, town.boss, invited.id)


async def test_two_administrators_who_remove_each_other_leave_one(db: Database):
    town = await settle(db)
    jung = await add(db, "jung", town.tree.hq, Role.ADMIN)

    async def answer_in_kind() -> None:
        async with db.transaction() as tx:
            await auth.deactivate_user(tx, jung.actor(), town.kim.id)

    async with db.transaction() as tx:
        await auth.deactivate_user(tx, town.boss, jung.id)
        answering = asyncio.create_task(answer_in_kind())
        await until_somebody_waits(db)

    with pytest.raises(LastAdmin):
        await answering
    assert (await again(db, town.kim)).is_active


async def test_a_deactivated_user_has_no_session_and_no_link_from_that_commit_on(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)
    async with db.transaction() as tx:
        link = await auth.issue_link(tx, town.lee.actor(), town.park.id)

    async with db.transaction() as tx:
        await auth.deactivate_user(tx, town.lee.actor(), town.park.id)

    assert await auth.find_session(db, signed.key) is None
    [entry] = await said_of(db, "users.deactivate")
    assert entry.after == {"is_active": False, "sessions_ended": 1}
    async with db.transaction() as tx:
        await auth.edit_user(tx, town.lee.actor(), town.park.id, is_active=True)
    assert await auth.find_session(db, signed.key) is None
    async with db.transaction() as tx:
        with pytest.raises(LinkSpent):
            await auth.use_link(tx, link.secret, CALLER)


async def test_a_link_used_while_its_user_is_deactivated_leaves_no_session(db: Database):
    town = await settle(db)
    async with db.transaction() as tx:
        link = await auth.issue_link(tx, ENGINE, town.park.id)

    async def use() -> str:
        async with db.transaction() as tx:
            return (await auth.use_link(tx, link.secret, CALLER)).key

    async def deactivate() -> None:
        async with db.transaction() as tx:
            await auth.deactivate_user(tx, town.boss, town.park.id)

    used, _ = await asyncio.gather(use(), deactivate(), return_exceptions=True)

    assert isinstance(used, LinkSpent) or await auth.find_session(db, str(used)) is None


async def test_resetting_a_password_voids_it_and_ends_every_session(db: Database):
    town = await settle(db)
    await give_password(db, town.park)
    signed = await enter(db, town.park)

    async with db.transaction() as tx:
        link = await auth.reset_password(tx, town.lee.actor(), town.park.id)
        knows_device = await tries.is_known(tx, town.park.id, signed.device)

    assert await auth.find_session(db, signed.key) is None
    park = await again(db, town.park)
    assert (park.has_password, knows_device) == (False, False)
    async with db.transaction() as tx:
        assert (await auth.use_link(tx, link.secret, CALLER)).user.id == town.park.id
    assert [entry.actor for entry in await said_of(db, "users.reset_password")] == [f"user:{town.lee.id}"]


async def test_everybody_sets_their_own_preferences(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        after = await auth.set_preferences(tx, town.park.actor(), Preferences("en", "Europe/Berlin", "dark"))
        await auth.set_preferences(tx, town.park.actor(), Preferences("en", "Europe/Berlin", "dark"))
        with pytest.raises(UnknownZone):
            await auth.set_preferences(tx, town.park.actor(), Preferences(zone="Mars/Base"))
        with pytest.raises(NotAllowed):
            await auth.set_preferences(tx, ENGINE, Preferences())

    assert after.preferences == Preferences("en", "Europe/Berlin", "dark")
    [entry] = await said_of(db, "users.preferences")
    assert entry.after == {"language": "en", "zone": "Europe/Berlin", "theme": "dark"}


async def test_users_are_listed_by_page_and_only_those_one_may_see(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        everybody = await visible_to(tx, town.boss)
        first = await auth.list_users(tx, everybody, limit=3)
        rest = await auth.list_users(tx, everybody, limit=3, after=first[-1].login)
        of_lee = await auth.list_users(tx, await visible_to(tx, town.lee.actor()))
        of_park = await auth.list_users(tx, await visible_to(tx, town.park.actor()))

    assert [one.login for one in (*first, *rest)] == ["choi", "kim", "lee", "park"]
    assert [one.login for one in of_lee] == ["lee", "park"]
    assert [one.login for one in of_park] == ["park"]


async def test_users_are_found_by_words_role_and_whether_they_are_active(db: Database):
    town = await settle(db)
    async with db.transaction() as tx:
        await auth.deactivate_user(tx, town.boss, town.choi.id)
        scope = await visible_to(tx, town.boss)

        by_words = await auth.list_users(tx, scope, words="AR")
        by_role = await auth.list_users(tx, scope, role=Role.ADMIN, is_active=True)
        by_sign = await auth.list_users(tx, scope, words="%")

    assert [one.login for one in by_words] == ["park"]
    assert [one.login for one in by_role] == ["kim", "lee"]
    assert by_sign == []


async def test_a_unit_with_people_is_not_removed(db: Database):
    town = await settle(db)

    async with db.transaction() as tx:
        with pytest.raises(UnitNotEmpty):
            await tenants.remove_unit(tx, town.boss, town.tree.haeundae.id)


async def test_people_of_the_demo_are_removed_with_their_keys(db: Database):
    town = await settle(db)
    async with db.transaction() as tx:
        demo = await auth.add_user(tx, ENGINE, NewUser("demo", "Demo", town.tree.hq.id, Role.ADMIN, is_demo=True))
    signed = await enter(db, demo, Caller(with_demo=True))
    before = await auth.find_session(db, signed.key, with_demo=True)

    async with db.transaction() as tx:
        removed = await auth.remove_demo_users(tx)

    assert before is not None
    assert removed == 1
    assert await auth.find_session(db, signed.key, with_demo=True) is None
    assert await again(db, town.kim) == town.kim
