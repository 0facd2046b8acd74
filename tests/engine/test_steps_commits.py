"""Attempts that share their commits: one transaction for all, a fence for each, and one bad one hurts nobody else."""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import claims
from pabal.engine.endings import Lost, Returned
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import DONE, Outcome, Retry, Snooze
from pabal.engine.steps import Attempts
from tests.support.servers import SQL, enqueue_in, notes
from tests.support.work import begin_life, claim_one, crash, enqueue, hold_route, place, results, stale

ROUND = "test.round"


class Round:
    """Steps that share; each writes a note in both of its transactions and remembers their moments."""

    def __init__(self) -> None:
        self.prepared: list[list[int]] = []
        self.recorded: list[list[int]] = []
        self.moments: dict[str, set[datetime]] = {"prepare": set(), "record": set()}
        self.spoils: dict[str, set[int]] = {"prepare": set(), "record": set()}
        self.ends: dict[int, Outcome] = {}
        self.performing = asyncio.Event()
        self.performing.set()

    async def prepare_all(self, tx: Tx, jobs: Sequence[Job]) -> list[Any]:
        self.prepared.append([job.id for job in jobs])
        await self._write(tx, "prepare", [job.id for job in jobs])
        return [self.ends.get(job.id, job) for job in jobs]

    async def perform(self, job: Job, prepared: Job) -> str:
        await self.performing.wait()
        return "performed"

    async def record_all(self, tx: Tx, performed: Sequence[tuple[Job, str]]) -> list[Outcome]:
        self.recorded.append([job.id for job, _ in performed])
        await self._write(tx, "record", [job.id for job, _ in performed])
        return [DONE for _ in performed]

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        await enqueue_in(tx, f"given_up:{job.id}")

    async def _write(self, tx: Tx, where: str, ids: Sequence[int]) -> None:
        self.moments[where].add(tx.now)
        for one in ids:
            await enqueue_in(tx, f"{where}:{one}")
        if self.spoils[where] & set(ids):
            raise ValueError(f"spoilt in {where}")


def make_kinds(handler: Round) -> Kinds:
    kinds = Kinds()
    kinds.shared_steps(ROUND, handler)
    return kinds


async def claim_many(db: Database, count: int) -> tuple[list[Job], int]:
    worker = await begin_life(db)
    for _ in range(count):
        await enqueue(db, ROUND)
    return [await claim_one(db, worker, ROUND) for _ in range(count)], worker


async def test_those_who_begin_and_end_together_share_both_commits(db: Database):
    handler = Round()
    jobs, worker = await claim_many(db, 5)
    attempts = Attempts(db, make_kinds(handler))

    said = await asyncio.gather(*(attempts.perform(worker, job) for job in jobs))

    assert said == [None] * 5
    assert [len(handler.moments[where]) for where in ("prepare", "record")] == [1, 1]
    assert sorted(handler.recorded[0]) == sorted(job.id for job in jobs)
    assert [await results(db, job.id) for job in jobs] == [[(1, "done", True)]] * 5


@pytest.mark.parametrize("where", ["prepare", "record"])
async def test_one_that_raises_fails_alone_and_nothing_of_it_is_kept(db: Database, where: str):
    handler = Round()
    jobs, worker = await claim_many(db, 3)
    bad = jobs[1].id
    handler.spoils[where].add(bad)
    attempts = Attempts(db, make_kinds(handler))

    said = await asyncio.gather(*(attempts.perform(worker, job) for job in jobs))

    assert said == [None, Retry(f"ValueError: spoilt in {where}"), None]
    assert [await notes(db, f"{where}:{job.id}") for job in jobs] == [1, 0, 1], "the others once, in the second try"
    assert [await results(db, job.id) for job in jobs] == [[(1, "done", True)], [], [(1, "done", True)]]


async def test_one_that_takes_the_connection_along_is_lost_alone(db: Database):
    class Cutting(Round):
        async def _write(self, tx: Tx, where: str, ids: Sequence[int]) -> None:
            await super()._write(tx, where, ids)
            if bad in ids and where == "prepare":
                await tx.value(SQL.terminate_myself)

    handler = Cutting()
    jobs, worker = await claim_many(db, 3)
    bad = jobs[1].id
    attempts = Attempts(db, make_kinds(handler))

    said = await asyncio.gather(*(attempts.perform(worker, job) for job in jobs))

    assert [type(one) for one in said] == [type(None), Lost, type(None)]
    assert [await results(db, job.id) for job in jobs] == [[(1, "done", True)], [], [(1, "done", True)]]


async def test_who_ends_in_prepare_is_settled_there_and_the_others_go_on(db: Database):
    handler = Round()
    jobs, worker = await claim_many(db, 3)
    async with db.transaction() as tx:
        handler.ends[jobs[0].id] = Snooze(tx.now, "later")
    attempts = Attempts(db, make_kinds(handler))

    said = await asyncio.gather(*(attempts.perform(worker, job) for job in jobs))

    assert said == [None] * 3
    assert sorted(handler.recorded[0]) == sorted(job.id for job in jobs[1:])
    assert (await place(db, jobs[0].id)).place == "delayed"


async def test_who_lost_its_job_or_its_route_is_told_so_and_nobody_else(db: Database):
    handler = Round()
    [lost], dead = await claim_many(db, 1)
    [kept], worker = await claim_many(db, 1)
    await enqueue(db, ROUND, route="bot:moving")
    await hold_route(db, worker, "bot:moving")
    async with db.transaction() as tx:
        [moved] = await claims.claim_routed(tx, worker, ["bot:moving"], kinds=[ROUND], total=1)
    await hold_route(db, await begin_life(db), "bot:moving")
    await crash(db, dead)
    attempts = Attempts(db, make_kinds(handler))

    said = await asyncio.gather(*(attempts.perform(worker, job) for job in (lost, kept, moved)))

    assert said == [None, None, Returned("route lost")]
    assert handler.prepared == [[kept.id]]
    assert [row[0] for row in await stale(db)] == [lost.id]


async def test_of_two_attempts_at_one_job_only_the_newer_records(db: Database):
    handler = Round()
    handler.performing.clear()
    [old], dead = await claim_many(db, 1)
    attempts = Attempts(db, make_kinds(handler))
    first = asyncio.create_task(attempts.perform(dead, old))
    while not handler.prepared:
        await asyncio.sleep(0)
    await crash(db, dead)
    worker = await begin_life(db)
    new = await claim_one(db, worker, ROUND)
    second = asyncio.create_task(attempts.perform(worker, new))
    while len(handler.prepared) < 2:
        await asyncio.sleep(0)

    handler.performing.set()
    await asyncio.gather(first, second)

    assert (new.id, new.token) == (old.id, old.token + 1)
    assert handler.recorded == [[new.id]]
    assert await notes(db, f"record:{new.id}") == 1
    assert [(row[0], row[1]) for row in await stale(db)] == [(old.id, old.token)]
