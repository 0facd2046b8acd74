"""Claim and settle: one valid attempt at a time, changed only by the holder of its token (I2 to I5, I10)."""

import asyncio
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine import claims, queue, reports
from pabal.engine.claims import END, LeaseLost, Wanted, fenced, holding, return_unknown
from pabal.engine.endings import Returned
from pabal.engine.kinds import Job, Report
from pabal.engine.outcome import Cancel, Done, Limited, Outcome, Retry, Snooze
from pabal.engine.queue import NewJob, Priority
from tests.support.work import (
    KINDS,
    OTHER,
    PLAIN,
    SLEEPY,
    SQL,
    WAIT,
    advance,
    begin_blocked,
    begin_life,
    cancel,
    claim,
    claim_in,
    claim_one,
    counters,
    crash,
    enqueue,
    enqueue_many,
    lapse,
    leases,
    place,
    places,
    promote,
    results,
    settle,
    stale,
    start,
    told,
    undone,
)

MINUTE = timedelta(minutes=1)


async def snoozed(db: Database, wait: timedelta = MINUTE) -> Snooze:
    async with db.transaction() as tx:
        return Snooze(tx.now + wait, "not yet")


async def limited(db: Database) -> Limited:
    async with db.transaction() as tx:
        return Limited(tx.now + MINUTE, "room:1 minute")


async def test_a_claim_takes_no_more_than_its_total_and_the_next_goes_on(db: Database) -> None:
    made = [answer.id for answer in await enqueue_many(db, *[NewJob(PLAIN)] * 25)]
    worker = await begin_life(db)

    batches = [[job.id for job in await claim(db, worker, total=10)] for _ in range(4)]

    assert [len(batch) for batch in batches] == [10, 10, 5, 0]
    assert list(chain(*batches)) == made


async def test_a_claim_takes_the_queues_in_the_order_wanted(db: Database) -> None:
    plain = await enqueue(db)
    other = await enqueue(db, OTHER)

    claimed = [job.id for job in await claim(db, await begin_life(db), OTHER, PLAIN)]

    assert claimed == [other, plain]


async def test_who_became_ready_first_goes_first(db: Database) -> None:
    worker = await begin_life(db)
    older = await start(db)
    await advance(db, 1)
    newer = await enqueue(db)
    await settle(db, older, Returned("shutdown"))

    assert [job.id for job in await claim(db, worker)] == [newer, older.id]


async def test_a_claim_looks_only_between_its_floor_and_its_ceiling(db: Database) -> None:
    worker = await begin_life(db)
    early = await enqueue(db)
    await advance(db, 60)
    async with db.transaction() as tx:
        between = tx.now - timedelta(seconds=30)
    late = await enqueue(db)

    async with db.transaction() as tx:
        above = await claims.claim(tx, worker, [Wanted(PLAIN, 2, between, END)], total=10)
        below = await claims.claim(tx, worker, [Wanted(PLAIN, 2, ceiling=between)], total=10)

    assert [job.id for job, _, _ in above] == [late]
    assert [(job.id, at < between, priority) for job, at, priority in below] == [(early, True, 2)]


async def test_two_that_claim_together_never_get_the_same_job(db: Database) -> None:
    made = {answer.id for answer in await enqueue_many(db, *[NewJob(PLAIN)] * 400)}
    workers = [await begin_life(db) for _ in range(4)]

    async def drain(worker: int) -> list[int]:
        taken: list[int] = []
        while batch := await claim(db, worker, total=7):
            taken += [job.id for job in batch]
        return taken

    taken = await asyncio.gather(*(drain(worker) for worker in workers))

    assert sorted(chain(*taken)) == sorted(made)


async def test_a_claim_passes_over_what_another_is_claiming(db: Database) -> None:
    first, second = await enqueue(db), await enqueue(db)
    one, other = await begin_life(db), await begin_life(db)

    async with db.transaction() as tx:
        held = await claim_in(tx, one, total=1)
        passed = await claim(db, other)

    assert [job.id for job in held] == [first]
    assert [job.id for job in passed] == [second]


async def test_a_claim_that_rolls_back_took_nothing(db: Database) -> None:
    job_id = await enqueue(db)
    worker = await begin_life(db)
    async with undone(db) as tx:
        await claim_in(tx, worker)

    job = await claim_one(db, worker)

    assert (job.id, job.token) == (job_id, 1)


