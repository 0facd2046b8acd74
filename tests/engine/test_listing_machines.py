"""A machine's subjects by state, its population, its history: each within a scope."""

from dataclasses import replace
from typing import Any

import pytest

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import listing
from pabal.engine.listing import BadSubjectState, Page
from pabal.engine.listing import history as listed
from pabal.engine.transitions import Transition
from tests.support.adgroup import ACTOR, AD_GROUP, Event, add_groups, create_table, say

SQL = load(__file__)
MANY = list(range(1000, 1050))


@pytest.fixture
async def groups(db: Database) -> list[int]:
    """Two of unit 7, the second approved; one of unit 8."""
    await create_table(db)
    made = [*(await add_groups(db, 2)), *(await add_groups(db, unit_id=8))]
    await say(db, made[1], Event.COMPLETE_SETUP, Event.APPROVE)
    return made


async def history(db: Database, limit: int = 50, cursor: str | None = None, **wanted: Any) -> Page[Transition]:
    async with db.transaction() as tx:
        given = listed.Wanted(**{"units": None, "machine": "adgroup", **wanted})
        return await listing.list_transitions(tx, given, limit=limit, cursor=cursor)


async def events(db: Database, **wanted: Any) -> list[tuple[int, str]]:
    return [(one.subject, one.event) for one in (await history(db, **wanted)).items]


async def test_subjects_are_listed_newest_first_with_what_they_wait_for(db: Database, groups: list[int]) -> None:
    async with db.transaction() as tx:
        first = await listing.list_subjects(tx, AD_GROUP, None, limit=2)
        rest = await listing.list_subjects(tx, AD_GROUP, None, limit=2, cursor=first.cursor)

    assert [one.id for one in (*first.items, *rest.items)] == groups[::-1]
    approved = first.items[1]
    assert (approved.state, approved.version, approved.event, approved.actor) == ("approved", 3, "approve", ACTOR)
    assert (approved.next_event, rest.items[0].next_event) == ("start", None)


async def test_subjects_are_narrowed_by_state_and_scope(db: Database, groups: list[int]) -> None:
    async with db.transaction() as tx:
        drafts = await listing.list_subjects(tx, AD_GROUP, [7, *MANY], states=["draft"])
        theirs = await listing.list_subjects(tx, AD_GROUP, [8])
        with pytest.raises(BadSubjectState):
            await listing.list_subjects(tx, AD_GROUP, None, states=["asleep"])

    assert [one.id for one in drafts.items] == [groups[0]]
    assert [(one.id, one.unit_id) for one in theirs.items] == [(groups[2], 8)]


async def test_a_population_counts_every_declared_state(db: Database, groups: list[int]) -> None:
    async with db.transaction() as tx:
        everybody = await listing.count_states(tx, AD_GROUP, None)
        ours = await listing.count_states(tx, AD_GROUP, [7])

    assert {state: count for state, count in everybody.items() if count} == {"draft": 2, "approved": 1}
    assert {state: count for state, count in ours.items() if count} == {"draft": 1, "approved": 1}
    assert list(everybody) == [str(state) for state in AD_GROUP.states]


async def test_rows_that_belong_to_nobody_are_seen_by_those_who_see_everything(db: Database) -> None:
    await create_table(db)
    await add_groups(db)
    unowned = replace(AD_GROUP, table="example.unowned_group")
    async with db.transaction() as tx:
        await tx.script(SQL.create_unowned.text)
        everything = await listing.list_subjects(tx, unowned, None)
        scoped = await listing.list_subjects(tx, unowned, [7])
        counts = [await listing.count_states(tx, unowned, units) for units in (None, [7])]

    assert (len(everything.items), scoped.items) == (1, [])
    assert [count["draft"] for count in counts] == [1, 0]


async def test_the_history_of_a_machine_is_listed_newest_first(db: Database, groups: list[int]) -> None:
    first = await history(db, 2)
    rest = await history(db, 3, first.cursor)

    found = [(one.subject, one.event) for one in (*first.items, *rest.items)]
    begun = [(groups[2], "begin"), (groups[1], "begin"), (groups[0], "begin")]
    assert found == [(groups[1], "approve"), (groups[1], "complete_setup"), *begun]
    assert rest.cursor is None


async def test_the_history_is_narrowed_by_subject_event_actor_range_and_scope(db: Database, groups: list[int]) -> None:
    approved = (await history(db, 1)).items[0]

    assert await events(db, subject=groups[2]) == [(groups[2], "begin")]
    assert await events(db, event="approve") == [(groups[1], "approve")]
    assert await events(db, actor="user:99") == []
    assert len(await events(db, actor=ACTOR)) == 5
    assert await events(db, since=approved.at) == [(groups[1], "approve")]
    assert (groups[1], "approve") not in await events(db, until=approved.at)
    assert await events(db, units=[8]) == [(groups[2], "begin")]
    assert await events(db, units=[8, *MANY], event="begin") == [(groups[2], "begin")]
    assert await events(db, machine="kettle") == []
