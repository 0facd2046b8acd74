"""A server takes what its slots can begin soon, and hands back what they did not begin (I21)."""

import asyncio
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.engine import queue
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob
from pabal.engine.server import Server
from pabal.engine.slots import AHEAD, Slots
from tests.support.servers import Gate, enqueue_via, serving, until, until_ended
from tests.support.work import SQL, begin_life, claim_one, counters, enqueue, enqueue_many, leases, places, results

LONG = "test.long"
QUICK = "test.quick"


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


class Mixed:
    """A long kind that waits at its gate, and a quick one that does not, unless a job says so."""

    def __init__(self, *, slots: int | None = None) -> None:
        self.long, self.stuck = Gate(), Gate()
        self.quick: list[int] = []
        self.kinds = Kinds()
        self.kinds.plain(LONG, slots=slots)(self.wait)
        self.kinds.plain(QUICK)(self.run)

    async def wait(self, job: Job) -> None:
        await self.long(job)

    async def run(self, job: Job) -> None:
        self.quick.append(job.id)
        if job.args.get("stuck"):
            await self.stuck(job)

    def open(self) -> None:
        self.long.open.set()
        self.stuck.open.set()

    async def warm_up(self, db: Database, server: Server) -> None:
        """Kinds are slow until they have shown that they are not, however busy the machine was just then."""
        await until_ended(db, await enqueue_via(server, QUICK))
        server.runner._seconds[QUICK] = 0.001
        self.quick.clear()


async def ready_moments(db: Database) -> dict[int, datetime]:
    async with db.transaction() as tx:
        return {row["id"]: row["ready_at"] for row in await tx.rows(SQL.list_ready)}


async def test_a_server_whose_slots_are_taken_leaves_quick_work_to_others(db: Database, locks: Path):
    busy, idle = Mixed(), Mixed()
    async with serving(db, busy.kinds, locks, concurrency=2) as first:
        await busy.warm_up(db, first)
        for _ in range(2):
            await enqueue_via(first, LONG)
        await busy.long.until_begun(2)
        jobs = [one.id for one in await enqueue_many(first.database, *[NewJob(QUICK)] * 50)]
        # Settling its next result, it looks at the queue again: still no slot can begin any of it.
        await first.runner.exchange_once()
        held = len(await leases(db))
        async with serving(db, idle.kinds, locks):
            await until(lambda: len(idle.quick) == 50)
        busy.open()

    assert held == 2
    assert sorted(idle.quick) == sorted(jobs)


async def test_what_could_not_begin_in_a_second_is_handed_back_with_its_turn_and_another_does_it(
    db: Database, locks: Path
):
    stuck, idle = Mixed(), Mixed()
    async with serving(db, stuck.kinds, locks, concurrency=1) as first:
        await stuck.warm_up(db, first)
        made = [NewJob(QUICK, {"stuck": n == 0}) for n in range(20)]
        async with db.transaction() as tx:
            blocked, *behind = [one.id for one in await queue.enqueue_many(tx, made)]
            before = {row["id"]: row["ready_at"] for row in await tx.rows(SQL.list_ready)}
        first.runner.hear(f"queue:{QUICK}", None)

        async def all_are_back() -> bool:
            return bool(stuck.stuck.begun) and set(await ready_moments(db)) == set(behind)

        await until(all_are_back)
        after = await ready_moments(db)
        counted = [await counters(db, job) for job in behind]
        ends = {result for job in behind for _, result, _ in await results(db, job)}
        async with serving(db, idle.kinds, locks):
            await until(lambda: len(idle.quick) == len(behind))
        stuck.open()
        await until_ended(db, blocked)

    assert after == {job: before[job] for job in behind}
    assert (ends, counted) == ({"returned"}, [(0, 0, 0)] * len(behind))
    assert sorted(idle.quick) == sorted(behind)


