"""A life may begin in a later state when its subject lived elsewhere before; and be forgotten with its row."""

from datetime import UTC, datetime

import pytest

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import subjects
from pabal.engine.reading import Wanted, read_page, start_cursor
from pabal.engine.subjects import SubjectNotFound
from pabal.engine.transitions import AlreadyBegun, Because, Transition, begin_in, history
from tests.support.adgroup import AD_GROUP, State, create_table, timers_of

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
