"""Two transactions at once, step by step. Each fence has a broken variant here, and the same story must catch it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from pabal.base.database import Database, Tx
from pabal.base.sql import Statement
from pabal.engine import claims, delays, lanes, queue, routes, widths, withdrawals, workers
from pabal.engine.claims import LeaseLost, fence
from pabal.engine.endings import Returned
from pabal.engine.kinds import Job
from pabal.engine.outcome import DONE, Done, Retry
from pabal.engine.queue import NewJob, Priority
from tests.engine import broken
from tests.support.work import (
    BOT,
    KINDS,
    PLAIN,
    SQL,
    begin_blocked,
    begin_life,
    cancel,
    claim,
    claim_in,
    claim_one,
    claim_routed,
    crash,
    enqueue,
    enqueue_many,
    hold_route,
    holder,
    holders,
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


@pytest.fixture
async def open_end(database_url: str) -> AsyncIterator[Database]:
    """A database that a broken variant may leave broken: nobody checks the tables after the test."""
    database = await Database.open(database_url, size=20)
    yield database
    await database.close()


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
    async with db.transaction() as tx:
        await fence(tx, job)
        rescuing = await begin_blocked(db, rescue(db))
        await claims.settle(tx, worker, [(job, Done())], KINDS)
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
    async with db.transaction() as tx:
        await fence(tx, job)


async def test_a_routed_fence_and_a_rescue_do_not_lock_each_other_out(db: Database) -> None:
    await enqueue(db, route=BOT)
    worker = await begin_life(db)
    await hold_route(db, worker)
    [job] = await claim_routed(db, worker)
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


@variants
async def test_an_enqueue_while_the_lane_is_being_freed_is_overlooked_by_nobody(
    open_end: Database, is_broken: bool
) -> None:
    """The step that frees has its snapshot and waits at another lane; meanwhile somebody joins this one."""
    db = open_end
    first, last = [one.id for one in await enqueue_many(db, NewJob(PLAIN, lane="a"), NewJob(PLAIN, lane="b"))]
    worker = await begin_life(db)
    jobs = await claim(db, worker)
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lane, lane="a")
        freeing = await begin_blocked(db, end_both(db, jobs, in_one=is_broken))
        joined = await enqueue(db, lane="b")
    await freeing

    assert await places(db, first, last) == ["ended", "ended"]
    assert await places(db, joined) == ["waiting" if is_broken else "ready"]
    assert await holder(db, "b") == (None if is_broken else joined)
    mended = await lanes.LaneSweep(db).run_once()
    assert mended == (1 if is_broken else 0)


async def end_both(db: Database, jobs: list[Job], *, in_one: bool) -> None:
    async with db.transaction() as tx:
        ids, tokens = [job.id for job in jobs], [job.token for job in jobs]
        await tx.rows(claims.SQL.end_leases, ids=ids, tokens=tokens, results=None, errors=None, datas=None)
        held = [(job.lane or "", job.id) for job in jobs]
        if in_one:
            names = [name for name, _ in held]
            await tx.rows(broken.SQL.free_and_advance_in_one, lanes=names, holders=ids)
        else:
            await lanes.release_lanes(tx, held)


async def test_an_enqueue_that_commits_after_the_holder_was_freed_waits_and_gets_the_lane(db: Database) -> None:
    [first] = [one.id for one in await enqueue_many(db, NewJob(PLAIN, lane="l"))]
    job = await claim_one(db, await begin_life(db))
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Done())], KINDS)
        joining = await begin_blocked(db, enqueue(db, lane="l"))
    second = await joining

    assert await places(db, first, second) == ["ended", "ready"]
    assert await holder(db, "l") == second


async def test_a_settle_sees_who_enqueued_while_the_holder_ran(db: Database) -> None:
    await enqueue(db, lane="l")
    job = await claim_one(db, await begin_life(db))
    async with db.transaction() as tx:
        behind = (await queue.enqueue(tx, NewJob(PLAIN, lane="l"))).id
        settling = asyncio.create_task(settle(db, job, Done()))
        await settling
        assert await holder(db, "l") is None

    assert await places(db, behind) == ["ready"]


async def test_two_that_promote_one_lane_together_make_one_holder(db: Database) -> None:
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(db.transaction()) for _ in range(4)]
        made = [(await queue.enqueue(tx, NewJob(PLAIN, lane="l"))).id for tx in opened]

    assert sorted(await places(db, *made)) == ["ready", "waiting", "waiting", "waiting"]
    await asyncio.gather(*(lanes.promote_lanes(db, ["l"]) for _ in range(4)))
    assert sorted(await places(db, *made)) == ["ready", "waiting", "waiting", "waiting"]


async def fill_shared(db: Database, count: int, *, width: int) -> list[int]:
    await widths.declare_all(db, {"licence": width})
    return [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, lane="licence:ae")] * count)]


async def count_waiting(db: Database, made: list[int]) -> int:
    return (await places(db, *made)).count("waiting")


async def choose_width(db: Database, width: int) -> None:
    async with db.transaction() as tx:
        await widths.choose(tx, "licence", width)


async def test_two_that_settle_in_one_shared_lane_let_one_go_each(db: Database) -> None:
    made = await fill_shared(db, 5, width=2)
    first, second = await claim(db, await begin_life(db))
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(first, Done())], KINDS)
        beside = await begin_blocked(db, settle(db, second, Done()))
    await beside

    assert await places(db, *made) == ["ended", "ended", "ready", "ready", "waiting"]
    assert sorted(await holders(db, "licence:ae")) == made[2:4]


async def test_two_that_settle_in_the_same_lanes_lock_them_in_the_same_order_however_each_ended(db: Database) -> None:
    await widths.declare_all(db, {"licence": 2})
    lane_of = {name: f"licence:{name}" for name in "ab"}
    new = [NewJob(PLAIN, lane=lane_of[name]) for name in "aabb"]
    await enqueue_many(db, *new)
    a1, a2, b1, b2 = await claim(db, await begin_life(db))
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lane, lane=lane_of["a"])
        first = await begin_blocked(db, settle_both(db, a1, b1))
        second = await begin_blocked(db, settle_both(db, b2, a2), others=1)
    await asyncio.gather(first, second)

    assert await places(db, a1.id, b1.id, b2.id, a2.id) == ["ended", "delayed", "ended", "delayed"]


async def settle_both(db: Database, done: Job, again: Job) -> None:
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(done, DONE), (again, Retry("bad"))], KINDS)


async def test_who_joins_a_shared_lane_beside_a_settle_finds_the_room_it_leaves(db: Database) -> None:
    [first] = await fill_shared(db, 1, width=2)
    job = await claim_one(db, await begin_life(db))
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Done())], KINDS)
        joining = await begin_blocked(db, enqueue_many(db, *[NewJob(PLAIN, lane="licence:ae")] * 3))
    joined = [one.id for one in await joining]

    assert await places(db, first, *joined) == ["ended", "ready", "ready", "waiting"]


async def test_many_that_join_a_shared_lane_together_fill_it_and_no_more(db: Database) -> None:
    await fill_shared(db, 1, width=3)
    async with AsyncExitStack() as stack:
        opened = [await stack.enter_async_context(db.transaction()) for _ in range(5)]
        made = [(await queue.enqueue(tx, NewJob(PLAIN, lane="licence:ae"))).id for tx in opened]

    assert sorted(await places(db, *made)) == ["ready", "ready", "waiting", "waiting", "waiting"]


async def test_two_that_promote_a_shared_lane_step_by_step_count_its_holders_one_after_the_other(db: Database) -> None:
    [first] = await fill_shared(db, 1, width=2)
    async with db.transaction() as tx:
        left = [one.id for one in await queue.enqueue_many(tx, [NewJob(PLAIN, lane="licence:ae")] * 2)]
        tx._after_commit.clear()
    async with db.transaction() as late:
        async with db.transaction() as early:
            await early.run(lanes.SQL.open_lanes, lanes=["licence:ae"])
            opening = await begin_blocked(db, late.run(lanes.SQL.open_lanes, lanes=["licence:ae"]))
            await lanes.advance_lanes(early, ["licence:ae"])
            advancing = await begin_blocked(db, advance_when(opening, late))
        await advancing

    assert await places(db, first, *left) == ["ready", "ready", "waiting"]
    assert sorted(await holders(db, "licence:ae")) == [first, left[0]]


async def advance_when(opening: "asyncio.Task[int]", tx: Tx) -> None:
    await opening
    await lanes.advance_lanes(tx, ["licence:ae"])


async def test_a_settle_that_waits_for_a_narrower_width_lets_nobody_go(db: Database) -> None:
    made = await fill_shared(db, 6, width=3)
    jobs = await claim(db, await begin_life(db))
    async with db.transaction() as tx:
        await widths.choose(tx, "licence", 2)
        settling = await begin_blocked(db, settle(db, jobs[0], Done()))
    await settling

    assert await places(db, *made) == ["ended", "lease", "lease", "waiting", "waiting", "waiting"]


async def test_a_narrower_width_waits_for_a_settle_and_takes_back_whom_it_let_go(db: Database) -> None:
    made = await fill_shared(db, 6, width=3)
    jobs = await claim(db, await begin_life(db))
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(jobs[0], Done())], KINDS)
        narrowing = await begin_blocked(db, choose_width(db, 2))
    await narrowing

    assert await places(db, *made) == ["ended", "lease", "lease", "waiting", "waiting", "waiting"]


async def test_a_narrower_width_leaves_what_a_claim_is_taking_to_it(db: Database) -> None:
    made = await fill_shared(db, 3, width=3)
    worker = await begin_life(db)
    async with db.transaction() as tx:
        await claim_in(tx, worker, total=2)
        await choose_width(db, 1)

    assert await places(db, *made) == ["lease", "lease", "waiting"]
    assert sorted(await holders(db, "licence:ae")) == made[:2]


async def test_a_narrower_width_waits_for_who_is_opening_the_lane(db: Database) -> None:
    """A lane that is just being opened is in no list: the promoter has read the old width."""
    await fill_shared(db, 0, width=3)
    async with db.transaction() as tx:
        made = [one.id for one in await queue.enqueue_many(tx, [NewJob(PLAIN, lane="licence:ae")] * 4)]
        tx._after_commit.clear()
    async with db.transaction() as tx:
        await tx.run(lanes.SQL.open_lanes, lanes=["licence:ae"])
        await lanes.advance_lanes(tx, ["licence:ae"])
        narrowing = await begin_blocked(db, choose_width(db, 1))
    await narrowing

    assert await places(db, *made) == ["ready", "waiting", "waiting", "waiting"]


async def test_who_opens_a_lane_waits_for_a_narrower_width_and_reads_it(db: Database) -> None:
    await fill_shared(db, 0, width=3)
    async with db.transaction() as tx:
        await widths.choose(tx, "licence", 1)
        joining = await begin_blocked(db, enqueue_many(db, *[NewJob(PLAIN, lane="licence:ae")] * 3))
    made = [one.id for one in await joining]

    assert await count_waiting(db, made) == 2


async def test_a_rescue_beside_a_settle_frees_each_place_once(db: Database) -> None:
    made = await fill_shared(db, 6, width=2)
    dead, alive = await begin_life(db), await begin_life(db)
    [lost], [kept] = await claim(db, dead, total=1), await claim(db, alive, total=1)
    await lapse(db, dead)
    async with db.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [lost.id], kinds=KINDS)
    async with db.transaction() as tx:
        await claims.settle(tx, alive, [(kept, Done())], KINDS)
        rescuing = await begin_blocked(db, rescue(db))
    await rescuing
    await settle(db, lost, Done(), worker=dead)

    assert await places(db, *made) == ["ended", "ended", "ready", "ready", "waiting", "waiting"]


async def test_a_cancel_of_the_next_in_line_while_the_lane_advances_skips_it(db: Database) -> None:
    first, second, third = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, lane="l")] * 3)]
    job = await claim_one(db, await begin_life(db))
    async with db.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [second], kinds=KINDS)
        await settle(db, job, Done())

    assert await places(db, first, second, third) == ["ended", "ended", "ready"]


async def test_a_due_job_joins_its_lane_while_the_holder_ends(db: Database) -> None:
    first, second = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, lane="l")] * 2)]
    worker = await begin_life(db)
    await settle(db, await claim_one(db, worker), Retry("bad", after=timedelta(0)))
    job = await claim_one(db, worker)
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Done())], KINDS)
        promoting = await begin_blocked(db, delays.promote_once(db))
    await promoting

    assert job.id == second
    assert await places(db, first, second) == ["ready", "ended"]


async def test_a_takeover_waits_for_a_settle_that_has_checked_the_epoch(db: Database) -> None:
    await enqueue(db, route=BOT)
    worker = await begin_life(db)
    await hold_route(db, worker)
    [job] = await claim_routed(db, worker)
    async with db.transaction() as tx:
        await claims.settle(tx, worker, [(job, Done())], KINDS)
        taking = await begin_blocked(db, hold_route(db, await begin_life(db)))
    await taking

    assert await results(db, job.id) == [(1, "done", True)]


async def test_a_takeover_waits_for_those_who_write_for_its_route_in_one_commit(db: Database) -> None:
    await enqueue(db, route=BOT)
    worker = await begin_life(db)
    await hold_route(db, worker)
    [job] = await claim_routed(db, worker)
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
