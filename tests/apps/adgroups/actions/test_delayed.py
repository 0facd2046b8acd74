"""Delayed events: in the order they are due, taken once, moved and taken out by hand, and never an old one twice."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from pabal import main
from pabal.apps.adgroups.actions import delayed as actions
from pabal.apps.adgroups.actions.delayed import DelayedEvent
from pabal.apps.adgroups.errors import AdGroupNotFound, CannotMoveThere, MustEnd, NoSuchDelayedEvent
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event, Schedule, State
from pabal.base.settings import Settings
from pabal.engine import timers
from pabal.engine.listing.facts import Wanted, list_facts
from pabal.engine.timers import WantedTimers
from pabal.engine.transitions import GuardRefused
from pabal.platform.actor import NotAllowed, Role
from pabal.platform.tenants import visible_to
from tests.apps.adgroups.actions.world import BY_DAY, DAY, HOUR, LATER, START, World, boss
from tests.support.people import person
from tests.support.servers import until

NOON = LATER.start_at
DAILY = replace(LATER, dayparts=BY_DAY)


@pytest.mark.req("E-51", "E-53")
async def test_all_are_listed_by_when_they_are_due_within_what_one_sees(world: World):
    first = await world.make_approved()
    second = await world.make_approved(Schedule(NOON + HOUR, NOON + 2 * HOUR))

    found = await _list(world)
    ends = await _list(world, names=[Event.EXPIRE], limit=1)
    theirs = await _list(world, of="gangnam")
    await world.pass_to(NOON + HOUR)
    late = await _list(world, late_at=NOON + HOUR)
    await world.fire()
    left = await _list(world)

    assert [(one.group.id, one.timer.event, one.timer.due_at) for one in found] == [
        (first, "start", NOON),
        (second, "start", NOON + HOUR),
        (second, "expire", NOON + 2 * HOUR),
        (first, "expire", LATER.end_at),
    ]
    assert ([one.group.id for one in ends], theirs) == ([second], [])
    # what was due is taken out once it happened
    assert [(one.group.id, one.timer.event) for one in late] == [(first, "start")]
    assert [(one.group.id, one.timer.event) for one in left] == [(second, "expire"), (first, "expire")]


@pytest.mark.req("E-53", "E-54", "E-99")
async def test_several_servers_take_each_due_event_once(world: World):
    groups = [await world.make_approved() for _ in range(5)]
    await world.pass_to(NOON)

    taken = await asyncio.gather(*(timers.fire_once(world.db, [AD_GROUP]) for _ in range(4)))

    assert sum(taken) == len(groups)
    assert {await world.state(one) for one in groups} == {State.RUNNING}
    assert {tuple(step.event for step in await world.history(one))[3:] for one in groups} == {("start",)}


@pytest.mark.req("E-13", "E-56")
async def test_each_daily_one_arms_the_next_until_the_end(world: World):
    group = await world.make_approved(replace(DAILY, end_at=NOON + 2 * DAY))

    for moment in (NOON, *(NOON + day * DAY + hours for day in (0, 1) for hours in (6 * HOUR, 21 * HOUR))):
        await world.fire(moment)
    last = await world.armed(group)
    await world.fire(NOON + 2 * DAY)

    assert [one.event for one in await world.history(group)][3:] == [
        *("start", "daily_end", "daily_start", "daily_end", "daily_start", "expire")
    ]
    # its last day has no evening
    assert last == {"expire": NOON + 2 * DAY}


@pytest.mark.req("E-52")
async def test_a_server_finds_what_is_due_by_looking_every_second_when_nobody_tells_it(world: World, tmp_path: Path):
    group = await world.make_approved()
    asked = Settings(database_url=world.db.url, data_dir=tmp_path, port=0, apps="pabal.apps.adgroups")
    app = await main.build(asked, frozenset({"scheduler"}))
    await app.start()

    # behind its back: no hint is given, and the next moment it knows of is hours away
    async with world.db.transaction() as tx:
        await tx.script(f"update pabal.ad_group set start_at = pabal.now() where id = {group}")
        await tx.script("update pabal.timer set due_at = pabal.now() where event = 'start'")

    async def runs() -> bool:
        return await world.state(group) is State.RUNNING

    await until(runs)
    rests = {loop.name: loop._idle for loop in app.server._loops}
    await app.stop()
    assert rests["timers"] == 1.0


@pytest.mark.req("E-52")
async def test_what_is_due_is_found_at_its_moment_and_not_before(world: World):
    group = await world.make_approved()

    await world.pass_to(NOON - HOUR)
    early = await timers.fire_once(world.db, [AD_GROUP])
    async with world.db.transaction() as tx:
        await tx.script("update pabal.timer set due_at = pabal.now() where event = 'start'")
        await tx.script(f"update pabal.ad_group set start_at = pabal.now() where id = {group}")
    taken = await timers.fire_once(world.db, [AD_GROUP])

    assert (early, taken, await world.state(group)) == (0, 1, State.RUNNING)


@pytest.mark.req("E-57")
async def test_a_start_or_an_end_that_is_moved_is_its_date(world: World):
    group = await world.make_approved()

    later = await world.do(actions.move, group, Event.START, NOON + HOUR)
    ends = await world.do(actions.move, group, Event.EXPIRE, NOON + 3 * HOUR)
    await world.fire(NOON)
    waiting = await world.state(group)
    await world.fire(NOON + HOUR)
    running = await world.state(group)
    await world.fire(NOON + 3 * HOUR)

    assert (later.schedule.start_at, ends.schedule.end_at) == (NOON + HOUR, NOON + 3 * HOUR)
    assert (later.schedule_version, ends.schedule_version) == (2, 3)
    assert (waiting, running, await world.state(group)) == ("approved", "running", "expired")


@pytest.mark.req("E-57")
async def test_a_daily_one_is_moved_or_taken_out_for_that_day_alone(world: World):
    moved, passed = await world.make_approved(DAILY), await world.make_approved(DAILY)
    await world.fire(NOON)

    await world.do(actions.move, moved, Event.DAILY_END, NOON + 7 * HOUR)
    again = await world.do(actions.move, moved, Event.DAILY_END, NOON + 8 * HOUR)
    await world.do(actions.cancel, passed, Event.DAILY_END)
    armed = [(await world.armed(one))["daily_end"] for one in (moved, passed)]
    await world.fire(NOON + 6 * HOUR)
    at_six = [await world.state(one) for one in (moved, passed)]
    await world.fire(NOON + 8 * HOUR)
    at_eight = [await world.state(one) for one in (moved, passed)]
    await world.fire(NOON + 21 * HOUR)

    # twice moved is once moved: the calendar has it at six
    assert [(one.due_at, one.to, one.by) for one in again.schedule.moved] == [
        (NOON + 6 * HOUR, NOON + 8 * HOUR, "user:7")
    ]
    assert armed == [NOON + 8 * HOUR, NOON + DAY + 6 * HOUR]
    assert (at_six, at_eight) == (["running", "running"], ["pending", "running"])
    assert [(await world.armed(one))["daily_end"] for one in (moved, passed)] == [NOON + DAY + 6 * HOUR] * 2


async def test_a_start_that_was_taken_out_waits_for_another_word(world: World):
    group = await world.make_approved()

    held = await world.do(actions.cancel, group, Event.START)
    await world.fire(NOON + HOUR)
    waiting = await world.state(group)
    with pytest.raises(NoSuchDelayedEvent):
        await world.do(actions.fire, group, Event.START)
    await world.send(group, Event.START)

    assert (held.schedule.is_held, waiting) == (True, State.APPROVED)
    assert await world.state(group) is State.RUNNING


@pytest.mark.req("E-54")
async def test_one_fired_by_hand_is_judged_by_its_guard(world: World):
    group = await world.make_approved()

    with pytest.raises(GuardRefused, match="has_begun"):
        await world.do(actions.fire, group, Event.START)
    await world.pass_to(NOON)
    fired = await world.do(actions.fire, group, Event.START)
    await world.fire()

    made = await world.history(group)
    assert (fired.state, [one.event for one in made].count("start")) == (State.RUNNING, 1)
    assert (made[-1].actor, made[-1].reason) == ("user:7", "fired by hand")


@pytest.mark.req("E-53")
async def test_one_that_its_guard_refuses_is_dropped_with_the_reason(world: World):
    group = await world.make_approved(replace(DAILY, end_at=NOON + 20 * DAY))
    await world.fire(NOON)

    await world.fire(NOON + DAY)  # nobody looked at six; now it is inside its hours again

    async with world.db.transaction() as tx:
        said = await list_facts(tx, Wanted(None, names=["adgroup.timer_refused"]))
    assert [(one.data["event"], one.data["reason"]) for one in said.items] == [("daily_end", "is_off_hours")]
    assert (await world.state(group), (await world.armed(group))["daily_end"]) == ("running", NOON + DAY + 6 * HOUR)


async def test_what_cannot_be_moved_is_refused(world: World):
    daily, plain = await world.make_approved(DAILY), await world.make_approved()
    await world.fire(NOON)
    draft, before = await world.make(), await world.get(daily)
    viewer = person(world.tree.haeundae, Role.VIEWER, number=3)

    for error, action, args, by in (
        (CannotMoveThere, actions.move, (plain, Event.EXPIRE, NOON - HOUR), None),
        (CannotMoveThere, actions.move, (daily, Event.DAILY_END, LATER.end_at), None),
        (CannotMoveThere, actions.move, (daily, Event.DAILY_END, NOON + 22 * HOUR), None),
        (MustEnd, actions.cancel, (plain, Event.EXPIRE), None),
        (NoSuchDelayedEvent, actions.move, (plain, Event.START, NOON + HOUR), None),
        (NoSuchDelayedEvent, actions.cancel, (draft, Event.EXPIRE), None),
        (AdGroupNotFound, actions.cancel, (daily, Event.DAILY_END), boss(world.tree.gangnam)),
        (NotAllowed, actions.cancel, (daily, Event.DAILY_END), viewer),
    ):
        with pytest.raises(error):
            await world.do(action, *args, by=by)

    assert await world.get(daily) == before


async def _list(
    world: World,
    *,
    of: str = "haeundae",
    names: Sequence[str] = (),
    late_at: datetime | None = None,
    limit: int = 50,
) -> list[DelayedEvent]:
    async with world.db.transaction() as tx:
        scope = await visible_to(tx, boss(getattr(world.tree, of)))
        return (await actions.find_delayed(tx, WantedTimers(scope.listed, names, late_at), limit=limit)).items


@pytest.mark.req("E-101")
async def test_one_that_was_set_aside_is_listed_as_late_and_can_be_moved_or_passed_over(world: World):
    moved, passed = await world.make_approved(DAILY), await world.make_approved(DAILY)
    await world.fire(NOON + 6 * HOUR + HOUR / 2)
    # tomorrow at nine it fails until nobody tries any more; it is half past nine now
    await world.pass_to(START + DAY + 1.5 * HOUR)
    async with world.db.transaction() as tx:
        await tx.script(
            "update pabal.timer set due_at = 'infinity', tries = 3, error = 'x' where event = 'daily_start'"
        )

    late = await _list(world, late_at=START)
    at_ten = START + DAY + 2 * HOUR
    await world.do(actions.move, moved, Event.DAILY_START, at_ten)
    await world.do(actions.cancel, passed, Event.DAILY_START)

    assert {(one.group.id, one.timer.event) for one in late} == {(moved, "daily_start"), (passed, "daily_start")}
    assert (await world.armed(moved))["daily_start"] == at_ten
    assert (await world.armed(passed))["daily_start"] == START + 2 * DAY + HOUR
