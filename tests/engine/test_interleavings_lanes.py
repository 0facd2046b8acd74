"""Two transactions at once in the same lanes: who goes next, how many, and in which order they are locked."""

import asyncio
from contextlib import AsyncExitStack
from datetime import timedelta

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import claims, delays, lanes, queue, widths, withdrawals
from pabal.engine.endings import Returned
from pabal.engine.kinds import Job
from pabal.engine.outcome import DONE, Done, Retry
from pabal.engine.queue import NewJob
from tests.engine import broken
from tests.support.work import (
    KINDS,
    PLAIN,
    SQL,
    begin_blocked,
    begin_life,
    claim,
    claim_in,
    claim_one,
    enqueue,
    enqueue_many,
    holder,
    holders,
    lapse,
    places,
    rescue,
    settle,
)


@pytest.mark.parametrize("is_broken", [False, True], ids=["ours", "broken"])
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


async def test_who_frees_lanes_locks_them_in_the_order_of_their_names_however_they_stand_in_the_table(
    db: Database,
) -> None:
    """Whoever opens or narrows them does so in that order: otherwise each has what the other wants."""
    worker = await begin_life(db)
    last, first = [(await enqueue(db, lane=name), await claim_one(db, worker))[1] for name in "ba"]
    async with db.transaction() as blocker:
        await blocker.rows(SQL.lock_lane, lane="a")
        freeing = await begin_blocked(db, settle_as_they_stand(db, [last, first]))
        await blocker.rows(SQL.lock_lane, lane="b")
    await freeing


async def settle_as_they_stand(db: Database, jobs: list[Job]) -> None:
    """Without an index, which has them in order by itself."""
    async with db.transaction() as tx:
        await tx.script("discard plans; set local enable_indexscan = off; set local enable_bitmapscan = off")
        await claims.settle(tx, None, [(job, DONE) for job in jobs], KINDS)


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


async def test_a_server_that_declares_nothing_new_waits_for_nobody(db: Database) -> None:
    """One that sleeps in the middle of a promotion would keep all others from starting; found by the chaos run."""
    made = await fill_shared(db, 2, width=2)
    async with db.transaction() as tx:
        await tx.run(lanes.SQL.open_lanes, lanes=["licence:ae"])
        await widths.declare_all(db, {"licence": 2})

    assert await count_waiting(db, made) == 0


async def test_who_returns_to_a_lane_waits_for_a_narrower_width_and_heeds_it(db: Database) -> None:
    made = await fill_shared(db, 3, width=3)
    first, *_ = await claim(db, await begin_life(db))
    async with db.transaction() as tx:
        await widths.choose(tx, "licence", 2)
        returning = await begin_blocked(db, settle(db, first, Returned("shutdown")))
    await returning

    assert await places(db, *made) == ["waiting", "lease", "lease"]


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
