"""For tests of programs on Pabal: run what is due, move the clock, look at what was enqueued, end the process anywhere.

Nothing runs in the background here: `drain` does, in this task and in order, what a server's loops would do.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.killpoints import EXIT_CODE, KILL_POINTS, kill_point
from pabal.base.sql import load
from pabal.engine import claims, delays, ticks, timers, widths, withdrawals, workers
from pabal.engine.claims import Wanted
from pabal.engine.facts import Subscriber, deliver_once
from pabal.engine.inside import InsideWork
from pabal.engine.kinds import Job, Kinds, Shape
from pabal.engine.lanes import LaneSweep
from pabal.engine.machine import Machine
from pabal.engine.steps import Attempts

SQL = load(__file__)
BATCH = 100
PRIORITIES = (0, 1, 2, 3)

__all__ = ["EXIT_CODE", "KILL_POINTS", "Parts", "advance", "assert_enqueued", "drain", "kill_point", "list_enqueued"]


@dataclass(frozen=True)
class Parts:
    """What a test runs: its database, and the kinds, machines and subscribers of the program under test."""

    database: Database
    kinds: Kinds = field(default_factory=Kinds)
    machines: Sequence[Machine] = ()
    subscribers: Sequence[Subscriber] = ()
    # what the server has that some work needs
    labels: frozenset[str] = frozenset()


async def drain(parts: Parts, *, rounds: int = 1000) -> int:
    """Runs everything that is due now, and what that makes due, to its end; answers how many steps it took."""
    total = 0
    await widths.declare_all(parts.database, parts.kinds.widths)
    async with _Life(parts) as worker:
        for _ in range(rounds):
            found = await _round(parts, worker)
            total += found
            if found == 0:
                return total
    raise AssertionError(f"still busy after {rounds} rounds: something enqueues itself without end")


async def advance(parts: Parts, by: timedelta) -> int:
    """Moves the clock there by way of every moment that becomes due, so that each thing happens on time."""
    async with parts.database.transaction() as tx:
        target = tx.now + by
    total = await drain(parts)
    while True:
        moment, now = await _next_moment(parts)
        if moment is None or moment > target:
            break
        await clock.advance(parts.database, max(moment - now, timedelta(0)))
        total += await drain(parts)
    async with parts.database.transaction() as tx:
        rest = target - tx.now
    await clock.advance(parts.database, max(rest, timedelta(0)))
    return total + await drain(parts)


async def list_enqueued(database: Database, kind: str) -> list[dict[str, Any]]:
    """The arguments of every job of this kind, ended ones included, oldest first."""
    async with database.transaction() as tx:
        return [row["args"] for row in await tx.rows(SQL.list_enqueued, kind=kind)]


async def assert_enqueued(database: Database, kind: str, *, count: int | None = None, **args: Any) -> None:
    """At least one job of this kind was enqueued with these arguments among its own; with `count`, exactly so many."""
    enqueued = await list_enqueued(database, kind)
    matching = [given for given in enqueued if all(given.get(name) == value for name, value in args.items())]
    found = len(matching) == count if count is not None else bool(matching)
    wanted = "at least one" if count is None else str(count)
    if not found:
        raise AssertionError(f"expected {wanted} {kind} with {args}, found {len(matching)} among {enqueued}")


async def _round(parts: Parts, worker: int) -> int:
    database = parts.database
    found = await ticks.tick_once(database)
    found += await timers.fire_once(database, parts.machines)
    found += await delays.promote_once(database)
    found += await LaneSweep(database).run_once()
    found += await withdrawals.obey_once(database, parts.kinds)
    found += await withdrawals.expire_once(database, parts.kinds)
    found += await InsideWork(database, parts.kinds).run_once()
    found += await _work(parts, worker)
    for subscriber in parts.subscribers:
        found += await deliver_once(database, subscriber)
    return found


async def _work(parts: Parts, worker: int) -> int:
    jobs = await _claim(parts, worker)
    attempts = Attempts(parts.database, parts.kinds)
    for job in jobs:
        outcome = await attempts.perform(worker, job)
        if outcome is not None:
            async with parts.database.transaction() as tx:
                await claims.settle(tx, worker, [(job, outcome)], parts.kinds)
    return len(jobs)


async def _claim(parts: Parts, worker: int) -> list[Job]:
    names = parts.kinds.queues(parts.labels, Shape.PLAIN, Shape.STEPS)
    wanted = [Wanted(name, priority) for priority in PRIORITIES for name in names]
    async with parts.database.transaction() as tx:
        claimed = await claims.claim(tx, worker, wanted, total=BATCH) if wanted else []
    return [job for job, _, _ in claimed]


async def _next_moment(parts: Parts) -> tuple[datetime | None, datetime]:
    delayed, _ = await delays.next_due(parts.database)
    scheduled, _ = await ticks.next_due(parts.database)
    async with parts.database.transaction() as tx:
        armed = await timers.next_due(tx, parts.machines)
        moments = [moment for moment in (delayed, scheduled, armed) if moment is not None]
        return min(moments, default=None), tx.now


class _Life:
    """A life for the length of a drain; ended like a server's, so that nothing stays leased."""

    def __init__(self, parts: Parts) -> None:
        self._database = parts.database
        self._id = 0

    async def __aenter__(self) -> int:
        async with self._database.transaction() as tx:
            self._id = await workers.insert_worker(tx, host="testing", meta={}, ttl=timedelta(hours=1))
        return self._id

    async def __aexit__(self, *_: object) -> None:
        async with self._database.transaction() as tx:
            await workers.leave(tx, self._id)
