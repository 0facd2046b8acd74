"""Enqueue: in the caller's transaction, in bulk, once per open key; and where a job is afterwards (I1)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine import claims, queue
from pabal.engine.outcome import Cancel, Done, Outcome, Retry
from pabal.engine.queue import BadJob, JobNotFound, NewJob, Priority
from tests.support.work import (
    KINDS,
    OTHER,
    PLAIN,
    SQL,
    advance,
    begin_blocked,
    begin_life,
    cancel,
    claim,
    claim_one,
    counters,
    enqueue,
    enqueue_many,
    place,
    places,
    settle,
    start,
    undone,
)

HOUR = timedelta(hours=1)


@pytest.mark.parametrize("options", [{}, {"lane": "l"}, {"key": "k"}, {"delay": HOUR}])
async def test_a_rolled_back_enqueue_never_happened(db: Database, options: dict[str, Any]) -> None:
    async with undone(db) as tx:
        await queue.enqueue(tx, NewJob(PLAIN, **options))

    async with db.transaction() as tx:
        assert await tx.value(SQL.count_work) == 0
    assert await claim(db, await begin_life(db)) == []


async def test_nobody_sees_a_job_before_its_commit(db: Database) -> None:
    worker = await begin_life(db)
    async with db.transaction() as tx:
        made = await queue.enqueue(tx, NewJob(PLAIN))

        assert await claim(db, worker) == []

    assert [job.id for job in await claim(db, worker)] == [made.id]


async def test_a_job_carries_what_it_was_given(db: Database) -> None:
    given = {"text": "안녕하세요", "parts": [1, None, {"a": True}]}
    options: dict[str, Any] = {
        "about": "schedule:7",
        "unit_id": 5,
        "max_failures": 2,
        "max_recoveries": 1,
        "deadline": HOUR,
    }

    job = await start(db, args=given, **options)

    assert (job.args, job.about, job.unit_id) == (given, "schedule:7", 5)
    assert (job.max_failures, job.max_recoveries, job.deadline) == (2, 1, HOUR)
    assert (job.token, job.failures, job.recoveries, job.snoozes) == (1, 0, 0, 0)


async def test_a_bulk_answers_in_the_order_given(db: Database) -> None:
    plain = await enqueue_many(db, *(NewJob(PLAIN, {"n": n}) for n in range(1200)))
    mixed = await enqueue_many(
        db, *(NewJob(PLAIN, {"n": n}, key=f"k{n}" if n % 2 else None, lane="l" if n % 3 else None) for n in range(60))
    )

    for answers in (plain, mixed):
        assert all(answer.is_new for answer in answers)
        assert [answer.id for answer in answers] == sorted(answer.id for answer in answers)
        shown = [(await place(db, answer.id)).args["n"] for answer in answers[:60]]
        assert shown == list(range(60))


async def test_an_empty_bulk_is_no_work(db: Database) -> None:
    assert await enqueue_many(db) == []


async def test_a_key_that_is_open_is_answered_with_the_job_that_has_it(db: Database) -> None:
    first, other = await enqueue_many(db, NewJob(PLAIN, key="k"), NewJob(OTHER, key="k"))

    [again] = await enqueue_many(db, NewJob(PLAIN, {"n": 2}, key="k"))

    assert (again.id, again.is_new) == (first.id, False)
    assert other.is_new
    async with db.transaction() as tx:
        assert await tx.value(SQL.count_work) == 2


async def test_a_bulk_that_names_a_key_twice_makes_one_job(db: Database) -> None:
    jobs = [NewJob(PLAIN, {"n": n}, key=key) for n, key in enumerate(["a", "b", "a", "a", "b", "c"])]

    answers = await enqueue_many(db, *jobs, NewJob(PLAIN))

    assert [answer.is_new for answer in answers] == [True, True, False, False, False, True, True]
    assert [answers[n].id for n in (2, 3, 4)] == [answers[0].id, answers[0].id, answers[1].id]
    assert (await place(db, answers[0].id)).args == {"n": 0}


async def test_of_two_that_enqueue_one_key_together_one_wins_and_the_other_is_told(db: Database) -> None:
    async with db.transaction() as tx:
        first = await queue.enqueue(tx, NewJob(PLAIN, key="k"))
        other = await begin_blocked(db, enqueue_many(db, NewJob(PLAIN, key="k")))
    [second] = await other

    assert (second.id, second.is_new) == (first.id, False)


async def test_when_the_winner_of_a_key_rolls_back_the_other_gets_it(db: Database) -> None:
    async with undone(db) as tx:
        await queue.enqueue(tx, NewJob(PLAIN, key="k"))
        other = await begin_blocked(db, enqueue_many(db, NewJob(PLAIN, key="k")))
    [second] = await other

    assert second.is_new
    assert await places(db, second.id) == ["ready"]


async def test_a_key_released_while_an_enqueue_waits_for_it_is_taken_by_that_enqueue(db: Database) -> None:
    job = await start(db, key="k")
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, Done())], KINDS)
        other = await begin_blocked(db, enqueue_many(db, NewJob(PLAIN, key="k")))
    [second] = await other

    assert second.is_new
    assert second.id != job.id


async def test_crowds_with_the_same_keys_in_different_orders_do_not_lock_each_other_out(db: Database) -> None:
    """Key by key as given, each would hold what the other waits for: one has m and wants z, the other z and m."""
    async with undone(db) as obstacle:
        await queue.enqueue(obstacle, NewJob(PLAIN, key="y"))
        one = await begin_blocked(db, enqueue_many(db, *(NewJob(PLAIN, key=key) for key in "myz")))
        other = await begin_blocked(db, enqueue_many(db, *(NewJob(PLAIN, key=key) for key in "zm")), others=1)
    m, y, z = await one
    again = await other

    assert m.is_new
    assert y.is_new
    assert [(answer.id, answer.is_new) for answer in again] == [(z.id, False), (m.id, False)]


@pytest.mark.parametrize("outcome", [Done(), Done(partial=True), Cancel("no"), Retry("bad")])
async def test_a_key_is_free_with_the_final_outcome(db: Database, outcome: Outcome) -> None:
    job = await start(db, key="k", max_failures=1)
    assert not (await enqueue_many(db, NewJob(PLAIN, key="k")))[0].is_new

    await settle(db, job, outcome)

    assert (await enqueue_many(db, NewJob(PLAIN, key="k")))[0].is_new


async def test_a_key_is_kept_over_a_retry_and_free_after_a_cancel(db: Database) -> None:
    job = await start(db, key="k")
    await settle(db, job, Retry("bad"))
    assert not (await enqueue_many(db, NewJob(PLAIN, key="k")))[0].is_new

    await cancel(db, job.id)

    assert (await enqueue_many(db, NewJob(PLAIN, key="k")))[0].is_new


async def test_a_kept_key_stays_after_the_end_until_its_time_is_over(db: Database) -> None:
    job = await start(db, key="k", keep_key=HOUR)
    await settle(db, job, Done())
    [during] = await enqueue_many(db, NewJob(PLAIN, key="k"))

    await advance(db, 3601)

    [after] = await enqueue_many(db, NewJob(PLAIN, key="k"))
    assert (during.id, during.is_new) == (job.id, False)
    assert after.is_new


async def test_a_kept_key_does_not_become_free_while_its_job_is_open(db: Database) -> None:
    job_id = await enqueue(db, key="k", keep_key=HOUR)
    await advance(db, 7200)

    [again] = await enqueue_many(db, NewJob(PLAIN, key="k"))

    assert (again.id, again.is_new) == (job_id, False)


async def test_a_kept_key_is_free_when_its_time_is_over_though_its_week_was_dropped(db: Database) -> None:
    job = await start(db, key="k", keep_key=HOUR)
    await settle(db, job, Done())
    await advance(db, 3601)
    async with db.transaction() as tx:
        await tx.run(SQL.forget_job, id=job.id)

    [after] = await enqueue_many(db, NewJob(PLAIN, key="k"))

    assert after.is_new


BAD = [
    {"kind": "send"},
    {"kind": "Messaging.send"},
    {"kind": PLAIN, "route": "busan1"},
    {"kind": PLAIN, "delay": HOUR, "run_at": datetime(2030, 1, 1, tzinfo=UTC)},
    {"kind": PLAIN, "keep_key": HOUR},
    {"kind": PLAIN, "run_at": datetime(2030, 1, 1)},  # noqa: DTZ001 -- a naive moment is what is refused
    {"kind": PLAIN, "expires_at": datetime(2030, 1, 1)},  # noqa: DTZ001 -- as above
    {"kind": PLAIN, "max_failures": 0},
    {"kind": PLAIN, "max_recoveries": -1},
    {"kind": PLAIN, "deadline": timedelta(0)},
    {"kind": PLAIN, "key": ""},
    {"kind": PLAIN, "lane": ""},
]


@pytest.mark.parametrize("fields", BAD, ids=" ".join)
async def test_a_job_that_cannot_be_right_is_refused_and_with_it_its_bulk(db: Database, fields: dict[str, Any]) -> None:
    with pytest.raises(BadJob):
        await enqueue_many(db, NewJob(PLAIN), NewJob(**fields))

    async with db.transaction() as tx:
        assert await tx.value(SQL.count_work) == 0


async def test_priorities_go_first_and_within_one_the_older(db: Database) -> None:
    order = [Priority.LOW, Priority.NORMAL, Priority.URGENT, Priority.NORMAL, Priority.HIGH, Priority.URGENT]
    made = [await enqueue(db, priority=priority) for priority in order]

    claimed = [job.id for job in await claim(db, await begin_life(db))]

    assert claimed == [made[n] for n in (2, 5, 4, 1, 3, 0)]


async def test_a_delay_and_a_moment_are_waited_for(db: Database) -> None:
    async with db.transaction() as tx:
        now = tx.now
        by_delay = (await queue.enqueue(tx, NewJob(PLAIN, delay=HOUR))).id
        by_moment = (await queue.enqueue(tx, NewJob(PLAIN, run_at=now + HOUR))).id
        past = (await queue.enqueue(tx, NewJob(PLAIN, run_at=now - HOUR))).id

    assert await places(db, by_delay, by_moment, past) == ["delayed", "delayed", "ready"]
    assert {(await place(db, job_id)).due_at for job_id in (by_delay, by_moment)} == {now + HOUR}
    assert (await place(db, by_delay)).reason == "asked"


async def test_a_delayed_job_waits_outside_its_lane(db: Database) -> None:
    later = await enqueue(db, lane="l", delay=HOUR)
    now = await enqueue(db, lane="l")

    assert await places(db, later, now) == ["delayed", "ready"]


async def test_a_job_that_is_nowhere_is_not_found(db: Database) -> None:
    async with db.transaction() as tx:
        assert await queue.find_place(tx, 1) is None
        with pytest.raises(JobNotFound):
            await queue.get_place(tx, 1)


async def test_where_a_job_is_can_be_followed_to_its_end(db: Database) -> None:
    worker = await begin_life(db)
    job_id = await enqueue(db, cause="schedule:7")
    seen = await places(db, job_id)
    job = await claim_one(db, worker)
    leased = await place(db, job_id)
    await settle(db, job, Retry("the bot did not answer"))
    delayed = await place(db, job_id)
    await cancel(db, job_id)
    ended = await place(db, job_id)

    assert [*seen, leased.place, delayed.place, ended.place] == ["ready", "lease", "delayed", "ended"]
    assert (leased.worker, leased.token, leased.cause) == (worker, 1, "schedule:7")
    assert (delayed.reason, delayed.error) == ("retry", {"reason": "the bot did not answer"})
    assert await counters(db, job_id) == (None, None, None)
    assert (ended.result, ended.error) == ("cancelled", {"reason": "asked"})


async def test_open_jobs_are_found_by_what_they_are_about_and_by_their_keys(db: Database) -> None:
    worker = await begin_life(db)
    ended = await enqueue(db, OTHER, about="schedule:7", key="a", keep_key=HOUR)
    await settle(db, await claim_one(db, worker, OTHER), Done())
    leased = await enqueue(db, OTHER, about="schedule:7", key="b")
    await claim_one(db, worker, OTHER)
    ready = await enqueue(db, OTHER, about="schedule:7", key="c")
    later = await enqueue(db, OTHER, about="schedule:7", key="d", delay=HOUR)
    behind = await enqueue(db, OTHER, about="schedule:7", key="e", lane="l", run_at=None)
    await enqueue(db, OTHER, about="schedule:8", key="f")

    async with db.transaction() as tx:
        about = await queue.find_open(tx, about="schedule:7")
        keyed = await queue.find_open_keys(tx, OTHER, ["a", "b", "c", "d", "e", "g"])

    assert sorted(about) == sorted(keyed) == sorted([leased, ready, later, behind])
    assert ended not in keyed
