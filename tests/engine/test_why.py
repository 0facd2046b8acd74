"""A story says what a job, an occurrence or a schedule waits for, what happened to it, and what one may do."""

from datetime import datetime, timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import ids, occurrences, ticks, why, workers
from pabal.engine.occurrences import OccurrenceNotFound
from pabal.engine.outcome import Done, Limited, Retry, Snooze
from pabal.engine.queue import JobNotFound
from pabal.engine.schedules import ScheduleNotFound
from pabal.engine.why import BadSubject, Story
from tests.support.schedules import NINE, START, go_to, pause, put
from tests.support.work import (
    BOT,
    OTHER,
    PLAIN,
    begin_life,
    cancel,
    claim,
    crash,
    enqueue,
    expire,
    hold_route,
    lapse,
    settle,
    start,
)

HOUR = timedelta(hours=1)


async def tell(db: Database, job_id: int) -> Story:
    async with db.transaction() as tx:
        return await why.tell_job(tx, job_id)


async def serve(db: Database, *kinds: str, roles: tuple[str, ...] = ("worker", "scheduler")) -> int:
    """A living server that knows these kinds."""
    async with db.transaction() as tx:
        return await workers.insert_worker(tx, host="here", meta={"roles": list(roles), "kinds": list(kinds)})


def codes(story: Story) -> list[str]:
    return [line.code for line in story.lines]


def line(story: Story, code: str) -> why.Line:
    [found] = [each for each in story.lines if each.code == code]
    return found


async def test_a_ready_job_tells_how_many_are_before_it(db: Database) -> None:
    await serve(db, PLAIN)
    await enqueue(db)
    job = await enqueue(db, cause="user:1")

    story = await tell(db, job)

    assert (story.state, codes(story)) == ("ready", ["enqueued_because", "waits_for_slot"])
    assert line(story, "waits_for_slot").values["ahead"] == 1
    assert story.advice == ["cancel_job"]


async def test_without_a_living_server_a_ready_job_says_so(db: Database) -> None:
    await lapse(db, await serve(db, PLAIN))
    job = await enqueue(db)

    story = await tell(db, job)

    assert codes(story)[-1] == "no_server"
    assert story.advice[0] == "start_server"


async def test_a_server_without_the_role_of_a_worker_is_not_one_that_will_take_it(db: Database) -> None:
    await serve(db, roles=("web",))

    assert codes(await tell(db, await enqueue(db)))[-1] == "no_server"


async def test_a_kind_that_no_server_knows_is_named(db: Database) -> None:
    await serve(db, OTHER)

    story = await tell(db, await enqueue(db))

    assert line(story, "kind_unknown").values["kind"] == PLAIN
    assert story.advice[0] == "load_app"


async def test_a_job_behind_others_names_the_holder_of_its_lane(db: Database) -> None:
    await serve(db, PLAIN)
    holder = await enqueue(db, lane="bot")
    await enqueue(db, lane="bot")
    job = await enqueue(db, lane="bot")

    story = await tell(db, job)

    waits = line(story, "waits_for_lane").values
    assert (waits["holder"], waits["holder_state"]) == (ids.show("job", holder), "ready")
    assert line(story, "ahead_in_lane").values["ahead"] == 1


async def test_a_routed_job_says_that_its_connection_is_nowhere_until_it_is(db: Database) -> None:
    worker = await serve(db, PLAIN)
    job = await enqueue(db, route=BOT)

    before = await tell(db, job)
    await hold_route(db, worker)
    after = await tell(db, job)

    assert line(before, "route_absent").values["route"] == BOT
    assert "waits_for_slot" in codes(after)


async def test_a_retrying_job_tells_each_attempt_with_its_error_and_when_it_tries_again(db: Database) -> None:
    await serve(db, PLAIN)
    job = await start(db)
    await settle(db, job, Retry("no paper"))

    story = await tell(db, job.id)

    assert codes(story) == ["enqueued", "attempt_retry", "delayed_retry"]
    assert line(story, "attempt_retry").values["reason"] == "no paper"
    assert line(story, "delayed_retry").values["failures"] == 1
    assert line(story, "delayed_retry").at > line(story, "attempt_retry").at  # type: ignore[operator]  # both have one


async def test_each_reason_to_wait_has_its_own_code(db: Database) -> None:
    await serve(db, PLAIN)
    asked = await enqueue(db, delay=HOUR)
    limited, snoozed = await start(db), await start(db)
    async with db.transaction() as tx:
        later = tx.now + HOUR
    await settle(db, limited, Limited(later, "room:1 gap"))
    await settle(db, snoozed, Snooze(later))

    stories = [await tell(db, job) for job in (asked, limited.id, snoozed.id)]

    assert [codes(story)[-1] for story in stories] == ["delayed_asked", "delayed_limit", "delayed_snooze"]
    assert stories[1].lines[-1].values["reason"] == "limit:room:1 gap"


async def test_a_running_job_names_its_worker_and_one_whose_worker_is_silent_says_so(db: Database) -> None:
    worker = await serve(db, PLAIN)
    job = await enqueue(db)
    await claim(db, worker)

    running = await tell(db, job)
    await lapse(db, worker)
    silent = await tell(db, job)

    assert line(running, "running").values["worker"] == ids.show("wrk", worker)
    assert line(running, "running").values["host"] == "here"
    assert codes(silent)[-1] == "running_silent"


