"""In a lane one runs at a time, in the order of ids; one that must wait lets the next go first (I7)."""

from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import claims, queue
from pabal.engine.endings import Returned
from pabal.engine.lanes import LaneSweep, promote_lanes
from pabal.engine.outcome import Done, Limited, Outcome, Retry, Snooze
from pabal.engine.queue import NewJob, Priority
from tests.support.work import (
    HOLDING,
    KINDS,
    PLAIN,
    WAIT,
    advance,
    begin_blocked,
    begin_life,
    cancel,
    claim,
    claim_one,
    crash,
    enqueue,
    enqueue_many,
    expire,
    holder,
    places,
    promote,
    results,
    settle,
    undone,
)

LANE = "bot:busan1"
HOUR = timedelta(hours=1)


async def fill(db: Database, count: int = 3, kind: str = PLAIN, lane: str = LANE) -> list[int]:
    return [answer.id for answer in await enqueue_many(db, *[NewJob(kind, lane=lane)] * count)]


async def run_all(db: Database, worker: int) -> list[int]:
    """Claims and ends one at a time until nothing is ready, and shows the order of the starts."""
    started = []
    while jobs := await claim(db, worker):
        [job] = jobs
        started.append(job.id)
        await settle(db, job, Done())
    return started


async def test_only_the_head_of_a_lane_is_ready(db: Database) -> None:
    made = await fill(db)

    assert await places(db, *made) == ["ready", "waiting", "waiting"]
    assert await holder(db, LANE) == made[0]


async def test_a_lane_runs_one_at_a_time_in_the_order_of_ids(db: Database) -> None:
    made = await fill(db, 5) + await fill(db, 5)

    started = await run_all(db, await begin_life(db))

    assert started == made
    assert await holder(db, LANE) is None


async def test_lanes_do_not_wait_for_each_other(db: Database) -> None:
    heads = [(await fill(db, lane=f"lane:{n}"))[0] for n in range(3)]

    claimed = [job.id for job in await claim(db, await begin_life(db))]

    assert sorted(claimed) == sorted(heads)


async def test_a_lane_goes_by_ids_and_not_by_priority(db: Database) -> None:
    first = await enqueue(db, lane=LANE)
    low = await enqueue(db, lane=LANE, priority=Priority.LOW)
    urgent = await enqueue(db, lane=LANE, priority=Priority.URGENT)

    assert await run_all(db, await begin_life(db)) == [first, low, urgent]


async def test_the_next_is_ready_in_the_commit_that_ends_the_holder(db: Database) -> None:
    first, second, _ = await fill(db)
    worker = await begin_life(db)
    job = await claim_one(db, worker)

    async with undone(db) as tx:
        await claims.settle(tx, worker, [(job, Done())], KINDS)
        seen_inside = await queue.get_place(tx, second)
    after_rollback = await places(db, first, second)
    await settle(db, job, Done())

    assert seen_inside.place == "ready"
    assert after_rollback == ["lease", "waiting"]
    assert await places(db, first, second) == ["ended", "ready"]


@pytest.mark.parametrize("how", ["retry", "snooze", "limit"])
async def test_one_that_must_wait_lets_the_next_go_first_and_comes_back_in_front(db: Database, how: str) -> None:
    first, second, third = await fill(db)
    worker = await begin_life(db)

    await settle(db, await claim_one(db, worker), await waiting_outcome(db, how))

    assert await places(db, first, second, third) == ["delayed", "ready", "waiting"]
    job = await claim_one(db, worker)
    await advance(db, 60)
    await promote(db)
    assert await places(db, first, second, third) == ["waiting", "lease", "waiting"]
    await settle(db, job, Done())
    assert await run_all(db, worker) == [first, third]


async def waiting_outcome(db: Database, how: str) -> Outcome:
    async with db.transaction() as tx:
        until = tx.now + WAIT
    outcomes: dict[str, Outcome] = {
        "retry": Retry("bad"),
        "snooze": Snooze(until),
        "limit": Limited(until, "room:1 minute"),
    }
    return outcomes[how]


@pytest.mark.parametrize("how", ["retry", "snooze", "limit"])
async def test_a_kind_that_holds_keeps_its_lane_while_it_waits(db: Database, how: str) -> None:
    first, second, third = await fill(db, kind=HOLDING)
    worker = await begin_life(db)

    await settle(db, await claim_one(db, worker), await waiting_outcome(db, how))

    assert await places(db, first, second, third) == ["delayed", "waiting", "waiting"]
    await advance(db, 60)
    await promote(db)
    assert await places(db, first, second) == ["ready", "waiting"]
    assert await run_all(db, worker) == [first, second, third]


async def test_a_delayed_job_of_a_free_lane_becomes_ready_when_it_is_due(db: Database) -> None:
    job_id = await enqueue(db, lane=LANE, delay=HOUR)
    await advance(db, 3601)

    await promote(db)

    assert await places(db, job_id) == ["ready"]
    assert await holder(db, LANE) == job_id


