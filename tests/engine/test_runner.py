"""Handlers side by side: how they are told to stop, what happens to what they hold, and who may run how many."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database, DatabaseUnavailable, Hints
from pabal.engine import claims, queue, runner, withdrawals, workers
from pabal.engine.exchange import Exchange
from pabal.engine.kinds import Job, Kinds, Stop
from pabal.engine.outcome import Outcome, Retry
from pabal.engine.queue import NewJob
from pabal.engine.server import Server
from tests.support.servers import (
    SQL,
    Errand,
    Gate,
    enqueue_via,
    lapse_life,
    notes,
    serving,
    until,
    until_ended,
    until_in,
)
from tests.support.work import (
    BOT,
    begin_life,
    counters,
    enqueue_many,
    hold_route,
    leases,
    place,
    results,
    until_blocked,
    wanted,
)
from tests.support.work import SQL as WORK

GATED = "test.gated"
ERRAND = "test.errand"


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


def gated(gate: Gate, **options: Any) -> Kinds:
    kinds = Kinds()

    # A function, not the object: only those are known to be coroutines.
    @kinds.plain(GATED, **options)
    async def wait(job: Job) -> None:
        await gate(job)

    return kinds


async def cancel(server: Server, job_id: int) -> None:
    async with server.database.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [job_id], kinds=server.kinds)


async def test_what_raises_comes_back_later_with_the_reason(db: Database, locks: Path):
    kinds = Kinds()

    @kinds.plain("test.raising")
    async def fail(job: Job) -> None:
        raise ValueError("the room is closed")

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, "test.raising")
        found = await until_in(db, job, "delayed")

    assert found.failures == 1
    assert found.error == {"reason": "ValueError: the room is closed"}


async def test_all_three_shapes_end_what_they_are_given(db: Database, locks: Path):
    errand = Errand()
    kinds = gated(gate := Gate())
    gate.open.set()
    kinds.steps(ERRAND, errand)

    @kinds.inside("test.inside")
    async def count(tx: Any, jobs: Any) -> None:
        return None

    async with serving(db, kinds, locks) as server:
        jobs = [await enqueue_via(server, kind) for kind in (GATED, ERRAND, "test.inside")]
        ended = [(await until_ended(db, job)).result for job in jobs]

    assert ended == ["done", "done", "done"]


async def test_the_next_of_a_lane_is_claimed_with_the_end_of_the_one_before(db: Database, locks: Path):
    """So nobody is told to look for it, neither we nor others: a lane of many jobs takes a commit for each."""
    told: list[str] = []

    async with serving(db, gated(gate := Gate()), locks) as server:
        jobs = [await enqueue_via(server, GATED, lane="l") for _ in range(3)]
        await gate.until_begun()
        announce = server.database.announce

        async def listen(hints: Hints) -> None:
            told.extend(hints)
            if announce is not None:
                await announce(hints)

        server.database.announce = listen
        gate.open.set()
        await until_ended(db, jobs[-1])

    assert [job.id for job in gate.begun] == jobs
    assert f"queue:{GATED}" not in told


async def test_an_end_that_lets_another_go_waits_for_no_other_end_where_a_slot_is_idle(
    db: Database, locks: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(runner, "FLUSH", 3600)
    kinds = gated(gate := Gate())
    kinds.plain("test.other")((other := Gate()).__call__)

    async with serving(db, kinds, locks) as server:
        await enqueue_via(server, "test.other")
        jobs = [await enqueue_via(server, GATED, lane="l") for _ in range(2)]
        await gate.until_begun()
        await other.until_begun()
        # nothing else brings an exchange
        server.runner._exchange._sweep_at = float("inf")
        gate.open.set()
        follower = await gate.until_begun(2)
        is_running_on = not other.open.is_set() and len(server.runner._running)
        other.open.set()

    assert follower.id == jobs[1]
    assert is_running_on


async def test_a_running_job_that_is_cancelled_gets_the_signal_and_ends(db: Database, locks: Path):
    gate = Gate()

    async with serving(db, gated(gate), locks) as server:
        job = await enqueue_via(server, GATED)
        await gate.until_begun()
        await cancel(server, job)
        ended = await until_ended(db, job)

    assert ended.result == "cancelled"
    assert [stopped.id for stopped in gate.cancelled] == [job]


async def test_a_cancel_beats_a_retry(db: Database, locks: Path):
    kinds = Kinds()
    begun = asyncio.Event()

    @kinds.plain("test.stubborn")
    async def answer_retry(job: Job) -> Outcome:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return Retry("I would rather try again")
        raise AssertionError

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, "test.stubborn")
        await begun.wait()
        await cancel(server, job)
        ended = await until_ended(db, job)

    assert ended.result == "cancelled"


async def test_a_slot_serves_on_after_its_handler_was_cancelled(db: Database, locks: Path):
    gate = Gate()

    async with serving(db, gated(gate), locks, concurrency=1) as server:
        first = await enqueue_via(server, GATED)
        await gate.until_begun()
        await cancel(server, first)
        second = await enqueue_via(server, GATED)
        await gate.until_begun(2)
        gate.open.set()
        ended = await until_ended(db, second)

    assert ended.result == "done"


async def test_progress_is_written_while_the_job_runs(db: Database, locks: Path):
    kinds = Kinds()
    leave = asyncio.Event()

    @kinds.plain("test.slow")
    async def report(job: Job) -> None:
        await job.report({"percent": 40})
        await leave.wait()

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, "test.slow")

        async def has_progress() -> bool:
            return (await place(db, job)).progress == {"percent": 40}

        await until(has_progress)
        leave.set()
        ended = await until_ended(db, job)

    assert ended.result == "done"


async def test_progress_of_an_attempt_that_lost_its_job_is_not_kept_and_stops_it(db: Database, locks: Path):
    kinds = Kinds()
    stopped = asyncio.Event()
    go_on = asyncio.Event()
    other = await begin_life(db)

    @kinds.plain("test.slow")
    async def report(job: Job) -> None:
        try:
            await go_on.wait()
            await job.report({"percent": 40})
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
            raise

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, "test.slow")
        await until_in(db, job, "lease")
        async with db.transaction() as tx:
            await tx.run(SQL.give_leases, worker=server.life.worker, other=other)
        go_on.set()
        await stopped.wait()
        found = await place(db, job)

    assert found.progress is None


async def test_a_route_taken_elsewhere_stops_the_handler_and_counts_nothing(db: Database, locks: Path):
    gate = Gate()
    other = await begin_life(db)

    async with serving(db, gated(gate), locks) as server:
        await hold_route(server.database, server.life.worker)
        job = await enqueue_via(server, GATED, route=BOT)
        await gate.until_begun()
        await hold_route(server.database, other)
        await until_in(db, job, "ready")

    assert [stopped.id for stopped in gate.cancelled] == [job]
    assert await counters(db, job) == (0, 0, 0)
    assert await results(db, job) == [(1, "returned", False)]


async def test_routed_work_runs_where_the_route_is_held(db: Database, locks: Path):
    gate, elsewhere = Gate(), Gate()
    gate.open.set()

    async with serving(db, gated(elsewhere), locks) as idle, serving(db, gated(gate), locks) as holding:
        await hold_route(holding.database, holding.life.worker)
        job = await enqueue_via(idle, GATED, route=BOT)
        await until_ended(db, job)

    assert elsewhere.begun == []
    assert [one.id for one in gate.begun] == [job]


async def test_when_the_life_lapses_its_handlers_are_stopped_and_a_new_one_begins(db: Database, locks: Path):
    gate = Gate()

    async with serving(db, gated(gate), locks) as server:
        job = await enqueue_via(server, GATED)
        await gate.until_begun()
        first = await lapse_life(db, server)
        await until(lambda: gate.cancelled)
        await until(lambda: server.life.worker not in (0, first))
        gate.open.set()
        await workers.rescue_once(db, server.kinds, ttl=timedelta(0))
        ended = await until_ended(db, job)

    assert ended.result == "done"
    assert await results(db, job) == [(1, "lost", False), (2, "done", True)]


async def test_a_zombie_that_cleans_up_slowly_does_not_hide_the_new_attempt(db: Database, locks: Path):
    kinds = Kinds()
    begun: list[Job] = []
    finish = asyncio.Event()

    @kinds.plain("test.slow")
    async def clean_up_slowly(job: Job) -> None:
        begun.append(job)
        try:
            await asyncio.Event().wait()
        finally:
            if job.token == 1:
                await finish.wait()

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, "test.slow")
        await until(lambda: begun)
        first = await lapse_life(db, server)
        await until(lambda: server.life.worker not in (0, first))
        await workers.rescue_once(db, kinds, ttl=timedelta(0))
        await until(lambda: len(begun) == 2)
        finish.set()
        await cancel(server, job)
        ended = await until_ended(db, job)

    assert ended.result == "cancelled"


async def test_a_claim_whose_answer_was_lost_is_handed_back(db: Database, locks: Path):
    gate = Gate()
    gate.open.set()

    async with serving(db, gated(gate), locks) as server:
        worker = server.life.worker
        async with db.transaction() as tx:
            await tx.value(SQL.lock_life, worker=worker)
            [job] = [answer.id for answer in await _enqueue_in(tx)]
            # What a claim leaves whose commit came through and whose answer did not.
            await claims.claim(tx, worker, wanted(GATED), total=1)
        held = await leases(db)
        await _cut_off_an_exchange(db, server)
        ended = await until_ended(db, job)

    assert held == [(job, worker)]
    assert ended.result == "done"
    assert await results(db, job) == [(1, "returned", False), (2, "done", True)]


async def test_a_server_takes_no_more_slow_jobs_than_it_has_slots(db: Database, locks: Path):
    gate = Gate()

    async with serving(db, gated(gate), locks, concurrency=2) as server:
        await enqueue_many(server.database, *[NewJob(GATED) for _ in range(10)])
        await gate.until_begun(2)
        held = len(await leases(db))
        gate.open.set()
        await until(lambda: len(gate.begun) == 10)

    assert held == 2


async def test_handlers_that_never_await_do_not_starve_the_heartbeat(db: Database, locks: Path):
    kinds = Kinds()
    is_over = False
    ran = 0

    @kinds.plain("test.quick")
    async def spin(job: Job) -> None:
        nonlocal ran
        ran += 1
        while not is_over and ran % 50:
            ran += 1

    async with serving(db, kinds, locks) as server:
        async with db.transaction() as tx:
            before = (await tx.rows(SQL.find_life, worker=server.life.worker))[0]["until"]

        async def has_beaten() -> bool:
            await enqueue_many(server.database, *[NewJob("test.quick") for _ in range(500)])
            async with db.transaction() as tx:
                return bool(ran and (await tx.rows(SQL.find_life, worker=server.life.worker))[0]["until"] > before)

        await until(has_beaten)
        is_over = True

    assert ran > 0


async def test_jobs_of_unknown_kinds_stay_for_newer_servers(db: Database, locks: Path):
    gate = Gate()
    gate.open.set()

    async with serving(db, gated(gate), locks) as server:
        unknown = await enqueue_via(server, "test.of_tomorrow")
        known = await enqueue_via(server, GATED)
        await until_ended(db, known)
        found = await place(db, unknown)

    assert found.place == "ready"


async def test_a_deadline_stops_the_handler_and_counts_as_a_failure(db: Database, locks: Path):
    gate = Gate()

    async with serving(db, gated(gate), locks) as server:
        job = await enqueue_via(server, GATED, deadline=timedelta(milliseconds=30))
        found = await until_in(db, job, "delayed")

    assert found.failures == 1
    assert [stopped.id for stopped in gate.cancelled] == [job]


async def test_a_steps_job_that_fails_for_good_is_given_up_once(db: Database, locks: Path):
    errand = Errand()
    errand.outcome = Retry("no")
    kinds = Kinds()
    kinds.steps(ERRAND, errand)

    async with serving(db, kinds, locks) as server:
        job = await enqueue_via(server, ERRAND, max_failures=1)
        ended = await until_ended(db, job)

    assert ended.result == "failed"
    assert await notes(db, f"given_up:{job}") == 1


async def _enqueue_in(tx: Any) -> Any:
    return await queue.enqueue_many(tx, [NewJob(GATED)])


async def _cut_off_an_exchange(db: Database, server: Server) -> None:
    """Its connection is ended while it waits for its own life's row: it cannot know what became of its commit."""
    async with db.transaction() as tx:
        await tx.value(SQL.lock_life, worker=server.life.worker)
        server.runner.hear("*", None)

        async def is_cut_off() -> bool:
            await tx.rows(SQL.terminate_waiting)
            [claiming] = [state for state in server.loop_states() if state.name == "claims"]
            return claiming.last_error is not None

        await until(is_cut_off)


