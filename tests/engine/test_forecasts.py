"""What will happen, with a reason beside what will not."""

import pytest

from pabal.base.database import Database
from pabal.engine import forecasts
from pabal.engine.recurrence import Once, Upcoming
from tests.support.schedules import HOUR, MINUTE, START, every, go_to, pause, put, skip_one


@pytest.fixture
async def at_start(db: Database) -> Database:
    await go_to(db, START)
    return db


async def preview(db: Database, schedule_id: int, count: int) -> list[Upcoming]:
    async with db.transaction() as tx:
        return await forecasts.preview(tx, schedule_id, count)


async def test_a_preview_shows_the_next_moments_and_why_others_are_left_out(at_start: Database):
    db = at_start
    valid = {"valid_from": START + 90 * MINUTE, "valid_until": START + 270 * MINUTE}
    schedule = await put(db, every(HOUR), **valid)
    await skip_one(db, schedule.id, START + 3 * HOUR)

    rows = await preview(db, schedule.id, 5)

    assert [(row.moment, row.excluded) for row in rows[:5]] == [
        (START + HOUR, "not_yet_valid"),
        (START + 2 * HOUR, None),
        (START + 3 * HOUR, "skipped"),
        (START + 4 * HOUR, None),
        (START + 5 * HOUR, "no_longer_valid"),
    ]


async def test_a_preview_of_a_paused_schedule_says_so(at_start: Database):
    schedule = await put(at_start, every(HOUR))
    await pause(at_start, schedule.id)

    assert [row.excluded for row in await preview(at_start, schedule.id, 2)] == ["paused", "paused"]


async def test_upcoming_merges_all_schedules_soonest_first(at_start: Database):
    db = at_start
    often, seldom = await put(db, every(HOUR)), await put(db, every(150 * MINUTE))
    await skip_one(db, often.id, START + 2 * HOUR)
    paused = await put(db, every(MINUTE))
    await pause(db, paused.id)

    async with db.transaction() as tx:
        found = await forecasts.list_upcoming(tx, limit=4)

    assert [(one.moment, one.schedule.id, one.is_skipped) for one in found] == [
        (START + HOUR, often.id, False),
        (START + 2 * HOUR, often.id, True),
        (START + 150 * MINUTE, seldom.id, False),
        (START + 3 * HOUR, often.id, False),
    ]


async def test_upcoming_ends_at_the_moment_given_and_shows_only_the_units_asked_for(at_start: Database):
    db = at_start
    mine = await put(db, every(HOUR), unit_id=1)
    await put(db, every(HOUR), unit_id=2)
    await put(db, Once(START + 5 * HOUR), unit_id=1)

    async with db.transaction() as tx:
        found = await forecasts.list_upcoming(tx, until=START + 2 * HOUR, units=[1])

    assert [(one.moment, one.schedule.id) for one in found] == [
        (START + HOUR, mine.id),
        (START + 2 * HOUR, mine.id),
    ]
