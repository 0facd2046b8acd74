"""What people do with schedules: put, edit, pause, resume, trigger, skip one, delete."""

from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.base.errors import Invalid
from pabal.engine import schedules, widths, withdrawals
from pabal.engine.queue import Priority
from pabal.engine.recurrence import Cron, Daily, Interval, Once, Weekday, Weekly
from pabal.engine.schedules import (
    BadSchedule,
    Misfire,
    NewSchedule,
    NotAMoment,
    NothingAhead,
    Overlap,
    ScheduleNotFound,
)
from tests.support import work
from tests.support.schedules import (
    ACTOR,
    DAY,
    HOUR,
    MINUTE,
    NINE,
    SECOND,
    SQL,
    START,
    assert_ledger_and_jobs_agree,
    decisions,
    edit,
    every,
    get,
    go_to,
    ledger,
    new,
    pause,
    put,
    resume,
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


@pytest.mark.parametrize(
    "recurrence",
    [
        Once(MORNING),
        NINE,
        Weekly((Weekday.MON, Weekday.FRI), (time(9), time(18, 30))),
        Cron("0 9 * * MON"),
        Interval(HOUR, anchor=MORNING),
    ],
)
async def test_what_was_put_is_what_is_found(at_start: Database, recurrence: Any):
    given = NewSchedule(
        name="보고",
        kind="reports.build",
        recurrence=recurrence,
        zone="UTC",
        args={"a": [1]},
        about="report:7",
        route="bot:busan1",
        lane="bot:busan1",
        priority=Priority.HIGH,
        expires_after=HOUR,
        deadline=2 * HOUR,
        max_failures=2,
        valid_from=START,
        valid_until=START + 30 * DAY,
        misfire=Misfire.ALL,
        misfire_window=2 * HOUR,
        misfire_max=7,
        overlap=Overlap.QUEUE,
        dst_gap="skip",
        dst_fold="both",
        unit_id=3,
    )

    async with at_start.transaction() as tx:
        schedule = await schedules.put(tx, given)

    found = await get(at_start, schedule.id)
    assert found == schedule
    assert {name: getattr(found, name) for name in given.__slots__} == {
        name: getattr(given, name) for name in given.__slots__
    }
    assert found.next_at == MORNING


async def test_its_jobs_have_its_lane_and_its_label(at_start: Database):
    await widths.declare_all(at_start, {"licence": 2})
    schedule = await put(at_start, lane="licence:ae", label="gpu")

    job = schedule.job_for(MORNING)

    assert (await get(at_start, schedule.id)).label == "gpu"
    assert (job.lane, job.label, job.queue) == ("licence:ae", "gpu", f"{schedule.kind}@gpu")


@pytest.mark.parametrize("overlap", [Overlap.QUEUE, Overlap.CANCEL_PREVIOUS])
async def test_what_must_not_overlap_is_refused_in_a_lane_that_lets_several_go(at_start: Database, overlap: Overlap):
    await widths.declare_all(at_start, {"licence": 2})
    schedule = await put(at_start, lane="bot:busan1", overlap=overlap)

    with pytest.raises(BadSchedule):
        await put(at_start, lane="licence:ae", overlap=overlap)
    with pytest.raises(BadSchedule):
        await edit(at_start, schedule.id, new(lane="licence:ae", overlap=overlap))


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "nodot"},
        {"name": " "},
        {"route": "no colon"},
        {"zone": "Mars/Olympus"},
        {"args": {"fire_at": 1}},
        {"misfire": Misfire.ALL},
        {"misfire_max": 5},
        {"misfire": Misfire.ALL, "misfire_max": 0},
        {"misfire": Misfire.ALL, "misfire_max": 1001},
        {"misfire_window": timedelta(0)},
        {"expires_after": timedelta(0)},
        {"deadline": timedelta(0)},
        {"max_failures": 0},
        {"label": "GPU"},
        {"label": "gpu", "route": "bot:busan1"},
        {"lane": ""},
        {"valid_from": datetime(2035, 1, 1)},  # noqa: DTZ001 -- a naive moment is what is refused
        {"valid_from": START, "valid_until": START},
        {"dst_gap": "jump"},
    ],
)
async def test_what_cannot_be_right_is_refused_when_put_and_when_edited(at_start: Database, wrong: dict[str, Any]):
    schedule = await put(at_start)

    with pytest.raises(Invalid):
        await put(at_start, **wrong)
    with pytest.raises(Invalid):
        await edit(at_start, schedule.id, new(**wrong))