async def test_progress_refused_because_the_route_moved_hands_the_job_back(db: Database, locks: Path):
    gate = Gate()
    async with serving(db, gated(gate), locks) as server:
        await hold_route(server.database, server.life.worker)
        async with server.database.transaction() as tx:
            made = await queue.enqueue(tx, NewJob(GATED, route=BOT))
        job = await gate.until_begun()
        # no hint reaches the server from here, so its report comes before the signal
        await hold_route(db, await begin_life(db))
        job.report({"part": 1})

        await server.runner.write_reports_once()

        waiting = await until_in(db, made.id, "ready")

    assert (waiting.worker, waiting.failures, waiting.recoveries) == (None, 0, 0)


async def test_a_report_is_not_held_up_by_an_attempt_that_is_told_to_stop(db: Database, locks: Path):
    gate = Gate()
    async with serving(db, gated(gate), locks) as server:
        jobs = [await enqueue_via(server, GATED) for _ in range(2)]
        await gate.until_begun(2)
        stopping, reporting = sorted(gate.begun, key=lambda job: job.id)
        async with claims.holding(db, [stopping]) as (tx, _):
            reporting.report({"percent": 40})
            server.runner.told(stopping, Stop.SHUTDOWN)
            await until_blocked(db)
            # A handler that holds both locks the one with the smaller id first, as here.
            free = await tx.rows(claims.SQL.find_leases, ids=[reporting.id], tokens=[reporting.token])
            written = (await place(db, reporting.id)).progress
        gate.open.set()
        await asyncio.gather(*(until_ended(db, job) for job in jobs))

    assert ([row["id"] for row in free], written) == ([reporting.id], {"percent": 40})


