"""One attempt: how each shape runs, and what every way of ending means."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, cast

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import claims
from pabal.engine.endings import Lost, Returned
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Cancel, Done, Outcome, Retry, Snooze
from pabal.engine.steps import Attempts
from tests.support.servers import SQL, Errand, notes
from tests.support.work import (
    BOT,
    begin_life,
    claim_one,
    counters,
    crash,
    enqueue,
    hold_route,
    place,
    results,
    stale,
)

ERRAND = "test.errand"
SIMPLE = "test.simple"


async def attempt(db: Database, kinds: Kinds, job: Job, worker: int = 0) -> Outcome | Returned | Lost | None:
    return await Attempts(db, kinds).perform(worker, job)


async def begin(db: Database, kind: str, **options: Any) -> tuple[Job, int]:
    await enqueue(db, kind, **options)
    worker = await begin_life(db)
    return await claim_one(db, worker, kind), worker


def simple(handler: Any) -> Kinds:
    kinds = Kinds()
    kinds.plain(SIMPLE)(handler)
    return kinds


class Sharing:
    """The same errand as one of those who share their commits."""

    def __init__(self, errand: Any) -> None:
        self._errand = errand
        self.perform, self.give_up = errand.perform, errand.give_up

    async def prepare_all(self, tx: Tx, jobs: Sequence[Job]) -> list[Any]:
        return [await self._errand.prepare(tx, job) for job in jobs]

    async def record_all(self, tx: Tx, performed: Sequence[tuple[Any, Any]]) -> list[Outcome]:
        return [await self._errand.record(tx, prepared, result) for prepared, result in performed]


def own(errand: Any) -> Kinds:
    kinds = Kinds()
    kinds.steps(ERRAND, errand)
    return kinds


def shared(errand: Any) -> Kinds:
    kinds = Kinds()
    kinds.shared_steps(ERRAND, Sharing(errand))
    return kinds


@pytest.fixture(params=[own, shared])
def errands(request: pytest.FixtureRequest) -> Callable[[Any], Kinds]:
    """Both ways to commit promise the same."""
    way: Callable[[Any], Kinds] = request.param
    return way


async def test_a_plain_handler_that_says_nothing_is_done(db: Database):
    async def handler(job: Job) -> None:
        return None

    job, _ = await begin(db, SIMPLE)

    assert await attempt(db, simple(handler), job) == Done()


@pytest.mark.parametrize("said", [Done("fine"), Retry("later"), Cancel("no")])
async def test_a_plain_handler_may_say_how_it_ended(db: Database, said: Outcome):
    async def handler(job: Job) -> Outcome:
        return said

    job, _ = await begin(db, SIMPLE)

    assert await attempt(db, simple(handler), job) == said


async def test_an_exception_becomes_a_retry_with_its_reason(db: Database):
    async def handler(job: Job) -> None:
        raise ValueError("the room is closed")

    job, _ = await begin(db, SIMPLE)

    assert await attempt(db, simple(handler), job) == Retry("ValueError: the room is closed")


async def test_an_answer_that_is_no_outcome_is_a_failure_that_names_it(db: Database):
    async def handler(job: Job) -> int:
        return 42

    job, _ = await begin(db, SIMPLE)
    said = await attempt(db, simple(handler), job)

    assert isinstance(said, Retry)
    assert "got 42" in said.reason


async def test_a_handler_that_is_no_coroutine_runs_in_a_thread(db: Database):
    threads = []

    def handler(job: Job) -> None:
        threads.append(threading.get_ident())

    job, _ = await begin(db, SIMPLE)
    said = await attempt(db, simple(handler), job)

    assert said == Done()
    assert threads != [threading.get_ident()]


async def test_a_deadline_ends_the_attempt_as_a_failure(db: Database):
    async def handler(job: Job) -> None:
        await asyncio.Event().wait()

    job, _ = await begin(db, SIMPLE, deadline=timedelta(milliseconds=20))

    assert await attempt(db, simple(handler), job) == Retry("deadline of 0.02 s passed")


async def test_a_timeout_of_the_handlers_own_is_not_taken_for_the_deadline(db: Database):
    async def handler(job: Job) -> None:
        raise TimeoutError("the bot did not answer")

    job, _ = await begin(db, SIMPLE, deadline=timedelta(minutes=1))

    assert await attempt(db, simple(handler), job) == Retry("TimeoutError: the bot did not answer")


async def test_steps_record_and_end_the_job_in_one_commit(db: Database, errands: Callable[[Any], Kinds]):
    errand = Errand()
    job, worker = await begin(db, ERRAND)

    said = await attempt(db, errands(errand), job, worker)

    assert said is None
    assert errand.calls == ["prepare", "perform", "record"]
    assert await results(db, job.id) == [(1, "done", True)]
    assert await notes(db, f"recorded:{job.id}") == 1


async def test_no_transaction_is_open_while_a_handler_performs(db: Database, errands: Callable[[Any], Kinds]):
    errand = Errand()
    errand.gate.clear()
    job, worker = await begin(db, ERRAND)

    running = asyncio.create_task(attempt(db, errands(errand), job, worker))
    while "perform" not in errand.calls:
        await asyncio.sleep(0)
    async with db.transaction() as tx:
        open_transactions = await tx.value(SQL.count_open_transactions)
    errand.gate.set()
    await running

    assert open_transactions == 0


async def test_prepare_may_end_the_attempt_before_anything_is_done_outside(
    db: Database, errands: Callable[[Any], Kinds]
):
    errand = Errand()
    job, worker = await begin(db, ERRAND)
    async with db.transaction() as tx:
        errand.prepared = Snooze(tx.now + timedelta(hours=1))

    await attempt(db, errands(errand), job, worker)

    assert errand.calls == ["prepare"]
    assert (await place(db, job.id)).place == "delayed"
    assert await counters(db, job.id) == (0, 0, 1)


async def test_what_record_wrote_is_undone_when_it_raises(db: Database, errands: Callable[[Any], Kinds]):
    class Failing(Errand):
        async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome:
            await super().record(tx, prepared, result)
            raise ValueError("no")

    job, worker = await begin(db, ERRAND)

    said = await attempt(db, errands(Failing()), job, worker)

    assert said == Retry("ValueError: no")
    assert await notes(db, f"recorded:{job.id}") == 0


async def test_a_job_that_record_ends_without_success_is_given_up_in_the_same_commit(
    db: Database, errands: Callable[[Any], Kinds]
):
    errand = Errand()
    errand.outcome = Cancel("the room is gone")
    job, worker = await begin(db, ERRAND)

    await attempt(db, errands(errand), job, worker)

    assert await results(db, job.id) == [(1, "cancelled", True)]
    assert await notes(db, f"given_up:{job.id}") == 1


async def test_a_zombie_records_nothing_and_is_noted(db: Database, errands: Callable[[Any], Kinds]):
    errand = Errand()
    errand.gate.clear()
    job, worker = await begin(db, ERRAND)
    running = asyncio.create_task(attempt(db, errands(errand), job, worker))
    while "perform" not in errand.calls:
        await asyncio.sleep(0)

    await crash(db, worker)
    errand.gate.set()
    said = await running

    assert said is None
    assert await notes(db, f"recorded:{job.id}") == 0
    assert (await place(db, job.id)).place == "ready"
    assert [(row[0], row[1]) for row in await stale(db)] == [(job.id, job.token)]


async def test_an_attempt_that_lost_its_job_before_it_began_does_nothing(db: Database, errands: Callable[[Any], Kinds]):
    errand = Errand()
    job, worker = await begin(db, ERRAND)
    await crash(db, worker)

    said = await attempt(db, errands(errand), job, worker)

    assert said is None
    assert errand.calls == []


async def test_an_attempt_whose_route_moved_is_handed_back(db: Database, errands: Callable[[Any], Kinds]):
    errand = Errand()
    await enqueue(db, ERRAND, route=BOT)
    first, second = await begin_life(db), await begin_life(db)
    await hold_route(db, first)
    async with db.transaction() as tx:
        [job] = await claims.claim_routed(tx, first, [BOT], kinds=[ERRAND], total=1)
    await hold_route(db, second)

    said = await attempt(db, errands(errand), job, first)

    assert isinstance(said, Returned)
    assert errand.calls == []


class CutOff(Errand):
    """Loses its connection in one of its transactions, the first time."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where

    async def prepare(self, tx: Tx, job: Job) -> Any:
        prepared = await super().prepare(tx, job)
        await self._cut(tx, "prepare")
        return prepared

    async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome:
        outcome = await super().record(tx, prepared, result)
        await self._cut(tx, "record")
        return outcome

    async def _cut(self, tx: Tx, where: str) -> None:
        if self.where == where and self.calls.count(where) == 1:
            await tx.value(SQL.terminate_myself)


