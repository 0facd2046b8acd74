"""State changes only along declared moves; state, history, timers, facts and effects commit together (I16, I18)."""

import asyncio
from collections.abc import Awaitable
from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.engine.facts import Fact
from pabal.engine.machine import Refusal, arms
from pabal.engine.reading import Cursor, Wanted, read_page, start_cursor
from pabal.engine.subjects import SubjectNotFound, VersionChanged, lock_and_load
from pabal.engine.timers import list_timers
from pabal.engine.transitions import (
    AlreadyBegun,
    GuardRefused,
    HistoryBroken,
    MoveNotAllowed,
    Transition,
    begin,
    explain,
    history,
    replay,
    state_at,
    transition,
    transition_many,
)
from tests.support.adgroup import (
    ACTOR,
    AD_GROUP,
    SQL,
    AdGroup,
    Event,
    State,
    add_groups,
    create_table,
    declare,
    get_group,
    load_groups,
    say,
    set_note,
    timers_of,
    until_somebody_waits,
)


@pytest.fixture
async def groups(db: Database) -> Database:
    await create_table(db)
    return db


async def history_of(db: Database, group_id: int) -> list[Transition]:
    async with db.transaction() as tx:
        return await history(tx, AD_GROUP, group_id)


async def facts_since(db: Database, cursor: Cursor) -> list[Fact]:
    async with db.transaction() as tx:
        return (await read_page(tx, cursor, Wanted())).facts


async def statements(tx: Tx, work: Awaitable[object]) -> int:
    """How many statements it took."""
    counted: list[object] = []
    with tx._connection.query_logger(counted.append):
        await work
    return len(counted)


async def mark(db: Database) -> Cursor:
    async with db.transaction() as tx:
        return await start_cursor(tx)


async def test_a_transition_writes_state_history_fact_and_timers_in_one_commit(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP)
    cursor = await mark(groups)

    async with groups.transaction() as tx:
        made = await transition(
            tx, AD_GROUP, group_id, Event.APPROVE, actor="user:9", reason="looks fine", cause="job_1"
        )

    group = await get_group(groups, group_id)
    assert (group.state, group.version) == ("approved", 3)
    assert made == (await history_of(groups, group_id))[-1]
    assert (made.source, made.target, made.event, made.version) == ("ready", "approved", "approve", 3)
    assert (made.actor, made.reason, made.cause, made.unit_id) == ("user:9", "looks fine", "job_1", 7)
    [fact] = await facts_since(groups, cursor)
    assert (fact.name, fact.subject, fact.unit_id) == ("adgroup.approved", f"adgroup:{group_id}", 7)
    assert fact.data["actor"] == "user:9"
    assert await timers_of(groups, group_id) == {"start": group.start_at, "expire": group.end_at}


async def test_a_rolled_back_transition_leaves_nothing(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP)
    cursor = await mark(groups)

    async def move_and_fail() -> None:
        async with groups.transaction() as tx:
            await transition(tx, AD_GROUP, group_id, Event.APPROVE, actor=ACTOR)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await move_and_fail()

    assert (await get_group(groups, group_id)).state == "ready"
    assert len(await history_of(groups, group_id)) == 2
    assert await facts_since(groups, cursor) == []
    assert await timers_of(groups, group_id) == {}


async def test_an_event_without_a_move_is_refused_by_name_and_changes_nothing(groups: Database) -> None:
    [group_id] = await add_groups(groups)

    with pytest.raises(MoveNotAllowed, match="pause in draft"):
        await say(groups, group_id, Event.PAUSE)

    assert len(await history_of(groups, group_id)) == 1


async def test_a_refused_guard_reports_the_values_it_compared(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP, Event.APPROVE)

    with pytest.raises(GuardRefused) as refused:
        await say(groups, group_id, Event.START)

    assert refused.value.refusal.reason == "too_early"
    assert refused.value.refusal.values["start_at"] == (await get_group(groups, group_id)).start_at
    assert (await get_group(groups, group_id)).state == "approved"


async def test_a_subject_that_is_not_there_is_not_found(groups: Database) -> None:
    with pytest.raises(SubjectNotFound):
        await say(groups, 404, Event.PAUSE)


