"""A routed job starts only where the route is held, and writes only while its epoch is current (I11)."""

from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.base.errors import Conflict
from pabal.engine import claims, reports, routes, workers
from pabal.engine.claims import RouteLost, fenced, holding
from pabal.engine.kinds import Job, Report
from pabal.engine.outcome import Done, Outcome, Retry
from pabal.engine.queue import Priority
from tests.support.work import (
    BOT,
    PLAIN,
    advance,
    begin_blocked,
    begin_life,
    claim,
    claim_routed,
    counters,
    crash,
    enqueue,
    expire,
    hold_route,
    leases,
    place,
    places,
    results,
    settle,
    start,
    told,
)

HOUR = timedelta(hours=1)


async def start_routed(db: Database) -> tuple[int, Job]:
    """A job that runs on the worker that holds its route."""
    await enqueue(db, route=BOT)
    worker = await begin_life(db)
    await hold_route(db, worker)
    [job] = await claim_routed(db, worker)
    return worker, job


async def test_a_routed_job_starts_only_where_its_route_is_held(db: Database) -> None:
    job_id = await enqueue(db, route=BOT)
    holder, other = await begin_life(db), await begin_life(db)
    held = await hold_route(db, holder)

    assert await claim(db, other) == []
    assert await claim_routed(db, other) == []
    [job] = await claim_routed(db, holder)

    assert (job.id, job.queue, job.route_epoch) == (job_id, BOT, held.epoch)


async def test_only_kinds_this_server_knows_are_claimed_on_a_route(db: Database) -> None:
    unknown = await enqueue(db, "newer.kind", route=BOT)
    known = await enqueue(db, route=BOT)
    worker = await begin_life(db)
    await hold_route(db, worker)

    assert [job.id for job in await claim_routed(db, worker)] == [known]
    assert await places(db, unknown) == ["ready"]


async def test_on_a_route_too_priorities_go_first(db: Database) -> None:
    low = await enqueue(db, route=BOT, priority=Priority.LOW)
    urgent = await enqueue(db, route=BOT, priority=Priority.URGENT)
    worker = await begin_life(db)
    await hold_route(db, worker)

    assert [job.id for job in await claim_routed(db, worker)] == [urgent, low]


async def test_each_holding_has_an_epoch_of_its_own(db: Database) -> None:
    one, other = await begin_life(db), await begin_life(db)

    epochs = [(await hold_route(db, worker)).epoch for worker in (one, other, one, one)]

    assert len(set(epochs)) == 4
    async with db.transaction() as tx:
        assert await routes.find_route(tx, BOT) == routes.Route(BOT, one, epochs[-1])
        assert await routes.list_routes(tx, worker=one) == [BOT]
        assert await routes.list_routes(tx, worker=other) == []


@pytest.mark.parametrize("outcome", [Done(), Retry("bad")], ids=["Done", "Retry"])
async def test_after_a_takeover_the_job_is_handed_back_with_nothing_counted(db: Database, outcome: Outcome) -> None:
    worker, job = await start_routed(db)
    await hold_route(db, await begin_life(db))

    settled = await settle(db, job, outcome, worker=worker)

    assert (settled.count, settled.stale) == (1, [])
    assert await results(db, job.id) == [(1, "returned", False)]
    assert (await places(db, job.id), await counters(db, job.id)) == (["ready"], (0, 0, 0))


async def test_after_a_takeover_nothing_of_the_old_holder_is_kept(db: Database) -> None:
    worker, job = await start_routed(db)
    await hold_route(db, await begin_life(db))

    async with db.transaction() as tx:
        assert await reports.write(tx, worker, [(job, Report({"part": 1}))]) == set()
    with pytest.raises(RouteLost):
        async with fenced(db, job):
            pass

    assert (await place(db, job.id)).progress is None


async def test_the_old_holder_is_told_to_stop(db: Database) -> None:
    worker, job = await start_routed(db)
    await hold_route(db, await begin_life(db))

    async with db.transaction() as tx:
        signals = await workers.list_signals(tx, worker)

    assert [(one.id, one.token, one.is_cancelled) for one in signals] == [(job.id, 1, False)]


