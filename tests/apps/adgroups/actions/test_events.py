"""Events sent by people and by the clock: what each does in one commit, and what a refused one leaves alone."""

import asyncio
import re
from contextlib import suppress
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.errors import AdGroupChanged, AdGroupNotFound
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import AdGroup, CampaignState, Event, NewAdGroup, NewCampaign, State
from pabal.apps.adgroups.settings import STRICT_MATRIX, TOLD
from pabal.apps.adgroups.subscribers import TELLING
from pabal.base.database import Tx
from pabal.engine import facts, timers, transitions
from pabal.engine.listing.facts import Wanted, list_facts
from pabal.engine.machine import Refusal
from pabal.engine.transitions import GuardRefused, MoveNotAllowed
from pabal.platform import audit, notifications, settings
from pabal.platform.actor import ENGINE, Actor, NotAllowed
from tests.apps.adgroups.actions.world import BY_DAY, DAY, HOUR, LATER, START, World, boss, operator

NOON = LATER.start_at


async def live(world: World) -> tuple[int, list[State]]:
    """One whole life, by people and by the clock; answers the state after each word and each moment."""
    group = await world.make(Event.COMPLETE_SETUP, schedule=replace(LATER, dayparts=BY_DAY))
    seen = [await world.state(group)]
    await world.send(group, Event.APPROVE, reason="괜찮음")
    seen.append(await world.state(group))
    for moment in (NOON, NOON + 6 * HOUR, NOON + 21 * HOUR):  # its start, 18:00, 09:00 of the next day
        await world.fire(moment)
        seen.append(await world.state(group))
    for event in (Event.PAUSE, Event.RESUME):
        await world.send(group, event, reason="소재 교체")
        seen.append(await world.state(group))
    await world.fire(LATER.end_at)
    return group, [*seen, await world.state(group)]


@pytest.mark.req("E-09", "E-10", "E-13", "E-17", "E-70")
async def test_a_whole_life_is_moved_by_people_and_by_delayed_events(world: World):
    _, seen = await live(world)

    assert seen == ["ready", "approved", "running", "pending", "running", "paused", "running", "expired"]


