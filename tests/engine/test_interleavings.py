"""Two transactions at once, step by step. Each fence has a broken variant here, and the same story must catch it."""

from datetime import timedelta
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.base.sql import Statement
from pabal.engine import claims, delays, reports, routes, withdrawals, workers
from pabal.engine.claims import LeaseLost, fenced
from pabal.engine.endings import Returned
from pabal.engine.exchange import Capacity, Exchange
from pabal.engine.kinds import Job, Stop
from pabal.engine.outcome import Done, Retry
from pabal.engine.queue import Priority
from tests.engine import broken
from tests.support.work import (
    BOT,
    KINDS,
    PLAIN,
    SQL,
    advance,
    begin_blocked,
    begin_life,
    cancel,
    claim,
    claim_in,
    claim_one,
    claim_routed,
    crash,
    enqueue,
    hold_route,
    holder,
    lapse,
    leases,
    places,
    rescue,
    results,
    settle,
    start,
    undone,
    wanted,
)

NO_TTL = timedelta(0)
MINUTE = timedelta(minutes=1)


variants = pytest.mark.parametrize("is_broken", [False, True], ids=["ours", "broken"])


async def test_rescue_passes_over_a_life_that_is_claiming_and_gets_it_next_time(db: Database) -> None:
    job_id = await enqueue(db)
    worker = await begin_life(db)
    async with db.transaction() as tx:
        await claim_in(tx, worker)
        await lapse(db, worker)
        assert await rescue(db) == 0

    assert await rescue(db) == 1
    assert await places(db, job_id) == ["ready"]


@variants
async def test_a_claim_that_commits_while_rescue_looks_around_is_rescued_too(
    open_end: Database, is_broken: bool
) -> None:
    db = open_end
    job_id = await enqueue(db)
    worker = await begin_life(db)
    async with db.transaction() as tx:
        await tx.script(SQL.gate_liveness.text)
    async with db.transaction() as claiming:
        await claim_in(claiming, worker)
        await lapse(db, worker)
        async with db.transaction() as gate:
            await gate.rows(SQL.close_gate)
            step = rescue_in_one(db) if is_broken else rescue(db)
            rescuing = await begin_blocked(db, step)  # it has its snapshot, and no lock yet
            await commit(claiming)
        rescued = await rescuing

    await rescue(db)

    assert rescued == (0 if is_broken else 1)
    orphans = [(job_id, worker)] if is_broken else []
    assert await leases(db) == orphans


async def rescue_in_one(db: Database) -> int:
    async with db.transaction() as tx:
        return len(await tx.rows(broken.SQL.rescue_in_one, ttl=NO_TTL))


async def commit(tx: Tx) -> None:
    """Ends the work of an open transaction now; what its block still does is another transaction."""
    await tx.script("commit; begin")


async def test_an_exchange_holds_its_life_before_it_settles(db: Database) -> None:
    """Otherwise rescue waits for its leases, and its claim for rescue."""
    job = await start(db, lane="l")
    [(_, worker)] = await leases(db)
    room = Capacity(quick=1, slow=1, is_quick=lambda _: True)
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lane, lane="l")
        exchanging = await begin_blocked(db, Exchange(db, KINDS).run(worker, [(job, Done())], room))
        await lapse(db, worker)
        assert await rescue(db) == 0
    await exchanging

    assert await results(db, job.id) == [(1, "done", True)]


