"""A life may begin in a later state when its subject lived elsewhere before; and be forgotten with its row."""

from datetime import UTC, datetime

import pytest

from pabal.base.database import Database, Hints
from pabal.base.sql import load
from pabal.engine import subjects
from pabal.engine.reading import Wanted, read_page, start_cursor
from pabal.engine.subjects import SubjectNotFound
from pabal.engine.transitions import (
    AlreadyBegun,
    Because,
    Noting,
    Picking,
    Step,
    Transition,
    apply,
    begin_at_once,
    begin_in,
    begin_inserted,
    history,
    move_at_once,
)
from tests.support.adgroup import (
    AD_GROUP,
    Event,
    State,
    add_groups,
    create_table,
    declare,
    get_group,
    load_groups,
    timers_of,
)

SQL = load(__file__)
BECAUSE = Because("user:7", "moved house", "run:1")
START, END = datetime(2040, 1, 1, tzinfo=UTC), datetime(2041, 1, 1, tzinfo=UTC)
PLAIN = declare(timers={}, effects={})
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


async def test_one_that_begins_in_a_statement_of_its_own_is_like_any_other_and_wakes_whom_it_must(
    groups: Database,
) -> None:
    heard: list[Hints] = []

    async def announce(hints: Hints) -> None:
        heard.append(hints)

    groups.announce = announce
    given = {"unit_id": 7, "start_at": START, "end_at": END}
    made = await begin_at_once(groups, PLAIN, SQL.insert_one, given, BECAUSE, lambda row: {f"{row['unit_id']}": None})
    nothing = await begin_at_once(
        groups, PLAIN, SQL.insert_one, given | {"unit_id": None}, BECAUSE, lambda _: {"x": None}
    )

    assert made is not None
    [first] = await history_of(groups, made["id"])
    assert (first.version, first.event, first.source, first.target) == (1, "begin", None, "draft")
    assert (first.unit_id, first.actor, first.reason, first.cause) == (7, *BECAUSE)
    assert nothing is None
    assert heard == [{"facts": None, f"facts:{PLAIN.name}": None, "7": None}]


async def test_what_is_picked_and_moved_in_one_statement_is_as_if_it_were_three(groups: Database) -> None:
    ready = await insert(groups, State.READY, State.DRAFT, State.READY)
    async with groups.transaction() as tx:
        await begin_in(tx, PLAIN, ready, BECAUSE)
    async with groups.transaction() as tx:
        cursor = await start_cursor(tx)
    one, draft, other = sorted(ready)
    picking = Picking(SQL.pick_all, SQL.note_picked, {"note": "rejected "})

    moved = await move_at_once(groups, PLAIN, (Event.REJECT, State.READY, State.DRAFT), picking, BECAUSE)

    assert [(row["id"], row["before"]) for row in moved] == [(one, None), (other, None)]
    found = [await get_group(groups, each) for each in (one, draft, other)]
    assert [(each.state, each.version, each.note) for each in found] == [
        (State.DRAFT, 2, "rejected -"),
        (State.DRAFT, 1, None),
        (State.DRAFT, 2, "rejected -"),
    ]
    last = (await history_of(groups, one))[-1]
    assert (last.version, last.event, last.source, last.target) == (2, Event.REJECT, State.READY, State.DRAFT)
    assert (last.actor, last.reason, last.cause) == BECAUSE
    async with groups.transaction() as tx:
        told = (await read_page(tx, cursor, Wanted())).facts
    assert [(each.name, each.subject, each.data["version"]) for each in told] == [
        ("adgroup.draft", f"adgroup:{one}", 2),
        ("adgroup.draft", f"adgroup:{other}", 2),
    ]
    assert told[0].data["source"] == State.READY


async def test_what_needs_more_than_one_statement_is_not_done_in_one(groups: Database) -> None:
    picking = Picking(SQL.pick_all, SQL.note_picked, {"note": ""})
    given = {"unit_id": 7, "start_at": START, "end_at": END}

    with pytest.raises(TypeError, match="timers"):
        await begin_at_once(groups, AD_GROUP, SQL.insert_one, given, BECAUSE, lambda _: {})
    with pytest.raises(TypeError, match="timers"):
        await move_at_once(groups, AD_GROUP, (Event.REJECT, State.READY, State.DRAFT), picking, BECAUSE)
    for move in (
        (Event.APPROVE, State.READY, State.APPROVED),
        (Event.REJECT, State.READY, State.DELETED),
        (Event.REJECT, State.PAUSED, State.DRAFT),
    ):
        with pytest.raises(TypeError, match="without a question"):
            await move_at_once(groups, PLAIN, move, picking, BECAUSE)


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
