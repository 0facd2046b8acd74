"""Schedules are listed by what fires next, their occurrences newest first; each within a scope."""

from datetime import timedelta
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.engine import listing, schedules
from pabal.engine.listing import BadOccurrenceState, BadScheduleState, OccurrenceLine, Page, ScheduleLine
from pabal.engine.listing import occurrences as ledger
from pabal.engine.listing import schedules as timetable
from pabal.engine.outcome import Cancel, Done
from tests.support.schedules import (
    DAY,
    HOUR,
    MINUTE,
    SQL,
    START,
    every,
    go_to,
    pause,
    put,
    skip_one,
    tick,
    tick_at,
    trigger,
)
from tests.support.work import OTHER, PLAIN, begin_life, claim, settle

MANY = list(range(1000, 1050))


async def scheduled(db: Database, limit: int = 50, cursor: str | None = None, **wanted: Any) -> Page[ScheduleLine]:
    async with db.transaction() as tx:
        given = timetable.Wanted(**{"units": None, **wanted})
        return await listing.list_schedules(tx, given, limit=limit, cursor=cursor)


async def names(db: Database, **wanted: Any) -> list[str]:
    return [one.name for one in (await scheduled(db, **wanted)).items]


async def decided(db: Database, limit: int = 50, cursor: str | None = None, **wanted: Any) -> Page[OccurrenceLine]:
    async with db.transaction() as tx:
        given = ledger.Wanted(**{"units": None, **wanted})
        return await listing.list_occurrences(tx, given, limit=limit, cursor=cursor)


async def states(db: Database, **wanted: Any) -> list[str]:
    return [one.state for one in (await decided(db, **wanted)).items]


async def one_of_each(db: Database, unit_id: int | None = None) -> None:
    await go_to(db, START)
    await put(db, every(2 * HOUR, START + HOUR), name="later", unit_id=unit_id)
    await put(db, every(2 * HOUR, START + MINUTE), name="sooner", unit_id=unit_id)
    paused = await put(db, name="paused", unit_id=unit_id)
    broken = await put(db, every(MINUTE, START + 2 * MINUTE), name="broken", unit_id=unit_id)
    await put(db, every(MINUTE, START + MINUTE), name="over", valid_until=START + 3 * MINUTE, unit_id=unit_id)
    await pause(db, paused.id)
    async with db.transaction() as tx:
        await tx.run(SQL.rename_zone, id=broken.id, zone="Mars/Base")
    await tick_at(db, START + 10 * MINUTE)


async def test_what_fires_next_comes_first_then_the_paused_then_those_that_are_over(db: Database) -> None:
    await one_of_each(db)

    found = (await scheduled(db)).items

    assert [one.name for one in found] == ["later", "sooner", "paused", "broken", "over"]
    assert [one.state for one in found] == ["active", "active", "paused", "broken", "over"]


@pytest.mark.parametrize("units", [None, [7], [7, *MANY]], ids=["all", "unit", "units"])
@pytest.mark.parametrize("sort", ["next_at", "id"])
async def test_pages_of_schedules_follow_one_another_over_every_part(
    db: Database, sort: str, units: list[int] | None
) -> None:
    await one_of_each(db, unit_id=7)
    whole = await names(db, sort=sort, units=units)

    walked, cursor = [], None
    for _ in range(5):
        page = await scheduled(db, 1, cursor, sort=sort, units=units)
        walked += [one.name for one in page.items]
        cursor = page.cursor

    assert (walked, cursor, len(whole)) == (whole, None, 5)


@pytest.mark.parametrize("sort", ["next_at", "id"])
@pytest.mark.parametrize("state", ["active", "paused", "broken", "over"])
async def test_schedules_are_narrowed_by_state(db: Database, state: str, sort: str) -> None:
    await one_of_each(db, unit_id=7)

    found = (await scheduled(db, states=[state], sort=sort)).items
    scoped = (await scheduled(db, states=[state], sort=sort, units=[7])).items

    assert {one.state for one in found} == {state}
    assert [one.id for one in scoped] == [one.id for one in found]
    with pytest.raises(BadScheduleState):
        await scheduled(db, states=["asleep"])


async def test_schedules_are_narrowed_by_kind_subject_and_a_part_of_the_name(db: Database) -> None:
    await put(db, name="아침 공지", kind=OTHER, about="room:1")
    await put(db, name="50% off_er", kind=PLAIN)

    assert await names(db, kind=OTHER) == ["아침 공지"]
    assert await names(db, about="room:1", units=None) == ["아침 공지"]
    assert await names(db, q="공지") == ["아침 공지"]
    assert await names(db, q="OFF_") == ["50% off_er"]
    assert await names(db, q="%") == ["50% off_er"]
    assert await names(db, q="f%f") == []


async def test_a_scope_sees_the_schedules_of_its_units_only(db: Database) -> None:
    for unit_id, name in ((7, "ours"), (8, "theirs"), (None, "nobody's")):
        await put(db, name=name, unit_id=unit_id)

    assert await names(db, units=[7]) == ["ours"]
    assert await names(db, units=[7, *MANY], kind=PLAIN) == ["ours"]
    assert await names(db, units=[7], sort="id") == ["ours"]
    assert await names(db, units=[]) == []