@pytest.mark.parametrize("never", [{"recurrence": Once(START - HOUR)}, {"valid_until": START + HOUR}])
async def test_a_schedule_that_would_never_fire_is_refused(at_start: Database, never: dict[str, Any]):
    with pytest.raises(NothingAhead):
        await put(at_start, **never)


async def test_moments_before_it_was_put_are_not_made_up_for(at_start: Database):
    db = at_start
    await go_to(db, START + 2 * HOUR + MINUTE)
    schedule = await put(db, every(HOUR), valid_from=START)

    await tick_at(db, START + 3 * HOUR)

    assert await decisions(db, schedule.id) == [(START + 3 * HOUR, "enqueued", "on_time")]


async def test_an_edit_decides_what_was_due_under_the_old_rule_and_goes_on_under_the_new(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR), misfire=Misfire.ALL, misfire_window=None, misfire_max=1, args={"text": "old"})
    await go_to(db, START + 2 * HOUR + MINUTE)

    changed = await edit(db, schedule.id, replace(schedule, recurrence=NINE, args={"text": "new"}))
    await tick_at(db, MORNING)

    assert changed.next_at == MORNING
    assert await decisions(db, schedule.id) == [
        (START + HOUR, "skipped", "misfire_max"),
        (START + 2 * HOUR, "enqueued", "late"),
        (MORNING, "enqueued", "on_time"),
    ]
    jobs = [await work.place(db, one.work_id) for one in await ledger(db, schedule.id) if one.work_id]
    assert [job.args["text"] for job in jobs] == ["old", "new"]


async def test_an_edit_may_end_a_schedule_and_another_bring_it_back(at_start: Database):
    db = at_start
    schedule = await put(db)

    ended = await edit(db, schedule.id, replace(schedule, valid_until=START + HOUR))
    again = await edit(db, schedule.id, replace(schedule, valid_until=None))

    assert (ended.next_at, again.next_at) == (None, MORNING)


async def test_an_edit_keeps_asked_skips_of_moments_that_remain_and_drops_the_others(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR))
    await skip_one(db, schedule.id, START + HOUR)
    await skip_one(db, schedule.id, START + 2 * HOUR)

    await edit(db, schedule.id, replace(schedule, recurrence=every(2 * HOUR)))
    await tick_at(db, START + 4 * HOUR)

    assert await decisions(db, schedule.id) == [
        (START + 2 * HOUR, "skipped", "asked"),
        (START + 4 * HOUR, "enqueued", "on_time"),
    ]


async def test_an_edit_of_a_paused_schedule_leaves_it_paused(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR))
    await pause(db, schedule.id)
    await go_to(db, START + HOUR + MINUTE)

    changed = await edit(db, schedule.id, replace(schedule, recurrence=NINE))

    assert changed.is_paused
    assert await decisions(db, schedule.id) == [(START + HOUR, "skipped", "paused")]


async def test_an_edit_mends_what_the_engine_had_paused_for(at_start: Database):
    db = at_start
    schedule = await put(db)
    async with db.transaction() as tx:
        await tx.run(SQL.rename_zone, id=schedule.id, zone="Mars/Olympus")
    await tick_at(db, MORNING)

    mended = await edit(db, schedule.id, replace(schedule, zone="UTC"))
    await tick_at(db, MORNING + DAY)

    assert not mended.is_paused
    assert mended.problem is None
    assert await decisions(db, schedule.id) == [(MORNING + DAY, "enqueued", "on_time")]


