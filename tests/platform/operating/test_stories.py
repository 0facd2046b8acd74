"""Why, and what comes next: only of what one may see."""

from dataclasses import replace

import pytest

from pabal.base.database import Database
from pabal.engine import ids
from pabal.engine.occurrences import OccurrenceNotFound
from pabal.engine.queue import JobNotFound
from pabal.engine.schedules import ScheduleNotFound
from pabal.engine.why import BadSubject, show_occurrence
from pabal.platform import operating
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import visible_to
from tests.console.adgroups import CONTROLS
from tests.support.adgroup import Event, add_groups, create_table, say
from tests.support.people import Tree, person, plant
from tests.support.schedules import HOUR, START, every, go_to, put, skip_one, tick_at
from tests.support.work import enqueue


@pytest.fixture
async def tree(db: Database) -> Tree:
    await go_to(db, START)
    return await plant(db)


async def test_a_story_is_told_of_what_one_may_see(db: Database, tree: Tree) -> None:
    schedule = await put(db, every(HOUR, START + HOUR), unit_id=tree.nampo.id)
    await tick_at(db, START + HOUR)
    job = ids.show("job", await enqueue(db, unit_id=tree.nampo.id))
    occurrence = show_occurrence(schedule.id, START + HOUR)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.busan))
        told = [
            await operating.why(tx, ENGINE, scope, text, owners={}) for text in (job, f"sch_{schedule.id}", occurrence)
        ]

    assert [story.id for story in told] == [job, f"sch_{schedule.id}", occurrence]


async def test_another_branchs_stories_are_not_found(db: Database, tree: Tree) -> None:
    schedule = await put(db, every(HOUR, START + HOUR), unit_id=tree.gangnam.id)
    await tick_at(db, START + HOUR)
    job = await enqueue(db, unit_id=tree.gangnam.id)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.nampo))
        with pytest.raises(JobNotFound):
            await operating.why(tx, ENGINE, scope, ids.show("job", job), owners={})
        with pytest.raises(ScheduleNotFound):
            await operating.why(tx, ENGINE, scope, f"sch_{schedule.id}", owners={})
        with pytest.raises(OccurrenceNotFound):
            await operating.why(tx, ENGINE, scope, show_occurrence(schedule.id, START + HOUR), owners={})
        with pytest.raises(BadSubject):
            await operating.why(tx, ENGINE, scope, "room_7", owners={})


async def test_whose_turn_it_is_in_a_shared_lane_is_told_to_those_who_may_see_it(db: Database, tree: Tree) -> None:
    theirs = await enqueue(db, lane="bot", unit_id=tree.gangnam.id)
    ours = await enqueue(db, lane="bot", unit_id=tree.nampo.id)

    async with db.transaction() as tx:
        scopes = [await visible_to(tx, person(unit)) for unit in (tree.nampo, tree.hq)]
        stories = [await operating.why(tx, ENGINE, scope, ids.show("job", ours), owners={}) for scope in scopes]

    holders = [line.values["holder"] for story in stories for line in story.lines if line.code == "waits_for_lane"]
    assert holders == ["–", ids.show("job", theirs)]


async def test_what_comes_next_is_one_list_soonest_first_within_the_scope(db: Database, tree: Tree) -> None:
    await create_table(db)
    for unit in (tree.nampo, tree.gangnam):
        await enqueue(db, delay=2 * HOUR, unit_id=unit.id, about=f"of:{unit.id}")
        schedule = await put(db, every(HOUR, START + HOUR), unit_id=unit.id, name=unit.name)
        [group] = await add_groups(db, unit_id=unit.id, starts_in=HOUR / 2)
        await say(db, group, Event.COMPLETE_SETUP, Event.APPROVE)
        await skip_one(db, schedule.id, START + 2 * HOUR)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.nampo))
        until, known = START + 2.5 * HOUR, [CONTROLS]
        coming = await operating.list_upcoming(tx, ENGINE, scope, until, controls=known)
        whole = await visible_to(tx, person(tree.hq))
        everything = await operating.list_upcoming(tx, ENGINE, whole, until, controls=known, limit=100)
        apart = {
            area: {
                one.what
                for one in await operating.list_upcoming(
                    tx, replace(ENGINE, scopes=(f"{area}:read",)), whole, until, controls=known
                )
            }
            for area in ("schedules", "jobs", "adgroups", "machines")
        }

    assert [(one.what, one.is_skipped) for one in coming] == [
        ("timer", False),
        ("schedule", False),
        ("schedule", True),
        ("job", False),
    ]
    assert {one.unit_id for one in coming} == {tree.nampo.id}
    assert len(everything) == 8
    assert apart == {"schedules": {"schedule"}, "jobs": {"job"}, "adgroups": {"timer"}, "machines": set()}
