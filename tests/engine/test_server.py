"""A whole server: it stops without harm, and when it dies or sleeps too long others go on with what it held."""

import asyncio
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import workers
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done
from pabal.engine.queue import NewJob
from tests.support import server_process
from tests.support.servers import (
    SQL,
    Gate,
    Other,
    enqueue_via,
    notes,
    other_server,
    serving,
    until,
    until_ended,
    until_in,
)
from tests.support.work import counters, enqueue, enqueue_many, leases, place, places, results

GATED = "test.gated"
LINGER = "test.linger"


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


def gated(gate: Gate) -> Kinds:
    kinds = Kinds()

    @kinds.plain(GATED)
    async def wait(job: Job) -> None:
        await gate(job)

    return kinds


async def list_lives(db: Database) -> list[int]:
    async with db.transaction() as tx:
        return [row["id"] for row in await tx.rows(SQL.list_lives)]


async def test_a_stopping_server_lets_handlers_finish(db: Database, locks: Path):
    gate = Gate()

    async with serving(db, gated(gate), locks, grace=timedelta(seconds=30)) as server:
        job = await enqueue_via(server, GATED)
        await gate.until_begun()
        stopping = asyncio.create_task(server.stop())
        gate.open.set()
        await stopping

    assert await results(db, job) == [(1, "done", True)]


async def test_what_does_not_finish_in_time_is_handed_back_and_nothing_is_counted(db: Database, locks: Path):
    gate = Gate()

    async with serving(db, gated(gate), locks, concurrency=2, grace=timedelta(0)) as server:
        jobs = [answer.id for answer in await enqueue_many(server.database, *[NewJob(GATED) for _ in range(5)])]
        await gate.until_begun(2)
        await server.stop()

    assert await places(db, *jobs) == ["ready"] * 5
    assert [await counters(db, job) for job in jobs] == [(0, 0, 0)] * 5
    assert await list_lives(db) == []


