"""A subject's timers are those its state declares for its data; one that is no longer there never acts (I17)."""

import asyncio
from datetime import datetime, timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine.machine import Refusal, arms
from pabal.engine.reading import Cursor, Fact, Wanted, read_page, start_cursor
from pabal.engine.timers import BATCH, Timer, WantedTimers, fire_once, list_armed, list_timers, next_due, rearm
from pabal.engine.transitions import history, replay, transition_many
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
    say,
    set_note,
    timers_of,
    until_somebody_waits,
)

HOUR = timedelta(hours=1)


@pytest.fixture
async def groups(db: Database) -> Database:
    await create_table(db)
    return db


async def add_approved(
    db: Database, count: int = 1, *, starts_in: timedelta = HOUR, lasts: timedelta = timedelta(days=30)
) -> list[int]:
    ids = await add_groups(db, count, starts_in=starts_in, lasts=lasts)
    async with db.transaction() as tx:
        await transition_many(tx, AD_GROUP, ids, Event.COMPLETE_SETUP, actor=ACTOR)
        await transition_many(tx, AD_GROUP, ids, Event.APPROVE, actor=ACTOR)
    return ids


async def facts_since(db: Database, cursor: Cursor) -> list[Fact]:
    async with db.transaction() as tx:
        return (await read_page(tx, cursor, Wanted())).facts


async def start_timer(db: Database, group_id: int) -> Timer:
    async with db.transaction() as tx:
        return next(timer for timer in await list_timers(tx, AD_GROUP, group_id) if timer.event == "start")


async def edit(db: Database, group_id: int, *, start_at: datetime, end_at: datetime) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.edit_group, id=group_id, start_at=start_at, end_at=end_at)
        await rearm(tx, AD_GROUP, [group_id])


