import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Right, Role
from pabal.platform.auth import (
    BadDisplayName,
    BadExpiry,
    BadScope,
    MadeToken,
    NewToken,
    TokenNotFound,
    TokenOver,
    store,
)
from pabal.platform.tenants import Unit, UnitNotFound, visible_to
from tests.platform.auth.support import (
    DAY,
    HOUR,
    MINUTE,
    Town,
    again,
    everything_stored,
    said_of,
    settle,
    until_somebody_waits,
)


async def make(
    db: Database,
    actor: Actor,
    unit: Unit,
    role: Role = Role.OPERATOR,
    scopes: tuple[str, ...] = ("jobs:write",),
    valid_for: timedelta = 30 * DAY,
) -> MadeToken:
    async with db.transaction() as tx:
        return await auth.make_token(tx, actor, NewToken("NAS", unit.id, role, scopes, tx.now + valid_for))


async def is_alive(db: Database, made: MadeToken) -> bool:
    return await auth.find_token(db, made.secret) is not None


async def test_a_token_is_its_program(db: Database):
    town = await settle(db)

    made = await make(db, town.lee.actor(), town.tree.haeundae)

    actor = await auth.find_token(db, made.secret, origin="198.51.100.9")
    assert actor == Actor(
        f"token:{made.token.id}", town.tree.haeundae.id, Role.OPERATOR, ("jobs:write",), "NAS", "198.51.100.9"
    )
    assert made.secret.startswith("pbl_")
    assert made.token.start == made.secret[:12]
    assert made.token.made_by == town.lee.id


async def test_another_secret_is_nobody(db: Database):
    town = await settle(db)
    made = await make(db, town.lee.actor(), town.tree.haeundae)

    for other in ("", "pbl_", made.secret[:-1], made.secret.removeprefix("pbl_"), "pbl_\ud800", "pbl_\x00"):
        assert await auth.find_token(db, other) is None


async def test_the_secret_is_stored_nowhere(db: Database):
    town = await settle(db)
    made = await make(db, town.lee.actor(), town.tree.haeundae)
    async with db.transaction() as tx:
        rotated = await auth.rotate_token(tx, town.lee.actor(), made.token.id)

    stored = await everything_stored(db)

    assert made.secret not in stored
    assert made.secret[4:] not in stored
    assert rotated.secret[4:] not in stored


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
async def test_only_administrators_make_tokens(db: Database, role: Role):
    town = await settle(db)
    actor = Actor(f"user:{town.park.id}", town.park.unit_id, role)

    with pytest.raises(NotAllowed):
        await make(db, actor, town.tree.haeundae, Role.VIEWER)


async def test_a_token_is_made_only_inside_ones_subtree(db: Database):
    town = await settle(db)

    for elsewhere in (town.tree.hq, town.tree.seoul, town.tree.gangnam):
        with pytest.raises(UnitNotFound):
            await make(db, town.lee.actor(), elsewhere)


async def test_a_token_cannot_make_one_that_may_more_than_itself(db: Database):
    town = await settle(db)
    made = await make(db, town.lee.actor(), town.tree.busan, Role.ADMIN, ("people:manage", "jobs:read"))
    program = await auth.find_token(db, made.secret)
    assert program is not None

    for scopes in (("*:read",), ("jobs:write",), ("settings:read",), ("jobs:read", "*:manage")):
        with pytest.raises(NotAllowed):
            await make(db, program, town.tree.busan, Role.ADMIN, scopes)
    child = await make(db, program, town.tree.haeundae, Role.OPERATOR, ("jobs:read",))

    assert child.token.made_by == town.lee.id


async def test_somebody_who_was_demoted_while_they_asked_gets_no_token(db: Database):
    town = await settle(db)
    asked_as = town.lee.actor()
    async with db.transaction() as tx:
        await auth.edit_user(tx, town.boss, town.lee.id, role=Role.VIEWER)

    with pytest.raises(NotAllowed):
        await make(db, asked_as, town.tree.busan)


async def test_what_a_token_is_made_of_is_checked(db: Database):
    town = await settle(db)
    lee = town.lee.actor()

    for valid_for in (timedelta(0), -DAY, 401 * DAY):
        with pytest.raises(BadExpiry):
            await make(db, lee, town.tree.busan, valid_for=valid_for)
    with pytest.raises(BadScope):
        await make(db, lee, town.tree.busan, scopes=("jobs:everything",))
    async with db.transaction() as tx:
        with pytest.raises(BadDisplayName):
            await auth.make_token(tx, lee, NewToken(" ", town.tree.busan.id, Role.VIEWER, ("*:read",), tx.now + DAY))
    assert (await make(db, lee, town.tree.busan, valid_for=400 * DAY)).token


async def test_a_token_expires(db: Database):
    town = await settle(db)
    made = await make(db, town.lee.actor(), town.tree.busan, valid_for=DAY)
    await clock.advance(db, DAY - HOUR)
    assert await is_alive(db, made)

    await clock.advance(db, HOUR + MINUTE)

    assert not await is_alive(db, made)


