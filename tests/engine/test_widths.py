"""Of a shared lane at most so many are ready or running at once, over all servers, whatever dies (I27)."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import claims, queue, widths, workers
from pabal.engine.endings import Returned
from pabal.engine.kinds import BadKind, Job, Kinds, merge
from pabal.engine.lanes import LaneSweep
from pabal.engine.outcome import Done, Retry
from pabal.engine.queue import NewJob, Priority
from pabal.engine.widths import BadWidth, LaneIsOrdered
from tests.support.work import (
    HOLDING,
    KINDS,
    PLAIN,
    advance,
    begin_life,
    cancel,
    claim,
    crash,
    enqueue,
    enqueue_many,
    expire,
    holders,
    places,
    promote,
    settle,
    undone,
)

LANE = "licence:ae"
WIDTH = 3


@pytest.fixture
async def shared(db: Database) -> Database:
    await widths.declare_all(db, {"licence": WIDTH})
    return db


async def fill(db: Database, count: int, lane: str = LANE, kind: str = PLAIN) -> list[int]:
    return [answer.id for answer in await enqueue_many(db, *[NewJob(kind, lane=lane)] * count)]


async def choose(db: Database, width: int | None, name: str = LANE) -> None:
    async with db.transaction() as tx:
        await widths.choose(tx, name, width)


async def count_places(db: Database, made: list[int]) -> dict[str, int]:
    found = await places(db, *made)
    return {place: found.count(place) for place in sorted(set(found))}


async def test_as_many_are_ready_as_the_lane_is_wide_and_the_rest_wait(shared: Database) -> None:
    made = await fill(shared, 5)

    assert await places(shared, *made) == ["ready"] * 3 + ["waiting"] * 2
    assert await holders(shared, LANE) == made[:3]


async def test_those_that_come_one_by_one_fill_the_lane(shared: Database) -> None:
    made = [await enqueue(shared, lane=LANE) for _ in range(5)]

    assert await places(shared, *made) == ["ready"] * 3 + ["waiting"] * 2


async def test_each_lane_of_a_name_has_the_width_for_itself(shared: Database) -> None:
    of_each = [await fill(shared, 4, lane=f"licence:{n}") for n in range(3)]

    assert [await count_places(shared, made) for made in of_each] == [{"ready": 3, "waiting": 1}] * 3


async def test_the_next_is_ready_in_the_commit_that_ends_a_holder(shared: Database) -> None:
    made = await fill(shared, 5)
    worker = await begin_life(shared)
    jobs = await claim(shared, worker)

    async with undone(shared) as tx:
        await claims.settle(tx, worker, [(jobs[1], Done())], KINDS)
        seen_inside = await queue.get_place(tx, made[3])
    after_rollback = await places(shared, *made)
    await settle(shared, jobs[1], Done())

    assert seen_inside.place == "ready"
    assert after_rollback == ["lease"] * 3 + ["waiting"] * 2
    assert await places(shared, *made) == ["lease", "ended", "lease", "ready", "waiting"]


async def test_never_more_run_at_once_than_the_lane_is_wide(shared: Database) -> None:
    made = await fill(shared, 20)
    servers = [await begin_life(shared), await begin_life(shared)]
    running: list[Job] = []
    started: list[int] = []
    while len(started) < len(made):
        for server in servers:
            jobs = await claim(shared, server, total=2)
            started += [job.id for job in jobs]
            running += jobs
        assert len(running) <= WIDTH
        await settle(shared, running.pop(len(started) % len(running)), Done())

    assert started == made


async def test_several_that_end_together_let_as_many_go(shared: Database) -> None:
    made = await fill(shared, 8)
    worker = await begin_life(shared)
    jobs = await claim(shared, worker)

    async with shared.transaction() as tx:
        await claims.settle(tx, worker, [(job, Done()) for job in jobs], KINDS)

    assert await count_places(shared, made) == {"ended": 3, "ready": 3, "waiting": 2}


@pytest.mark.parametrize("how", ["rescued", "handed back"])
async def test_one_that_goes_back_keeps_its_place(shared: Database, how: str) -> None:
    made = await fill(shared, 4)
    worker = await begin_life(shared)
    jobs = await claim(shared, worker, total=2)

    if how == "rescued":
        await crash(shared, worker)
    else:
        for job in jobs:
            await settle(shared, job, Returned("shutdown"))

    assert await places(shared, *made) == ["ready"] * 3 + ["waiting"]
    assert sorted(await holders(shared, LANE)) == made[:3]


async def test_a_rescue_that_ends_jobs_frees_each_place_once(shared: Database) -> None:
    doomed = [await enqueue(shared, lane=LANE, max_recoveries=0) for _ in range(2)]
    made = await fill(shared, 6)
    worker = await begin_life(shared)
    late = await claim(shared, worker)

    await crash(shared, worker)
    for job in late:
        await settle(shared, job, Done(), worker=worker)

    assert await places(shared, *doomed) == ["ended"] * 2
    assert await count_places(shared, made) == {"ready": 3, "waiting": 3}


async def test_one_that_must_wait_lets_its_place_go_and_comes_back_in_line(shared: Database) -> None:
    made = await fill(shared, 4)
    jobs = await claim(shared, await begin_life(shared))

    await settle(shared, jobs[0], Retry("bad"))
    assert await places(shared, *made) == ["delayed", "lease", "lease", "ready"]
    await advance(shared, 60)
    await promote(shared)

    assert await places(shared, *made) == ["waiting", "lease", "lease", "ready"]


async def test_a_kind_that_holds_keeps_its_place_while_it_waits(shared: Database) -> None:
    made = await fill(shared, 4, kind=HOLDING)
    jobs = await claim(shared, await begin_life(shared))

    await settle(shared, jobs[0], Retry("bad"))
    assert await places(shared, *made) == ["delayed", "lease", "lease", "waiting"]
    await advance(shared, 60)
    await promote(shared)

    assert await places(shared, *made) == ["ready", "lease", "lease", "waiting"]


async def test_cancel_and_expiry_of_holders_let_others_go(shared: Database) -> None:
    async with shared.transaction() as tx:
        soon = tx.now + timedelta(seconds=10)
    brief = await enqueue(shared, lane=LANE, expires_at=soon)
    made = await fill(shared, 4)

    await cancel(shared, made[0], made[3])
    assert await places(shared, *made) == ["ended", "ready", "ready", "ended"]
    late = await fill(shared, 1)
    assert await places(shared, *late) == ["waiting"]
    await advance(shared, 11)
    await expire(shared)

    assert await places(shared, brief, *late) == ["ended", "ready"]


async def test_urgent_ones_go_first_and_then_the_order_of_ids(shared: Database) -> None:
    before = await fill(shared, WIDTH)
    low, normal, urgent, second = [
        await enqueue(shared, lane=LANE, priority=priority)
        for priority in (Priority.LOW, Priority.NORMAL, Priority.URGENT, Priority.NORMAL)
    ]
    jobs = await claim(shared, await begin_life(shared))
    order = []
    for job in jobs:
        await settle(shared, job, Done())
        found = await places(shared, low, normal, urgent, second)
        order.append([place == "ready" for place in found])

    assert [job.id for job in jobs] == before
    assert order == [[False, False, True, False], [False, True, True, False], [False, True, True, True]]


async def test_a_lane_of_another_name_stays_ordered(shared: Database) -> None:
    made = await fill(shared, 3, lane="bot:busan1")
    alone = await fill(shared, 2, lane="stove")

    assert await places(shared, *made, *alone) == ["ready", "waiting", "waiting", "ready", "waiting"]
    for name in ("bot", "bot:busan1", "stove"):
        with pytest.raises(LaneIsOrdered):
            await choose(shared, 5, name)


async def test_a_wider_lane_lets_more_go_at_once(shared: Database) -> None:
    made = await fill(shared, 6)

    await choose(shared, 5)

    assert await count_places(shared, made) == {"ready": 5, "waiting": 1}


async def test_a_narrower_lane_takes_back_what_has_not_begun_the_last_first(shared: Database) -> None:
    made = await fill(shared, 4)
    [first] = await claim(shared, await begin_life(shared), total=1)

    await choose(shared, 2)

    assert await places(shared, *made) == ["lease", "ready", "waiting", "waiting"]
    await settle(shared, first, Done())
    assert await places(shared, *made) == ["ended", "ready", "ready", "waiting"]


async def test_a_narrower_lane_lets_what_runs_finish_and_nobody_go_before_there_is_room(shared: Database) -> None:
    made = await fill(shared, 6)
    jobs = await claim(shared, await begin_life(shared))

    await choose(shared, 1)

    assert await count_places(shared, made) == {"lease": 3, "waiting": 3}
    for job in jobs[:2]:
        await settle(shared, job, Done())
        assert await count_places(shared, made[3:]) == {"waiting": 3}
    await settle(shared, jobs[2], Done())
    assert await places(shared, *made[3:]) == ["ready", "waiting", "waiting"]


async def test_a_lane_of_width_nothing_lets_nobody_go_until_it_is_wider(shared: Database) -> None:
    await choose(shared, 0)
    made = await fill(shared, 4)
    swept = await LaneSweep(shared).run_once()

    assert (swept, await count_places(shared, made)) == (0, {"waiting": 4})
    await choose(shared, None)
    assert await count_places(shared, made) == {"ready": 3, "waiting": 1}


async def test_a_width_for_all_of_a_name_holds_where_a_lane_has_none_of_its_own(shared: Database) -> None:
    own, other = await fill(shared, 5), await fill(shared, 5, lane="licence:other")
    await choose(shared, 1)

    await choose(shared, 4, "licence")

    assert [await count_places(shared, made) for made in (own, other)] == [
        {"ready": 1, "waiting": 4},
        {"ready": 4, "waiting": 1},
    ]
    async with shared.transaction() as tx:
        assert await widths.find(tx, "licence") == widths.Width("licence", declared=3, chosen=4, width=4)


async def test_what_an_operator_chose_survives_another_declaration(shared: Database) -> None:
    made = await fill(shared, 9)
    await choose(shared, 4, "licence")

    await widths.declare_all(shared, {"licence": 7})
    assert await count_places(shared, made) == {"ready": 4, "waiting": 5}
    await choose(shared, None, "licence")

    assert await count_places(shared, made) == {"ready": 7, "waiting": 2}


async def test_a_name_declared_later_widens_the_lanes_that_are_there(db: Database) -> None:
    made = await fill(db, 4)
    assert await count_places(db, made) == {"ready": 1, "waiting": 3}

    await widths.declare_all(db, {"licence": 2})

    assert await count_places(db, made) == {"ready": 2, "waiting": 2}


async def test_the_sweep_fills_what_a_crash_left_open(shared: Database) -> None:
    first = await fill(shared, 1)
    async with shared.transaction() as tx:
        made = [one.id for one in await queue.enqueue_many(tx, [NewJob(PLAIN, lane=LANE)] * 4)]
        tx._after_commit.clear()

    assert await LaneSweep(shared).run_once() == 1

    assert await count_places(shared, first + made) == {"ready": 3, "waiting": 2}


@pytest.mark.parametrize("width", [-1, 1001])
async def test_a_width_has_its_bounds(shared: Database, width: int) -> None:
    with pytest.raises(BadWidth):
        await choose(shared, width)


@pytest.mark.parametrize(("name", "width"), [("Licence", 2), ("a:b", 2), ("licence", 0), ("licence", 1001)])
def test_a_bad_declaration_is_refused(name: str, width: int) -> None:
    with pytest.raises(BadKind):
        Kinds().shared_lanes(name, width=width)


def test_two_parts_of_a_server_do_not_declare_the_same_name() -> None:
    parts = [Kinds(), Kinds()]
    parts[0].shared_lanes("licence", width=2)
    parts[1].shared_lanes("account", width=3)
    assert merge(parts).widths == {"licence": 2, "account": 3}
    parts[1].shared_lanes("licence", width=3)

    with pytest.raises(BadKind):
        merge(parts)


async def rescued(db: Database, worker: int, jobs: list[Job]) -> None:
    await crash(db, worker)


async def handed_back(db: Database, worker: int, jobs: list[Job]) -> None:
    for job in jobs:
        await settle(db, job, Returned("shutdown"), worker=worker)


async def forgotten(db: Database, worker: int, jobs: list[Job]) -> None:
    """A claim whose answer was lost."""
    async with db.transaction() as tx:
        await claims.return_unknown(tx, worker, set)


async def overdue(db: Database, worker: int, jobs: list[Job]) -> None:
    await advance(db, 75)
    await workers.take_overdue_once(db, KINDS)


async def delayed(db: Database, worker: int, jobs: list[Job]) -> None:
    for job in jobs:
        await settle(db, job, Retry("bad"), worker=worker)
    await advance(db, 60)
    await promote(db)


@pytest.mark.parametrize("way", [rescued, handed_back, forgotten, overdue, delayed])
async def test_one_that_is_ready_again_in_a_lane_that_became_narrower_waits_for_its_turn(
    shared: Database, way: Callable[[Database, int, list[Job]], Awaitable[None]]
) -> None:
    """They ran when it became narrower, and kept their places; found by the chaos run."""
    job = NewJob(HOLDING, lane=LANE, deadline=timedelta(minutes=1))
    made = [answer.id for answer in await enqueue_many(shared, *[job] * 3)]
    worker = await begin_life(shared)
    jobs = await claim(shared, worker)
    await choose(shared, 1)

    await way(shared, worker, jobs)

    assert await count_places(shared, made) == {"ready": 1, "waiting": 2}
    assert len(await holders(shared, LANE)) == 1