def test_room_is_what_the_slots_can_begin_soon():
    slots = Slots(16)

    assert slots.ahead([QUICK], 16, lambda _kind: 0.00001) == AHEAD
    assert slots.ahead([QUICK], 16, lambda _kind: 0.05) == 80
    assert slots.ahead([QUICK], 2, lambda _kind: 0.05) == 10
    assert slots.ahead([QUICK], 0, lambda _kind: 0.00001) == 0


async def test_handlers_that_hold_up_the_loop_are_not_shared_among_the_slots(db: Database):
    slots = Slots(16)
    jobs = [await _claimed(db) for _ in range(3)]
    slots.put(jobs)
    for _ in jobs:
        # what the loop is kept from for 20 ms begins nothing else meanwhile
        await slots.take()
        until_then = elapsed() + 0.02
        while elapsed() < until_then:
            pass

    assert slots.ahead([jobs[0].kind], 16, lambda _kind: 0.02) <= 12


async def test_a_kind_has_no_more_slots_than_it_may_and_the_others_are_left_to_others(db: Database, locks: Path):
    mixed = Mixed(slots=2)
    async with serving(db, mixed.kinds, locks, concurrency=4) as server:
        await enqueue_many(server.database, *[NewJob(LONG, priority=n % 4) for n in range(12)])
        await mixed.long.until_begun(2)
        await until_ended(db, await enqueue_via(server, QUICK))
        held = len(await leases(db))
        mixed.open()
        await until(lambda: len(mixed.long.begun) == 12)

    assert held == 2


async def test_its_slots_are_counted_over_all_its_names(db: Database, locks: Path):
    gate, kinds = Gate(), Kinds()

    @kinds.plain(LONG, slots=2, aliases=("test.long_ago",))
    async def wait(job: Job) -> None:
        await gate(job)

    async with serving(db, kinds, locks, concurrency=8) as server:
        await enqueue_many(server.database, *[NewJob(name) for name in (LONG, "test.long_ago")] * 4)
        await gate.until_begun(2)
        await server.runner.exchange_once()
        held = len(await leases(db))
        gate.open.set()
        await until(lambda: len(gate.begun) == 8)

    assert held == 2


async def test_while_quick_work_waits_slow_work_has_its_turn(db: Database, locks: Path):
    mixed = Mixed()
    async with serving(db, mixed.kinds, locks, concurrency=2) as server:
        await mixed.warm_up(db, server)
        jobs = [await _claimed(db) for _ in range(3)]
        quick = [replace(job, kind=QUICK) for job in jobs]
        await until(lambda: not server.runner._under_way)
        # What follows happens at once: neither slots nor exchanges come in between.
        server.runner.hear(f"queue:{LONG}", None)
        server.runner._plain.put(quick * 100)
        behind_quick = server.runner._room().of(LONG)
        server.runner._plain.put([replace(jobs[0], kind=LONG)])
        behind_slow = server.runner._room().of(LONG)
        server.runner._drop_waiting()

    assert (behind_quick, behind_slow) == (2, 1)


async def test_a_deadline_counts_from_the_start_of_the_handler(db: Database, locks: Path):
    stuck = Mixed()
    async with serving(db, stuck.kinds, locks, concurrency=1) as server:
        await stuck.warm_up(db, server)
        soon = timedelta(milliseconds=200)
        made = [NewJob(QUICK, {"stuck": n == 0}, deadline=None if n == 0 else soon) for n in range(5)]
        _, *behind = [one.id for one in await enqueue_many(server.database, *made)]
        await until(lambda: stuck.stuck.begun)

        async def has_come_back() -> bool:
            return all([await places(db, job) == ["ready"] and await results(db, job) for job in behind])

        await until(has_come_back)
        counted = [await counters(db, job) for job in behind]
        stuck.open()
        await asyncio.gather(*(until_ended(db, job) for job in behind))

    assert counted == [(0, 0, 0)] * len(behind)


async def _claimed(db: Database) -> Job:
    await enqueue(db)
    return await claim_one(db, await begin_life(db))