async def test_nothing_fires_before_its_moment(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await clock.advance(groups, timedelta(minutes=59))

    fired = await fire_once(groups, [AD_GROUP])

    assert fired == 0
    assert (await get_group(groups, group_id)).state == "approved"


async def test_a_due_timer_moves_its_subject_with_history_fact_effect_and_new_timers(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await clock.advance(groups, HOUR)
    async with groups.transaction() as tx:
        cursor = await start_cursor(tx)

    fired = await fire_once(groups, [AD_GROUP])

    group = await get_group(groups, group_id)
    assert (fired, group.state) == (1, "running")
    assert await timers_of(groups, group_id) == {"expire": group.end_at}
    async with groups.transaction() as tx:
        last = (await history(tx, AD_GROUP, group_id))[-1]
        [fact] = (await read_page(tx, cursor, Wanted())).facts
        airings = await tx.rows(SQL.list_airings, id=group_id)
    assert (last.event, last.actor, last.reason) == ("start", "engine", "timer")
    assert (fact.name, len(airings)) == ("adgroup.running", 1)


async def test_a_machine_with_a_past_catches_up_one_move_at_a_time(groups: Database) -> None:
    [group_id] = await add_approved(groups, lasts=HOUR)
    await clock.advance(groups, timedelta(hours=3))

    counts = [await fire_once(groups, [AD_GROUP]) for _ in range(3)]

    async with groups.transaction() as tx:
        events = [one.event for one in await history(tx, AD_GROUP, group_id)]
    assert counts == [1, 1, 0]
    assert events[-2:] == ["start", "expire"]
    assert await timers_of(groups, group_id) == {}


async def test_of_two_timers_for_one_moment_the_move_declared_first_goes_first(groups: Database) -> None:
    [group_id] = await add_approved(groups, lasts=timedelta(0))
    await clock.advance(groups, HOUR)

    await fire_once(groups, [AD_GROUP])

    assert (await get_group(groups, group_id)).state == "expired"


async def test_leaving_a_state_disarms_its_timers(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await say(groups, group_id, Event.DELETE)
    await clock.advance(groups, timedelta(days=60))

    fired = await fire_once(groups, [AD_GROUP])

    assert fired == 0
    assert (await get_group(groups, group_id)).state == "deleted"


async def test_an_edit_moves_the_timer_and_the_old_moment_does_nothing(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    group = await get_group(groups, group_id)
    await edit(groups, group_id, start_at=group.start_at + HOUR, end_at=group.end_at)

    await clock.advance(groups, HOUR)
    early = await fire_once(groups, [AD_GROUP])
    await clock.advance(groups, HOUR)
    late = await fire_once(groups, [AD_GROUP])

    assert (early, late) == (0, 1)


async def test_more_than_one_batch_is_fired_in_the_order_of_the_moments(groups: Database) -> None:
    await add_approved(groups, BATCH, starts_in=2 * HOUR)
    [first] = await add_approved(groups, starts_in=HOUR)
    await clock.advance(groups, 2 * HOUR)

    counts = [await fire_once(groups, [AD_GROUP])]
    state = (await get_group(groups, first)).state
    counts.append(await fire_once(groups, [AD_GROUP]))

    assert counts == [BATCH, 1]
    assert state == "running"


async def test_a_timer_whose_subject_is_locked_does_not_hold_up_the_others(groups: Database) -> None:
    locked, free = await add_approved(groups, 2)
    await clock.advance(groups, HOUR)

    async with groups.transaction() as tx:
        await tx.run(SQL.set_note, id=locked, note="being edited")
        fired = await fire_once(groups, [AD_GROUP])

    assert fired == 1
    assert (await get_group(groups, free)).state == "running"
    assert await fire_once(groups, [AD_GROUP]) == 1


async def test_servers_that_fire_together_fire_each_timer_once(groups: Database) -> None:
    ids = await add_approved(groups, 300)
    await clock.advance(groups, HOUR)

    counts = await asyncio.gather(*(fire_once(groups, [AD_GROUP]) for _ in range(6)))

    assert sum(counts) == 300
    async with groups.transaction() as tx:
        for group_id in ids[::50]:
            assert [one.version for one in await history(tx, AD_GROUP, group_id)] == [1, 2, 3, 4]


async def test_a_transition_that_waits_for_a_firing_timer_decides_on_the_new_state(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await clock.advance(groups, HOUR)
    waiting: list[asyncio.Task[None]] = []

    async def pause_meanwhile(tx: object, subjects: list[AdGroup]) -> None:
        waiting.append(asyncio.create_task(say(groups, group_id, Event.PAUSE)))
        await until_somebody_waits(groups)

    await fire_once(groups, [declare(effects={State.RUNNING: pause_meanwhile})])

    await waiting[0]
    assert (await get_group(groups, group_id)).state == "paused"


async def test_a_timer_removed_while_it_was_being_found_never_acts(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await clock.advance(groups, HOUR)

    results = await asyncio.gather(
        *(fire_once(groups, [AD_GROUP]) for _ in range(3)), say(groups, group_id, Event.DELETE), return_exceptions=True
    )

    async with groups.transaction() as tx:
        made = await history(tx, AD_GROUP, group_id)
    assert not [result for result in results if isinstance(result, BaseException)]
    assert made[-1].event == "delete"
    assert replay(made) == "deleted"


async def test_a_timer_that_an_edit_moves_after_it_was_found_does_not_fire(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await clock.advance(groups, HOUR)
    group = await get_group(groups, group_id)
    async with groups.transaction() as tx:
        await tx.script(SQL.create_gate.text)

    async with groups.transaction() as tx:
        await tx.value(SQL.close_gate)
        firing = asyncio.create_task(fire_once(groups, [declare(table="example.gated_ad_group")]))
        await until_somebody_waits(groups)
        await edit(groups, group_id, start_at=group.start_at + HOUR, end_at=group.end_at)

    assert await firing == 0
    assert await timers_of(groups, group_id) == {"start": group.start_at + HOUR, "expire": group.end_at}


async def test_a_refused_timer_is_used_up_and_its_report_is_kept(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await clock.advance(groups, HOUR)
    async with groups.transaction() as tx:
        cursor = await start_cursor(tx)
        group = await get_group(groups, group_id)
        later = group.start_at + HOUR
        await tx.run(SQL.edit_group, id=group_id, start_at=later, end_at=group.end_at)  # and forgets to rearm

    fired = await fire_once(groups, [AD_GROUP])

    [fact] = await facts_since(groups, cursor)
    assert fired == 1
    assert (fact.name, fact.subject) == ("adgroup.timer_refused", f"adgroup:{group_id}")
    assert (fact.data["event"], fact.data["reason"]) == ("start", "too_early")
    assert fact.data["values"]["start_at"] == later.isoformat()
    assert (await get_group(groups, group_id)).version == 3


async def test_after_a_refusal_a_later_moment_that_the_state_declares_is_armed(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    await clock.advance(groups, HOUR)
    group = await get_group(groups, group_id)
    async with groups.transaction() as tx:
        await tx.run(SQL.edit_group, id=group_id, start_at=group.start_at + HOUR, end_at=group.end_at)

    await fire_once(groups, [AD_GROUP])

    assert await timers_of(groups, group_id) == {"start": group.start_at + HOUR, "expire": group.end_at}


async def test_a_timer_refused_at_its_declared_moment_does_not_fire_for_ever(groups: Database) -> None:
    def never(group: AdGroup, now: datetime) -> Refusal | None:
        return Refusal("never")

    moves = tuple(
        one if one.event != Event.START else type(one)(one.event, one.sources, one.target, never)
        for one in AD_GROUP.moves
    )
    machine = declare(moves=moves)
    [group_id] = await add_approved(groups)
    await clock.advance(groups, HOUR)

    counts = [await fire_once(groups, [machine]) for _ in range(2)]

    assert counts == [1, 0]
    assert set(await timers_of(groups, group_id)) == {"expire"}


async def test_a_guard_that_throws_is_put_off_counted_and_quarantined_and_stops_nobody(groups: Database) -> None:
    broken, sound = await add_approved(groups, 2)
    await set_note(groups, broken, "throws")
    await clock.advance(groups, HOUR)

    await fire_once(groups, [AD_GROUP])
    put_off = await start_timer(groups, broken)
    again_at_once = await fire_once(groups, [AD_GROUP])
    for _ in range(2):
        await clock.advance(groups, timedelta(minutes=5))
        await fire_once(groups, [AD_GROUP])
    quarantined = await start_timer(groups, broken)

    assert (await get_group(groups, sound)).state == "running"
    assert again_at_once == 0
    assert (put_off.tries, quarantined.tries) == (1, 3)
    assert quarantined.due_at is None
    assert quarantined.error == "ZeroDivisionError: a guard with a mistake in it"


async def test_an_edit_takes_a_timer_out_of_quarantine(groups: Database) -> None:
    [broken] = await add_approved(groups)
    await set_note(groups, broken, "throws")
    await clock.advance(groups, HOUR)
    for _ in range(3):
        await fire_once(groups, [AD_GROUP])
        await clock.advance(groups, timedelta(minutes=5))
    await set_note(groups, broken, None)

    async with groups.transaction() as tx:
        await rearm(tx, AD_GROUP, [broken])
    await fire_once(groups, [AD_GROUP])

    assert (await get_group(groups, broken)).state == "running"


async def test_an_sql_error_of_one_subject_is_found_by_halving_and_the_others_move(groups: Database) -> None:
    ids = await add_approved(groups, 20)
    await set_note(groups, ids[13], "doomed")
    await clock.advance(groups, HOUR)

    await fire_once(groups, [AD_GROUP])

    states = [(await get_group(groups, group_id)).state for group_id in ids]
    assert states.count("running") == 19
    assert states[13] == "approved"
    async with groups.transaction() as tx:
        airings = [len(await tx.rows(SQL.list_airings, id=group_id)) for group_id in ids]
    start = await start_timer(groups, ids[13])
    assert start.tries == 1
    assert "violates check constraint" in (start.error or "")
    assert airings == [1] * 13 + [0] + [1] * 6


async def test_timers_of_rows_that_were_deleted_do_not_stay_due(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    async with groups.transaction() as tx:
        await tx.run(SQL.delete_group, id=group_id)
    await clock.advance(groups, timedelta(days=60))

    fired = await fire_once(groups, [AD_GROUP])

    async with groups.transaction() as tx:
        assert (fired, await next_due(tx, [AD_GROUP])) == (0, None)


async def test_the_next_moment_is_the_earliest_that_is_not_in_quarantine(groups: Database) -> None:
    [group_id] = await add_approved(groups)
    async with groups.transaction() as tx:
        before = await next_due(tx, [AD_GROUP])
        other = await next_due(tx, [declare(name="other")])

    assert before == (await get_group(groups, group_id)).start_at
    assert other is None


async def test_a_timer_in_quarantine_wakes_nobody(groups: Database) -> None:
    machine = declare(timers={State.APPROVED: arms(Event.START)(lambda group, now: {Event.START: group.start_at})})
    [broken] = await add_approved(groups)
    await set_note(groups, broken, "throws")
    async with groups.transaction() as tx:
        await rearm(tx, machine, [broken])
    await clock.advance(groups, HOUR)

    for _ in range(3):
        await fire_once(groups, [machine])
        await clock.advance(groups, timedelta(minutes=5))

    async with groups.transaction() as tx:
        assert [timer.tries for timer in await list_timers(tx, machine, broken)] == [3]
        assert await next_due(tx, [machine]) is None


async def test_whoever_arms_a_timer_announces_its_moment(groups: Database) -> None:
    announced: list[dict[str, datetime | None]] = []

    async def listen(hints: dict[str, datetime | None]) -> None:
        announced.append(hints)

    [group_id] = await add_groups(groups)
    await say(groups, group_id, Event.COMPLETE_SETUP)
    groups.announce = listen

    await say(groups, group_id, Event.APPROVE)

    assert announced == [
        {"facts": None, f"facts:{AD_GROUP.name}": None, "timers": (await get_group(groups, group_id)).start_at}
    ]


async def test_armed_timers_are_listed_the_next_one_first_page_by_page(groups: Database) -> None:
    [late] = await add_approved(groups, starts_in=3 * HOUR)
    [early] = await add_approved(groups, starts_in=HOUR)
    wanted = WantedTimers(None, [Event.START, Event.EXPIRE])

    async with groups.transaction() as tx:
        first = await list_armed(tx, AD_GROUP, wanted, limit=3)
        rest = await list_armed(tx, AD_GROUP, wanted, first.cursor, limit=3)

    listed = [(timer.subject, timer.event, timer.state) for timer in (*first.items, *rest.items)]
    starts, ends = [(early, "start"), (late, "start")], [(early, "expire"), (late, "expire")]
    assert listed == [(*one, "approved") for one in (*starts, *ends)]
    assert rest.cursor is None


async def test_armed_timers_are_narrowed_by_unit_by_event_and_to_what_is_late(groups: Database) -> None:
    [group] = await add_approved(groups)
    await clock.advance(groups, 2 * HOUR)

    async with groups.transaction() as tx:
        named = await list_armed(tx, AD_GROUP, WantedTimers(None, [Event.START], subjects=[group]))
        others = await list_armed(tx, AD_GROUP, WantedTimers(None, subjects=[group + 1]))
        theirs = await list_armed(tx, AD_GROUP, WantedTimers(units=[8]))
        ours = await list_armed(tx, AD_GROUP, WantedTimers(units=[7]))
        ends = await list_armed(tx, AD_GROUP, WantedTimers(None, [Event.EXPIRE]))
        late = await list_armed(tx, AD_GROUP, WantedTimers(None, late_at=tx.now - HOUR / 2))

    assert [[timer.event for timer in page.items] for page in (named, others, theirs, ours, ends, late)] == [
        ["start"],
        [],
        [],
        ["start", "expire"],
        ["expire"],
        ["start"],
    ]
