"""The tick: each moment gets exactly one decision and nothing fires outside its validity or while paused (I12, I13)."""

import asyncio
from datetime import datetime, time, timedelta

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import schedules, ticks, withdrawals
from pabal.engine.listing.facts import Wanted, list_facts
from pabal.engine.outcome import Retry
from pabal.engine.recurrence import Cron, Once
from pabal.engine.schedules import Misfire, Overlap
from pabal.engine.ticks import Pace, Ticks
from tests.support import work
from tests.support.schedules import (
    DAY,
    HOUR,
    MINUTE,
    NINE,
    SECOND,
    SQL,
    START,
    assert_ledger_and_jobs_agree,
    decisions,
    every,
    get,
    go_to,
    last,
    ledger,
    new,
    pause,
    put,
    skip_one,
    tick,
    tick_at,
    trigger,
    verdicts,
)

MORNING = START + 9 * HOUR


@pytest.fixture
async def at_start(db: Database) -> Database:
    await go_to(db, START)
    return db


async def test_a_due_moment_becomes_a_job_with_what_its_handler_needs(at_start: Database):
    db = at_start
    options = {"args": {"room": "a"}, "about": "report:7", "unit_id": 3, "priority": work.Priority.HIGH}
    schedule = await put(db, expires_after=5 * MINUTE, **options)

    await tick_at(db, MORNING)

    occurrence = await last(db, schedule.id)
    assert occurrence.work_id is not None
    job = await work.place(db, occurrence.work_id)
    assert job.args == {"room": "a", "schedule_id": schedule.id, "fire_at": "2035-06-04T09:00:00+00:00"}
    assert (job.kind, job.about, job.unit_id, job.priority) == (work.PLAIN, "report:7", 3, work.Priority.HIGH)
    assert (job.place, job.cause, job.expires_at) == ("ready", f"schedule:{schedule.id}", MORNING + 5 * MINUTE)
    assert (await get(db, schedule.id)).next_at == MORNING + DAY


async def test_nothing_happens_before_its_moment(at_start: Database):
    db = at_start
    schedule = await put(db)

    await tick_at(db, MORNING - SECOND * 20)

    assert await ledger(db, schedule.id) == []


async def test_a_tick_that_crashes_leaves_nothing_and_the_next_one_does_it_all(at_start: Database):
    db = at_start
    schedule = await put(db)
    await go_to(db, MORNING)

    async with work.undone(db) as tx:
        assert await ticks.tick(tx) == 1
    nothing = await ledger(db, schedule.id)
    await tick(db)

    assert nothing == []
    assert await decisions(db, schedule.id) == [(MORNING, "enqueued", "on_time")]
    await assert_ledger_and_jobs_agree(db)


async def test_two_ticks_at_once_share_the_due_schedules(at_start: Database):
    db = at_start
    ids = [(await put(db)).id for _ in range(20)]
    await go_to(db, MORNING)

    async with db.transaction() as first:
        await first.rows(ticks.SQL.lock_due, batch=5)
        theirs = await ticks.tick_once(db)
    rest = await ticks.tick_once(db)

    assert (theirs, rest) == (15, 5)
    assert [await decisions(db, each) for each in ids] == [[(MORNING, "enqueued", "on_time")]] * 20


async def test_many_ticks_at_once_decide_each_moment_once(at_start: Database):
    db = at_start
    ids = [(await put(db, every(10 * MINUTE), misfire=Misfire.ALL, misfire_max=3)).id for _ in range(30)]
    await go_to(db, START + HOUR)

    await asyncio.gather(*(ticks.tick_once(db) for _ in range(8)))
    await tick(db)

    assert {len(await ledger(db, each)) for each in ids} == {6}
    await assert_ledger_and_jobs_agree(db)


async def test_a_pause_that_commits_first_is_obeyed_by_a_tick_that_had_begun(at_start: Database):
    db = at_start
    schedule = await put(db)
    await go_to(db, MORNING)

    async with db.transaction() as ticking:
        await ticking.value(SQL.list_next_ats, ids=[schedule.id])
        await pause(db, schedule.id)
        taken = await ticks.tick(ticking)

    assert taken == 0
    assert await ledger(db, schedule.id) == []


async def test_a_tick_leaves_a_schedule_that_is_being_paused(at_start: Database):
    db = at_start
    schedule = await put(db)
    await go_to(db, MORNING)

    async with db.transaction() as pausing:
        await schedules.pause(pausing, schedule.id, actor="user:1")
        taken = await ticks.tick_once(db)

    assert taken == 0
    assert await tick(db) == 0