@variants
async def test_a_life_that_was_seen_cannot_be_buried_before_its_claim_commits(
    open_end: Database, is_broken: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = open_end
    job_id = await enqueue(db)
    worker = await begin_life(db)
    if is_broken:
        monkeypatch.setattr(claims.SQL, "claim", broken.without_key_share(claims.SQL.claim))
    async with db.transaction() as tx:
        [_] = await claims.claim(tx, worker, wanted(PLAIN), total=1)
        await lapse(db, worker)
        await rescue(db)

    await rescue(db)

    assert await leases(db) == ([(job_id, worker)] if is_broken else [])


async def test_rescue_waits_for_a_fenced_write_and_keeps_it(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await lapse(db, worker)
    async with fenced(db, job) as tx:
        rescuing = await begin_blocked(db, rescue(db))
        await claims.settle(tx, worker, [(job, Done())], KINDS, is_fenced=True)
    rescued = await rescuing

    assert rescued == 0
    assert await results(db, job.id) == [(1, "done", True)]


async def test_a_fence_that_waits_for_rescue_finds_its_lease_lost(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await lapse(db, worker)
    async with db.transaction() as tx:
        await workers._bury(tx, KINDS, await tx.rows(workers.SQL.bury_lapsed, ttl=NO_TTL))
        fencing = await begin_blocked(db, write_fenced(db, job))
    with pytest.raises(LeaseLost):
        await fencing

    assert await places(db, job.id) == ["ready"]


async def write_fenced(db: Database, job: Job) -> None:
    async with fenced(db, job):
        pass


async def start_routed(db: Database, **options: Any) -> tuple[int, Job]:
    await enqueue(db, route=BOT, **options)
    worker = await begin_life(db)
    await hold_route(db, worker)
    [job] = await claim_routed(db, worker)
    return worker, job


async def test_a_routed_fence_and_a_rescue_do_not_lock_each_other_out(db: Database) -> None:
    worker, job = await start_routed(db)
    await lapse(db, worker)
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lease, id=job.id)
        fencing = await begin_blocked(db, write_fenced(db, job))
        rescuing = await begin_blocked(db, rescue(db), others=1)

    await fencing
    assert await rescuing == 1


@variants
async def test_a_zombie_that_settles_ends_nobody_elses_attempt(db: Database, is_broken: bool) -> None:
    zombie = await start(db)
    [(_, dead)] = await leases(db)
    await crash(db, dead)
    current = await claim_one(db, await begin_life(db))
    statement = broken.SQL.end_leases_without_token if is_broken else claims.SQL.end_leases

    ended = await end_with(db, statement, zombie)

    assert ended == ([zombie.id] if is_broken else [])
    assert await places(db, current.id) == ["ended" if is_broken else "lease"]


async def end_with(db: Database, statement: Statement, job: Job) -> list[int]:
    async with db.transaction() as tx:
        rows = await tx.rows(statement, ids=[job.id], tokens=[job.token], results=["done"], errors=[None], datas=None)
        return [row["id"] for row in rows]


async def test_a_retry_that_meets_a_cancel_under_way_is_busy_and_then_cancelled(db: Database) -> None:
    job = await start(db)
    async with db.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [job.id], kinds=KINDS)
        during = await settle(db, job, Retry("bad"))
    after = await settle(db, job, Retry("bad"))

    assert (during.count, during.busy) == (0, [(job, Retry("bad"))])
    assert after.count == 1
    assert await results(db, job.id) == [(1, "cancelled", True)]


async def test_a_cancel_waits_for_a_retry_that_has_looked_whether_there_was_one(db: Database) -> None:
    job = await start(db)
    async with db.transaction() as tx:
        await claims._cancelled_first(tx, [(job, Retry("bad"))])
        cancelling = await begin_blocked(db, cancel(db, job.id))
        await claims.settle(tx, None, [(job, Retry("bad"))], KINDS)
    cancelled = await cancelling

    assert (cancelled.ended, cancelled.signalled) == ([job.id], [])


async def test_a_cancel_that_waits_for_a_retry_finds_the_job_where_it_went(db: Database) -> None:
    job = await start(db)
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Retry("bad"))], KINDS)
        cancelling = await begin_blocked(db, cancel(db, job.id))
    cancelled = await cancelling

    assert (cancelled.ended, cancelled.signalled) == ([job.id], [])
    assert await results(db, job.id) == [(1, "retry", False), (2, "cancelled", True)]