async def test_what_passes_while_paused_is_skipped_and_resume_goes_on_with_the_next(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR), misfire=Misfire.ALL, misfire_max=100, misfire_window=None)
    await tick_at(db, START + HOUR)
    paused = await pause(db, schedule.id)
    await tick_at(db, START + 3 * HOUR)

    resumed = await resume(db, schedule.id)
    await tick_at(db, START + 4 * HOUR)

    assert (paused.paused_by, resumed.paused_at) == (ACTOR, None)
    assert resumed.next_at == START + 4 * HOUR
    assert await verdicts(db, schedule.id) == [
        "enqueued on_time",
        "skipped paused",
        "skipped paused",
        "enqueued on_time",
    ]


async def test_a_long_pause_becomes_one_entry(at_start: Database):
    db = at_start
    schedule = await put(db, every(SECOND))
    await pause(db, schedule.id)
    await go_to(db, START + 7 * HOUR)

    await resume(db, schedule.id)

    [run] = [one for one in await ledger(db, schedule.id) if one.through is not None]
    assert (run.fire_at, run.reason, run.count >= 20_000) == (START + SECOND, "paused", True)


async def test_a_second_pause_changes_nothing_and_resuming_what_runs_neither(at_start: Database):
    db = at_start
    schedule = await put(db)

    assert await resume(db, schedule.id) == schedule
    paused = await pause(db, schedule.id)
    async with db.transaction() as tx:
        assert await schedules.pause(tx, schedule.id, actor="user:2") == paused


async def test_a_trigger_is_an_occurrence_of_its_own_at_that_moment(at_start: Database):
    db = at_start
    schedule = await put(db, args={"a": 1}, expires_after=HOUR)

    triggered = await trigger(db, schedule.id)

    job = await work.place(db, triggered.work_id or 0)
    assert (triggered.decision, triggered.reason, triggered.actor) == ("enqueued", "triggered", ACTOR)
    assert job.args == {"a": 1, "schedule_id": schedule.id, "fire_at": triggered.fire_at.isoformat()}
    assert job.expires_at == triggered.fire_at + HOUR
    assert (await get(db, schedule.id)).next_at == schedule.next_at


async def test_two_triggers_in_one_transaction_are_two_occurrences(at_start: Database):
    db = at_start
    schedule = await put(db)

    async with db.transaction() as tx:
        first = await schedules.trigger_now(tx, schedule.id, actor=ACTOR)
        second = await schedules.trigger_now(tx, schedule.id, actor=ACTOR)

    assert second.fire_at > first.fire_at
    await assert_ledger_and_jobs_agree(db)


async def test_a_persons_trigger_beats_pause_and_overlap(at_start: Database):
    db = at_start
    schedule = await put(db, overlap=Overlap.SKIP)
    await trigger(db, schedule.id)
    await pause(db, schedule.id)

    await trigger(db, schedule.id)

    assert await verdicts(db, schedule.id) == ["enqueued triggered"] * 2


async def test_a_persons_trigger_replaces_what_was_before_it(at_start: Database):
    db = at_start
    schedule = await put(db, overlap=Overlap.CANCEL_PREVIOUS)
    first = await trigger(db, schedule.id)
    second = await trigger(db, schedule.id)

    await withdrawals.obey_once(db, work.KINDS)

    assert await work.places(db, first.work_id or 0, second.work_id or 0) == ["ended", "ready"]


async def test_a_triggered_job_counts_as_open_for_the_next_moment(at_start: Database):
    db = at_start
    schedule = await put(db, overlap=Overlap.SKIP)
    await trigger(db, schedule.id)

    await tick_at(db, MORNING)

    assert await verdicts(db, schedule.id) == ["enqueued triggered", "skipped overlap"]


async def test_nothing_is_triggered_outside_the_validity(at_start: Database):
    db = at_start
    early = await put(db, valid_from=START + HOUR)
    over = await put(db, every(HOUR), valid_until=START + 2 * HOUR)
    await go_to(db, START + 30 * MINUTE)

    with pytest.raises(schedules.OutsideValidity):
        await trigger(db, early.id)
    await go_to(db, START + 2 * HOUR)
    with pytest.raises(schedules.OutsideValidity):
        await trigger(db, over.id)


