"""Random stories of work against a model of it: places, counters, ends, lanes and keys agree after every step."""

import asyncio
import os
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import asyncpg
from hypothesis import HealthCheck, assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from pabal.base.database import Database
from pabal.engine import claims, priorities, queue, widths, withdrawals, workers
from pabal.engine.endings import Returned
from pabal.engine.kinds import Job
from pabal.engine.lanes import LaneSweep
from pabal.engine.outcome import Cancel, Done, Limited, Outcome, Retry, Snooze
from pabal.engine.queue import NewJob, Priority
from tests.support import work
from tests.support.database import with_database
from tests.support.invariants import assert_every_job_is_in_one_place
from tests.support.work import HOLDING, KINDS, PLAIN, SQL, advance, begin_life, claim, crash, expire, promote
from tests.support.work_model import Item, Model

KIND_ORDER = (PLAIN, HOLDING)
SHARED = "s:1"
ENDINGS = ("done", "partial", "retry", "snoozed", "limited", "cancelled", "returned")


@st.composite
def new_jobs(draw: st.DrawFn) -> tuple[str, str | None, str | None, int | None, int | None, int, int, int]:
    """Kind, lane, key, delay, lifetime, most failures, most recoveries, priority."""
    lane = draw(st.sampled_from([None, "a", "a", "b", SHARED, SHARED, SHARED]))
    key = draw(st.sampled_from([None, None, "k1", "k2"]))
    failures, recoveries = draw(st.sampled_from([(5, 3), (2, 1), (1, 0)]))
    delay, lifetime = draw(st.sampled_from([(None, None), (None, None), (None, 40), (15, None), (15, 40)]))
    priority = draw(st.sampled_from([2, 2, 1]))
    return draw(st.sampled_from(KIND_ORDER)), lane, key, delay, lifetime, failures, recoveries, priority