async def test_a_life_that_lapsed_claims_nothing(db: Database) -> None:
    job_id = await enqueue(db)
    worker = await begin_life(db)

    await lapse(db, worker)

    assert await claim(db, worker) == []
    assert await places(db, job_id) == ["ready"]


async def test_kinds_nobody_asked_for_stay_for_newer_servers(db: Database) -> None:
    unknown = await enqueue(db, "newer.kind")

    assert await claim(db, await begin_life(db)) == []
    assert await places(db, unknown) == ["ready"]


async def test_each_attempt_has_a_greater_token(db: Database) -> None:
    job_id = await enqueue(db)
    tokens = []
    for outcome in (Returned("shutdown"), Retry("bad", after=timedelta(0)), Done()):
        job = await claim_one(db, await begin_life(db))
        tokens.append(job.token)
        await settle(db, job, outcome)
        await promote(db)

    assert tokens == [1, 2, 3]
    assert await results(db, job_id) == [(1, "returned", False), (2, "retry", False), (3, "done", True)]


async def test_done_ends_a_job_for_good(db: Database) -> None:
    job = await start(db)

    settled = await settle(db, job, Done("3 parts"))

    assert (settled.count, settled.busy, settled.stale) == (1, [], [])
    assert await results(db, job.id) == [(1, "done", True)]
    found = await place(db, job.id)
    assert (found.place, found.error) == ("ended", {"reason": "3 parts"})
    assert await told(db, job.id) == []


async def test_a_partial_success_is_an_end_and_no_failure(db: Database) -> None:
    job = await start(db)

    await settle(db, job, Done("2 of 3", partial=True))

    assert await results(db, job.id) == [(1, "partial", True)]
    assert await told(db, job.id) == []


async def test_a_retry_counts_a_failure_and_waits_as_the_kind_says(db: Database) -> None:
    job = await start(db)

    await settle(db, job, Retry("no answer"))

    found = await place(db, job.id)
    [attempt] = await _attempts(db, job.id)
    assert (found.place, found.reason, await counters(db, job.id)) == ("delayed", "retry", (1, 0, 0))
    assert found.due_at == attempt.ended_at + WAIT
    assert (attempt.result, attempt.error) == ("retry", {"reason": "no answer"})


async def test_a_retry_may_say_how_long_to_wait(db: Database) -> None:
    job = await start(db)

    await settle(db, job, Retry("busy", after=MINUTE))

    [attempt] = await _attempts(db, job.id)
    assert (await place(db, job.id)).due_at == attempt.ended_at + MINUTE


async def test_the_last_failure_allowed_ends_the_job_and_is_given_up_in_the_same_commit(db: Database) -> None:
    job_id = await enqueue(db, max_failures=2)
    worker = await begin_life(db)
    await settle(db, await claim_one(db, worker), Retry("first", after=timedelta(0)))
    await promote(db)
    last = await claim_one(db, worker)

    async with undone(db) as tx:
        await claims.settle(tx, worker, [(last, Retry("second"))], KINDS)
    before = (await results(db, job_id), await told(db, job_id))
    await settle(db, last, Retry("second"))

    assert before == ([(1, "retry", False)], [])
    assert await results(db, job_id) == [(1, "retry", False), (2, "failed", True)]
    assert await told(db, job_id) == ["second"]


async def test_a_snooze_is_counted_apart_and_never_as_a_failure(db: Database) -> None:
    job = await start(db)
    snooze = await snoozed(db)

    await settle(db, job, snooze)

    found = await place(db, job.id)
    assert (found.place, found.reason, found.due_at) == ("delayed", "snooze", snooze.until)
    assert await counters(db, job.id) == (0, 0, 1)
    assert await results(db, job.id) == [(1, "snoozed", False)]


async def test_a_job_that_snoozes_too_often_fails(db: Database) -> None:
    job_id = await enqueue(db, SLEEPY)
    worker = await begin_life(db)
    for _ in range(3):
        await settle(db, await claim_one(db, worker), await snoozed(db, timedelta(0)))
        await promote(db)

    assert [result for _, result, _ in await results(db, job_id)] == ["snoozed", "snoozed", "failed"]
    assert await told(db, job_id) == ["snoozed 2 times: not yet"]


async def test_a_limit_counts_nothing_and_names_itself(db: Database) -> None:
    job = await start(db)
    limit = await limited(db)

    await settle(db, job, limit)

    found = await place(db, job.id)
    assert (found.reason, found.due_at) == ("limit:room:1 minute", limit.until)
    assert await counters(db, job.id) == (0, 0, 0)