async def test_a_skipped_moment_is_left_by_the_tick_and_the_others_are_not(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR))
    await skip_one(db, schedule.id, START + 2 * HOUR)
    await skip_one(db, schedule.id, START + 2 * HOUR)

    for number in range(1, 4):
        await tick_at(db, START + number * HOUR)

    assert await verdicts(db, schedule.id) == ["enqueued on_time", "skipped asked", "enqueued on_time"]
    assert (await ledger(db, schedule.id))[1].actor == ACTOR


@pytest.mark.parametrize("offset", [timedelta(0), HOUR, 90 * MINUTE, 24 * HOUR])
async def test_only_a_moment_that_is_ahead_can_be_skipped(at_start: Database, offset: timedelta):
    db = at_start
    schedule = await put(db, every(HOUR), valid_until=START + DAY)
    await go_to(db, START + HOUR)

    with pytest.raises(NotAMoment):
        await skip_one(db, schedule.id, START + offset)


async def test_a_naive_moment_cannot_be_skipped(at_start: Database):
    schedule = await put(at_start)

    with pytest.raises(NotAMoment):
        await skip_one(at_start, schedule.id, MORNING.replace(tzinfo=None))


async def test_a_skip_can_be_taken_back_while_it_is_ahead(at_start: Database):
    db = at_start
    schedule = await put(db)
    await skip_one(db, schedule.id, MORNING)

    async with db.transaction() as tx:
        await schedules.keep_one(tx, schedule.id, MORNING)
    await tick_at(db, MORNING)

    assert await verdicts(db, schedule.id) == ["enqueued on_time"]
    with pytest.raises(NotAMoment):
        async with db.transaction() as tx:
            await schedules.keep_one(tx, schedule.id, MORNING)


async def test_a_deleted_schedule_keeps_its_ledger_and_fires_no_more(at_start: Database):
    db = at_start
    schedule = await put(db, every(HOUR))
    await tick_at(db, START + HOUR)
    await skip_one(db, schedule.id, START + 5 * HOUR)
    await go_to(db, START + 2 * HOUR)

    async with db.transaction() as tx:
        await schedules.delete(tx, schedule.id)
    await tick_at(db, START + 6 * HOUR)

    assert await decisions(db, schedule.id) == [
        (START + HOUR, "enqueued", "on_time"),
        (START + 2 * HOUR, "skipped", "deleted"),
    ]
    with pytest.raises(ScheduleNotFound):
        await get(db, schedule.id)


async def test_what_does_not_exist_is_not_found(at_start: Database):
    for verb in (pause, resume, trigger, get):
        with pytest.raises(ScheduleNotFound):
            await verb(at_start, 404)


async def test_lists_are_filtered_and_paged(at_start: Database):
    db = at_start
    mine = [(await put(db, unit_id=1, about="report:1")).id for _ in range(3)]
    other = await put(db, unit_id=2, kind="reports.other")

    async with db.transaction() as tx:
        first = await schedules.list_schedules(tx, units=[1], limit=2)
        rest = await schedules.list_schedules(tx, units=[1], limit=2, after=first[-1].id)
        about = await schedules.list_schedules(tx, about="report:1")
        kind = await schedules.list_schedules(tx, kind="reports.other")
        nobody = await schedules.list_schedules(tx, units=[])

    assert [one.id for one in first + rest] == mine
    assert [one.id for one in about] == mine
    assert [one.id for one in kind] == [other.id]
    assert nobody == []


async def test_whoever_sleeps_until_a_later_moment_is_woken_for_an_earlier_one(at_start: Database):
    db = at_start
    heard: list[datetime | None] = []

    async def hear(hints: dict[str, datetime | None]) -> None:
        heard.append(hints.get("schedules"))

    db.announce = hear
    schedule = await put(db)
    await edit(db, schedule.id, replace(schedule, recurrence=every(HOUR)))
    await pause(db, schedule.id)
    await resume(db, schedule.id)

    assert heard == [MORNING, START + HOUR, START + HOUR]


async def test_daily_goes_by_the_wall_clock_of_its_zone(at_start: Database):
    schedule = await put(at_start, Daily((time(9, 30),)), zone="Asia/Seoul")

    assert schedule.next_at == START + 30 * MINUTE
    assert await tick(at_start) == 0
