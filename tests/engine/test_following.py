"""What a lane lets go for a route is claimed in the commit that ends the job before it."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database, Hints, Tx
from pabal.base.sql import load
from pabal.engine import claims, queue, workers
from pabal.engine.claims import return_unknown
from pabal.engine.exchange import Capacity, Exchange, Following
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Outcome
from pabal.engine.queue import NewJob, Priority
from pabal.engine.server import Server
from tests.support.servers import enqueue_via, serving, until, until_ended
from tests.support.work import (
    BOT,
    KINDS,
    PLAIN,
    Undone,
    begin_blocked,
    begin_life,
    enqueue,
    enqueue_many,
    hold_route,
    lapse,
    leases,
    place,
    places,
    results,
    wanted,
)
from tests.support.work import SQL as WORK

SQL = load(__file__)
SEND, LANE, ELSEWHERE = "test.send", "bot", "bot:seoul1"


class Sends:
    """Steps that share; each waits until it is let through."""

    def __init__(self) -> None:
        self.begun: list[Job] = []
        self.records = 0
        self.through = asyncio.Semaphore(0)

    async def prepare_all(self, tx: Tx, jobs: Sequence[Job]) -> list[Any]:
        return list(jobs)

    async def perform(self, job: Job, prepared: Job) -> None:
        self.begun.append(job)
        await self.through.acquire()

    async def record_all(self, tx: Tx, performed: Sequence[tuple[Job, None]]) -> list[Outcome]:
        self.records += 1
        return [DONE for _ in performed]

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """Nobody asks."""

    async def until_begun(self, count: int) -> list[int]:
        await until(lambda: len(self.begun) >= count)
        return [job.id for job in self.begun]


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


def make_kinds(sends: Sends) -> Kinds:
    kinds = Kinds()
    kinds.shared_steps(SEND, sends)
    return kinds


async def enqueue_sends(server: Server, count: int) -> list[int]:
    await hold_route(server.database, server.life.worker)
    return [await enqueue_via(server, SEND, lane=LANE, route=BOT) for _ in range(count)]


async def find_commits(db: Database, ended: int, begun: int) -> tuple[str, str]:
    async with db.transaction() as tx:
        [row] = await tx.rows(SQL.find_commits, ended=ended, begun=begun)
        return row["ended"], row["begun"]


def listen(server: Server) -> list[str]:
    told: list[str] = []
    announce = server.database.announce

    async def note(hints: Hints) -> None:
        told.extend(hints)
        if announce is not None:
            await announce(hints)

    server.database.announce = note
    return told


async def test_the_next_of_a_lane_is_claimed_in_the_commit_that_ends_the_one_before(db: Database, locks: Path):
    sends = Sends()
    async with serving(db, make_kinds(sends), locks) as server:
        jobs = await enqueue_sends(server, 3)
        await sends.until_begun(1)
        told = listen(server)
        commits = []
        for before, after in pairwise(jobs):
            sends.through.release()
            await sends.until_begun(jobs.index(after) + 1)
            commits.append(await find_commits(db, before, after))
        sends.through.release()
        await until_ended(db, jobs[-1])

    assert [job.id for job in sends.begun] == jobs
    assert all(ended == begun for ended, begun in commits)
    assert f"queue:{BOT}" not in told


async def test_a_life_that_is_being_buried_ends_its_job_and_claims_nothing(db: Database, locks: Path):
    sends = Sends()
    async with serving(db, make_kinds(sends), locks) as server:
        first, second = await enqueue_sends(server, 2)
        await sends.until_begun(1)
        async with db.transaction() as tx:
            # as a rescue holds it; nobody waits for it who has locked leases before
            await tx.rows(SQL.lock_life, worker=server.life.worker)
            sends.through.release()
            await until_ended(db, first)
            where = (await place(db, second)).place
        assert await sends.until_begun(2) == [first, second]
        sends.through.release()
        await until_ended(db, second)

    assert where == "ready"


async def test_one_that_cannot_be_claimed_spoils_no_end(db: Database, locks: Path):
    sends = Sends()
    async with serving(db, make_kinds(sends), locks) as server:
        first, second = await enqueue_sends(server, 2)
        await sends.until_begun(1)
        # its claim breaks a promise of the schema, each time it is tried
        async with db.transaction() as tx:
            await tx.run(WORK.occupy_lease, id=second)
        sends.through.release()
        await until_ended(db, first)
        async with db.transaction() as tx:
            await tx.run(SQL.forget_lease, id=second)
        await sends.until_begun(2)

    assert await results(db, first) == [(1, "done", True)]
    assert sends.records == 2, "with the next one, and without"


async def test_a_server_that_stops_claims_nothing_more(db: Database, locks: Path):
    sends = Sends()
    async with serving(db, make_kinds(sends), locks, grace=timedelta(seconds=30)) as server:
        first, second = await enqueue_sends(server, 2)
        await sends.until_begun(1)
        stopping = asyncio.create_task(server.stop())
        await until(lambda: server.runner._is_stopping)
        sends.through.release()
        await stopping

    assert await places(db, first, second) == ["ended", "ready"]
    assert len(sends.begun) == 1


class Sender:
    """An exchange whose server sends for two bots, and the job it has begun."""

    def __init__(self, db: Database, exchange: Exchange, worker: int) -> None:
        self.db, self.exchange, self.worker = db, exchange, worker
        self.noted: set[tuple[int, int]] = set()

    async def claim(self, room: int = 10) -> list[Job]:
        capacity = Capacity(quick=0, slow=0, is_quick=lambda _kind: True, routed=room)
        return (await self.exchange.run(self.worker, [], capacity))[1]

    async def claim_ids(self, room: int = 10) -> list[int]:
        return [job.id for job in await self.claim(room)]

    async def end(self, job: Job, most: int = 1) -> Following:
        async with self.exchange.follow(self.worker, most, self.noted) as following, self.db.transaction() as tx:
            settled = await claims.settle(tx, None, [(job, DONE)], KINDS)
            await following.claim(tx, settled.let_go)
        return following


async def begin_sending(db: Database) -> tuple[Sender, Job, int]:
    """The first of two jobs of a lane runs; nothing else is there, and nothing is to be looked at."""
    worker = await begin_life(db)
    for route in (BOT, ELSEWHERE):
        await hold_route(db, worker, route)
    first, second = [one.id for one in await enqueue_many(db, *[NewJob(PLAIN, lane=LANE, route=BOT)] * 2)]
    sender = Sender(db, Exchange(db, KINDS), worker)
    sender.exchange.hear(f"queue:{BOT}", None)
    [job] = await sender.claim()
    assert job.id == first
    assert await sender.claim() == []
    return sender, job, second


async def test_its_lease_is_noted_before_the_commit(db: Database):
    sender, job, second = await begin_sending(db)

    following = await sender.end(job)

    assert [one.id for one in following.jobs] == [second]
    assert sender.noted == {(second, 1)}


async def test_what_is_more_urgent_on_another_route_takes_the_place(db: Database):
    sender, job, second = await begin_sending(db)
    urgent = await enqueue(db, route=ELSEWHERE, priority=Priority.URGENT)
    sender.exchange.hear(f"queue:{ELSEWHERE}", None)

    following = await sender.end(job)

    assert [one.id for one in following.jobs] == [urgent]
    assert await sender.claim_ids() == [second], "it waits, and is not forgotten"


async def test_an_exchange_beside_looks_at_its_routes_too(db: Database):
    """Otherwise it would give a slot to something less urgent than what is left there."""
    sender, job, second = await begin_sending(db)
    less = await enqueue(db, route=ELSEWHERE, priority=Priority.LOW)

    async with sender.exchange.follow(sender.worker, 0, sender.noted) as following:
        async with db.transaction() as tx:
            settled = await claims.settle(tx, None, [(job, DONE)], KINDS)
            await following.claim(tx, settled.let_go)
        sender.exchange.hear(f"queue:{ELSEWHERE}", None)
        beside = await sender.claim_ids(room=1)

    assert following.jobs == []
    assert beside == [second]
    assert await sender.claim_ids() == [less]


async def test_what_was_undone_is_looked_for_again(db: Database):
    sender, job, second = await begin_sending(db)

    with suppress(Undone):
        async with sender.exchange.follow(sender.worker, 1, sender.noted) as following, db.transaction() as tx:
            settled = await claims.settle(tx, None, [(job, DONE)], KINDS)
            await following.claim(tx, settled.let_go)
            raise Undone
    assert await places(db, job.id, second) == ["lease", "waiting"]
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, DONE)], KINDS)

    assert await sender.claim_ids() == [second]


async def test_a_life_that_lapsed_claims_nothing(db: Database):
    sender, job, second = await begin_sending(db)
    await lapse(db, sender.worker)

    following = await sender.end(job)

    assert following.jobs == []
    assert await places(db, job.id, second) == ["ended", "ready"]


async def test_a_server_that_drains_claims_nothing(db: Database):
    sender, job, second = await begin_sending(db)
    async with db.transaction() as tx:
        await workers.set_drain(tx, sender.worker, is_draining=True)

    following = await sender.end(job)

    assert following.jobs == []
    assert await places(db, job.id, second) == ["ended", "ready"]


async def test_what_is_committed_while_leases_are_read_is_not_taken_for_lost(db: Database):
    worker = await begin_life(db)
    known: set[tuple[int, int]] = set()

    async with db.transaction() as obstacle:
        await obstacle.run(SQL.lock_leases)

        async def reconcile() -> int:
            async with db.transaction() as tx:
                return await return_unknown(tx, worker, lambda: set(known))

        reconciling = await begin_blocked(db, reconcile())
        made = await queue.enqueue(obstacle, NewJob(PLAIN))
        [[claimed, *_]] = await claims.claim(obstacle, worker, wanted(PLAIN), total=1)
        known.add(claimed.key)

    assert await reconciling == 0
    assert await leases(db) == [(made.id, worker)]