async def test_while_the_epoch_is_current_everything_is_kept(db: Database) -> None:
    worker, job = await start_routed(db)

    async with fenced(db, job) as tx:
        assert await reports.write(tx, worker, [(job, Report({"part": 1}))]) == {job.key}
        assert await workers.list_signals(tx, worker) == []
    await settle(db, job, Done(), worker=worker)

    assert await results(db, job.id) == [(1, "done", True)]


async def test_reconnecting_to_the_same_server_ends_the_old_epoch_too(db: Database) -> None:
    worker, job = await start_routed(db)
    await hold_route(db, worker)

    await settle(db, job, Done(), worker=worker)

    assert await results(db, job.id) == [(1, "returned", False)]
    [again] = await claim_routed(db, worker)
    assert again.token == 2


async def test_a_released_route_starts_nothing_and_hands_back_what_runs(db: Database) -> None:
    worker, job = await start_routed(db)
    waiting = await enqueue(db, route=BOT)
    async with db.transaction() as tx:
        held = await routes.find_route(tx, BOT)
        assert held is not None
        assert await routes.release_route(tx, held)

    assert await claim_routed(db, worker) == []
    await settle(db, job, Done(), worker=worker)

    assert await places(db, job.id, waiting) == ["ready", "ready"]


async def test_who_was_replaced_cannot_release_the_route_of_another(db: Database) -> None:
    old = await hold_route(db, await begin_life(db))
    new = await hold_route(db, await begin_life(db))

    async with db.transaction() as tx:
        assert not await routes.release_route(tx, old)
        assert await routes.find_route(tx, BOT) == new


async def test_a_takeover_waits_for_a_claim_that_is_under_way(db: Database) -> None:
    await enqueue(db, route=BOT)
    one, other = await begin_life(db), await begin_life(db)
    held = await hold_route(db, one)
    async with db.transaction() as tx:
        await workers.hold_life(tx, one)
        [job] = await claims.claim_routed(tx, one, [BOT], kinds=[PLAIN], total=1)
        taking = await begin_blocked(db, hold_route(db, other))
    taken = await taking

    assert job.route_epoch == held.epoch
    assert taken.epoch != held.epoch
    await settle(db, job, Done(), worker=one)
    assert await results(db, job.id) == [(1, "returned", False)]


async def test_the_routes_of_a_dead_worker_go_with_it(db: Database) -> None:
    worker, job = await start_routed(db)

    await crash(db, worker)

    async with db.transaction() as tx:
        assert await routes.find_route(tx, BOT) is None
    assert await places(db, job.id) == ["ready"]


async def test_a_life_that_is_over_holds_no_route(db: Database) -> None:
    worker = await begin_life(db)
    await crash(db, worker)

    with pytest.raises(Conflict):
        await hold_route(db, worker)

    async with db.transaction() as tx:
        assert await routes.find_route(tx, BOT) is None


async def test_a_goodbye_lets_the_routes_go(db: Database) -> None:
    worker = await begin_life(db)
    await hold_route(db, worker)

    async with db.transaction() as tx:
        await workers.leave(tx, worker)

    async with db.transaction() as tx:
        assert await routes.find_route(tx, BOT) is None
        assert await workers.list_workers(tx) == []


async def test_a_job_whose_route_stays_away_expires_with_a_reason(db: Database) -> None:
    async with db.transaction() as tx:
        soon = tx.now + HOUR
    job_id = await enqueue(db, route=BOT, expires_at=soon)
    await advance(db, 3601)

    await expire(db)

    assert await results(db, job_id) == [(1, "expired", True)]
    assert await told(db, job_id) == ["expired"]
    assert await leases(db) == []


async def test_many_attempts_are_fenced_at_once_and_each_learns_what_it_lost(db: Database) -> None:
    _, routed = await start_routed(db)
    plain, lost = await start(db), await start(db)
    await settle(db, lost, Done())

    async with holding(db, [routed, plain, lost]) as (_, before):
        pass
    await hold_route(db, await begin_life(db))
    async with holding(db, [routed, plain]) as (_, after):
        pass

    assert before == {routed.key: True, plain.key: True}
    assert after == {routed.key: False, plain.key: True}
