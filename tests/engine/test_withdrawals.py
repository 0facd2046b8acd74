"""A cancel ends a job wherever it is, or signals whoever runs it; what nobody could take in time expires (I10)."""

import asyncio
from datetime import datetime, timedelta
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine import claims, delays, withdrawals, workers
from pabal.engine.endings import Returned
from pabal.engine.kinds import Kinds
from pabal.engine.outcome import Done, Fail, Miss, Retry
from tests.support.work import (
    BOT,
    KINDS,
    advance,
    begin_blocked,
    begin_life,
    cancel,
    claim,
    claim_in,
    crash,
    enqueue,
    expire,
    leases,
    place,
    places,
    promote,
    results,
    settle,
    start,
    told,
    undone,
)

HOUR = timedelta(hours=1)


async def moment(db: Database, seconds: float) -> datetime:
    async with db.transaction() as tx:
        return tx.now + timedelta(seconds=seconds)


async def put(db: Database, where: str) -> int:
    """A job in that place."""
    match where:
        case "waiting":
            await enqueue(db, lane="l")
            return await enqueue(db, lane="l")
        case "delayed":
            return await enqueue(db, delay=HOUR)
        case "retrying":
            job = await start(db)
            await settle(db, job, Retry("bad"))
            return job.id
        case _:
            return await enqueue(db)


@pytest.mark.parametrize("where", ["waiting", "delayed", "retrying", "ready"])
async def test_a_job_that_has_not_started_ends_at_once_wherever_it_is(db: Database, where: str) -> None:
    job_id = await put(db, where)

    cancelled = await cancel(db, job_id)

    assert (cancelled.ended, cancelled.signalled) == ([job_id], [])
    assert (await results(db, job_id))[-1][1:] == ("cancelled", True)
    assert await told(db, job_id) == ["asked"]
    await advance(db, 7200)
    await promote(db)
    assert job_id not in [job.id for job in await claim(db, await begin_life(db))]


async def test_a_running_job_gets_the_signal_and_goes_on_until_it_hears(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)

    cancelled = await cancel(db, job.id)

    assert (cancelled.ended, cancelled.signalled) == ([], [job.id])
    async with db.transaction() as tx:
        signals = await workers.list_signals(tx, worker)
    assert [(one.id, one.token, one.is_cancelled) for one in signals] == [(job.id, job.token, True)]
    assert await places(db, job.id) == ["lease"]
    assert await told(db, job.id) == []


async def test_a_cancelled_job_of_a_dead_worker_is_not_started_again(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await cancel(db, job.id)

    await crash(db, worker)

    assert await results(db, job.id) == [(1, "cancelled", True)]
    assert await told(db, job.id) == ["cancelled"]


async def test_a_second_cancel_keeps_the_moment_of_the_first(db: Database) -> None:
    job = await start(db)
    await cancel(db, job.id)
    first = (await place(db, job.id)).cancel_at
    await advance(db, 5)

    await cancel(db, job.id)

    assert (await place(db, job.id)).cancel_at == first


async def test_what_ended_or_never_was_is_not_cancelled(db: Database) -> None:
    job = await start(db)
    await settle(db, job, Done())

    cancelled = await cancel(db, job.id, 12345)

    assert (cancelled.ended, cancelled.signalled) == ([], [])
    assert await results(db, job.id) == [(1, "done", True)]


async def test_a_cancel_that_rolls_back_changed_nothing(db: Database) -> None:
    job_id = await enqueue(db)

    async with undone(db) as tx:
        await withdrawals.cancel_jobs(tx, [job_id], kinds=KINDS)

    assert await places(db, job_id) == ["ready"]
    assert await told(db, job_id) == []


async def test_many_are_cancelled_at_once_wherever_they_are(db: Database) -> None:
    running = await start(db)
    ids = [await put(db, where) for where in ("waiting", "delayed", "retrying", "ready")]

    cancelled = await cancel(db, *ids, running.id)

    assert sorted(cancelled.ended) == sorted(ids)
    assert cancelled.signalled == [running.id]


async def test_a_job_that_is_being_claimed_is_signalled(db: Database) -> None:
    job_id = await enqueue(db)
    worker = await begin_life(db)
    async with db.transaction() as tx:
        await claim_in(tx, worker)
        cancelling = await begin_blocked(db, cancel(db, job_id))
    cancelled = await cancelling

    assert (cancelled.ended, cancelled.signalled) == ([], [job_id])


async def test_a_job_that_is_moving_from_delayed_to_ready_is_found(db: Database) -> None:
    job_id = await enqueue(db, delay=HOUR)
    await advance(db, 3601)
    async with db.transaction() as tx:
        await tx.rows(delays.SQL.take_due, slice=10)
        cancelling = await begin_blocked(db, cancel(db, job_id))
    cancelled = await cancelling

    assert (cancelled.ended, cancelled.signalled) == ([job_id], [])


async def test_a_job_that_ends_while_it_is_cancelled_has_one_end(db: Database) -> None:
    job = await start(db)
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Done())], KINDS)
        cancelling = await begin_blocked(db, cancel(db, job.id))
    cancelled = await cancelling

    assert (cancelled.ended, cancelled.signalled) == ([], [])
    assert await results(db, job.id) == [(1, "done", True)]