@pytest.mark.req("E-03", "E-21", "E-75", "E-94")
async def test_a_whole_life_is_told_by_its_history_with_who_when_and_why(world: World):
    group, _ = await live(world)

    made = await world.history(group)

    assert [(one.event, one.actor, one.reason) for one in made] == [
        ("begin", "user:7", None),
        ("complete_setup", "user:7", None),
        ("approve", "user:7", "괜찮음"),
        ("start", "engine", "timer"),
        ("daily_end", "engine", "timer"),
        ("daily_start", "engine", "timer"),
        ("pause", "user:7", "소재 교체"),
        ("resume", "user:7", "소재 교체"),
        ("expire", "engine", "timer"),
    ]
    # each at its own moment: the clock of these tests goes on by itself
    hours = [(one.at - START) // HOUR for one in made]
    assert hours == [0, 0, 0, 4, 10, 25, 25, 25, 4 + 7 * 24]
    assert transitions.replay(made) == State.EXPIRED


@pytest.mark.req("E-18", "E-19")
async def test_time_alone_changes_no_state(world: World):
    group = await world.make_approved()

    await world.pass_to(LATER.end_at + DAY)
    before = await world.get(group)
    await world.fire()
    after = await world.get(group)

    assert (before.state, before.version) == (State.APPROVED, 3)
    assert after.state is State.EXPIRED


@pytest.mark.req("E-14", "E-15", "E-64")
async def test_a_guard_comes_first_and_what_it_refuses_leaves_no_trace(world: World):
    group = await world.make(Event.COMPLETE_SETUP)
    closed = NewCampaign("여름", START - DAY, None, CampaignState.CLOSED)
    await world.do(campaigns.edit_campaign, world.campaign_id, closed)
    before = await _traces(world, group)

    with pytest.raises(GuardRefused) as refused:
        await world.send(group, Event.APPROVE)
    with pytest.raises(NotAllowed):
        await world.send(group, Event.APPROVE, by=operator(world.tree.haeundae))
    with pytest.raises(MoveNotAllowed):
        await world.send(group, Event.RESUME)
    left = await _traces(world, group)
    await world.do(campaigns.edit_campaign, world.campaign_id, replace(closed, state=CampaignState.OPEN))
    await world.send(group, Event.APPROVE, reason="열림")

    assert (refused.value.refusal.reason, dict(refused.value.refusal.values)) == (
        "campaign_is_open",
        {"campaign_state": "closed"},
    )
    assert left == before
    state, versions, armed, said, audited = await _traces(world, group)
    assert (state, versions, set(armed)) == (State.APPROVED, [1, 2, 3], {"start", "expire"})
    assert said[-1] == ("adgroup.approved", "approve", "열림")
    assert audited[0] == ("adgroups.approve", {"state": "approved", "reason": "열림"})


class Undone(Exception):
    """What was tried is taken back."""


@pytest.mark.req("E-06", "E-20")
async def test_what_an_event_does_the_machine_alone_says_in_every_state(world: World):
    """Sent, explained and foreseen: nobody has a rule of its own."""
    group = await world.make()
    said: dict[tuple[State, Event], object] = {}
    came: dict[tuple[State, Event], object] = {}
    told: dict[tuple[State, Event], object] = {}
    async with world.db.transaction() as tx:
        for one in product(State, Event):
            with suppress(Undone):
                async with tx.savepoint():
                    await tx.script(f"update pabal.ad_group set state = '{one[0]}' where id = {group}")
                    [subject] = await load_subjects(tx, [group])
                    decided = AD_GROUP.decide(subject, one[1], tx.now)
                    said[one] = decided.reason if isinstance(decided, Refusal) else decided
                    explained = events.explain_one(subject, one[1], tx.now)
                    told[one] = explained.refusal.reason if explained.refusal else explained.target
                    came[one] = await try_to_send(tx, world.admin, group, one[1])
                    raise Undone

    moves = {(source, one.event) for one in AD_GROUP.moves for source in one.sources}
    assert told == said
    assert came == {one: decided if one in moves else None for one, decided in said.items()}
    assert set(State) - set(said.values()) == {State.PENDING, State.EXPIRED}, "these want another hour"


async def try_to_send(tx: Tx, actor: Actor, group: int, event: Event) -> object:
    try:
        async with tx.savepoint():
            return (await events.send(tx, actor, group, event)).state
    except GuardRefused as error:
        return error.refusal.reason
    except MoveNotAllowed:
        return None


@pytest.mark.req("E-06")
def test_no_statement_of_the_app_moves_an_ad_group_to_another_state() -> None:
    folder = Path(events.__file__).parents[1]
    statements = [each for path in folder.rglob("*.sql") for each in path.read_text(encoding="utf-8").split(";")]
    written = [each for each in statements if re.search(r"update pabal\.ad_group\b", each)]

    assert written
    assert [each for each in written if re.search(r"(set|,)\s*state\s*=", each)] == []


@pytest.mark.req("E-22")
async def test_it_is_a_draft_from_the_moment_it_is_saved_until_it_has_a_creative_and_inventory(world: World):
    made = await world.do(adgroups.create, NewAdGroup("여름 행사", world.campaign_id, LATER))
    seen = [(made.state, made.creatives, made.inventories)]

    async def refused() -> str:
        with pytest.raises(GuardRefused) as error:
            await world.send(made.id, Event.COMPLETE_SETUP)
        return error.value.refusal.reason

    reasons = [await refused()]
    await world.do(adgroups.add_creative, made.id, name="포스터", url="https://cdn.example.com/a.png")
    reasons.append(await refused())
    await world.do(adgroups.set_inventories, made.id, [world.inventory_id])
    whole = await world.get(made.id)
    seen.append((whole.state, whole.creatives, whole.inventories))
    ready = await world.send(made.id, Event.COMPLETE_SETUP)

    assert reasons == ["has_creatives", "has_inventory"]
    assert seen == [(State.DRAFT, 0, 0), (State.DRAFT, 1, 1)], "only the event moves it"
    assert ready.state is State.READY


@pytest.mark.req("E-14", "E-70", "E-75")
async def test_state_history_timers_and_fact_are_one_commit_or_none(world: World):
    group = await world.make(Event.COMPLETE_SETUP)
    before = await _traces(world, group)

    async def send_and_fail(tx: Tx, actor: Actor) -> None:
        await events.send(tx, actor, group, Event.APPROVE)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await world.do(send_and_fail)
    after = await _traces(world, group)

    assert after == before


@pytest.mark.req("E-16", "E-74", "E-78", "E-79")
async def test_people_are_told_of_the_events_a_setting_names(world: World):
    await facts.deliver_once(world.db, TELLING)
    group = await world.make_approved()

    await world.fire(NOON)
    await world.send(group, Event.PAUSE, reason="소재 교체")
    await world.send(group, Event.RESUME)
    running = await world.get(group)
    await world.fire(LATER.end_at)
    told = await _told(world)
    async with world.db.transaction() as tx:
        await settings.change(tx, ENGINE, TOLD, "delete")
    other = await world.make(Event.DELETE)
    silent = await world.make(Event.COMPLETE_SETUP, Event.REJECT)
    later = await _told(world)

    # the default: start, expire, reject, pause; of the others nobody hears
    assert [(name, about) for name, about, _ in told] == [
        (f"adgroups.{event}", f"adgroup:{group}") for event in ("start", "pause", "expire")
    ]
    assert "소재 교체" in told[1][2]
    assert (running.state, await world.state(group), await world.armed(group)) == ("running", "expired", {})
    assert [one[:2] for one in later[len(told) :]] == [("adgroups.delete", f"adgroup:{other}")]
    assert await world.state(silent) is State.DRAFT


@pytest.mark.req("E-99", "E-102")
async def test_of_two_who_send_the_same_event_at_once_one_moves_it(world: World):
    group = await world.make_approved()
    await world.fire(NOON)

    ended = await asyncio.gather(*(world.send(group, Event.PAUSE) for _ in range(4)), return_exceptions=True)
    await world.send(group, Event.RESUME)
    await world.pass_to(LATER.end_at)
    fired = await asyncio.gather(*(timers.fire_once(world.db, [AD_GROUP]) for _ in range(4)))

    assert [type(one) for one in ended if not isinstance(one, AdGroup)] == [MoveNotAllowed] * 3
    assert sum(fired) == 1
    made = await world.history(group)
    assert [one.version for one in made] == list(range(1, 8))
    assert [one.event for one in made].count("pause") == [one.event for one in made].count("expire") == 1
    assert transitions.replay(made) == await world.state(group) == State.EXPIRED


@pytest.mark.req("E-77")
async def test_each_ad_group_has_a_life_of_its_own(world: World):
    first, second = await world.make_approved(), await world.make_approved()

    await world.send(first, Event.DELETE)
    await world.fire(NOON)

    assert (await world.state(first), await world.state(second)) == (State.DELETED, State.RUNNING)
    assert [len(await world.history(one)) for one in (first, second)] == [4, 4]


async def test_an_event_for_what_somebody_else_moved_meanwhile_is_refused(world: World):
    group = await world.make_approved()
    seen = await world.get(group)
    await world.fire(NOON)

    with pytest.raises(AdGroupChanged):
        await world.send(group, Event.DELETE, expect_version=seen.version)
    moved = await world.send(group, Event.DELETE, expect_version=seen.version + 1)

    assert moved.state is State.DELETED


async def test_many_move_at_once_and_the_others_are_answered_with_why_not(world: World):
    running, approved = await world.make_approved(), await world.make_approved(replace(LATER, start_at=NOON + DAY))
    draft, nobody = await world.make(), 999
    await world.fire(NOON)
    async with world.db.transaction() as tx:
        await settings.change(tx, ENGINE, STRICT_MATRIX, True)
    ids = [running, approved, draft, nobody]

    seen = await world.do(events.preview_many, ids, Event.PAUSE)
    untouched = [await world.state(one) for one in ids[:3]]
    done = await world.do(events.send_many, ids, Event.PAUSE, reason="점검")
    foreign = await world.do(events.send_many, [running], Event.DELETE, by=boss(world.tree.gangnam))

    assert untouched == ["running", "approved", "draft"]
    assert seen[running] is State.PAUSED
    why = {one: found.reason for one, found in seen.items() if isinstance(found, Refusal)}
    assert why == {approved: "may_pause_early", draft: "move_not_allowed", nobody: "not_found"}
    assert [(one.subject, one.target, one.reason) for one in done.transitions] == [(running, "paused", "점검")]
    assert {one: refusal.reason for one, refusal in done.refused.items()} == why
    assert (foreign.transitions, foreign.refused[running].reason) == ([], "not_found")
    assert await world.state(running) is State.PAUSED


async def test_another_branch_neither_moves_nor_sees_it(world: World):
    group, stranger = await world.make(), boss(world.tree.gangnam)

    for action in (events.explain, lambda tx, by, one: events.send(tx, by, one, Event.DELETE)):
        with pytest.raises(AdGroupNotFound):
            await world.do(action, group, by=stranger)
    explained = {one.event: one for one in await world.do(events.explain, group, by=operator(world.tree.haeundae))}

    assert explained[Event.COMPLETE_SETUP].target is State.READY
    assert [one.name for one in explained[Event.COMPLETE_SETUP].checked] == [
        *("may_do_it", "has_creatives", "has_inventory")
    ]
    assert explained[Event.APPROVE].refusal == Refusal("move_not_allowed", {"event": "approve", "state": "draft"})


async def _traces(world: World, group: int) -> tuple[object, ...]:
    """All that a transition would leave."""
    made = await world.history(group)
    async with world.db.transaction() as tx:
        said = (await list_facts(tx, Wanted(None, subject=f"adgroup:{group}"))).items[::-1]
        audited = await audit.list_entries(tx, audit.Wanted(about=f"adgroup:{group}"))
    return (
        await world.state(group),
        [one.version for one in made],
        await world.armed(group),
        [(one.name, one.data.get("event"), one.data.get("reason")) for one in said],
        [(one.action, one.after) for one in audited],
    )


async def _told(world: World) -> list[tuple[str, str | None, str]]:
    while await facts.deliver_once(world.db, TELLING):
        pass
    async with world.db.transaction() as tx:
        found = await notifications.list_notifications(tx, world.admin)
    return [(one.name, one.about, one.text[1]) for one in found[::-1]]