async def test_a_cancel_that_waits_for_a_hand_back_starts_no_new_attempt(db: Database) -> None:
    job = await start(db, lane="l")
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Returned("shutdown"))], KINDS)
        cancelling = await begin_blocked(db, cancel(db, job.id))
    await cancelling

    assert await claim(db, await begin_life(db)) == []
    assert await holder(db, "l") is None


async def test_who_takes_overdue_leases_passes_over_one_that_is_being_settled(db: Database) -> None:
    job = await start(db, deadline=MINUTE)
    await advance(db, 75)
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Done())], KINDS)
        assert await workers.take_overdue_once(db, KINDS) == 0

    assert await results(db, job.id) == [(1, "done", True)]


async def test_servers_that_promote_together_pass_over_what_another_is_promoting(db: Database) -> None:
    job_id = await enqueue(db, delay=MINUTE)
    await advance(db, 61)
    async with db.transaction() as tx:
        [_] = await tx.rows(delays.SQL.take_due, slice=10)
        assert await delays.promote_once(db) == 0

    assert await places(db, job_id) == ["ready"]


async def test_who_notes_stops_locks_leases_in_the_order_of_ids_however_they_stand_in_the_table(db: Database) -> None:
    """As handlers hold them, who mark what they did in one commit: otherwise each has what the other wants."""
    await enqueue(db)
    await enqueue(db, priority=Priority.HIGH)
    worker = await begin_life(db)
    last, first = await claim_one(db, worker), await claim_one(db, worker)
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lease, id=first.id)
        noting = await begin_blocked(db, note_stops_as_they_stand(db, [last, first]))
        await blocker.rows(SQL.lock_lease, id=last.id)
    await noting


async def note_stops_as_they_stand(db: Database, jobs: list[Job]) -> None:
    """By a plan that has no order of its own: no index, and the table before what is looked for in it."""
    async with db.transaction() as tx:
        await tx.script("discard plans")
        for way in ("indexscan", "bitmapscan", "hashjoin", "mergejoin", "material"):
            await tx.script(f"set local enable_{way} = off")
        await reports.note_stops(tx, [(job, Stop.SHUTDOWN) for job in jobs])


async def test_a_claim_passes_over_a_job_that_is_being_cancelled(db: Database) -> None:
    job_id = await enqueue(db)
    worker = await begin_life(db)
    async with db.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [job_id], kinds=KINDS)
        assert await claim(db, worker) == []

    assert await claim(db, worker) == []
    assert await results(db, job_id) == [(1, "cancelled", True)]


async def test_a_cancel_that_waits_for_a_claim_signals_it(db: Database) -> None:
    job_id = await enqueue(db)
    worker = await begin_life(db)
    async with db.transaction() as tx:
        [job] = await claim_in(tx, worker)
        cancelling = await begin_blocked(db, cancel(db, job_id))
    cancelled = await cancelling
    await settle(db, job, Retry("bad"))

    assert cancelled.signalled == [job_id]
    assert await results(db, job_id) == [(1, "cancelled", True)]


async def test_a_takeover_waits_for_a_settle_that_has_checked_the_epoch(db: Database) -> None:
    worker, job = await start_routed(db)
    async with db.transaction() as tx:
        await claims.settle(tx, worker, [(job, Done())], KINDS)
        taking = await begin_blocked(db, hold_route(db, await begin_life(db)))
    await taking

    assert await results(db, job.id) == [(1, "done", True)]


async def test_a_takeover_waits_for_a_fenced_write(db: Database) -> None:
    worker, job = await start_routed(db)
    async with fenced(db, job) as tx:
        taking = await begin_blocked(db, hold_route(db, await begin_life(db)))
        await claims.settle(tx, worker, [(job, Done())], KINDS, is_fenced=True)
    await taking

    assert await results(db, job.id) == [(1, "done", True)]


