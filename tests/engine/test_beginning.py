"""A life may begin in a later state when its subject lived elsewhere before; and be forgotten with its row."""

from datetime import UTC, datetime

import pytest

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import subjects
from pabal.engine.reading import Wanted, read_page, start_cursor
from pabal.engine.subjects import SubjectNotFound
from pabal.engine.transitions import (
    AlreadyBegun,
    Because,
    Noting,
    Step,
    Transition,
    apply,
    begin_in,
    begin_inserted,
    history,
)
from tests.support.adgroup import AD_GROUP, Event, State, add_groups, create_table, get_group, load_groups, timers_of

SQL = load(__file__)
BECAUSE = Because("user:7", "moved house", "run:1")
START, END = datetime(2040, 1, 1, tzinfo=UTC), datetime(2041, 1, 1, tzinfo=UTC)
STATES = (State.READY, State.APPROVED, State.RUNNING, State.EXPIRED)


@pytest.fixture
async def groups(db: Database) -> Database:
    await create_table(db)
    return db


async def insert(db: Database, *states: State) -> dict[int, str]:
    """Rows that have not begun, in these states."""
    async with db.transaction() as tx:
        rows = await tx.rows(SQL.insert_in, states=list(states), start_at=START, end_at=END)
    return {row["id"]: row["state"] for row in rows}


async def history_of(db: Database, group_id: int) -> list[Transition]:
    async with db.transaction() as tx:
        return await history(tx, AD_GROUP, group_id)


async def test_each_begins_in_the_state_it_was_inserted_with(groups: Database) -> None:
    states = await insert(groups, *STATES)
    async with groups.transaction() as tx:
        cursor = await start_cursor(tx)

    async with groups.transaction() as tx:
        made = await begin_in(tx, AD_GROUP, states, BECAUSE)

    for one in made:
        assert await history_of(groups, one.subject) == [one]
        assert (one.version, one.event, one.source, one.target) == (1, "begin", None, states[one.subject])
        assert (one.actor, one.reason, one.cause) == BECAUSE
    assert [await timers_of(groups, one) for one in states] == [
        {},
        {"start": START, "expire": END},
        {"expire": END},
        {},
    ]
    async with groups.transaction() as tx:
        facts = (await read_page(tx, cursor, Wanted())).facts
    assert [(fact.name, fact.subject) for fact in facts] == [
        (f"adgroup.{state}", f"adgroup:{one}") for one, state in states.items()
    ]


async def test_none_begins_twice_or_elsewhere_than_it_stands(groups: Database) -> None:
    states = await insert(groups, *STATES)
    [first, *_] = states
    async with groups.transaction() as tx:
        await begin_in(tx, AD_GROUP, {first: states[first]}, BECAUSE)

    for wrong, error in (
        (states, AlreadyBegun),
        (dict.fromkeys(states, State.PAUSED), AlreadyBegun),
        ({2**40: State.READY}, SubjectNotFound),
    ):
        with pytest.raises(error):
            async with groups.transaction() as tx:
                await begin_in(tx, AD_GROUP, wrong, BECAUSE)
    assert [len(await history_of(groups, one)) for one in states] == [1, 0, 0, 0]
    async with groups.transaction() as tx:
        assert await begin_in(tx, AD_GROUP, {}, BECAUSE) == []


async def test_who_is_forgotten_leaves_neither_history_nor_timers(groups: Database) -> None:
    states = await insert(groups, State.APPROVED, State.APPROVED)
    [gone, stays] = states
    async with groups.transaction() as tx:
        await begin_in(tx, AD_GROUP, states, BECAUSE)

    async with groups.transaction() as tx:
        await subjects.forget(tx, AD_GROUP, [gone])

    assert (await history_of(groups, gone), await timers_of(groups, gone)) == ([], {})
    assert len(await history_of(groups, stays)) == 1
    assert len(await timers_of(groups, stays)) == 2


async def test_what_is_inserted_and_begun_in_one_statement_is_as_if_it_were_two(groups: Database) -> None:
    async with groups.transaction() as tx:
        cursor = await start_cursor(tx)
    async with groups.transaction() as tx:
        given = {"unit_id": 7, "start_at": START, "end_at": END}
        made = await begin_inserted(tx, AD_GROUP, SQL.insert_one, given, BECAUSE)
    assert made is not None
    async with groups.transaction() as tx:
        told = (await read_page(tx, cursor, Wanted())).facts

    [first] = await history_of(groups, made)
    assert (first.version, first.event, first.source, first.target) == (1, "begin", None, "draft")
    assert (first.unit_id, first.actor, first.reason, first.cause) == (7, *BECAUSE)
    assert [(one.name, one.subject, one.unit_id, one.data["target"]) for one in told] == [
        ("adgroup.draft", f"adgroup:{made}", 7, "draft")
    ]


async def test_what_is_not_inserted_does_not_begin(groups: Database) -> None:
    async with groups.transaction() as tx:
        given = {"unit_id": None, "start_at": START, "end_at": END}
        assert await begin_inserted(tx, AD_GROUP, SQL.insert_one, given, BECAUSE) is None


async def test_what_its_owner_notes_is_written_with_the_move_each_to_its_own(groups: Database) -> None:
    one, other = await add_groups(groups, 2)
    async with groups.transaction() as tx:
        # not in the order of their ids
        found = sorted(await load_groups(tx, [one, other]), key=lambda each: -each.id)
        steps = [Step(each, Event.COMPLETE_SETUP, State.READY, []) for each in found]
        await apply(tx, AD_GROUP, steps, BECAUSE, Noting(SQL.note_each, {"notes": ["first ", "second "]}))

    assert [(group := await get_group(groups, each)) and (group.state, group.note) for each in (one, other)] == [
        (State.READY, f"second {one}"),
        (State.READY, f"first {other}"),
    ]
    assert [(each.version, each.target) for each in await history_of(groups, one)] == [(1, "draft"), (2, "ready")]