async def test_a_pause_waits_for_the_tick_that_came_first(at_start: Database):
    db = at_start
    schedule = await put(db)
    await go_to(db, MORNING)

    async with db.transaction() as ticking:
        await ticks.tick(ticking)
        pausing = await work.begin_blocked(db, pause(db, schedule.id))
    paused = await pausing

    assert paused.is_paused
    assert paused.next_at == MORNING + DAY
    assert await decisions(db, schedule.id) == [(MORNING, "enqueued", "on_time")]


async def test_a_skip_asked_for_in_advance_stands_when_the_tick_is_late(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR))
    await skip_one(db, schedule.id, START + HOUR)

    await tick_at(db, START + 2 * HOUR)

    assert await verdicts(db, schedule.id) == ["skipped asked", "enqueued on_time"]
    await assert_ledger_and_jobs_agree(db)


async def test_nothing_fires_outside_the_validity(at_start: Database):
    db = at_start
    valid = {"valid_from": START + 2 * HOUR, "valid_until": START + 5 * HOUR}
    schedule = await put(db, every(HOUR), misfire=Misfire.ALL, misfire_max=100, misfire_window=None, **valid)

    await tick_at(db, START + DAY)

    fired = [moment for moment, _, _ in await decisions(db, schedule.id)]
    assert fired == [START + 2 * HOUR, START + 3 * HOUR, START + 4 * HOUR]
    assert (await get(db, schedule.id)).next_at is None


async def test_once_fires_once(at_start: Database):
    db = at_start
    schedule = await put(db, Once(MORNING))

    await tick_at(db, MORNING)
    await tick_at(db, MORNING + DAY)

    assert await decisions(db, schedule.id) == [(MORNING, "enqueued", "on_time")]
    assert (await get(db, schedule.id)).next_at is None


async def test_by_default_a_late_moment_is_made_up_for_within_five_minutes(at_start: Database):
    db = at_start
    soon, too_late = await put(db), await put(db, Once(MORNING - 5 * MINUTE))

    await tick_at(db, MORNING + 4 * MINUTE)

    assert await verdicts(db, soon.id) == ["enqueued late"]
    assert await verdicts(db, too_late.id) == ["skipped misfire_window"]


async def test_a_long_outage_becomes_one_entry_and_delays_no_other_schedule(at_start: Database):
    db = at_start
    schedule = await put(db, every(SECOND))
    other = await put(db, Once(START + 8 * HOUR))

    await tick_at(db, START + 8 * HOUR)

    entries = await ledger(db, schedule.id)
    run = entries[0]
    total = sum(entry.count for entry in entries)
    assert run.count > ticks.BATCH
    assert (run.fire_at, run.decision, run.reason) == (START + SECOND, "skipped", "misfire_window")
    assert run.through is not None
    assert run.count == (run.through - run.fire_at) // SECOND + 1
    assert total == (entries[-1].fire_at - run.fire_at) // SECOND + 1
    assert (await verdicts(db, other.id)) == ["enqueued on_time"]
    await assert_ledger_and_jobs_agree(db)


async def test_one_tick_looks_at_ten_thousand_moments_of_a_schedule_and_leaves_the_rest(at_start: Database):
    db = at_start
    schedule = await put(db, every(SECOND))
    await go_to(db, START + 8 * HOUR)

    await ticks.tick_once(db)
    after_one = await get(db, schedule.id)
    [run] = await ledger(db, schedule.id)
    await ticks.tick_once(db)
    [longer] = await ledger(db, schedule.id)

    assert after_one.next_at == START + 10_001 * SECOND
    assert (run.count, longer.count) == (10_000, 20_000)


async def test_an_asked_skip_stands_apart_from_the_run_around_it(at_start: Database):
    db = at_start
    asked = START + 1500 * MINUTE
    schedule = await put(db, every(MINUTE), misfire=Misfire.SKIP, misfire_window=None)
    await skip_one(db, schedule.id, asked)

    await tick_at(db, START + 3000 * MINUTE + 45 * SECOND)

    found = [(one.fire_at, one.reason, one.through, one.count) for one in await ledger(db, schedule.id)]
    assert found == [
        (START + MINUTE, "late", asked - MINUTE, 1499),
        (asked, "asked", None, 1),
        (asked + MINUTE, "late", START + 3000 * MINUTE, 1500),
    ]


async def test_overlap_skip_waits_for_the_end_of_the_job_before(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR), overlap=Overlap.SKIP)
    await tick_at(db, START + HOUR)
    await tick_at(db, START + 2 * HOUR)
    first = (await ledger(db, schedule.id))[0]
    assert first.work_id is not None

    await work.cancel(db, first.work_id)
    await tick_at(db, START + 3 * HOUR)

    assert await verdicts(db, schedule.id) == ["enqueued asked", "skipped overlap", "enqueued on_time"]


