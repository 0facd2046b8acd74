"""Draining a server: by administrators of the whole house, and written down."""

import pytest

from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.workers import ServerNotFound
from pabal.platform import audit, operating
from pabal.platform.actor import NotAllowed, Role
from pabal.platform.tenants import visible_to
from tests.support.people import Tree, person, plant
from tests.support.work import begin_life, claim, enqueue


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


async def test_a_server_drains_until_it_is_told_to_take_work_again(db: Database, tree: Tree) -> None:
    worker = await begin_life(db)
    await enqueue(db)
    await claim(db, worker)
    text, hq = ids.show("wrk", worker), person(tree.hq)

    async with db.transaction() as tx:
        draining = await operating.drain_server(tx, hq, text)
        taking = await operating.undrain_server(tx, hq, text)
        entries = await audit.list_entries(tx, audit.Wanted(action="servers.*"))

    assert (draining.state, draining.drain_at is not None, taking.state) == ("draining", True, "ok")
    assert [(one.action, one.about) for one in entries] == [("servers.undrain", text), ("servers.drain", text)]


async def test_one_that_drains_and_runs_nothing_is_drained(db: Database, tree: Tree) -> None:
    worker = await begin_life(db)

    async with db.transaction() as tx:
        server = await operating.drain_server(tx, person(tree.hq), ids.show("wrk", worker))

    assert server.state == "drained"


async def test_a_branch_finds_no_server(db: Database, tree: Tree) -> None:
    text = ids.show("wrk", await begin_life(db))
    branch = person(tree.nampo)

    async with db.transaction() as tx:
        scope = await visible_to(tx, branch)
        assert await operating.list_servers(tx, scope) == []
        with pytest.raises(ServerNotFound):
            await operating.drain_server(tx, branch, text)


async def test_an_operator_does_not_drain(db: Database, tree: Tree) -> None:
    text = ids.show("wrk", await begin_life(db))

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await operating.drain_server(tx, person(tree.hq, Role.OPERATOR), text)


async def test_a_server_that_is_gone_is_not_found(db: Database, tree: Tree) -> None:
    async with db.transaction() as tx:
        with pytest.raises(ServerNotFound):
            await operating.drain_server(tx, person(tree.hq), ids.show("wrk", 7))