async def test_a_revoked_token_is_nobody_at_once(db: Database):
    town = await settle(db)
    made = await make(db, town.lee.actor(), town.tree.busan)

    async with db.transaction() as tx:
        revoked = await auth.revoke_token(tx, town.boss, made.token.id)
        with pytest.raises(TokenOver):
            await auth.revoke_token(tx, town.boss, made.token.id)

    assert revoked.revoked_at is not None
    assert not await is_alive(db, made)


async def test_when_a_token_was_used_is_written_once_a_minute(db: Database):
    town = await settle(db)
    made = await make(db, town.lee.actor(), town.tree.busan)

    assert made.token.last_used_at is None
    await is_alive(db, made)
    first = (await look(db, town, made)).last_used_at
    await clock.advance(db, timedelta(seconds=30))
    await is_alive(db, made)
    soon = (await look(db, town, made)).last_used_at
    await clock.advance(db, MINUTE)
    await asyncio.gather(*(is_alive(db, made) for _ in range(5)))
    later = (await look(db, town, made)).last_used_at

    assert first is not None
    assert soon == first
    assert later is not None
    assert later > first + MINUTE


async def test_a_rotated_token_works_beside_the_new_one_until_the_overlap_is_over(db: Database):
    town = await settle(db)
    old = await make(db, town.lee.actor(), town.tree.haeundae)

    async with db.transaction() as tx:
        new = await auth.rotate_token(tx, town.lee.actor(), old.token.id)

    assert await is_alive(db, old)
    assert await is_alive(db, new)
    assert (new.token.name, new.token.unit_id, new.token.role, new.token.scopes) == (
        old.token.name, old.token.unit_id, old.token.role, old.token.scopes
    )  # fmt: skip
    assert [(await look(db, town, one)).replaced_by for one in (old, new)] == [new.token.id, None]
    assert new.token.replaces == old.token.id
    await clock.advance(db, 24 * HOUR + MINUTE)
    assert not await is_alive(db, old)
    assert await is_alive(db, new)


async def test_a_rotation_never_lengthens_the_old_ones_life(db: Database):
    town = await settle(db)
    old = await make(db, town.lee.actor(), town.tree.haeundae, valid_for=HOUR)

    async with db.transaction() as tx:
        await auth.rotate_token(tx, town.lee.actor(), old.token.id, expires_at=tx.now + DAY, overlap=2 * DAY)

    assert (await look(db, town, old)).expires_at == old.token.expires_at


async def test_of_two_who_rotate_a_token_at_once_one_does(db: Database):
    town = await settle(db)
    old = await make(db, town.lee.actor(), town.tree.haeundae)

    async def rotate_too() -> None:
        async with db.transaction() as tx:
            await auth.rotate_token(tx, ENGINE, old.token.id)

    async with db.transaction() as tx:
        new = await auth.rotate_token(tx, town.boss, old.token.id)
        rotating = asyncio.create_task(rotate_too())
        await until_somebody_waits(db)

    with pytest.raises(TokenOver):
        await rotating
    assert (await look(db, town, old)).replaced_by == new.token.id


async def test_a_dead_token_is_not_rotated(db: Database):
    town = await settle(db)
    revoked, expired = [
        await make(db, town.lee.actor(), town.tree.busan, valid_for=valid_for) for valid_for in (DAY, HOUR)
    ]
    async with db.transaction() as tx:
        await auth.revoke_token(tx, town.boss, revoked.token.id)
    await clock.advance(db, 2 * HOUR)

    async with db.transaction() as tx:
        for dead in (revoked, expired):
            with pytest.raises(TokenOver):
                await auth.rotate_token(tx, town.boss, dead.token.id)


async def test_one_does_not_see_tokens_of_others(db: Database):
    town = await settle(db)
    at_busan, at_haeundae = [await make(db, town.boss, unit) for unit in (town.tree.busan, town.tree.haeundae)]

    async with db.transaction() as tx:
        choi = town.choi.actor()
        assert await auth.list_tokens(tx, await visible_to(tx, choi)) == []
        for verb in (auth.revoke_token, auth.rotate_token):
            with pytest.raises(TokenNotFound):
                await verb(tx, choi, at_busan.token.id)
        seen = await auth.list_tokens(tx, await visible_to(tx, town.lee.actor()))
        page = await auth.list_tokens(tx, await visible_to(tx, town.boss), before=seen[0].id)

    assert [token.id for token in seen] == [at_haeundae.token.id, at_busan.token.id]
    assert [token.id for token in page] == [at_busan.token.id]
    assert await is_alive(db, at_busan)