async def test_a_handler_that_ignores_the_stop_leaves_no_lease_behind(
    db: Database, locks: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pabal.engine.runner.STUBBORN", 0.05)
    kinds = Kinds()
    begun, leave = asyncio.Event(), asyncio.Event()

    @kinds.plain(GATED)
    async def ignore(job: Job) -> None:
        begun.set()
        while not leave.is_set():
            try:
                await leave.wait()
            except asyncio.CancelledError:
                continue

    async with serving(db, kinds, locks, grace=timedelta(0)) as server:
        job = await enqueue_via(server, GATED)
        await begun.wait()
        await server.stop()
        left = await leases(db)
        leave.set()

    assert left == []
    assert (await place(db, job)).place == "ready"
    assert await counters(db, job) == (0, 0, 0)


async def test_a_server_that_stops_under_load_loses_and_counts_nothing(db: Database, locks: Path):
    kinds = Kinds()

    @kinds.plain("test.quick")
    async def quick(job: Job) -> None:
        return None

    jobs = [answer.id for answer in await enqueue_many(db, *[NewJob("test.quick") for _ in range(3000)])]
    async with serving(db, kinds, locks) as first:
        await until(lambda: _has_ended_some(db))
        await first.stop()
    left = await leases(db)
    async with serving(db, kinds, locks):
        await until_ended(db, jobs[-1])
        await until(lambda: _has_ended_all(db, len(jobs)))

    assert left == []


@pytest.mark.slow
@pytest.mark.beside
async def test_another_server_runs_what_a_killed_one_held(db: Database, tmp_path: Path):
    with other_server(db, tmp_path, ttl=6.0) as other:
        job = await enqueue(db, LINGER)
        await other.says("performing")
        kinds = server_process.make_kinds(other.gate)
        async with serving(db, kinds, tmp_path / "other locks", ttl=timedelta(seconds=6)):
            other.process.kill()
            other.process.wait()
            other.open_gate()
            ended = await until_ended(db, job)

    assert ended.result == "done"
    assert await results(db, job) == [(1, "lost", False), (2, "done", True)]


async def test_a_restart_on_the_same_host_rescues_at_once(db: Database, tmp_path: Path):
    with other_server(db, tmp_path, ttl=3600.0) as other:
        job = await enqueue(db, LINGER)
        await other.says("performing")
        other.process.kill()
        other.process.wait()
    other.open_gate()

    async with serving(db, server_process.make_kinds(other.gate), tmp_path / "locks"):
        ended = await until_ended(db, job)

    assert ended.result == "done"
    assert await results(db, job) == [(1, "lost", False), (2, "done", True)]


@pytest.mark.beside
async def test_the_result_of_a_server_that_slept_too_long_is_rejected(db: Database, tmp_path: Path):
    with other_server(db, tmp_path) as other:
        worker = (await other.says("serving"))["worker"]
        job = await enqueue(db, LINGER)
        await other.says("performing")
        other.process.send_signal(signal.SIGSTOP)
        async with db.transaction() as tx:
            await tx.run(SQL.outlive, worker=worker)
        # Wherever it sleeps: also in the middle of a statement, with its life locked.
        await until(lambda: workers.rescue_once(db, server_process.make_kinds(other.gate), ttl=timedelta(0)))
        other.open_gate()
        async with serving(db, server_process.make_kinds(other.gate), tmp_path / "locks"):
            await until_ended(db, job)
            other.process.send_signal(signal.SIGCONT)
            await until(lambda: _has_other_life(db, worker))

    assert await results(db, job) == [(1, "lost", False), (2, "done", True)]
    assert await notes(db, f"recorded:{job}") == 1


async def test_a_job_that_kills_its_servers_is_quarantined(db: Database, tmp_path: Path):
    job = await enqueue(db, LINGER, max_recoveries=1)
    for _ in range(2):
        with other_server(db, tmp_path) as other:
            await other.says("performing")
            other.process.kill()
            other.process.wait()

    async with serving(db, server_process.make_kinds(other.gate), tmp_path / "locks"):
        ended = await until_ended(db, job)

    assert ended.result == "quarantined"


async def test_an_inside_job_that_kills_its_servers_is_quarantined_and_hurts_nobody_else(db: Database, tmp_path: Path):
    made = [NewJob("test.deadly", {"bad": n == 2}, max_recoveries=0) for n in range(6)]
    jobs = [answer.id for answer in await enqueue_many(db, *made)]
    bad = jobs.pop(2)
    deaths = 0
    while not await _has_ended_all(db, len(made)):
        with other_server(db, tmp_path) as other:
            await until(lambda: _is_over(other, db, len(made)))
            deaths += other.process.poll() is not None

    ended = await place(db, bad)
    assert (ended.result, deaths) == ("quarantined", 2), "once in a batch, once alone"
    assert ended.error == {"reason": "its server died while it ran"}
    assert [await results(db, job) for job in jobs] == [[(1, "done", True)]] * 5
    assert [await notes(db, f"effect:{job}") for job in [*jobs, bad]] == [1] * 5 + [0]


async def test_every_loop_is_healthy_while_a_server_serves(db: Database, locks: Path):
    async with serving(db, gated(Gate()), locks) as server:
        states = server.loop_states()

    assert {"heartbeat", "claims", "inside", "delays", "lanes", "rescue", "overdue", "expiry"} <= {
        s.name for s in states
    }
    assert [state.name for state in states if not state.is_healthy] == []


async def test_a_loop_that_died_is_started_again(db: Database, locks: Path):
    gate = Gate()
    gate.open.set()

    async with serving(db, gated(gate), locks) as server:
        [task] = [task for task in asyncio.all_tasks() if task.get_name() == "loop:claims"]
        task.cancel()
        await until(task.done)
        job = await enqueue_via(server, GATED)
        ended = await until_ended(db, job)

        def restarts() -> int:
            [state] = [state for state in server.loop_states() if state.name == "claims"]
            return state.restarts

        # the other one of the two may have ended the job before the supervisor looked
        await until(restarts)

    assert ended.result == "done"
    assert restarts() == 1


async def test_a_job_for_later_starts_when_the_clock_reaches_it(db: Database, locks: Path):
    gate = Gate()
    gate.open.set()

    async with serving(db, gated(gate), locks) as server:
        job = await enqueue_via(server, GATED, delay=timedelta(hours=3))
        await until_in(db, job, "delayed")
        await clock.advance(db, timedelta(hours=3))
        ended = await until_ended(db, job)

    assert ended.result == "done"


async def test_a_lane_is_worked_off_in_order_across_servers(db: Database, locks: Path):
    kinds = Kinds()
    order: list[int] = []

    @kinds.plain("test.ordered")
    async def note(job: Job) -> Done:
        order.append(job.id)
        return Done()

    async with serving(db, kinds, locks) as server, serving(db, kinds, locks):
        jobs = [
            answer.id
            for answer in await enqueue_many(server.database, *[NewJob("test.ordered", lane="bot") for _ in range(60)])
        ]
        await until_ended(db, jobs[-1])

    assert order == jobs


async def _is_over(other: Other, db: Database, number: int) -> bool:
    return other.process.poll() is not None or await _has_ended_all(db, number)


async def _has_ended_some(db: Database) -> bool:
    async with db.transaction() as tx:
        return bool(await tx.value(SQL.count_ended) > 0)


async def _has_ended_all(db: Database, number: int) -> bool:
    async with db.transaction() as tx:
        return bool(await tx.value(SQL.count_ended) == number)


async def _has_other_life(db: Database, worker: int) -> bool:
    """The one that slept has noticed: its process lives on under a new id, beside the other server's."""
    lives = await list_lives(db)
    return worker not in lives and len(lives) == 2
