"""Bulks as durable work: many rows go on without whoever asked, with the rights they have then, and each once."""

from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging.resources import SCHEDULE
from pabal.base.database import Database
from pabal.engine.inside import InsideWork
from pabal.platform import auth, bulks
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.auth import NewUser
from pabal.platform.bulks import Order
from tests.support.messaging import World, add_schedule, make_world

COUNT = bulks.AT_ONCE + 5
NOUNS = {"messaging.schedules": SCHEDULE}


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


def _hands(_actor: Actor) -> Any:
    return dict.fromkeys


def _inside(db: Database) -> InsideWork:
    return InsideWork(db, bulks.make_kinds(lambda: NOUNS, _hands))


async def _drain(db: Database) -> None:
    work = _inside(db)
    while await work.run_once():
        pass


async def _start(db: Database, world: World, actor: Actor, verb: str = "pause", **more: Any) -> int:
    order = bulks.make_order(NOUNS, "messaging.schedules", verb, {})
    keys = [str(await add_schedule(world, title=f"{n}")) for n in range(COUNT)]
    async with db.transaction() as tx:
        made = await bulks.start(tx, actor, order, keys, lang="ko", hands=_hands(actor), **more)
    return made.id


async def _person(db: Database, world: World, role: Role) -> Actor:
    admin = Actor("cli:test", None, Role.ADMIN)
    async with db.transaction() as tx:
        user = await auth.add_user(tx, admin, NewUser("bulk@example.com", "Kim", world.tree.haeundae.id, role))
    return user.actor()


async def test_many_rows_are_durable_work_that_ends_by_itself(db: Database, world: World) -> None:
    actor = await _person(db, world, Role.OPERATOR)
    bulk_id = await _start(db, world, actor)

    async with db.transaction() as tx:
        before = await bulks.get_bulk(tx, actor.name, bulk_id)
    await _inside(db).run_once()
    async with db.transaction() as tx:
        between = await bulks.get_bulk(tx, actor.name, bulk_id)
    await _drain(db)
    async with db.transaction() as tx:
        after = await bulks.get_bulk(tx, actor.name, bulk_id)
        rows = await bulks.list_rows(tx, bulk_id)

    assert (before.state, before.done) == ("running", 0)
    assert (between.state, between.done) == ("running", bulks.AT_ONCE)
    assert (after.state, after.done, after.refused) == ("done", COUNT, 0)
    assert {row.result for row in rows} == {"done"}
    assert rows[0].title == "0"


async def test_rows_that_were_done_are_never_done_again(db: Database, world: World) -> None:
    actor = await _person(db, world, Role.OPERATOR)
    bulk_id = await _start(db, world, actor)
    await _drain(db)

    async with db.transaction() as tx:
        again = await bulks.start(
            tx,
            actor,
            Order("messaging.schedules", SCHEDULE, SCHEDULE.for_many["pause"], {}),
            ["1"],
            lang="ko",
            hands=_hands(actor),
            request="form",
        )
        same = await bulks.start(
            tx,
            actor,
            Order("messaging.schedules", SCHEDULE, SCHEDULE.for_many["pause"], {}),
            ["1"],
            lang="ko",
            hands=_hands(actor),
            request="form",
        )

    assert again.id == same.id != bulk_id


async def test_whoever_lost_their_account_does_nothing_more(db: Database, world: World) -> None:
    actor = await _person(db, world, Role.OPERATOR)
    bulk_id = await _start(db, world, actor)
    async with db.transaction() as tx:
        await auth.deactivate_user(tx, Actor("cli:test", None, Role.ADMIN), int(actor.name.partition(":")[2]))

    await _drain(db)

    async with db.transaction() as tx:
        after = await bulks.get_bulk(tx, actor.name, bulk_id)
    assert (after.state, after.done, after.refused) == ("failed", 0, COUNT)


async def test_a_viewer_starts_none_and_looks_at_what_none_would_do(db: Database, world: World) -> None:
    actor = await _person(db, world, Role.VIEWER)
    order = bulks.make_order(NOUNS, "messaging.schedules", "pause", {})

    with pytest.raises(NotAllowed):
        await _start(db, world, actor)
    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await bulks.preview(tx, actor, order, ["1"], lang="ko", hands=_hands(actor))


async def test_what_whoever_became_a_viewer_had_asked_for_is_refused_row_by_row(db: Database, world: World) -> None:
    actor = await _person(db, world, Role.OPERATOR)
    bulk_id = await _start(db, world, actor)
    async with db.transaction() as tx:
        number = int(actor.name.partition(":")[2])
        await auth.edit_user(tx, Actor("cli:test", None, Role.ADMIN), number, role=Role.VIEWER)

    await _drain(db)

    async with db.transaction() as tx:
        rows = await bulks.list_rows(tx, bulk_id)
    assert {row.code for row in rows} == {"not_allowed"}
    assert rows[0].why == "권한이 없습니다." or rows[0].why


async def test_a_command_does_the_rest_where_no_server_is(db: Database, world: World) -> None:
    actor = Actor("cli:kim", None, Role.ADMIN, label="kim")
    bulk_id = await _start(db, world, actor)
    told: list[int] = []

    done = await bulks.finish(db, bulk_id, nouns=NOUNS, hands=_hands, tell=lambda bulk: told.append(bulk.done))
    await _drain(db)

    assert (done.state, done.done) == ("done", COUNT)
    assert told[0] == bulks.AT_ONCE
