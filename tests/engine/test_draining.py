"""A server that drains takes nothing more, finishes what it has, and lets its routes go when nothing needs them."""

from pathlib import Path

import pytest

from pabal.base.database import Database
from pabal.engine import listing, routes, workers
from pabal.engine.kinds import Job, Kinds
from pabal.engine.life import Life
from pabal.engine.outcome import Done
from pabal.engine.routes import ServerDraining
from pabal.engine.workers import ServerNotFound
from tests.support.servers import Gate, enqueue_via, serving, until, until_ended
from tests.support.work import BOT, KINDS, begin_life, claim, claim_one, claim_routed, enqueue, lapse, places, settle
from tests.support.work import hold_route as hold

GATED = "test.gated"


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


async def drain(db: Database, worker: int, *, is_draining: bool = True) -> None:
    async with db.transaction() as tx:
        await workers.set_drain(tx, worker, is_draining=is_draining)


async def held(db: Database, worker: int) -> list[str]:
    async with db.transaction() as tx:
        return await routes.list_routes(tx, worker=worker)


async def test_what_runs_finishes_and_what_comes_waits_until_it_takes_work_again(db: Database, locks: Path) -> None:
    gate, kinds = Gate(), Kinds()

    @kinds.plain(GATED)
    async def wait(job: Job) -> None:
        await gate(job)

    async with serving(db, kinds, locks) as server:
        first = await enqueue_via(server, GATED)
        await gate.until_begun()
        await drain(server.database, server.life.worker)
        await until(lambda: server.life.is_draining)
        second = await enqueue_via(server, GATED)
        gate.open.set()
        await until_ended(db, first)
        assert await places(db, second) == ["ready"]

        await drain(server.database, server.life.worker, is_draining=False)
        await until_ended(db, second)


async def test_an_exchange_that_has_not_heard_of_it_claims_nothing_more(db: Database) -> None:
    worker = await begin_life(db)
    await hold(db, worker)
    await drain(db, worker)
    made = [await enqueue(db), await enqueue(db, route=BOT)]

    draining = [*await claim(db, worker), *await claim_routed(db, worker)]
    await drain(db, worker, is_draining=False)
    again = [*await claim(db, worker), *await claim_routed(db, worker)]

    assert (draining, [job.id for job in again]) == ([], made)


async def test_a_server_says_how_many_slots_it_has_and_how_much_of_them_is_taken(db: Database, locks: Path) -> None:
    meta = {"roles": ["worker"], "kinds": ["a.b"]}

    async with serving(db, Kinds(), locks, concurrency=4, meta=meta), db.transaction() as tx:
        [server] = await listing.list_servers(tx)

    assert (server.slots, server.load, server.roles, server.kinds, server.state) == (4, 0.0, ["worker"], ["a.b"], "ok")


async def test_routes_go_when_nothing_of_it_runs_any_more(db: Database, locks: Path) -> None:
    life = Life(db, KINDS, locks=locks, meta={})
    await life.beat_once()
    await hold(db, life.worker)
    await enqueue(db)
    job = await claim_one(db, life.worker)
    await drain(db, life.worker)

    await life.beat_once()
    while_it_runs = await held(db, life.worker)
    await settle(db, job, Done())
    await life.beat_once()

    assert (len(while_it_runs), await held(db, life.worker)) == (1, [])
    await life.end()


async def test_whoever_holds_connections_is_told_once_each_way(db: Database, locks: Path) -> None:
    life = Life(db, KINDS, locks=locks, meta={})
    heard: list[bool] = []
    life.on_drain.append(heard.append)
    await life.beat_once()

    await drain(db, life.worker)
    await life.beat_once()
    await life.beat_once()
    await drain(db, life.worker, is_draining=False)
    await life.beat_once()

    assert heard == [True, False]
    await life.end()


async def test_a_new_life_of_a_draining_process_drains_on(db: Database, locks: Path) -> None:
    life = Life(db, KINDS, locks=locks, meta={})
    await life.beat_once()
    await drain(db, life.worker)
    await life.beat_once()
    first = life.worker
    await lapse(db, first)

    await life.beat_once()
    await life.beat_once()

    async with db.transaction() as tx:
        assert await workers.is_draining(tx, life.worker)
    assert (life.worker not in (0, first), life.is_draining) == (True, True)
    await life.end()


async def test_it_takes_no_more_connections(db: Database) -> None:
    worker = await begin_life(db)
    await drain(db, worker)

    async with db.transaction() as tx:
        with pytest.raises(ServerDraining):
            await routes.hold_route(tx, "bot:busan1", worker=worker)


async def test_only_a_server_that_is_there_drains(db: Database) -> None:
    with pytest.raises(ServerNotFound):
        await drain(db, 7)