class Work(RuleBasedStateMachine):
    db: Database
    run: Any

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.attempts: list[tuple[Job, int]] = []
        self.workers: list[int] = []

    def any_in(self, *places: str) -> bool:
        return any(item.place in places for item in self.model.items.values())

    @initialize(jobs=st.lists(new_jobs(), min_size=2, max_size=5))
    def begin(self, jobs: list[Any]) -> None:
        self.run(self._begin())
        for job in jobs:
            self.enqueue(job, is_promoted=True)

    async def _begin(self) -> None:
        async with self.db.transaction() as tx:
            await tx.script(SQL.empty.text)
        await widths.declare_all(self.db, {"s": 2})
        self.model.widths[SHARED] = 2
        self.workers = [await begin_life(self.db) for _ in range(2)]

    @rule(job=new_jobs(), is_promoted=st.sampled_from([True, True, False]))
    def enqueue(self, job: Any, is_promoted: bool) -> None:
        self.run(self._enqueue(*job, is_promoted=is_promoted))

    async def _enqueue(  # long: a job is all of these
        self, kind: str, lane: str | None, key: str | None, delay: int | None, lifetime: int | None,
        failures: int, recoveries: int, priority: int, *, is_promoted: bool,
    ) -> None:  # fmt: skip
        async with self.db.transaction() as tx:
            expires_at = None if lifetime is None else tx.now + timedelta(seconds=lifetime)
            due_at = None if delay is None else tx.now + timedelta(seconds=delay)
            job = NewJob(kind, lane=lane, key=key, run_at=due_at, expires_at=expires_at, priority=Priority(priority))
            job = replace(job, max_failures=failures, max_recoveries=recoveries, records_end=failures > 1)
            made = await queue.enqueue(tx, job)
            if not is_promoted:
                tx._after_commit.clear()  # the process died between the commit and what follows it
        existing = self.model.open_key(kind, key)
        assert made.is_new == (existing is None)
        if existing is not None:
            assert made.id == existing.id
            return
        item = Item(made.id, kind, lane, key, failures, recoveries, expires_at, priority)
        self.model.add(item, due_at=due_at, is_promoted=is_promoted)

    @precondition(lambda self: self.any_in("ready"))
    @rule(which=st.integers(0, 1), total=st.integers(1, 4), endings=st.lists(st.sampled_from(ENDINGS), max_size=3))
    def claim_and_settle(self, which: int, total: int, endings: list[str]) -> None:
        """Some end at once, the rest goes on running."""
        worker = self.workers[which]
        jobs = self.run(claim(self.db, worker, *KIND_ORDER, total=total))
        assert [job.id for job in jobs] == self.model.claim(worker, KIND_ORDER, total)
        assert all(job.token == self.model.items[job.id].token for job in jobs)
        self.attempts += [(job, worker) for job in jobs]
        for job, ending in zip(jobs, endings, strict=False):
            self.run(self._settle(job, worker, ending))

    @precondition(lambda self: self.any_in("lease"))
    @rule(pick=st.integers(0, 9), ending=st.sampled_from(ENDINGS))
    def settle(self, pick: int, ending: str) -> None:
        running = self._attempts(current=True)
        self.run(self._settle(*running[pick % len(running)], ending))

    @precondition(lambda self: self._attempts(current=False))
    @rule(pick=st.integers(0, 9), ending=st.sampled_from(ENDINGS))
    def settle_late(self, pick: int, ending: str) -> None:
        """By one who lost the job, or ended it, long ago."""
        lost = self._attempts(current=False)
        self.run(self._settle(*lost[-1 - pick % len(lost)], ending))

    def _attempts(self, *, current: bool) -> list[tuple[Job, int]]:
        return [pair for pair in self.attempts if self.model.is_current(pair[0].id, pair[0].token) == current]

    async def _settle(self, job: Job, worker: int, ending: str) -> None:
        async with self.db.transaction() as tx:
            wait = {"retry": 30, "snoozed": 20, "limited": 10}.get(ending)
            due_at = None if wait is None else tx.now + timedelta(seconds=wait)
            settled = await claims.settle(tx, worker, [(job, said(ending, due_at))], KINDS)
        is_current = self.model.settle(job.id, job.token, ending, due_at)
        assert (settled.count, len(settled.stale)) == ((1, 0) if is_current else (0, 1))
        assert settled.busy == []

    @precondition(lambda self: self.any_in("lease"))
    @rule(which=st.integers(0, 1))
    def crash(self, which: int) -> None:
        self.run(crash(self.db, self.workers[which]))
        self.model.crash(self.workers[which])
        self.workers[which] = self.run(begin_life(self.db))

    @precondition(lambda self: self.any_in("delayed"))
    @rule(seconds=st.sampled_from([0, 6, 13, 45]))
    def wait_and_promote(self, seconds: int) -> None:
        self.run(advance(self.db, seconds))
        self.model.promote(self._do_at_one_moment(promote(self.db)))

    @precondition(lambda self: any(item.cancel_at for item in self.model.items.values()))
    @rule(seconds=st.sampled_from([0, 20]))
    def wait_and_take_overdue(self, seconds: int) -> None:
        self.run(advance(self.db, seconds))
        self.model.take_overdue(self._do_at_one_moment(workers.take_overdue_once(self.db, KINDS)))

    @precondition(lambda self: any(item.expires_at and item.place != "ended" for item in self.model.items.values()))
    @rule(seconds=st.sampled_from([0, 45]))
    def wait_and_expire(self, seconds: int) -> None:
        self.run(advance(self.db, seconds))
        self.model.expire(self._do_at_one_moment(expire(self.db)))

    @precondition(lambda self: any(item.lane == SHARED for item in self.model.items.values()))
    @rule(width=st.integers(0, 3))
    def choose_width(self, width: int) -> None:
        self.run(self._choose_width(width))
        self.model.choose(SHARED, width)

    async def _choose_width(self, width: int) -> None:
        async with self.db.transaction() as tx:
            await widths.choose(tx, SHARED, width)

    @precondition(lambda self: self.any_in("ready", "waiting", "delayed"))
    @rule(pick=st.integers(0, 30), priority=st.sampled_from([0, 1, 3]))
    def move_priority(self, pick: int, priority: int) -> None:
        places = ("ready", "waiting", "delayed")
        ids = sorted(item.id for item in self.model.items.values() if item.place in places)
        chosen = ids[pick % len(ids)]
        self.run(self._move_priority(chosen, priority))
        self.model.move(chosen, priority)

    async def _move_priority(self, job_id: int, priority: int) -> None:
        async with self.db.transaction() as tx:
            await priorities.move(tx, job_id, Priority(priority))

    @precondition(lambda self: any(self.model.has_room(item.lane) for item in self.model.waiting()))
    @rule()
    def sweep(self) -> None:
        self.run(LaneSweep(self.db).run_once())
        self.model.sweep()

    @precondition(lambda self: self.model.items)
    @rule(pick=st.integers(0, 30))
    def cancel(self, pick: int) -> None:
        ids = sorted(self.model.items)
        self.run(self._cancel(ids[-1 - pick % len(ids)]))

    async def _cancel(self, job_id: int) -> None:
        async with self.db.transaction() as tx:
            cancelled = await withdrawals.cancel_jobs(tx, [job_id], kinds=KINDS)
            now = tx.now
        expected = self.model.cancel(job_id, now)
        assert cancelled.ended == ([job_id] if expected == "ended" else [])
        assert cancelled.signalled == ([job_id] if expected == "signalled" else [])

    def _do_at_one_moment(self, step: Any) -> datetime:
        """The step has a moment of its own; no story depends on what falls due while it runs."""
        before: datetime = self.run(now(self.db))
        self.run(step)
        after = self.run(now(self.db))
        marks = [item.due_at for item in self.model.items.values()]
        marks += [item.expires_at for item in self.model.items.values()]
        marks += [item.cancel_at + timedelta(seconds=10) for item in self.model.items.values() if item.cancel_at]
        assume(not any(mark is not None and before <= mark <= after for mark in marks))
        return before

    @invariant()
    def tables_agree_with_the_model(self) -> None:
        self.run(self._compare())

    async def _compare(self) -> None:
        await assert_every_job_is_in_one_place(self.db)
        async with self.db.transaction() as tx:
            rows = await tx.rows(SQL.list_state, kinds=list(KIND_ORDER))
            holders = {row["lane"]: sorted(row["holders"]) for row in await tx.rows(SQL.list_holders)}
            keys = {(row["scope"], row["key"]): row["work_id"] for row in await tx.rows(SQL.list_keys)}
            stale = await tx.rows(SQL.list_stale)
        items = self.model.items.values()
        assert [tuple(row) for row in rows] == [shown(item) for item in sorted(items, key=lambda item: item.id)]
        assert holders == {lane: sorted(ids) for lane, ids in self.model.holders.items()}
        assert keys == {(item.kind, item.key): item.id for item in items if item.key and item.place != "ended"}
        assert len(stale) == self.model.stale
        for item in items:
            tokens = [token for token, _, _ in item.ends]
            assert tokens == sorted(set(tokens))
            assert item.failures < item.max_failures
            assert item.recoveries <= item.max_recoveries

    def teardown(self) -> None:
        """Whatever happened, every job that was committed reaches its one end (I1, I4)."""
        if self.workers:
            self.run(self._drain())

    async def _drain(self) -> None:
        await self._choose_width(1)
        worker = await begin_life(self.db)
        for old in self.workers:
            await crash(self.db, old)
        while True:
            await advance(self.db, 60)
            await LaneSweep(self.db).run_once()
            await promote(self.db)
            jobs = await claim(self.db, worker, *KIND_ORDER)
            for job in jobs:
                await work.settle(self.db, job, Done(), worker=worker)
            async with self.db.transaction() as tx:
                rows = await tx.rows(SQL.list_state, kinds=list(KIND_ORDER))
            is_open = any(row["place"] != "ended" for row in rows)
            assert jobs or not is_open, "a job that nobody can ever start"
            if not is_open:
                assert [sum(end.endswith("true") for end in row["ends"]) for row in rows] == [1] * len(rows)
                return


