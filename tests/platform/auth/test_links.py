import asyncio
from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import BadExpiry, IssuedLink, LinkSpent, SignedIn, User, UserInactive
from tests.platform.auth.support import CALLER, DAY, HOUR, MINUTE, everything_stored, give_password, said_of, settle


async def issue(db: Database, user: User, valid_for: timedelta = HOUR) -> IssuedLink:
    async with db.transaction() as tx:
        return await auth.issue_link(tx, ENGINE, user.id, valid_for=valid_for)


async def use(db: Database, secret: str) -> SignedIn:
    async with db.transaction() as tx:
        return await auth.use_link(tx, secret, CALLER)


async def test_a_link_signs_in_once(db: Database):
    town = await settle(db)
    link = await issue(db, town.park)

    signed = await use(db, link.secret)

    session = await auth.find_session(db, signed.key)
    assert session is not None
    assert session.user_id == town.park.id
    with pytest.raises(LinkSpent):
        await use(db, link.secret)


async def test_of_ten_clicks_at_once_one_wins(db: Database):
    town = await settle(db)
    link = await issue(db, town.park)

    answers = await asyncio.gather(*(use(db, link.secret) for _ in range(10)), return_exceptions=True)

    assert len([one for one in answers if isinstance(one, SignedIn)]) == 1
    assert len([one for one in answers if isinstance(one, LinkSpent)]) == 9
    async with db.transaction() as tx:
        assert len(await auth.list_sessions(tx, town.park.actor())) == 1


async def test_looking_at_a_link_does_not_use_it(db: Database):
    town = await settle(db)
    link = await issue(db, town.park)

    async with db.transaction() as tx:
        looked = [await auth.find_link(tx, link.secret) for _ in range(2)]

    assert [one and (one.login, one.expires_at) for one in looked] == [("park", link.expires_at)] * 2
    await use(db, link.secret)
    async with db.transaction() as tx:
        assert await auth.find_link(tx, link.secret) is None


async def test_a_link_expires(db: Database):
    town = await settle(db)
    link = await issue(db, town.park)

    await clock.advance(db, HOUR + MINUTE)

    with pytest.raises(LinkSpent):
        await use(db, link.secret)


async def test_a_new_link_replaces_the_one_before_it(db: Database):
    town = await settle(db)
    old, other, new = await issue(db, town.park), await issue(db, town.lee), await issue(db, town.park)

    with pytest.raises(LinkSpent):
        await use(db, old.secret)

    assert (await use(db, new.secret)).user.id == town.park.id
    assert (await use(db, other.secret)).user.id == town.lee.id


async def test_links_issued_at_once_leave_one_that_works(db: Database):
    town = await settle(db)

    made = await asyncio.gather(*(issue(db, town.park) for _ in range(5)))

    answers = [await asyncio.gather(use(db, link.secret), return_exceptions=True) for link in made]
    assert len([one for [one] in answers if isinstance(one, SignedIn)]) == 1


async def test_the_secret_is_stored_nowhere_and_its_use_is_audited(db: Database):
    town = await settle(db)
    link = await issue(db, town.park)

    await use(db, link.secret)

    [used] = await said_of(db, "links.use")
    assert (used.actor, used.about, used.origin) == (f"user:{town.park.id}", f"user:{town.park.id}", "203.0.113.7")
    assert used.unit_id == town.park.unit_id
    assert link.secret not in await everything_stored(db)


async def test_a_link_of_a_deactivated_user_is_spent_and_none_is_issued(db: Database):
    town = await settle(db)
    link = await issue(db, town.park)
    async with db.transaction() as tx:
        await auth.deactivate_user(tx, town.boss, town.park.id)

    with pytest.raises(LinkSpent):
        await use(db, link.secret)
    with pytest.raises(UserInactive):
        await issue(db, town.park)


@pytest.mark.parametrize("valid_for", [timedelta(0), -HOUR, 8 * DAY])
async def test_a_link_is_valid_for_at_most_a_week(db: Database, valid_for: timedelta):
    town = await settle(db)

    with pytest.raises(BadExpiry):
        await issue(db, town.park, valid_for)


async def first(db: Database) -> IssuedLink | None:
    async with db.transaction() as tx:
        return await auth.first_link(tx)


async def test_the_first_start_makes_an_administrator_of_the_hq_and_a_way_in(db: Database):
    link = await first(db)

    assert link is not None
    assert (link.user.login, link.user.role, link.user.has_password) == ("admin", Role.ADMIN, False)
    signed = await use(db, link.secret)
    assert not signed.user.has_password
    session = await auth.find_session(db, signed.key)
    assert session is not None
    assert session.actor == Actor(f"user:{link.user.id}", link.user.unit_id, Role.ADMIN, label=link.user.name)


async def test_each_start_renews_the_way_in_until_there_is_a_password(db: Database):
    old, new = await first(db), await first(db)
    assert old is not None
    assert new is not None

    with pytest.raises(LinkSpent):
        await use(db, old.secret)
    assert (await use(db, new.secret)).user.id == old.user.id
    await give_password(db, new.user)

    assert await first(db) is None


async def test_two_servers_that_start_together_make_one_administrator(db: Database):
    links = await asyncio.gather(*(first(db) for _ in range(4)))

    assert len({link.user.id for link in links if link}) == 1


async def test_used_links_are_kept_for_a_month(db: Database):
    town = await settle(db)
    link = await issue(db, town.park)
    await use(db, link.secret)
    await clock.advance(db, 29 * DAY)
    assert await auth.prune_once(db) == 1  # the session

    await clock.advance(db, 2 * DAY)

    assert await auth.prune_once(db) == 1