class Late(Exchange):
    """Its commit is through, and its answer on the way until it is let go."""

    def __init__(self, db: Database, kinds: Kinds) -> None:
        super().__init__(db, kinds)
        self.claimed: list[Job] = []
        self.waiting = 0
        self.go_on = asyncio.Event()

    async def run(self, *given: Any) -> Any:
        settled, jobs = await super().run(*given)
        self.claimed += jobs
        if jobs:
            self.waiting += 1
            await self.go_on.wait()
        return settled, jobs


@asynccontextmanager
async def answering_late(db: Database, kinds: Kinds, locks: Path, **options: Any) -> AsyncIterator[tuple[Server, Late]]:
    async with serving(db, kinds, locks, **options) as server:
        late = Late(server.database, kinds)
        await until(lambda: not server.runner._under_way)
        server.runner._exchange = late
        yield server, late


@pytest.mark.beside
async def test_while_one_exchange_waits_another_settles_and_claims(db: Database, locks: Path):
    gate = Gate()
    gate.open.set()
    kinds = gated(gate)
    kinds.plain("test.other")(gate.__call__)
    async with serving(db, kinds, locks) as server, AsyncExitStack() as obstacle:
        # of quick kinds more is fetched than one exchange takes
        server.runner._seconds |= {GATED: 0.001, "test.other": 0.001}
        connection = await db.connect()
        obstacle.push_async_callback(connection.close)
        await connection.execute("begin")
        async with db.transaction() as tx:
            [stuck] = [answer.id for answer in await _enqueue_in(tx)]
            # before anybody can see it
            await connection.execute(WORK.occupy_lease.text, stuck)
        server.runner.hear(f"queue:{GATED}", None)
        await until_blocked(db)
        ended = await until_ended(db, await enqueue_via(server, "test.other"))
        where = (await place(db, stuck)).place
        await connection.execute("rollback")
        await until_ended(db, stuck)

    assert (ended.result, where) == ("done", "ready")


