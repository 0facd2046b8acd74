"""Poison that raises nothing (I22), by PostgreSQL's own hand: idle for too long, a statement that takes too long."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import claims
from pabal.engine.inside import InsideWork
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Outcome
from pabal.engine.queue import NewJob, Place
from pabal.engine.steps import Attempts
from tests.support.servers import Errand, until
from tests.support.work import begin_life, claim, enqueue, enqueue_many, place, places

INSIDE, ERRAND = "test.inside", "test.errand"


async def idle_too_long(tx: Tx) -> None:
    await tx.script("set local idle_in_transaction_session_timeout = '10ms'")
    await until(lambda: tx.is_lost)


async def take_too_long(tx: Tx) -> None:
    await tx.script("set local statement_timeout = '10ms'")
    await tx.script("select pg_sleep(30)")


@dataclass(frozen=True)
class Way:
    """The first takes the connection along, and is a recovery; the second is told the handler, and is a failure."""

    strike: Callable[[Tx], Awaitable[None]]
    result: str
    reason: str


WAYS = {
    "idle too long": Way(idle_too_long, "quarantined", "its connection was lost: "),
    "statement cancelled": Way(take_too_long, "failed", "QueryCanceledError: canceling statement due to statement"),
}
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=list(WAYS))


def check(ended: Place, way: Way) -> None:
    reason = (ended.error or {}).get("reason", "")
    assert (ended.result, way.reason in reason, "went away" in reason) == (way.result, True, False), reason


@each_way
async def test_inside_work_ends_with_its_reason_and_takes_nobody_along(db: Database, way: Way):
    kinds = Kinds()

    @kinds.inside(INSIDE)
    async def handle(tx: Tx, jobs: Sequence[Job]) -> None:
        if any(job.args["bad"] for job in jobs):
            await way.strike(tx)

    made = [NewJob(INSIDE, {"bad": n == 1}, max_recoveries=0, max_failures=1) for n in range(4)]
    first, bad, *others = [answer.id for answer in await enqueue_many(db, *made)]
    await work_off(InsideWork(db, kinds))

    check(await place(db, bad), way)
    assert await places(db, first, *others) == ["ended"] * 3


async def work_off(work: InsideWork) -> None:
    """As its loop does: whatever a step raises, the next one follows."""
    for _ in range(20):
        try:
            if not await work.run_once():
                return
        except Exception:  # noqa: BLE001 -- as the loop
            continue
    raise AssertionError("it never came to an end")


class Striking(Errand):
    def __init__(self, where: str, way: Way) -> None:
        super().__init__()
        self._where = where
        self._way = way

    async def prepare(self, tx: Tx, job: Job) -> Any:
        await self._strike(tx, "prepare")
        return await super().prepare(tx, job)

    async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome:
        await self._strike(tx, "record")
        return await super().record(tx, prepared, result)

    async def _strike(self, tx: Tx, where: str) -> None:
        if where == self._where:
            await self._way.strike(tx)


@each_way
@pytest.mark.parametrize("where", ["prepare", "record"])
async def test_steps_end_with_their_reason(db: Database, way: Way, where: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("pabal.engine.steps.PAUSES", (0.0,))
    kinds = Kinds()
    kinds.steps(ERRAND, Striking(where, way))
    attempts, worker = Attempts(db, kinds), await begin_life(db)
    job_id = await enqueue(db, ERRAND, max_recoveries=0, max_failures=1)

    while jobs := await claim(db, worker, ERRAND):
        said: Any = await attempts.perform(worker, jobs[0])
        async with db.transaction() as tx:
            await claims.settle(tx, worker, [(jobs[0], said)], kinds)
    attempts.close()

    check(await place(db, job_id), way)