async def test_a_schedule_shows_its_last_twenty_the_newest_first(db: Database) -> None:
    await go_to(db, START)
    schedule = await put(db, every(HOUR, START + HOUR), overlap=schedules.Overlap.SKIP)
    await tick_at(db, START + HOUR)
    await tick_at(db, START + 2 * HOUR)
    await skip_one(db, schedule.id, START + 5 * HOUR)

    [line] = (await scheduled(db)).items

    assert (line.recent, line.last_at, line.last_reason) == (["skipped", "enqueued"], START + 2 * HOUR, "overlap")


async def test_a_rule_that_cannot_be_read_does_not_hide_the_others(db: Database) -> None:
    await one_of_each(db)

    readable = {one.name: one.timing is not None for one in (await scheduled(db)).items}

    assert readable == {"later": True, "sooner": True, "paused": True, "broken": False, "over": True}


async def ledger_of(db: Database, unit_id: int | None) -> dict[str, int]:
    """Three schedules with a done, a cancelled, a skipped and an open moment; their ids by name."""
    await go_to(db, START)
    made = {
        name: (await put(db, every(DAY, START + shift), name=name, kind=kind, unit_id=unit_id)).id
        for name, kind, shift in (("good", PLAIN, HOUR), ("bad", PLAIN, 2 * HOUR), ("skipped", OTHER, 3 * HOUR))
    }
    await skip_one(db, made["skipped"], START + 3 * HOUR)
    await tick_at(db, START + HOUR)
    [good] = await claim(db, await begin_life(db), PLAIN)
    await settle(db, good, Done())
    await tick_at(db, START + 2 * HOUR)
    [bad] = await claim(db, await begin_life(db), PLAIN)
    await settle(db, bad, Cancel("no paper"))
    await tick_at(db, START + 3 * HOUR)
    await trigger(db, made["good"])
    return made


async def test_occurrences_of_all_schedules_are_listed_newest_first(db: Database) -> None:
    await ledger_of(db, None)

    found = (await decided(db)).items

    assert [(one.name, one.state) for one in found] == [
        ("good", "enqueued"),
        ("skipped", "skipped"),
        ("bad", "cancelled"),
        ("good", "done"),
    ]


@pytest.mark.parametrize("units", [None, [7], [7, *MANY]], ids=["all", "unit", "units"])
async def test_occurrences_are_narrowed_by_state_kind_schedule_and_range(db: Database, units: list[int] | None) -> None:
    made = await ledger_of(db, 7)

    assert await states(db, units=units, states=["done"]) == ["done"]
    assert await states(db, units=units, states=["enqueued"]) == ["enqueued"]
    assert await states(db, units=units, states=["skipped", "failed", "cancelled"]) == ["skipped", "cancelled"]
    assert await states(db, units=units, states=["skipped", "done"]) == ["skipped", "done"]
    assert await states(db, units=units, kind=OTHER) == ["skipped"]
    assert await states(db, units=units, schedule_id=made["good"]) == ["enqueued", "done"]
    assert await states(db, units=units, schedule_id=made["good"], states=["done"]) == ["done"]
    assert await states(db, units=units, since=START + 2 * HOUR, until=START + 3 * HOUR) == ["cancelled"]
    with pytest.raises(BadOccurrenceState):
        await states(db, states=["asleep"])


@pytest.mark.parametrize("units", [None, [7], [7, *MANY]], ids=["all", "unit", "units"])
@pytest.mark.parametrize("wanted", [[], ["enqueued", "done", "skipped"]], ids=["any", "states"])
async def test_pages_of_occurrences_follow_one_another_through_one_moment(
    db: Database, wanted: list[str], units: list[int] | None
) -> None:
    await go_to(db, START)
    for _ in range(5):
        await put(db, every(DAY, START + HOUR), unit_id=7)
    await tick_at(db, START + HOUR)

    first = await decided(db, 3, units=units, states=wanted)
    rest = await decided(db, 3, first.cursor, units=units, states=wanted)

    assert [one.schedule_id for one in (*first.items, *rest.items)] == [5, 4, 3, 2, 1]
    assert rest.cursor is None


async def test_the_ledger_of_a_deleted_schedule_is_still_its_units(db: Database) -> None:
    made = await ledger_of(db, 7)
    async with db.transaction() as tx:
        await schedules.delete(tx, made["good"])

    ours = [one for one in (await decided(db, units=[7])).items if one.schedule_id == made["good"]]

    assert [(one.unit_id, one.name) for one in ours] == [(7, None), (7, None)]
    assert await states(db, units=[8]) == []


async def test_a_run_of_moments_and_a_skip_in_advance_carry_their_unit(db: Database) -> None:
    await go_to(db, START)
    schedule = await put(db, every(timedelta(seconds=1), START + MINUTE), unit_id=7, misfire_window=MINUTE)
    await go_to(db, START + HOUR)
    await tick(db)

    found = (await decided(db, 1000, units=[7])).items

    assert any(one.count > 1000 for one in found)
    assert {one.schedule_id for one in found} == {schedule.id}
    assert await states(db, units=[8]) == []