def said(ending: str, due_at: datetime | None) -> Outcome | Returned:
    match ending:
        case "done" | "partial":
            return Done(partial=ending == "partial")
        case "retry":
            return Retry("bad")
        case "cancelled":
            return Cancel("no longer")
        case "returned":
            return Returned("shutdown")
    assert due_at is not None
    return Snooze(due_at) if ending == "snoozed" else Limited(due_at, "room:1 minute")


def shown(item: Item) -> tuple[Any, ...]:
    ends = [f"{token} {result} {str(final).lower()}" for token, result, final in item.ends]
    if item.place == "ended":
        return (item.id, "ended", None, None, None, None, None, False, None, ends, item.told)
    counters = (item.token, item.failures, item.recoveries, item.snoozes)
    return (item.id, item.place, *counters, item.worker, item.cancel_at is not None, item.due_at, ends, item.told)


async def now(db: Database) -> datetime:
    async with db.transaction() as tx:
        return tx.now


async def make_database(cluster_url: str, template: str, name: str) -> Database:
    admin = await asyncpg.connect(cluster_url)
    await admin.execute(f'create database "{name}" template "{template}"')
    await admin.close()
    return await Database.open(with_database(cluster_url, name))


async def drop_database(cluster_url: str, db: Database, name: str) -> None:
    await db.close()
    admin = await asyncpg.connect(cluster_url)
    await admin.execute(f'drop database "{name}" with (force)')
    await admin.close()


def test_whatever_happens_places_counters_ends_lanes_and_keys_are_those_of_the_model(
    cluster_url: str, template: str
) -> None:
    name = f"test_{os.getpid()}_work_model"
    chosen = settings(
        max_examples=20, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True
    )
    with asyncio.Runner() as runner:
        db = runner.run(make_database(cluster_url, template, name))
        machine = type("Machine", (Work,), {"db": db, "run": staticmethod(runner.run)})
        try:
            run_state_machine_as_test(machine, settings=chosen)
        finally:
            runner.run(drop_database(cluster_url, db, name))