@pytest.mark.parametrize("options", [{}, {"lane": "l"}, {"delay": HOUR}, {"route": BOT}], ids=str)
async def test_what_nobody_could_take_in_time_expires_and_is_given_up(db: Database, options: dict[str, Any]) -> None:
    job_id = await enqueue(db, expires_at=await moment(db, 60), **options)
    assert await expire(db) == 0
    await advance(db, 61)

    assert await expire(db) == 1

    assert await results(db, job_id) == [(1, "expired", True)]
    assert await told(db, job_id) == ["expired"]
    assert (await place(db, job_id)).error == {"reason": "expired"}
    assert await expire(db) == 0


async def test_what_runs_is_left_alone_and_may_end_well(db: Database) -> None:
    job = await start(db, expires_at=await moment(db, 60))
    await advance(db, 61)

    assert await expire(db) == 0
    await settle(db, job, Done())
    await expire(db)

    assert await results(db, job.id) == [(1, "done", True)]
    assert await told(db, job.id) == []


@pytest.mark.parametrize("back", ["returned", "retry", "rescued"])
async def test_what_comes_back_from_running_after_its_time_expires_then(db: Database, back: str) -> None:
    job = await start(db, expires_at=await moment(db, 60))
    await advance(db, 61)
    await expire(db)
    if back == "rescued":
        [(_, worker)] = await leases(db)
        await crash(db, worker)
    else:
        await settle(db, job, Returned("shutdown") if back == "returned" else Retry("bad"))

    await expire(db)

    assert [(token, result) for token, result, _ in await results(db, job.id)][-1] == (2, "expired")
    assert await told(db, job.id) == ["expired"]


async def test_a_job_that_ended_before_its_time_leaves_nothing_to_expire(db: Database) -> None:
    job = await start(db, expires_at=await moment(db, 60))
    await settle(db, job, Done())
    await advance(db, 61)

    await expire(db)

    assert await expire(db) == 0
    assert await results(db, job.id) == [(1, "done", True)]


async def test_the_expiry_of_a_kind_that_is_not_ours_is_left_to_who_can_give_it_up(db: Database) -> None:
    job_id = await enqueue(db, "newer.kind", expires_at=await moment(db, 1))
    await advance(db, 2)

    assert await expire(db) == 0
    assert await places(db, job_id) == ["ready"]


async def test_more_expired_running_jobs_than_a_slice_do_not_hide_the_others(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pabal.engine.withdrawals.SLICE", 2)
    running = [await start(db, expires_at=await moment(db, 1)) for _ in range(3)]
    waiting = await enqueue(db, expires_at=await moment(db, 1))
    await advance(db, 2)

    await expire(db)

    assert await places(db, waiting, *(job.id for job in running)) == ["ended", "lease", "lease", "lease"]


async def test_what_has_begun_may_be_given_longer_to_come_to_its_end(db: Database) -> None:
    job_id = await enqueue(db, expires_at=await moment(db, 60))
    later = await moment(db, 3600)

    async with db.transaction() as tx:
        await withdrawals.extend(tx, {job_id: later})
        await withdrawals.extend(tx, {job_id: later})
    await advance(db, 61)
    too_soon = await expire(db)
    await advance(db, 3600)

    assert (too_soon, await expire(db)) == (0, 1)
    assert await results(db, job_id) == [(1, "expired", True)]


@pytest.mark.parametrize(("outcome", "result"), [(Fail("no such room"), "failed"), (Miss("too_late"), "expired")])
async def test_a_handler_may_end_its_job_for_good_however_many_tries_are_left(
    db: Database, outcome: Fail | Miss, result: str
) -> None:
    job = await start(db)

    await settle(db, job, outcome)

    assert await results(db, job.id) == [(job.token, result, True)]
    assert await told(db, job.id) == [outcome.reason]


async def ask(db: Database, *job_ids: int) -> None:
    async with db.transaction() as tx:
        await withdrawals.ask(tx, job_ids, reason="replaced")


async def test_what_was_asked_to_be_cancelled_is_cancelled_once_wherever_it_is(db: Database) -> None:
    running = (await start(db)).id
    jobs = [await put(db, where) for where in ("retrying", "waiting", "delayed", "ready")]
    await ask(db, *jobs, running)
    await ask(db, *jobs)

    taken = [await withdrawals.obey_once(db, KINDS), await withdrawals.obey_once(db, KINDS)]

    assert taken == [5, 0]
    assert [(await place(db, job)).result for job in jobs] == ["cancelled"] * 4
    assert [await told(db, job) for job in jobs] == [["replaced"]] * 4
    assert (await place(db, running)).cancel_at is not None


async def test_what_was_asked_waits_for_a_server_that_knows_the_kind(db: Database) -> None:
    job = await enqueue(db)
    await ask(db, job)

    unable = await withdrawals.obey_once(db, Kinds())
    able = await withdrawals.obey_once(db, KINDS)

    assert (unable, able) == (0, 1)
    assert (await place(db, job)).result == "cancelled"


async def test_what_was_asked_of_a_job_that_is_gone_is_forgotten(db: Database) -> None:
    await ask(db, 1)

    assert [await withdrawals.obey_once(db, Kinds()), await withdrawals.obey_once(db, Kinds())] == [1, 0]


async def test_servers_that_obey_together_leave_one_anothers(db: Database) -> None:
    job = await enqueue(db)
    await ask(db, job)

    async with db.transaction() as tx:
        await tx.rows(withdrawals.SQL.take_asked, kinds=list(KINDS), slice=10)
        async with asyncio.timeout(30):
            meanwhile = await withdrawals.obey_once(db, KINDS)
        await withdrawals.cancel_jobs(tx, [job], kinds=KINDS)

    assert meanwhile == 0
