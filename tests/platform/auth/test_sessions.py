import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.auth import Caller, Lifetimes, Preferences, Session, SessionNotFound, sessions, tokens
from tests.engine.test_plans import explain, nodes
from tests.platform.auth.support import DAY, HOUR, MINUTE, add, enter, everything_stored, said_of, settle
from tests.support.people import plant


async def find(db: Database, key: str, **given: object) -> Session | None:
    return await auth.find_session(db, key, **given)  # type: ignore[arg-type]


async def seen_at(db: Database, actor: Actor) -> datetime:
    async with db.transaction() as tx:
        [session] = await auth.list_sessions(tx, actor)
    return session.seen_at


async def test_the_key_in_the_cookie_is_the_person(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)
    async with db.transaction() as tx:
        await auth.set_preferences(tx, town.park.actor(), Preferences("en", "Europe/Berlin", "dark"))

    session = await find(db, signed.key, origin="198.51.100.9")

    assert session is not None
    assert session.id == signed.session_id
    assert session.actor == town.park.actor("198.51.100.9")
    assert session.actor.name == f"user:{town.park.id}"
    assert session.login == "park"
    assert session.preferences == Preferences("en", "Europe/Berlin", "dark")


async def test_another_key_is_nobody(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)

    assert [await find(db, key) for key in ("", signed.key[:-1], signed.key + "x", "\ud800", "nul\x00")] == [None] * 5


async def test_the_key_is_stored_nowhere(db: Database):
    town = await settle(db)

    signed = await enter(db, town.park)

    assert signed.key not in await everything_stored(db)


async def test_a_form_token_is_good_for_its_session_only(db: Database):
    town = await settle(db)
    one, two = await enter(db, town.park), await enter(db, town.park)

    session = await find(db, one.key)

    assert session is not None
    assert session.has_csrf(auth.csrf_of(one.key))
    assert not session.has_csrf(auth.csrf_of(two.key))
    assert not session.has_csrf("")


async def test_a_session_ends_after_twelve_hours_without_a_request(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)
    await clock.advance(db, 11 * HOUR)
    assert await find(db, signed.key)
    await clock.advance(db, 11 * HOUR)
    assert await find(db, signed.key)

    await clock.advance(db, 12 * HOUR + MINUTE)

    assert await find(db, signed.key) is None


async def test_a_session_ends_after_fourteen_days_however_busy(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)
    for _ in range(28):
        assert await find(db, signed.key)
        await clock.advance(db, 12 * HOUR - MINUTE)
    assert await find(db, signed.key)

    await clock.advance(db, HOUR)

    assert await find(db, signed.key) is None


async def test_other_lifetimes_can_be_set(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)
    await clock.advance(db, 2 * MINUTE)
    assert await find(db, signed.key, lifetimes=Lifetimes(idle=5 * MINUTE))

    await clock.advance(db, 6 * MINUTE)

    assert await find(db, signed.key) is None


async def test_that_a_session_was_seen_is_written_once_a_minute(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)
    began = await seen_at(db, town.park.actor())

    await clock.advance(db, timedelta(seconds=50))
    await find(db, signed.key)
    soon = await seen_at(db, town.park.actor())
    await clock.advance(db, timedelta(seconds=11))
    await asyncio.gather(*(find(db, signed.key) for _ in range(5)))
    later = await seen_at(db, town.park.actor())

    assert soon == began
    assert later >= began + MINUTE


async def test_looking_up_a_session_does_not_wait_for_another_request_that_does(db: Database):
    town = await settle(db)
    signed = await enter(db, town.park)
    await clock.advance(db, 2 * MINUTE)

    async with db.transaction() as tx, asyncio.timeout(30):
        assert await auth.find_session(tx, signed.key)
        assert await find(db, signed.key)


async def test_one_lists_and_revokes_only_sessions_of_ones_own(db: Database):
    town = await settle(db)
    mine, other = await enter(db, town.park, Caller("203.0.113.7", "Safari")), await enter(db, town.lee)

    async with db.transaction() as tx:
        listed = await auth.list_sessions(tx, town.park.actor())
        with pytest.raises(SessionNotFound):
            await auth.revoke_session(tx, town.park.actor(), other.session_id)
        await auth.revoke_session(tx, town.park.actor(), mine.session_id)

    assert [(one.id, one.origin, one.agent) for one in listed] == [(mine.session_id, "203.0.113.7", "Safari")]
    assert await find(db, mine.key) is None
    assert await find(db, other.key)
    assert [entry.about for entry in await said_of(db, "sessions.revoke")] == [f"session:{mine.session_id}"]


async def test_all_other_sessions_can_be_revoked_at_once(db: Database):
    town = await settle(db)
    here, there, elsewhere, lees = [await enter(db, who) for who in (town.park, town.park, town.park, town.lee)]

    async with db.transaction() as tx:
        ended = await auth.revoke_other_sessions(tx, town.park.actor(), keep=here.session_id)

    assert ended == 2
    assert [bool(await find(db, one.key)) for one in (here, there, elsewhere, lees)] == [True, False, False, True]


async def test_a_program_has_no_sessions_of_its_own(db: Database):
    await plant(db)

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await auth.list_sessions(tx, ENGINE)


async def test_another_role_or_unit_ends_the_sessions_and_a_new_one_has_it(db: Database):
    town = await settle(db)
    changes: tuple[dict[str, Any], ...] = ({"role": Role.VIEWER}, {"unit_id": town.tree.nampo.id})
    for change in changes:
        signed = await enter(db, town.park)
        async with db.transaction() as tx:
            await auth.edit_user(tx, town.boss, town.park.id, **change)
        assert await find(db, signed.key) is None

    session = await find(db, (await enter(db, town.park)).key)

    assert session is not None
    assert (session.actor.role, session.actor.unit_id) == (Role.VIEWER, town.tree.nampo.id)
    assert [entry.after and entry.after.get("sessions_ended") for entry in await said_of(db, "users.edit")] == [1, 1]


async def test_sessions_that_are_over_are_pruned_and_the_others_stay(db: Database):
    town = await settle(db)
    await enter(db, town.park)
    await clock.advance(db, DAY)
    signed = await enter(db, town.park)

    pruned = await auth.prune_once(db)

    assert pruned == 1
    assert await find(db, signed.key)


async def test_a_request_finds_its_session_or_token_by_index_alone(db: Database):
    tree = await plant(db)
    await add(db, "kim", tree.hq, Role.ADMIN)

    async with db.transaction() as tx:
        for statement in (sessions.SQL.find_session, tokens.SQL.find_token):
            plan = await explain(tx, statement)
            scans = [node for node in nodes(plan) if node["Node Type"] in ("Seq Scan", "Index Scan", "Index Only Scan")]

            assert {node["Node Type"] for node in scans if node["Relation Name"] != "clock_shift"} == {"Index Scan"}
            assert all("Index Cond" in node for node in scans if node["Relation Name"] != "clock_shift")