async def test_what_another_exchange_claimed_is_not_taken_for_lost(db: Database, locks: Path):
    gate = Gate()
    gate.open.set()
    async with answering_late(db, gated(gate), locks) as (server, late):
        # of quick kinds more is fetched than one exchange takes, so that the next one would begin
        server.runner._seconds[GATED] = 0.001
        job = await enqueue_via(server, GATED)
        await until(lambda: late.claimed and len(server.runner._under_way) == 1)
        server.runner._must_reconcile = True
        server.runner.hear(f"queue:{GATED}", None)
        step = asyncio.create_task(server.runner.exchange_once())
        await until(lambda: step.done() or len(late.claimed) > 1)
        untouched = await results(db, job)
        late.go_on.set()
        await until_ended(db, job)

    assert untouched == []
    assert await results(db, job) == [(1, "done", True)]


@dataclass(frozen=True)
class Shared:
    """Room that two exchanges share: how many there are of it, and what is to be known and given for that."""

    room: int
    seconds: float | None = None
    options: dict[str, int] = field(default_factory=lambda: {"concurrency": 2})
    slots: int | None = None
    route: str | None = None


ROOMS = {
    "slow": Shared(2),
    # as many as two slots begin within a quarter of a second
    "quick": Shared(10, seconds=0.05),
    "routed": Shared(2, options={"routed": 2}, route=BOT),
    # so quick that there is room for more than one exchange takes; but not of this kind
    "slots of a kind": Shared(1, seconds=0.0001, slots=1),
}


