"""Pausing, resuming, triggering and skipping: by those who may, of what they may see, and written down."""

from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from pabal.base.database import Database, Tx
from pabal.engine.occurrences import OccurrenceNotFound
from pabal.engine.schedules import NotAMoment, NothingAhead, ScheduleNotFound
from pabal.platform import audit, operating
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.controls import Owners
from pabal.platform.tenants import visible_to
from tests.support.people import Tree, person, plant
from tests.support.schedules import DAY, HOUR, START, decisions, every, get, go_to, put, tick_at, verdicts

Verb = Callable[[Tx, Actor, int], Awaitable[object]]
NOBODY: Owners = {}
PAUSE = partial(operating.pause_schedule, owners=NOBODY)
RESUME = partial(operating.resume_schedule, owners=NOBODY)
VERBS: list[Verb] = [
    PAUSE,
    RESUME,
    partial(operating.trigger_schedule, owners=NOBODY),
    partial(operating.skip_occurrence, owners=NOBODY),
    lambda tx, actor, schedule_id: operating.keep_occurrence(tx, actor, schedule_id, START + HOUR, owners=NOBODY),
]


@pytest.fixture
async def tree(db: Database) -> Tree:
    await go_to(db, START)
    return await plant(db)


async def do(db: Database, verb: Verb, actor: Actor, schedule_id: int) -> None:
    async with db.transaction() as tx:
        await verb(tx, actor, schedule_id)


async def actions(db: Database) -> list[str]:
    async with db.transaction() as tx:
        entries = await audit.list_entries(tx, audit.Wanted(action="schedules.*"))
    return [f"{entry.action} {entry.about} {entry.actor}" for entry in entries][::-1]


async def test_a_pause_and_a_resume_are_written_down_with_what_they_changed(db: Database, tree: Tree) -> None:
    schedule = await put(db, unit_id=tree.nampo.id)
    actor = person(tree.nampo, Role.OPERATOR)

    await do(db, PAUSE, actor, schedule.id)
    assert (await get(db, schedule.id)).paused_by == "user:1"
    await do(db, RESUME, actor, schedule.id)

    about = f"sch_{schedule.id} user:1"
    assert await actions(db) == [f"schedules.pause {about}", f"schedules.resume {about}"]
    async with db.transaction() as tx:
        newest, oldest = await audit.list_entries(tx, audit.Wanted(action="schedules.*"))
    assert (oldest.before, oldest.after, newest.unit_id) == ({"paused": False}, {"paused": True}, tree.nampo.id)


async def test_a_trigger_makes_one_more_occurrence_by_the_actor(db: Database, tree: Tree) -> None:
    schedule = await put(db, unit_id=tree.nampo.id)

    async with db.transaction() as tx:
        made = await operating.trigger_schedule(tx, person(tree.nampo), schedule.id, owners=NOBODY)

    assert (made.reason, made.actor, made.unit_id) == ("triggered", "user:1", tree.nampo.id)
    assert await actions(db) == [f"schedules.trigger sch_{schedule.id} user:1"]


async def test_skipping_the_next_twice_skips_two_and_keeping_takes_one_back(db: Database, tree: Tree) -> None:
    schedule = await put(db, every(HOUR, START + HOUR), unit_id=tree.nampo.id)
    actor = person(tree.nampo)

    async with db.transaction() as tx:
        skipped = [await operating.skip_occurrence(tx, actor, schedule.id, owners=NOBODY) for _ in range(2)]
        await operating.keep_occurrence(tx, actor, schedule.id, skipped[1], owners=NOBODY)
    await tick_at(db, START + 2 * HOUR)

    assert skipped == [START + HOUR, START + 2 * HOUR]
    assert [verdict for _, verdict, _ in await decisions(db, schedule.id)] == ["skipped", "enqueued"]


async def test_only_a_moment_ahead_is_skipped(db: Database, tree: Tree) -> None:
    schedule = await put(db, every(DAY, START + HOUR), valid_until=START + 2 * HOUR)

    async with db.transaction() as tx:
        with pytest.raises(NotAMoment):
            await operating.skip_occurrence(tx, person(tree.hq), schedule.id, START + 3 * HOUR, owners=NOBODY)
        await operating.skip_occurrence(tx, person(tree.hq), schedule.id, owners=NOBODY)
        with pytest.raises(NothingAhead):
            await operating.skip_occurrence(tx, person(tree.hq), schedule.id, owners=NOBODY)


@pytest.mark.parametrize("verb", VERBS)
async def test_another_branchs_schedule_is_not_found(db: Database, tree: Tree, verb: Verb) -> None:
    theirs = await put(db, every(HOUR, START + HOUR), unit_id=tree.gangnam.id)

    with pytest.raises(ScheduleNotFound):
        await do(db, verb, person(tree.nampo), theirs.id)

    assert await verdicts(db, theirs.id) == []
    assert await actions(db) == []


@pytest.mark.parametrize("verb", VERBS)
async def test_a_viewer_changes_nothing(db: Database, tree: Tree, verb: Verb) -> None:
    ours = await put(db, every(HOUR, START + HOUR), unit_id=tree.nampo.id)

    with pytest.raises(NotAllowed):
        await do(db, verb, person(tree.nampo, Role.VIEWER), ours.id)

    assert await verdicts(db, ours.id) == []


async def test_a_dry_run_shows_it_as_it_is(db: Database, tree: Tree) -> None:
    schedule = await put(db)

    async with db.transaction() as tx:
        shown = await operating.pause_schedule(tx, person(tree.hq), schedule.id, owners=NOBODY, dry_run=True)

    assert (shown.is_paused, (await get(db, schedule.id)).is_paused) == (False, False)
    assert await actions(db) == []


async def test_an_occurrence_is_seen_in_its_own_unit_only(db: Database, tree: Tree) -> None:
    theirs = await put(db, every(HOUR, START + HOUR), unit_id=tree.gangnam.id)
    await tick_at(db, START + HOUR)

    async with db.transaction() as tx:
        ours, seoul = [await visible_to(tx, person(unit)) for unit in (tree.nampo, tree.seoul)]
        found = await operating.get_occurrence(tx, seoul, theirs.id, START + HOUR)
        with pytest.raises(OccurrenceNotFound):
            await operating.get_occurrence(tx, ours, theirs.id, START + HOUR)

    assert found.unit_id == tree.gangnam.id