async def test_a_tokens_maker_takes_it_with_them(db: Database):
    town = await settle(db)
    lees, kims = await make(db, town.lee.actor(), town.tree.haeundae), await make(db, town.boss, town.tree.haeundae)
    program = await auth.find_token(
        db, (await make(db, town.lee.actor(), town.tree.busan, Role.ADMIN, ("*:manage",))).secret
    )
    assert program is not None
    child = await make(db, program, town.tree.busan)

    async with db.transaction() as tx:
        await auth.deactivate_user(tx, town.boss, town.lee.id)

    assert [await is_alive(db, one) for one in (lees, child, kims)] == [False, False, True]
    with pytest.raises(NotAllowed):
        await make(db, program, town.tree.busan)


async def test_a_token_made_while_its_maker_is_deactivated_does_not_outlive_them(db: Database):
    town = await settle(db)

    async def deactivate() -> None:
        async with db.transaction() as tx:
            await auth.deactivate_user(tx, town.boss, town.lee.id)

    makers = [make(db, town.lee.actor(), town.tree.busan) for _ in range(8)]
    answers = await asyncio.gather(*makers[:4], deactivate(), *makers[4:], return_exceptions=True)

    made = [one for one in answers if isinstance(one, MadeToken)]
    assert all(one is None or isinstance(one, MadeToken | NotAllowed) for one in answers)
    assert [await is_alive(db, one) for one in made] == [False] * len(made)


async def test_a_makers_tokens_are_revoked_when_they_are_moved_or_get_another_role(db: Database):
    town = await settle(db)
    changes: tuple[dict[str, Any], ...] = ({"role": Role.OPERATOR}, {"unit_id": town.tree.haeundae.id})
    for change in changes:
        lee = replace(await again(db, town.lee), role=Role.ADMIN)
        async with db.transaction() as tx:
            await store.update_user(tx, lee)
        tokens = [await make(db, lee.actor(), town.tree.haeundae, role) for role in (Role.ADMIN, Role.VIEWER)]
        kims = await make(db, town.boss, town.tree.haeundae)

        async with db.transaction() as tx:
            await auth.edit_user(tx, town.boss, town.lee.id, **change)

        assert [await is_alive(db, one) for one in (*tokens, kims)] == [False, False, True]
        [entry, *_] = await said_of(db, "users.edit")
        assert entry.after is not None
        assert set(entry.after["tokens_revoked"]) == {one.token.id for one in tokens}


async def test_a_token_for_a_unit_that_was_moved_away_from_its_maker_is_nobody(db: Database):
    """Lee of Busan holds one for Haeundae, which goes to Seoul: it shows nothing of Seoul's branch."""
    town = await settle(db)
    own, away = await make(db, town.lee.actor(), town.tree.busan), await make(db, town.lee.actor(), town.tree.haeundae)
    kims = await make(db, town.boss, town.tree.haeundae)
    at_the_command_line = await make(db, ENGINE, town.tree.haeundae)

    async with db.transaction() as tx:
        await tenants.move_unit(tx, town.boss, town.tree.haeundae.id, parent_id=town.tree.seoul.id)

    found = [await auth.find_token(db, one.secret) is not None for one in (own, away, kims, at_the_command_line)]
    assert found == [True, False, True, True]


async def test_making_rotating_and_revoking_are_audited(db: Database):
    town = await settle(db)
    made = await make(db, town.lee.actor("198.51.100.9"), town.tree.haeundae)
    async with db.transaction() as tx:
        new = await auth.rotate_token(tx, town.boss, made.token.id)
        await auth.revoke_token(tx, town.boss, new.token.id)

    revoked, rotated, first = await said_of(db, "tokens.*")

    assert (first.action, first.actor, first.about) == ("tokens.make", f"user:{town.lee.id}", f"token:{made.token.id}")
    assert (first.origin, first.unit_id) == ("198.51.100.9", town.tree.haeundae.id)
    assert rotated.after is not None
    assert rotated.after["replaces"] == made.token.id
    assert (revoked.action, revoked.about) == ("tokens.revoke", f"token:{new.token.id}")


async def test_tokens_that_are_long_over_are_pruned(db: Database):
    town = await settle(db)
    over, alive = [await make(db, town.boss, town.tree.hq, valid_for=valid_for) for valid_for in (DAY, 300 * DAY)]
    await clock.advance(db, 90 * DAY)
    assert await auth.prune_once(db) == 0

    await clock.advance(db, 2 * DAY)

    assert await auth.prune_once(db) == 1
    assert await is_alive(db, alive)
    with pytest.raises(TokenNotFound):
        await look(db, town, over)


async def test_a_scope_narrows_what_a_token_may(db: Database):
    town = await settle(db)
    made = await make(db, town.boss, town.tree.busan, Role.OPERATOR, ("jobs:manage", "facts:read"))

    actor = await auth.find_token(db, made.secret)

    assert actor is not None
    assert actor.may(Right.WRITE, "jobs")
    assert not actor.may(Right.MANAGE, "jobs")
    assert not actor.may(Right.WRITE, "facts")
    assert not actor.may(Right.READ, "people")


async def look(db: Database, town: Town, made: MadeToken) -> auth.Token:
    async with db.transaction() as tx:
        return await auth.get_token(tx, await visible_to(tx, town.boss), made.token.id)