@pytest.mark.parametrize("name", ROOMS)
async def test_the_room_of_an_exchange_under_way_is_not_given_twice(db: Database, locks: Path, name: str):
    gate, shared = Gate(), ROOMS[name]
    async with answering_late(db, gated(gate, slots=shared.slots), locks, **shared.options) as (server, late):
        server.runner._seconds |= {} if shared.seconds is None else {GATED: shared.seconds}
        await hold_route(db, server.life.worker)
        await enqueue_many(server.database, *[NewJob(GATED, route=shared.route) for _ in range(30)])
        await until(lambda: late.claimed)
        server.runner.hear(f"queue:{shared.route or GATED}", None)
        beside = asyncio.create_task(server.runner.exchange_once())
        under_way = server.runner._under_way
        await until(lambda: (beside.done() or len(under_way) == 2) and late.waiting == len(under_way))
        held = len(await leases(db))
        late.go_on.set()
        gate.open.set()
        await until(lambda: beside.done() and len(gate.begun) == 30)

    assert held == shared.room


class Failing(Exchange):
    """Its first settling is not heard of: nothing was committed, or only the answer was lost."""

    has_failed = False
    is_committed = False

    async def run(self, worker: int, attempts: Any, room: Any) -> Any:
        fails = bool(attempts) and not self.has_failed
        answer = await super().run(worker, attempts, room) if self.is_committed or not fails else None
        self.has_failed |= fails
        if fails:
            raise DatabaseUnavailable("on purpose")
        return answer


@pytest.mark.parametrize("is_committed", [False, True], ids=["nothing was committed", "the answer was lost"])
async def test_what_an_exchange_that_failed_was_to_settle_ends_once(db: Database, locks: Path, is_committed: bool):
    gate = Gate()
    kinds = gated(gate)
    async with serving(db, kinds, locks) as server:
        failing = server.runner._exchange = Failing(server.database, kinds)
        failing.is_committed = is_committed
        job = await enqueue_via(server, GATED)
        await gate.until_begun()
        gate.open.set()
        await until_ended(db, job)
        await until(lambda: not server.runner._must_reconcile)

    assert failing.has_failed
    assert await results(db, job) == [(1, "done", True)]
    assert len(gate.begun) == 1