async def test_overlap_queue_runs_them_one_after_the_other(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR), overlap=Overlap.QUEUE)
    await tick_at(db, START + HOUR)
    await tick_at(db, START + 2 * HOUR)
    first, second = [one.work_id or 0 for one in await ledger(db, schedule.id)]

    before = await work.places(db, first, second)
    await work.cancel(db, first)

    assert before == ["ready", "waiting"]
    assert await work.places(db, first, second) == ["ended", "ready"]


async def test_overlap_queue_uses_the_schedules_own_lane(at_start: Database):
    db = at_start
    schedule = await put(db, overlap=Overlap.QUEUE, lane="bot:busan1")

    await tick_at(db, MORNING)

    assert (await work.place(db, (await last(db, schedule.id)).work_id or 0)).lane == "bot:busan1"


async def replaced(db: Database) -> tuple[int, int, int]:
    """A schedule whose second moment has come, and the jobs of both; what the tick asked for is not done yet."""
    schedule = await put(db, every(HOUR), overlap=Overlap.CANCEL_PREVIOUS)
    await tick_at(db, START + HOUR)
    await tick_at(db, START + 2 * HOUR)
    first, second = [one.work_id or 0 for one in await ledger(db, schedule.id)]
    return schedule.id, first, second


async def test_overlap_cancel_previous_ends_what_had_not_begun(at_start: Database):
    db = at_start
    schedule_id, first, second = await replaced(db)

    before = await work.places(db, first, second)
    await withdrawals.obey_once(db, work.KINDS)

    assert before == ["ready", "waiting"]
    assert await work.places(db, first, second) == ["ended", "ready"]
    assert [(one.end, one.reason) for one in await ledger(db, schedule_id)] == [
        ("cancelled", "replaced"),
        (None, "on_time"),
    ]
    await assert_ledger_and_jobs_agree(db)


async def test_overlap_cancel_previous_waits_until_what_runs_has_stopped(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR), overlap=Overlap.CANCEL_PREVIOUS)
    await tick_at(db, START + HOUR)
    running = await work.claim_one(db, await work.begin_life(db))
    await tick_at(db, START + 2 * HOUR)
    second = (await last(db, schedule.id)).work_id or 0

    await withdrawals.obey_once(db, work.KINDS)
    meanwhile = await work.places(db, running.id, second)
    await work.settle(db, running, Retry("I was told to stop"))

    assert meanwhile == ["lease", "waiting"]
    assert (await work.place(db, running.id)).result == "cancelled"
    assert await work.places(db, second) == ["ready"]


async def test_a_tick_does_not_wait_for_what_it_replaces(at_start: Database):
    db = at_start
    await put(db, every(HOUR), overlap=Overlap.CANCEL_PREVIOUS)
    await tick_at(db, START + HOUR)
    running = await work.claim_one(db, await work.begin_life(db))
    await go_to(db, START + 2 * HOUR)

    async with db.transaction() as tx:
        await tx.rows(work.SQL.lock_lease, id=running.id)
        async with asyncio.timeout(30):
            taken = await ticks.tick_once(db)

    assert taken == 1
    assert await withdrawals.obey_once(db, work.KINDS) == 1


async def test_a_tick_that_is_undone_replaces_nothing(at_start: Database):
    db = at_start
    await put(db, every(HOUR), overlap=Overlap.CANCEL_PREVIOUS)
    await tick_at(db, START + HOUR)
    await go_to(db, START + 2 * HOUR)

    async with work.undone(db) as tx:
        await ticks.tick(tx)

    assert await withdrawals.obey_once(db, work.KINDS) == 0


async def test_the_job_of_a_moment_has_the_deadline_and_the_failures_of_its_schedule(at_start: Database):
    db = at_start
    schedule = await put(db, deadline=HOUR, max_failures=2)

    await tick_at(db, MORNING)

    job = await work.place(db, (await last(db, schedule.id)).work_id or 0)
    assert (job.deadline, job.max_failures) == (HOUR, 2)


async def test_overlap_allow_lets_them_run_beside_each_other(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR))
    await tick_at(db, START + HOUR)
    await tick_at(db, START + 2 * HOUR)

    assert await work.places(db, *[one.work_id or 0 for one in await ledger(db, schedule.id)]) == ["ready", "ready"]


async def test_a_schedule_whose_rule_cannot_be_read_is_paused_and_stops_no_other(at_start: Database):
    db = at_start
    broken, fine = await put(db), await put(db)
    async with db.transaction() as tx:
        await tx.run(SQL.rename_zone, id=broken.id, zone="Mars/Olympus")

    await tick_at(db, MORNING)

    paused = await get(db, broken.id)
    assert paused.is_paused
    assert paused.paused_by == "engine"
    assert "Mars/Olympus" in (paused.problem or "")
    assert await verdicts(db, fine.id) == ["enqueued on_time"]