async def test_a_fenced_write_for_a_route_keeps_its_lease_from_who_takes_overdue_ones(db: Database) -> None:
    """The route does not tell them: only the lock on the lease does."""
    worker, job = await start_routed(db, deadline=MINUTE)
    await advance(db, 75)
    async with fenced(db, job) as tx:
        assert await workers.take_overdue_once(db, KINDS) == 0
        await claims.settle(tx, worker, [(job, Done())], KINDS, is_fenced=True)

    assert await results(db, job.id) == [(1, "done", True)]


async def test_two_claims_from_one_route_pass_over_each_other(db: Database) -> None:
    """A server has two exchanges under way, and both share the route."""
    first, second = await enqueue(db, route=BOT), await enqueue(db, route=BOT)
    worker = await begin_life(db)
    await hold_route(db, worker)
    async with db.transaction() as tx:
        held = await claims.claim_routed(tx, worker, [BOT], kinds=list(KINDS), total=1)
        passed = await claim_routed(db, worker)

    assert [job.id for job in held] == [first]
    assert [job.id for job in passed] == [second]


async def test_a_takeover_waits_for_those_who_write_for_its_route_in_one_commit(db: Database) -> None:
    _, job = await start_routed(db)
    async with claims.holding(db, [job]) as (_, held):
        taking = await begin_blocked(db, hold_route(db, await begin_life(db)))
    await taking

    assert held == {job.key: True}


async def test_rescue_waits_for_those_who_write_in_one_commit_and_keeps_what_they_wrote(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await lapse(db, worker)
    async with claims.holding(db, [job]) as (tx, _):
        rescuing = await begin_blocked(db, rescue(db))
        await claims.settle(tx, worker, [(job, Done())], KINDS, is_fenced=True)
    await rescuing

    assert await results(db, job.id) == [(1, "done", True)]


async def test_a_settle_that_waits_for_a_takeover_hands_the_job_back(db: Database) -> None:
    await enqueue(db, route=BOT)
    worker, other = await begin_life(db), await begin_life(db)
    await hold_route(db, worker)
    [job] = await claim_routed(db, worker)
    async with db.transaction() as tx:
        await routes.hold_route(tx, BOT, worker=other)
        settling = await begin_blocked(db, settle(db, job, Done(), worker=worker))
    settled = await settling

    assert settled.count == 1
    assert await results(db, job.id) == [(1, "returned", False)]
    assert [one.id for one in await claim_routed(db, other)] == [job.id]


async def test_a_claim_skips_a_route_that_is_moving(db: Database) -> None:
    job_id = await enqueue(db, route=BOT)
    worker, other = await begin_life(db), await begin_life(db)
    await hold_route(db, worker)
    async with db.transaction() as tx:
        await routes.hold_route(tx, BOT, worker=other)
        assert await claim_routed(db, worker) == []

    assert await claim_routed(db, worker) == []
    assert [one.id for one in await claim_routed(db, other)] == [job_id]


async def test_a_cancel_that_waits_for_inside_work_finds_it_ended(db: Database) -> None:
    job_id = await enqueue(db)
    async with db.transaction() as tx:
        jobs, _ = await claims.take_inside(tx, PLAIN, Priority.NORMAL, limit=1)
        cancelling = await begin_blocked(db, cancel(db, job_id))
        await claims.end_inside(tx, None, jobs)
    cancelled = await cancelling

    assert (cancelled.ended, cancelled.signalled) == ([], [])
    assert await results(db, job_id) == [(1, "done", True)]


async def test_the_failure_of_inside_work_is_not_settled_when_the_job_ended_meanwhile(db: Database) -> None:
    job_id = await enqueue(db)
    async with undone(db) as tx:
        [job], _ = await claims.take_inside(tx, PLAIN, Priority.NORMAL, limit=1)
    await cancel(db, job_id)

    async with db.transaction() as tx:
        await claims.fail_inside(tx, job.id, job.token, Retry("late"), KINDS)

    assert await results(db, job_id) == [(1, "cancelled", True)]
    assert await leases(db) == []