async def test_a_cancelled_running_job_says_that_it_was_asked_to_stop(db: Database) -> None:
    worker = await serve(db, PLAIN)
    job = await enqueue(db)
    await claim(db, worker)
    await cancel(db, job)

    assert codes(await tell(db, job))[-1] == "cancel_asked"


async def test_what_a_dead_worker_held_is_told_as_lost(db: Database) -> None:
    worker = await begin_life(db)
    job = await enqueue(db)
    await claim(db, worker)
    await crash(db, worker)

    story = await tell(db, job)

    assert line(story, "attempt_lost").values["worker"] == ids.show("wrk", worker)


async def test_ended_jobs_tell_their_end_and_only_the_unsuccessful_are_offered_again(db: Database) -> None:
    done = await start(db)
    await settle(db, done, Done())
    async with db.transaction() as tx:
        soon = tx.now
    expired = await enqueue(db, expires_at=soon)
    await expire(db)

    good, bad = await tell(db, done.id), await tell(db, expired)

    assert (good.state, codes(good)[-1], good.advice) == ("done", "attempt_done", [])
    assert (bad.state, codes(bad)[-1], bad.advice) == ("expired", "ended_expired", ["retry_job"])


async def test_a_job_that_can_expire_says_when(db: Database) -> None:
    await serve(db, PLAIN)
    async with db.transaction() as tx:
        until = tx.now + HOUR

    story = await tell(db, await enqueue(db, expires_at=until))

    assert line(story, "will_expire").at == until


async def test_there_is_no_story_of_what_there_is_not(db: Database) -> None:
    async with db.transaction() as tx:
        with pytest.raises(JobNotFound):
            await why.tell_job(tx, 7)
        with pytest.raises(ScheduleNotFound):
            await why.tell_schedule(tx, 7)
        with pytest.raises(OccurrenceNotFound):
            await why.tell_occurrence(tx, 7, tx.now)


async def test_the_story_of_an_occurrence_holds_that_of_its_job(db: Database) -> None:
    await go_to(db, START)
    schedule = await put(db)
    await go_to(db, START + 9 * HOUR)
    await ticks.tick_once(db)
    [job] = await claim(db, await serve(db, PLAIN))
    await settle(db, job, Done())

    async with db.transaction() as tx:
        story = await why.tell_occurrence(tx, schedule.id, START + 9 * HOUR)
        of_job = await why.tell_job(tx, job.id)

    assert story.state == "done"
    expected = ["occurrence_enqueued", "enqueued_because", "for_occurrence", "attempt_done", "occurrence_ended_done"]
    assert codes(story) == expected
    named = line(of_job, "for_occurrence").values["occurrence"]
    assert why.read_occurrence(named) == (schedule.id, START + 9 * HOUR)


async def test_a_schedule_tells_its_next_moment_and_whether_anybody_looks(db: Database) -> None:
    await go_to(db, START)
    schedule = await put(db)

    async with db.transaction() as tx:
        alone = await why.tell_schedule(tx, schedule.id)
    await serve(db, PLAIN)
    async with db.transaction() as tx:
        looked_after = await why.tell_schedule(tx, schedule.id)

    assert line(alone, "schedule_next").at == START + 9 * HOUR
    assert codes(alone)[-1] == "no_scheduler"
    assert codes(looked_after)[-1] == "schedule_next"
    assert looked_after.advice == ["pause_schedule"]


async def test_a_paused_schedule_tells_who_paused_it(db: Database) -> None:
    schedule = await put(db, NINE)
    await pause(db, schedule.id)

    async with db.transaction() as tx:
        story = await why.tell_schedule(tx, schedule.id)

    assert (story.state, story.advice) == ("paused", ["resume_schedule"])
    assert line(story, "schedule_paused").values["actor"] == "user:1"


async def test_skipped_moments_are_told_with_their_reason(db: Database) -> None:
    await go_to(db, START)
    schedule = await put(db, misfire_window=HOUR)
    await go_to(db, START + 20 * HOUR)
    await ticks.tick_once(db)

    async with db.transaction() as tx:
        [skipped] = await occurrences.list_occurrences(tx, schedule.id)
        story = await why.tell_occurrence(tx, schedule.id, skipped.fire_at)

    assert (story.state, story.advice) == ("skipped", ["look_at_schedule"])
    assert line(story, "occurrence_skipped").values["reason"] == skipped.reason


@pytest.mark.parametrize(
    "text", ["occ_7", "occ_7@", "occ_7@tomorrow", "occ_x@2026-07-03T00:00:00Z", "occ_7@2026-07-03T00:00:00"]
)
def test_an_occurrence_is_named_by_its_schedule_and_its_moment_with_a_zone(text: str) -> None:
    with pytest.raises(BadSubject):
        why.read_occurrence(text)


def test_names_of_occurrences_can_be_read_back() -> None:
    moment = datetime.fromisoformat("2026-07-03T09:00:00.5+09:00")

    assert why.show_occurrence(7, moment) == "occ_7@2026-07-03T00:00:00.500000Z"
    assert why.read_occurrence(why.show_occurrence(7, moment)) == (7, moment)
    assert why.read_schedule("sch_7") == why.read_schedule("7") == 7
