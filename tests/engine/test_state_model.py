"""Random lives of an ad group against a model of it: state, history and timers are those of the model (I16 to I18)."""

from datetime import datetime, time, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine.timers import fire_once, rearm
from pabal.engine.transitions import GuardRefused, MoveNotAllowed, history, replay, transition
from tests.support.adgroup import ACTOR, AD_GROUP, SQL, Event, add_groups, create_table, get_group, timers_of
from tests.support.adgroup_model import Model


@pytest.fixture
async def groups(db: Database) -> Database:
    await create_table(db)
    return db


STEPS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(list(Event))),
    st.tuples(st.just("advance"), st.integers(1, 30 * 60)),
    st.tuples(st.just("fire"), st.none()),
    st.tuples(st.just("edit"), st.tuples(st.integers(0, 48), st.integers(1, 96))),
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(has_day=st.booleans(), steps=st.lists(STEPS, min_size=4, max_size=14))
async def test_whatever_is_said_edited_or_waited_for_state_history_and_timers_are_those_of_the_model(
    groups: Database, has_day: bool, steps: list[tuple[str, object]]
) -> None:
    day = (time(9), time(18)) if has_day else None
    [group_id] = await add_groups(groups, day=day)
    group = await get_group(groups, group_id)
    model = Model(group.start_at, group.end_at, day, entered_at=group.start_at)
    for event in (Event.COMPLETE_SETUP, Event.APPROVE):
        await compare(groups, group_id, model, "say", event)

    for what, given_ in steps:
        await compare(groups, group_id, model, what, given_)

    await say_if_possible(groups, group_id, Event.DELETE)  # so that its timers do not meet the next example


async def compare(db: Database, group_id: int, model: Model, what: str, given_: object) -> None:
    match what, given_:
        case "say", Event() as event:
            said_at, moved = await say_if_possible(db, group_id, event)
            assert moved == model.say(event, said_at)
        case "advance", int(minutes):
            await clock.advance(db, timedelta(minutes=minutes))
        case "edit", (int(start), int(length)):
            await edit_both(db, group_id, model, start=start, length=length)
        case "fire", _:
            await fire_both(db, group_id, model)
    await assert_same(db, group_id, model)


async def say_if_possible(db: Database, group_id: int, event: Event) -> tuple[datetime, bool]:
    async with db.transaction() as tx:
        try:
            await transition(tx, AD_GROUP, group_id, event, actor=ACTOR)
        except (MoveNotAllowed, GuardRefused):
            return tx.now, False
        return tx.now, True


async def edit_both(db: Database, group_id: int, model: Model, *, start: int, length: int) -> None:
    async with db.transaction() as tx:
        model.start_at = tx.now + timedelta(hours=start)
        model.end_at = model.start_at + timedelta(hours=length)
        model.entered_at = tx.now  # rearming declares the timers anew
        await tx.run(SQL.edit_group, id=group_id, start_at=model.start_at, end_at=model.end_at)
        await rearm(tx, AD_GROUP, [group_id])


async def fire_both(db: Database, group_id: int, model: Model) -> None:
    while await fire_once(db, [AD_GROUP]):
        async with db.transaction() as tx:
            fired_at = (await history(tx, AD_GROUP, group_id))[-1].at
        assert model.fire(fired_at)
    async with db.transaction() as tx:
        assert not model.fire(tx.now)


async def assert_same(db: Database, group_id: int, model: Model) -> None:
    group = await get_group(db, group_id)
    async with db.transaction() as tx:
        made = await history(tx, AD_GROUP, group_id)
    assert [one.target for one in made] == model.path
    assert (group.state, group.version) == (replay(made), len(made))
    assert await timers_of(db, group_id) == model.timers()