@pytest.mark.parametrize(
    ("gap", "expected"), [("shift", [datetime(2035, 3, 25, 1, tzinfo=START.tzinfo)]), ("skip", [])]
)
async def test_a_time_in_a_gap_follows_the_schedules_rule(db: Database, gap: str, expected: list[datetime]):
    await go_to(db, datetime(2035, 3, 24, 12, tzinfo=START.tzinfo))
    schedule = await put(db, Cron("30 2 * * *"), zone="Europe/Berlin", dst_gap=gap)

    await tick_at(db, datetime(2035, 3, 25, 1, 0, 10, tzinfo=START.tzinfo))

    assert [one.fire_at for one in await ledger(db, schedule.id)] == expected


@pytest.mark.parametrize(("fold", "hours"), [("first", [0]), ("second", [1]), ("both", [0, 1])])
async def test_a_time_in_a_fold_follows_the_schedules_rule(db: Database, fold: str, hours: list[int]):
    day = datetime(2035, 10, 28, tzinfo=START.tzinfo)
    await go_to(db, day - 12 * HOUR)
    schedule = await put(db, type(NINE)((time(2, 30),)), zone="Europe/Berlin", dst_fold=fold)

    await tick_at(db, day + 31 * MINUTE - 50 * SECOND)
    await tick_at(db, day + 91 * MINUTE - 50 * SECOND)

    assert [one.fire_at for one in await ledger(db, schedule.id)] == [day + hour * HOUR + 30 * MINUTE for hour in hours]


async def test_a_tick_takes_a_thousand_schedules_at_most(at_start: Database):
    db = at_start
    async with db.transaction() as tx:
        for _ in range(ticks.BATCH + 5):
            await schedules.put(tx, new())
    await go_to(db, MORNING)

    assert [await ticks.tick_once(db), await ticks.tick_once(db), await ticks.tick_once(db)] == [ticks.BATCH, 5, 0]


async def test_the_next_due_moment_is_the_soonest_of_those_not_paused(at_start: Database):
    db = at_start
    assert (await ticks.next_due(db))[0] is None
    await put(db)
    sooner, soonest = await put(db, every(2 * HOUR)), await put(db, every(HOUR))

    before = await ticks.next_due(db)
    await pause(db, soonest.id)

    assert before[0] == START + HOUR
    assert (await ticks.next_due(db))[0] == sooner.next_at


async def test_what_is_due_but_held_by_another_is_looked_at_again_soon_and_not_at_once(at_start: Database):
    db = at_start
    await put(db)
    await go_to(db, MORNING)

    due, now = await ticks.next_due(db)

    assert due == now + ticks.LOOK_AGAIN


async def test_a_triggered_occurrence_stands_in_no_moments_way(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR))
    await go_to(db, START + HOUR)
    await trigger(db, schedule.id)

    await tick(db)

    assert sorted(await verdicts(db, schedule.id)) == ["enqueued on_time", "enqueued triggered"]
    await assert_ledger_and_jobs_agree(db)


async def test_a_minute_of_moments_is_decided_one_by_one_as_they_come(at_start: Database):
    db = at_start
    schedule = await put(db, every(10 * SECOND))

    for number in range(1, 7):
        await tick_at(db, START + timedelta(seconds=10 * number))

    assert await verdicts(db, schedule.id) == ["enqueued on_time"] * 6


async def test_a_moment_that_nobody_was_there_for_leaves_a_fact(at_start: Database) -> None:
    db = at_start
    missed = await put(db, about="report:7", unit_id=3)
    paused = await put(db, about="report:8")
    await pause(db, paused.id)

    await tick_at(db, MORNING + HOUR)

    async with db.transaction() as tx:
        found = (await list_facts(tx, Wanted(None, names=("schedule.missed",)))).items
    assert [(fact.subject, fact.unit_id, fact.data["reason"], fact.data["schedule_id"]) for fact in found] == [
        ("report:7", 3, "misfire_window", missed.id)
    ]
    assert datetime.fromisoformat(found[0].data["fire_at"]) == MORNING


async def test_a_tick_takes_as_many_as_its_pace_says_and_rests_as_long(at_start: Database) -> None:
    db = at_start
    for _ in range(3):
        await put(db)

    async def pace(tx: Tx) -> Pace:
        return Pace(rest=2 * MINUTE, most=2)

    paced = Ticks(db, pace)
    await paced.next_due()
    await go_to(db, MORNING)

    assert [await paced.run_once() for _ in range(3)] == [2, 1, 0]
    assert paced.rest_seconds() == 120