async def test_a_shutdown_hands_back_and_counts_nothing(db: Database) -> None:
    job = await start(db)

    await settle(db, job, Returned("shutdown"))

    assert (await places(db, job.id), await counters(db, job.id)) == (["ready"], (0, 0, 0))
    assert await results(db, job.id) == [(1, "returned", False)]


async def test_a_handler_may_say_that_it_must_not_be_done_any_more(db: Database) -> None:
    job = await start(db)

    await settle(db, job, Cancel("the schedule was paused"))

    assert await results(db, job.id) == [(1, "cancelled", True)]
    assert await told(db, job.id) == ["the schedule was paused"]


async def test_a_batch_may_end_in_every_way_at_once(db: Database) -> None:
    worker = await begin_life(db)
    await enqueue_many(db, *[NewJob(PLAIN, max_failures=2)] * 6)
    jobs = await claim(db, worker)
    outcomes: list[Outcome | Returned] = [
        Done(),
        Retry("bad"),
        await snoozed(db),
        Cancel("no"),
        Returned("shutdown"),
        await limited(db),
    ]

    async with db.transaction() as tx:
        settled = await claims.settle(tx, worker, list(zip(jobs, outcomes, strict=True)), KINDS)

    assert settled.count == 6
    expected = ["ended", "delayed", "delayed", "ended", "ready", "delayed"]
    assert await places(db, *(job.id for job in jobs)) == expected


async def _attempts(db: Database, job_id: int) -> list[queue.Attempt]:
    async with db.transaction() as tx:
        return await queue.list_attempts(tx, job_id)


async def lost(db: Database, **options: Any) -> tuple[Job, Job]:
    """An attempt whose worker was taken for dead, and the attempt that has the job now."""
    zombie = await start(db, **options)
    [(_, worker)] = await leases(db)
    await crash(db, worker)
    return zombie, await claim_one(db, await begin_life(db))


ENDINGS = [Done(), Retry("late"), Cancel("late"), Returned("late")]


@pytest.mark.parametrize("outcome", ENDINGS, ids=lambda outcome: type(outcome).__name__)
async def test_a_late_worker_cannot_settle_what_it_lost(db: Database, outcome: Outcome | Returned) -> None:
    zombie, current = await lost(db)

    settled = await settle(db, zombie, outcome, worker=77)

    assert (settled.count, settled.busy, settled.stale) == (0, [], [zombie])
    assert await stale(db) == [(zombie.id, 1, 77, type(outcome).__name__.lower())]
    assert await results(db, zombie.id) == [(1, "lost", False)]
    assert (await place(db, zombie.id)).token == current.token == 2


async def test_a_late_worker_cannot_write_progress_or_anything_else(db: Database) -> None:
    zombie, current = await lost(db)
    [(_, worker)] = await leases(db)

    async with db.transaction() as tx:
        kept = await reports.write(tx, worker, [(zombie, Report({"part": 9})), (current, Report({"part": 1}))])
    with pytest.raises(LeaseLost):
        async with fenced(db, zombie):
            pass
    async with fenced(db, current):
        pass

    assert kept == {current.key}
    assert (await place(db, zombie.id)).progress == {"part": 1}


async def test_another_workers_name_does_not_open_a_lease(db: Database) -> None:
    job = await start(db)

    async with db.transaction() as tx:
        assert await reports.write(tx, 77, [(job, Report({"part": 1}))]) == set()


