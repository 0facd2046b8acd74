"""The priority of a job that waits can be moved, wherever it waits."""

from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import claims, priorities, widths
from pabal.engine.kinds import Job
from pabal.engine.outcome import Done, Retry
from pabal.engine.priorities import JobNotWaiting
from pabal.engine.queue import JobNotFound, Priority
from tests.support.work import (
    KINDS,
    PLAIN,
    SQL,
    advance,
    begin_blocked,
    begin_life,
    claim,
    claim_in,
    claim_one,
    enqueue,
    place,
    places,
    promote,
    settle,
    start,
)

LANE = "licence:ae"


async def move(db: Database, job_id: int, priority: Priority = Priority.URGENT) -> None:
    async with db.transaction() as tx:
        await priorities.move(tx, job_id, priority)


async def order(db: Database) -> list[int]:
    worker, started = await begin_life(db), []
    while jobs := await claim(db, worker, total=1):
        started.append(jobs[0].id)
        await settle(db, jobs[0], Done())
    return started


async def test_one_that_is_ready_goes_first_and_keeps_its_moment(db: Database) -> None:
    first, second, third = [await enqueue(db) for _ in range(3)]

    await move(db, third)
    await move(db, first, Priority.LOW)

    assert (await place(db, third)).priority == Priority.URGENT
    assert await order(db) == [third, second, first]


async def test_one_in_a_shared_lane_changes_its_turn(db: Database) -> None:
    await widths.declare_all(db, {"licence": 1})
    first, second, third = [await enqueue(db, lane=LANE) for _ in range(3)]

    await move(db, third)

    assert await order(db) == [first, third, second]


async def test_one_in_an_ordered_lane_keeps_its_turn_there(db: Database) -> None:
    first, second, third = [await enqueue(db, lane="bot:busan1") for _ in range(3)]
    other = await enqueue(db)

    await move(db, second, Priority.LOW)

    assert await order(db) == [first, other, second, third]


async def test_one_that_is_delayed_comes_back_with_it(db: Database) -> None:
    delayed = await enqueue(db, delay=timedelta(seconds=10))
    await move(db, delayed)
    await advance(db, 11)
    other = await enqueue(db)
    await promote(db)

    assert await order(db) == [delayed, other]


async def test_it_is_kept_through_a_retry(db: Database) -> None:
    await widths.declare_all(db, {"licence": 1})
    first, second, third, fourth = [await enqueue(db, lane=LANE) for _ in range(4)]
    await move(db, fourth)
    worker = await begin_life(db)
    await settle(db, await claim_one(db, worker), Done())
    await settle(db, await claim_one(db, worker), Retry("bad"))
    await advance(db, 60)
    await promote(db)

    assert await places(db, first, second, third, fourth) == ["ended", "ready", "waiting", "waiting"]
    assert await order(db) == [second, fourth, third]


async def test_one_that_runs_or_is_over_has_none_to_move(db: Database) -> None:
    job = await start(db)

    with pytest.raises(JobNotWaiting):
        await move(db, job.id)
    await settle(db, job, Done())
    with pytest.raises(JobNotWaiting):
        await move(db, job.id)
    with pytest.raises(JobNotFound):
        await move(db, 7)


async def test_one_that_a_claim_takes_meanwhile_runs(db: Database) -> None:
    job_id = await enqueue(db)
    worker = await begin_life(db)
    async with db.transaction() as tx:
        await claim_in(tx, worker)
        moving = await begin_blocked(db, move(db, job_id))

    with pytest.raises(JobNotWaiting):
        await moving
    assert await places(db, job_id) == ["lease"]


async def test_one_whose_moment_comes_meanwhile_goes_on_with_it(db: Database) -> None:
    job_id = await enqueue(db, delay=timedelta(seconds=10))
    await advance(db, 11)
    async with db.transaction() as tx:
        await priorities.move(tx, job_id, Priority.URGENT)
        assert await promote(db) == 0
    await promote(db)
    other = await enqueue(db, priority=Priority.HIGH)

    assert await order(db) == [job_id, other]


async def test_one_whose_turn_comes_meanwhile_is_found_where_it_went(db: Database) -> None:
    await widths.declare_all(db, {"licence": 1})
    first, second = [await enqueue(db, lane=LANE) for _ in range(2)]
    job: Job = await claim_one(db, await begin_life(db))
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Done())], KINDS)
        moving = await begin_blocked(db, move(db, second))
    await moving

    assert (await place(db, second)).priority == Priority.URGENT
    assert await places(db, first, second) == ["ended", "ready"]


async def test_a_lane_that_advances_meanwhile_does_not_leave_it_behind(db: Database) -> None:
    """Whoever advances passes over what is just being moved, and closes a lane in which nobody else waits."""
    await widths.declare_all(db, {"licence": 1})
    first, second = [await enqueue(db, lane=LANE) for _ in range(2)]
    job = await claim_one(db, await begin_life(db))
    async with db.transaction() as tx:
        await priorities.move(tx, second, Priority.URGENT)
        await settle(db, job, Done())
        during = await places(db, second)

    assert during == ["waiting"]
    assert await places(db, first, second) == ["ended", "ready"]


async def test_servers_are_told_from_which_moment_to_look_again(db: Database) -> None:
    """They have looked further: of another priority, at which nothing was ready."""
    job_id = await enqueue(db)
    await advance(db, 3600)
    async with db.transaction() as tx:
        [(_, ready_at)] = await tx.rows(SQL.list_ready)
        await priorities.move(tx, job_id, Priority.URGENT)
        hints = dict(tx.hints)

    assert hints == {f"queue:{PLAIN}": ready_at}