async def test_one_handed_back_keeps_its_lane(db: Database) -> None:
    made = await fill(db)
    worker = await begin_life(db)

    await settle(db, await claim_one(db, worker), Returned("shutdown"))

    assert await places(db, *made) == ["ready", "waiting", "waiting"]
    assert await run_all(db, worker) == made


async def test_a_rescued_job_keeps_its_lane(db: Database) -> None:
    made = await fill(db)
    dead = await begin_life(db)
    await claim_one(db, dead)

    await crash(db, dead)

    assert await places(db, *made) == ["ready", "waiting", "waiting"]
    assert await run_all(db, await begin_life(db)) == made


async def test_a_quarantined_job_lets_its_lane_go(db: Database) -> None:
    first = await enqueue(db, lane=LANE, max_recoveries=0)
    second = await enqueue(db, lane=LANE)
    dead = await begin_life(db)
    await claim_one(db, dead)

    await crash(db, dead)

    assert await results(db, first) == [(1, "quarantined", True)]
    assert await places(db, second) == ["ready"]


@pytest.mark.parametrize("where", ["ready", "holding delayed"])
async def test_cancelling_the_holder_advances_the_lane(db: Database, where: str) -> None:
    made = await fill(db, kind=HOLDING)
    if where != "ready":
        await settle(db, await claim_one(db, await begin_life(db)), Retry("bad"))

    await cancel(db, made[0])

    assert await places(db, *made) == ["ended", "ready", "waiting"]


async def test_cancelling_several_of_a_lane_leaves_the_rest_in_order(db: Database) -> None:
    made = await fill(db, 6)

    await cancel(db, made[0], made[1], made[4])

    assert await run_all(db, await begin_life(db)) == [made[2], made[3], made[5]]


async def test_the_expiry_of_the_holder_advances_the_lane(db: Database) -> None:
    async with db.transaction() as tx:
        soon = tx.now + timedelta(seconds=10)
    first = await enqueue(db, lane=LANE, expires_at=soon)
    second = await enqueue(db, lane=LANE)
    await advance(db, 11)

    await expire(db)

    assert await places(db, first, second) == ["ended", "ready"]


async def test_a_long_transaction_that_enqueued_in_a_lane_blocks_nobody(db: Database) -> None:
    worker = await begin_life(db)
    first = await fill(db, 1)
    async with db.transaction() as tx:
        late = (await queue.enqueue(tx, NewJob(PLAIN, lane=LANE))).id
        [job] = await claim(db, worker)
        await settle(db, job, Done())
        others = await fill(db, 2)
        seen = await run_all(db, worker)

    assert [job.id, *seen] == first + others
    assert await places(db, late) == ["ready"]


async def crash_before_promotion(db: Database, count: int = 2, lane: str = LANE) -> list[int]:
    """The enqueue's commit happened, what follows it did not."""
    async with db.transaction() as tx:
        made = await queue.enqueue_many(tx, [NewJob(PLAIN, lane=lane)] * count)
        tx._after_commit.clear()
    return [answer.id for answer in made]


async def test_the_sweep_mends_what_a_crash_before_the_promotion_left(db: Database) -> None:
    made = await crash_before_promotion(db)
    assert await places(db, *made) == ["waiting", "waiting"]

    assert await LaneSweep(db).run_once() == 1

    assert await places(db, *made) == ["ready", "waiting"]


async def test_the_sweep_leaves_held_lanes_alone(db: Database) -> None:
    made = await fill(db)

    assert await LaneSweep(db).run_once() == 0

    assert await places(db, *made) == ["ready", "waiting", "waiting"]


async def test_the_sweep_goes_through_all_lanes_a_slice_at_a_time(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pabal.engine.lanes.SLICE", 3)
    heads = [(await crash_before_promotion(db, lane=f"lane:{n}"))[0] for n in range(7)]
    sweep = LaneSweep(db)

    mended = [await sweep.run_once() for _ in range(4)]

    assert mended == [3, 3, 1, 0]
    assert await places(db, *heads) == ["ready"] * 7


async def test_promoting_twice_changes_nothing(db: Database) -> None:
    made = await fill(db)

    await promote_lanes(db, [LANE, LANE, "lane:empty"])

    assert await places(db, *made) == ["ready", "waiting", "waiting"]
    assert await holder(db, "lane:empty") is None


async def test_who_promotes_waits_for_one_who_frees_the_lane_and_overlooks_nobody(db: Database) -> None:
    [first] = await fill(db, 1)
    worker = await begin_life(db)
    job = await claim_one(db, worker)
    async with db.transaction() as tx:
        await claims.settle(tx, worker, [(job, Done())], KINDS)
        behind = await begin_blocked(db, enqueue(db, lane=LANE))
    second = await behind

    assert await places(db, first, second) == ["ended", "ready"]