async def test_a_job_that_ended_is_settled_only_once(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await settle(db, job, Done(), worker=worker)

    again = await settle(db, job, Retry("again"), worker=worker)

    assert (again.count, again.stale) == (0, [job])
    assert await results(db, job.id) == [(1, "done", True)]


async def test_saying_the_same_again_after_a_lost_answer_is_no_stale_result(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await settle(db, job, Done(), worker=worker)

    await settle(db, job, Done(), worker=worker)

    assert await stale(db) == []


@pytest.mark.parametrize("outcome", [Done(), Retry("bad")], ids=["Done", "Retry"])
async def test_a_lease_that_another_touches_right_now_is_busy_not_lost(db: Database, outcome: Outcome) -> None:
    job = await start(db)

    async with db.transaction() as tx:
        await tx.rows(SQL.lock_lease, id=job.id)
        settled = await settle(db, job, outcome)

    assert (settled.count, settled.busy, settled.stale) == (0, [(job, outcome)], [])
    assert await stale(db) == []
    assert (await settle(db, job, outcome)).count == 1


async def test_what_is_stale_does_not_keep_the_rest_of_its_batch_from_ending(db: Database) -> None:
    zombie, current = await lost(db)
    other = await start(db)

    async with db.transaction() as tx:
        settled = await claims.settle(tx, None, [(zombie, Done()), (other, Done())], KINDS)

    assert (settled.count, settled.stale) == (1, [zombie])
    assert await places(db, zombie.id, other.id) == ["lease", "ended"]
    assert current.token == 2


@pytest.mark.parametrize("name", ["retry", "snooze", "limit", "return", "last failure"])
async def test_a_cancel_beats_every_outcome_that_would_bring_the_job_back(db: Database, name: str) -> None:
    job = await start(db, max_failures=1 if name == "last failure" else 5)
    await cancel(db, job.id)
    outcomes: dict[str, Outcome | Returned] = {
        "retry": Retry("bad"),
        "snooze": await snoozed(db),
        "limit": await limited(db),
        "return": Returned("shutdown"),
        "last failure": Retry("bad"),
    }

    await settle(db, job, outcomes[name])

    assert await results(db, job.id) == [(1, "cancelled", True)]
    assert await told(db, job.id) == ["asked while it ran"]


async def test_what_was_done_before_the_cancel_was_heard_is_done(db: Database) -> None:
    job = await start(db)
    await cancel(db, job.id)

    await settle(db, job, Done())

    assert await results(db, job.id) == [(1, "done", True)]


async def test_a_lease_left_by_a_lost_answer_is_handed_back_uncounted(db: Database) -> None:
    worker = await begin_life(db)
    await enqueue_many(db, NewJob(PLAIN), NewJob(PLAIN))
    known, unknown = await claim(db, worker)

    async with db.transaction() as tx:
        count = await return_unknown(tx, worker, lambda: {known.key})

    assert count == 1
    assert await places(db, known.id, unknown.id) == ["lease", "ready"]
    assert await counters(db, unknown.id) == (0, 0, 0)


async def test_a_cancelled_lease_is_not_handed_back_to_run_again(db: Database) -> None:
    job = await start(db)
    [(_, worker)] = await leases(db)
    await cancel(db, job.id)

    async with db.transaction() as tx:
        await return_unknown(tx, worker, set)

    assert await claim(db, await begin_life(db)) == []
    assert await places(db, job.id) != ["ready"]


async def test_one_that_is_cancelled_while_it_is_handed_back_does_not_run_again(db: Database) -> None:
    """Between the look for leases that nobody knows of and their way back there is room for a cancel."""
    job = await start(db)
    [(_, worker)] = await leases(db)

    async with db.transaction() as tx:
        [found] = await tx.rows(claims.SQL.list_leases, worker=worker)
        await cancel(db, job.id)
        counted: dict[str, Any] = {"turns": None, "recovered": None, "errors": None}
        back = await tx.rows(claims.SQL.return_leases, ids=[found["id"]], tokens=[found["token"]], **counted)

    assert back == []
    assert await claim(db, await begin_life(db)) == []


async def test_an_old_and_the_current_attempt_in_one_batch_are_told_apart(db: Database) -> None:
    zombie, current = await lost(db)

    async with db.transaction() as tx:
        settled = await claims.settle(tx, 77, [(zombie, Retry("late")), (current, Done())], KINDS)

    assert (settled.count, settled.busy, settled.stale) == (1, [], [zombie])
    assert await results(db, zombie.id) == [(1, "lost", False), (2, "done", True)]
    assert await stale(db) == [(zombie.id, 1, 77, "retry")]


async def test_progress_locks_leases_in_the_order_in_which_handlers_hold_them(db: Database) -> None:
    await enqueue(db)
    await enqueue(db, priority=Priority.HIGH)
    worker = await begin_life(db)
    # the second is claimed before the first, so it stands before it in the table
    [second], [first] = await claim(db, worker, total=1), await claim(db, worker, total=1)

    async def report() -> set[tuple[int, int]]:
        async with db.transaction() as tx:
            return await reports.write(tx, worker, [(second, Report({"part": 1})), (first, Report({"part": 1}))])

    async with holding(db, [first]) as (tx, held):
        reporting = await begin_blocked(db, report())
        await tx.rows(SQL.lock_lease, id=second.id)

    assert set(held) == {first.key}
    assert await reporting == {first.key, second.key}