async def test_whoever_looked_at_an_older_version_is_told(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    seen = (await get_group(groups, group_id)).version
    await say(groups, group_id, Event.COMPLETE_SETUP)

    with pytest.raises(VersionChanged):
        async with groups.transaction() as tx:
            await transition(tx, AD_GROUP, group_id, Event.REJECT, actor=ACTOR, expect_version=seen)

    assert (await get_group(groups, group_id)).state == "ready"


async def test_a_loader_that_answers_from_an_old_reading_cannot_move_anything(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    old = await get_group(groups, group_id)
    await say(groups, group_id, Event.COMPLETE_SETUP, Event.REJECT)

    async def stale(tx: Tx, ids: list[int]) -> list[AdGroup]:
        return [old]

    with pytest.raises(VersionChanged):
        async with groups.transaction() as tx:
            await transition(tx, declare(loader=stale), group_id, Event.DELETE, actor=ACTOR)

    assert (await get_group(groups, group_id)).state == "draft"


async def test_of_two_who_move_it_together_one_wins_and_the_other_learns_why(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP)

    results = await asyncio.gather(
        say(groups, group_id, Event.APPROVE), say(groups, group_id, Event.APPROVE), return_exceptions=True
    )

    assert sorted(type(result) for result in results if result is not None) == [MoveNotAllowed]
    assert [one.event for one in await history_of(groups, group_id)] == ["begin", "complete_setup", "approve"]


async def test_the_second_decides_on_what_the_first_left_not_on_what_it_saw_before(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP)

    async with groups.transaction() as first:
        await transition(first, AD_GROUP, group_id, Event.REJECT, actor=ACTOR)
        second = asyncio.create_task(say(groups, group_id, Event.APPROVE))
        await until_somebody_waits(groups)

    with pytest.raises(MoveNotAllowed, match="approve in draft"):
        await second


async def test_bulk_moves_in_opposite_orders_do_not_deadlock(groups: Database) -> None:
    ids = await add_groups(groups, 50)

    async def move_all(order: list[int]) -> int:
        async with groups.transaction() as tx:
            moved = await transition_many(tx, AD_GROUP, order, Event.COMPLETE_SETUP, actor=ACTOR)
        return len(moved.transitions)

    counts = await asyncio.gather(*(move_all(ids if turn % 2 else ids[::-1]) for turn in range(6)))

    assert sum(counts) == 50


async def test_a_bulk_move_answers_who_moved_and_who_did_not_and_why(groups: Database) -> None:
    ready, draft, other = await add_groups(groups, 3)
    await say(groups, ready, Event.COMPLETE_SETUP)
    await say(groups, other, Event.COMPLETE_SETUP)
    cursor = await mark(groups)

    async with groups.transaction() as tx:
        moved = await transition_many(tx, AD_GROUP, [other, ready, draft, 404, ready], Event.APPROVE, actor=ACTOR)

    assert [one.subject for one in moved.transitions] == [ready, other]
    assert moved.refused == {
        draft: Refusal("move_not_allowed", {"event": "approve", "state": "draft"}),
        404: Refusal("not_found"),
    }
    assert [fact.subject for fact in await facts_since(groups, cursor)] == [f"adgroup:{ready}", f"adgroup:{other}"]
    assert set(await timers_of(groups, other)) == {"start", "expire"}


async def test_a_bulk_move_costs_the_same_number_of_statements_for_one_and_for_many(groups: Database) -> None:
    ids = await add_groups(groups, 300)

    async with groups.transaction() as tx:
        one = await statements(tx, transition_many(tx, AD_GROUP, ids[:1], Event.COMPLETE_SETUP, actor=ACTOR))
        many = await statements(tx, transition_many(tx, AD_GROUP, ids[1:], Event.COMPLETE_SETUP, actor=ACTOR))

    assert many == one


async def test_nothing_to_move_is_no_mistake(groups: Database) -> None:
    async with groups.transaction() as tx:
        moved = await transition_many(tx, AD_GROUP, [], Event.APPROVE, actor=ACTOR)

    assert (moved.transitions, moved.refused) == ([], {})


async def test_effects_write_rows_for_all_that_entered_the_state(groups: Database) -> None:
    ids = await add_groups(groups, 2)
    for group_id in ids:
        await say(groups, group_id, Event.COMPLETE_SETUP, Event.APPROVE)
    await clock.advance(groups, timedelta(hours=2))

    async with groups.transaction() as tx:
        await transition_many(tx, AD_GROUP, ids, Event.START, actor=ACTOR)

    async with groups.transaction() as tx:
        assert [len(await tx.rows(SQL.list_airings, id=group_id)) for group_id in ids] == [1, 1]


async def test_an_effect_is_not_asked_when_nobody_entered_its_state(groups: Database) -> None:
    asked: list[list[AdGroup]] = []

    async def note(tx: Tx, subjects: list[AdGroup]) -> None:
        asked.append(subjects)

    [group_id] = await add_groups(groups)
    machine = declare(effects={State.READY: note, State.RUNNING: note})

    async with groups.transaction() as tx:
        await transition(tx, machine, group_id, Event.COMPLETE_SETUP, actor=ACTOR)

    assert [[group.id for group in subjects] for subjects in asked] == [[group_id]]


async def test_an_effect_that_fails_undoes_the_transition(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP, Event.APPROVE)
    await set_note(groups, group_id, "doomed")
    await clock.advance(groups, timedelta(hours=2))

    with pytest.raises(Exception, match="violates check constraint"):
        await say(groups, group_id, Event.START)

    assert (await get_group(groups, group_id)).state == "approved"
    assert set(await timers_of(groups, group_id)) == {"start", "expire"}


async def test_a_life_begins_once_with_its_first_history_row(groups: Database) -> None:
    cursor = await mark(groups)
    [group_id] = await add_groups(groups)

    [first] = await history_of(groups, group_id)
    [fact] = await facts_since(groups, cursor)

    assert (first.version, first.source, first.target, first.event) == (1, None, "draft", "begin")
    assert fact.name == "adgroup.draft"
    with pytest.raises(AlreadyBegun):
        async with groups.transaction() as tx:
            await begin(tx, AD_GROUP, [group_id], actor=ACTOR)


async def test_only_what_stands_at_the_beginning_can_begin(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP)

    async with groups.transaction() as tx:
        with pytest.raises(AlreadyBegun):
            await begin(tx, AD_GROUP, [group_id], actor=ACTOR)
        with pytest.raises(SubjectNotFound):
            await begin(tx, AD_GROUP, [404], actor=ACTOR)


async def test_beginning_arms_the_timers_of_the_initial_state(groups: Database) -> None:
    lapse = arms(Event.DELETE)(lambda group, now: {Event.DELETE: group.end_at})
    machine = declare(name="lapsing", timers={State.DRAFT: lapse})
    async with groups.transaction() as tx:
        values = {"start_at": tx.now, "end_at": tx.now + timedelta(days=1), "day_from": None, "day_until": None}
        [row] = await tx.rows(SQL.insert_groups, count=1, unit_id=None, **values)
        await begin(tx, machine, [row["id"]], actor=ACTOR)
        timers = await list_timers(tx, machine, row["id"])

    assert [timer.event for timer in timers] == ["delete"]


async def test_replaying_history_gives_the_state(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP, Event.REJECT, Event.COMPLETE_SETUP, Event.APPROVE)

    made = await history_of(groups, group_id)

    assert replay(made) == "approved"
    assert replay([]) is None
    with pytest.raises(HistoryBroken):
        replay([*made[:2], *made[3:]])


async def test_the_state_at_a_moment_comes_from_history(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await clock.advance(groups, timedelta(minutes=1))
    await say(groups, group_id, Event.COMPLETE_SETUP)
    await clock.advance(groups, timedelta(minutes=1))
    await say(groups, group_id, Event.APPROVE)

    begun, ready, approved = await history_of(groups, group_id)
    async with groups.transaction() as tx:
        states = [
            await state_at(tx, AD_GROUP, group_id, moment)
            for moment in (begun.at - timedelta(seconds=1), begun.at, approved.at - timedelta(seconds=1), tx.now)
        ]

    assert states == [None, "draft", "ready", "approved"]
    assert ready.at > begun.at


async def test_explain_tells_for_a_stored_subject_what_each_event_would_do(groups: Database) -> None:
    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP, Event.APPROVE)

    async with groups.transaction() as tx:
        explained = {one.event: one for one in await explain(tx, AD_GROUP, group_id)}
        with pytest.raises(SubjectNotFound):
            await explain(tx, AD_GROUP, 404)

    assert [event for event, one in explained.items() if one.allowed] == ["delete"]
    assert explained["start"].refusal is not None
    assert explained["start"].refusal.reason == "too_early"


async def test_subjects_are_locked_while_they_are_decided_on(groups: Database) -> None:
    [group_id] = await add_groups(groups)

    async with groups.transaction() as tx:
        await lock_and_load(tx, AD_GROUP, [group_id])
        other = asyncio.create_task(say(groups, group_id, Event.DELETE))
        await until_somebody_waits(groups)
        [group] = await load_groups(tx, [group_id])

    await other
    assert group.state == "draft"