async def test_a_result_is_recorded_again_when_the_connection_was_lost(db: Database, errands: Callable[[Any], Kinds]):
    errand = CutOff("record")
    job, worker = await begin(db, ERRAND)

    await attempt(db, errands(errand), job, worker)

    assert errand.calls == ["prepare", "perform", "record", "record"]
    assert await results(db, job.id) == [(1, "done", True)]
    assert await notes(db, f"recorded:{job.id}") == 1


async def test_a_connection_lost_in_prepare_is_no_failure_of_the_job(db: Database, errands: Callable[[Any], Kinds]):
    errand = CutOff("prepare")
    job, worker = await begin(db, ERRAND)

    said = await attempt(db, errands(errand), job, worker)

    assert isinstance(said, Returned)
    assert errand.calls == ["prepare"]


class Cutting(Errand):
    """One of its transactions loses its connection by its own doing, each time."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self._where = where

    async def prepare(self, tx: Tx, job: Job) -> Any:
        answer = await super().prepare(tx, job)
        if self._where == "prepare":
            await tx.value(SQL.terminate_myself)
        return answer

    async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome:
        answer = await super().record(tx, prepared, result)
        if self._where == "record":
            await tx.value(SQL.terminate_myself)
        return answer


@pytest.fixture
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pabal.engine.steps.PAUSES", (0.0,))


@pytest.mark.usefixtures("_no_pauses")
@pytest.mark.parametrize("is_shared", [False, True], ids=["own", "shared"])
async def test_a_record_that_loses_its_connection_each_time_ends_and_is_not_performed_again(
    db: Database, is_shared: bool
):
    errand = Cutting("record")
    kinds = Kinds()
    if is_shared:
        kinds.shared_steps(ERRAND, Sharing(errand))
    else:
        kinds.steps(ERRAND, errand)
    job, worker = await begin(db, ERRAND, max_recoveries=2)

    said = await attempt(db, kinds, job, worker)
    async with db.transaction() as tx:
        await claims.settle(tx, worker, [(job, cast("Lost", said))], kinds)

    ended = await place(db, job.id)
    assert isinstance(said, Lost)
    assert (ended.result, errand.calls.count("perform")) == ("quarantined", 1)
    assert errand.calls.count("record") == 4, "the first is nobody's fault, two are allowed"
    assert "its connection was lost" in str(ended.error)
    assert await notes(db, f"given_up:{job.id}") == 1


async def test_a_prepare_that_loses_its_connection_is_counted_from_the_second_time_on(db: Database):
    kinds = Kinds()
    kinds.steps(ERRAND, Cutting("prepare"))
    attempts = Attempts(db, kinds)
    await enqueue(db, ERRAND, max_recoveries=1)
    worker = await begin_life(db)

    said: list[Any] = []
    for _ in range(3):
        job = await claim_one(db, worker, ERRAND)
        said.append(await attempts.perform(worker, job))
        async with db.transaction() as tx:
            await claims.settle(tx, worker, [(job, said[-1])], kinds)

    attempts.close()
    assert [type(one) for one in said] == [Returned, Lost, Lost]
    assert attempts._witness._connection is None
    assert await results(db, job.id) == [(1, "returned", False), (2, "lost", False), (3, "quarantined", True)]


async def test_while_the_database_is_away_a_lost_connection_counts_nothing(db: Database):
    class Outage(Cutting):
        async def prepare(self, tx: Tx, job: Job) -> Any:
            await tx.value(SQL.terminate_everybody)
            return await super().prepare(tx, job)

    kinds = Kinds()
    kinds.steps(ERRAND, Outage("prepare"))
    attempts = Attempts(db, kinds)
    job, worker = await begin(db, ERRAND, max_recoveries=0)

    said = [await attempts.perform(worker, job) for _ in range(3)]

    assert [type(one) for one in said] == [Returned] * 3
