"""Each enqueued occurrence ends once, with a reason, in the commit that ends its job (I12)."""

import pytest

from pabal.base.database import Database
from pabal.engine import claims, occurrences, workers
from pabal.engine.misfires import Overlap
from pabal.engine.occurrences import OccurrenceNotFound
from pabal.engine.outcome import Cancel, Done, Outcome, Retry
from tests.support import work
from tests.support.schedules import (
    HOUR,
    MINUTE,
    START,
    assert_ledger_and_jobs_agree,
    every,
    go_to,
    last,
    ledger,
    put,
    tick_at,
)

NOON = START + 12 * HOUR


@pytest.fixture
async def fired(db: Database) -> tuple[Database, int]:
    """A schedule that fires at noon and has just done so, with a job that expires five minutes later."""
    await go_to(db, START)
    schedule = await put(db, every(24 * HOUR, first=NOON), expires_after=5 * MINUTE)
    await tick_at(db, NOON)
    return db, schedule.id


@pytest.mark.parametrize(
    ("outcome", "end", "reason"),
    [
        (Done(), "done", "on_time"),
        (Done("3 parts"), "done", "3 parts"),
        (Done("2 of 3", partial=True), "partial", "2 of 3"),
        (Cancel("room is gone"), "cancelled", "room is gone"),
    ],
)
async def test_an_attempts_end_is_the_occurrences_end(
    fired: tuple[Database, int], outcome: Outcome, end: str, reason: str
):
    db, schedule_id = fired
    job = await work.claim_one(db, await work.begin_life(db))

    await work.settle(db, job, outcome)

    occurrence = await last(db, schedule_id)
    assert (occurrence.end, occurrence.reason) == (end, reason)
    assert occurrence.ended_at is not None
    await assert_ledger_and_jobs_agree(db)


async def test_only_the_last_failure_ends_it(fired: tuple[Database, int]):
    db, schedule_id = fired
    worker = await work.begin_life(db)
    ends = []

    for number in range(5):
        await work.settle(db, await work.claim_one(db, worker), Retry(f"bot said no {number}"))
        ends.append((await last(db, schedule_id)).end)
        await work.advance(db, 31)
        await work.promote(db)

    assert ends == [None, None, None, None, "failed"]
    assert (await last(db, schedule_id)).reason == "bot said no 4"
    await assert_ledger_and_jobs_agree(db)


async def test_what_nobody_could_take_in_time_is_missed(fired: tuple[Database, int]):
    db, schedule_id = fired

    await work.advance(db, 299)
    await work.expire(db)
    before = (await last(db, schedule_id)).end
    await work.advance(db, 2)
    await work.expire(db)

    occurrence = await last(db, schedule_id)
    assert before is None
    assert (occurrence.end, occurrence.reason) == ("missed", "expired")
    await assert_ledger_and_jobs_agree(db)


async def test_a_withdrawn_job_is_a_cancelled_occurrence(fired: tuple[Database, int]):
    db, schedule_id = fired

    await work.cancel(db, (await last(db, schedule_id)).work_id or 0)

    occurrence = await last(db, schedule_id)
    assert (occurrence.end, occurrence.reason) == ("cancelled", "asked")
    await assert_ledger_and_jobs_agree(db)


async def test_a_job_that_kills_its_workers_is_a_failed_occurrence(fired: tuple[Database, int]):
    db, schedule_id = fired

    for _ in range(4):
        worker = await work.begin_life(db)
        await work.claim_one(db, worker)
        await work.crash(db, worker)

    occurrence = await last(db, schedule_id)
    assert (occurrence.end, occurrence.reason) == ("failed", "its worker died")
    await assert_ledger_and_jobs_agree(db)


async def test_an_end_that_rolls_back_is_none(fired: tuple[Database, int]):
    db, schedule_id = fired
    job = await work.claim_one(db, await work.begin_life(db))

    async with work.undone(db) as tx:
        await claims.settle(tx, None, [(job, Done())], work.KINDS)

    assert (await last(db, schedule_id)).end is None


async def test_a_late_worker_cannot_end_an_occurrence_a_second_time(fired: tuple[Database, int]):
    db, schedule_id = fired
    worker = await work.begin_life(db)
    late = await work.claim_one(db, worker)
    await work.crash(db, worker)
    await work.settle(db, await work.claim_one(db, await work.begin_life(db)), Cancel("room is gone"))

    await work.settle(db, late, Done("too late"))

    assert (await last(db, schedule_id)).end == "cancelled"
    assert len(await workers_of(db)) == 1


async def test_the_ledger_is_read_newest_first_and_in_pages(db: Database):
    await go_to(db, START)
    schedule = await put(db, every(HOUR))
    for number in range(1, 4):
        await tick_at(db, START + number * HOUR)

    async with db.transaction() as tx:
        page = await occurrences.list_occurrences(tx, schedule.id, limit=2)
        rest = await occurrences.list_occurrences(tx, schedule.id, limit=2, before=page[-1].fire_at)

    assert [one.fire_at for one in page + rest] == [START + number * HOUR for number in (3, 2, 1)]


async def test_moments_that_were_skipped_because_one_still_ran_are_found_for_many_schedules_at_once(db: Database):
    await go_to(db, START)
    busy, free = await put(db, every(HOUR), overlap=Overlap.SKIP), await put(db, every(HOUR), overlap=Overlap.ALLOW)
    for number in range(1, 4):
        await tick_at(db, START + number * HOUR)

    async with db.transaction() as tx:
        found = await occurrences.list_overlapped(tx, dict.fromkeys((busy.id, free.id), START + HOUR), most=5)
        newest = await occurrences.list_overlapped(tx, {busy.id: START + HOUR}, most=1)
        later = await occurrences.list_overlapped(tx, {busy.id: START + 3 * HOUR}, most=5)

    assert [(one.schedule_id, one.fire_at, one.count) for one in found] == [
        (busy.id, START + 3 * HOUR, 1),
        (busy.id, START + 2 * HOUR, 1),
    ]
    assert (newest, later) == (found[:1], [])


async def test_one_occurrence_is_found_by_its_moment(fired: tuple[Database, int]):
    db, schedule_id = fired

    async with db.transaction() as tx:
        found = await occurrences.get_occurrence(tx, schedule_id, NOON)
        with pytest.raises(OccurrenceNotFound):
            await occurrences.get_occurrence(tx, schedule_id, NOON + HOUR)

    assert [found] == await ledger(db, schedule_id)


async def workers_of(db: Database) -> list[workers.Worker]:
    async with db.transaction() as tx:
        return await workers.list_workers(tx)
