"""An ad group is made, set up and edited; its delayed events follow what they depend on in the same commit."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from pabal.apps.adgroups.actions import adgroups as actions
from pabal.apps.adgroups.actions import campaigns, delayed
from pabal.apps.adgroups.errors import (
    AdGroupChanged,
    AdGroupNotFound,
    AdGroupOver,
    AlreadyStarted,
    BadAdGroup,
    BadCreative,
    CampaignElsewhere,
    CampaignNotFound,
    CreativeNotFound,
    InventoryNotFound,
    SetupLocked,
)
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, NewAdGroup, NewCampaign, Schedule, State
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.engine.listing.facts import Wanted, list_facts
from pabal.platform import audit
from pabal.platform.actor import Actor, NotAllowed, Role
from tests.apps.adgroups.actions.world import BY_DAY, DAY, HOUR, LATER, START, World, boss
from tests.support.people import person

NOON = LATER.start_at


@pytest.mark.req("E-17", "E-50")
async def test_a_new_one_is_a_draft_of_its_campaigns_unit_that_waits_for_nothing(world: World):
    new = NewAdGroup("  여름 행사 ", world.campaign_id, LATER)

    made = await world.do(actions.create, new, by=boss(world.tree.hq))

    assert (made.name, made.state, made.version, made.unit_id) == ("여름 행사", State.DRAFT, 1, world.tree.haeundae.id)
    assert (made.source, made.schedule_version, made.created_by) == ("machine", 1, "user:1")
    assert [(one.event, one.source, one.target) for one in await world.history(made.id)] == [("begin", None, "draft")]
    assert await world.armed(made.id) == {}
    async with world.db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(about=made.about))
    assert (entry.action, entry.unit_id) == ("adgroups.create", world.tree.haeundae.id)


@pytest.mark.req("E-50", "E-55", "E-56", "E-72")
async def test_what_it_waits_for_follows_its_state(world: World):
    group = await world.make_approved(replace(LATER, dayparts=BY_DAY))

    armed = [await world.armed(group)]
    for moment in (NOON, NOON + 6 * HOUR):
        await world.fire(moment)
        armed.append(await world.armed(group))
    await world.send(group, Event.PAUSE)
    armed.append(await world.armed(group))

    end = {"expire": LATER.end_at}
    assert armed == [
        {"start": NOON, **end},
        {"daily_end": NOON + 6 * HOUR, **end},
        {"daily_start": NOON + 21 * HOUR, **end},
        end,
    ]


@pytest.mark.req("E-58", "E-73", "E-79")
async def test_what_is_over_waits_for_nothing_any_more(world: World):
    expired, deleted = await world.make_approved(), await world.make_approved()

    await world.send(deleted, Event.DELETE)
    await world.fire(LATER.end_at)

    assert [await world.state(one) for one in (expired, deleted)] == ["expired", "deleted"]
    assert [await world.armed(one) for one in (expired, deleted)] == [{}, {}]


@pytest.mark.req("E-50", "E-57")
async def test_a_change_of_its_dates_or_hours_replaces_what_it_waits_for(world: World):
    group = await world.make_approved()
    before = await world.get(group)

    edited = await _edit(world, group, start_at=NOON + HOUR, end_at=NOON + 2 * DAY, expect_version=1)
    moved = await world.armed(group)
    renamed = await _edit(world, group, name="가을 행사")
    await world.fire(NOON)
    early = await world.state(group)
    await world.fire(NOON + HOUR)
    await _edit(world, group, dayparts=BY_DAY)

    assert (before.schedule_version, edited.schedule_version, renamed.schedule_version) == (1, 2, 2)
    assert moved == {"start": NOON + HOUR, "expire": NOON + 2 * DAY}
    # the old moment is past and nothing came of it
    assert (early, await world.state(group), renamed.name) == ("approved", "running", "가을 행사")
    assert await world.armed(group) == {"daily_end": NOON + 6 * HOUR, "expire": NOON + 2 * DAY}
    async with world.db.transaction() as tx:
        said = await list_facts(tx, Wanted(None, names=["adgroups.rescheduled"]))
    assert [one.data["schedule_version"] for one in said.items] == [3, 2]


async def test_an_edit_keeps_what_was_moved_by_hand_while_what_it_was_of_stays(world: World):
    running = await world.make_approved(replace(LATER, dayparts=BY_DAY))
    held = await world.make_approved(replace(LATER, start_at=NOON + 2 * HOUR))
    await world.do(delayed.cancel, held, Event.START)
    await world.fire(NOON)
    await world.do(delayed.move, running, Event.DAILY_END, NOON + 7 * HOUR)

    kept = await _edit(world, running, end_at=LATER.end_at + DAY)
    still = await _edit(world, held, end_at=LATER.end_at + DAY)
    forgotten = await _edit(world, running, zone="Asia/Tokyo")
    released = await _edit(world, held, start_at=NOON + 3 * HOUR)

    assert [one.to for one in kept.schedule.moved] == [NOON + 7 * HOUR]
    assert (forgotten.schedule.moved, (await world.armed(running))["daily_end"]) == ((), NOON + 6 * HOUR)
    assert (still.schedule.is_held, released.schedule.is_held) == (True, False)
    assert (await world.armed(held))["start"] == NOON + 3 * HOUR


async def test_one_paused_before_its_start_can_still_be_given_another(world: World):
    group = await world.make_approved()
    await world.send(group, Event.PAUSE)

    await _edit(world, group, start_at=NOON + DAY)
    resumed = await world.send(group, Event.RESUME)

    assert (resumed.state, (await world.armed(group))["start"]) == (State.APPROVED, NOON + DAY)


async def test_creatives_and_inventory_change_only_while_it_is_set_up(world: World):
    group = await world.make()
    more = await world.do(actions.add_creative, group, name=" 영상 ", url="https://cdn.example.com/v.mp4")
    await world.do(actions.remove_creative, group, more)
    await world.do(actions.set_inventories, group, [])
    bare = await world.get(group)
    await world.do(actions.set_inventories, group, [world.inventory_id, world.inventory_id])
    whole = await world.get(group)
    await world.send(group, Event.COMPLETE_SETUP)
    await world.send(group, Event.APPROVE)

    for action, given in (
        (actions.add_creative, {"name": "a", "url": "https://cdn.example.com/b"}),
        (actions.remove_creative, {"creative_id": 1}),
        (actions.set_inventories, {"inventory_ids": []}),
    ):
        with pytest.raises(SetupLocked):
            await world.do(action, group, **given)

    assert [(one.creatives, one.inventories) for one in (bare, whole)] == [(1, 0), (1, 1)]
    async with world.db.transaction() as tx:
        assert [one.name for one in await store.list_creatives(tx, group)] == ["포스터"]
        assert [one.code for one in await store.list_inventories_of(tx, group)] == ["busan-1"]


async def test_what_cannot_be_is_refused_and_nothing_is_kept_of_it(world: World):
    paused, running, over = [await world.make_approved() for _ in range(3)]
    await world.send(over, Event.DELETE)
    elsewhere = await world.do(campaigns.create_campaign, NewCampaign("강남", START), by=boss(world.tree.gangnam))
    hq = boss(world.tree.hq)
    await world.fire(NOON)
    await world.send(paused, Event.PAUSE)
    draft = await world.make()
    seen = [await world.get(one) for one in (paused, running, over, draft)]

    refused: list[tuple[type[PabalError], Callable[..., Awaitable[Any]], tuple[Any, ...], dict[str, Any]]] = [
        (BadAdGroup, actions.create, (NewAdGroup(" ", world.campaign_id, LATER),), {}),
        (BadAdGroup, actions.create, (NewAdGroup("x", world.campaign_id, Schedule(NOON, NOON)),), {}),
        (CampaignNotFound, actions.create, (NewAdGroup("x", elsewhere.id, LATER),), {}),
        (NotAllowed, actions.create, (NewAdGroup("x", world.campaign_id, LATER),), {"by": _viewer(world)}),
        (AdGroupNotFound, _change, (draft, {"name": "x"}), {"by": boss(world.tree.gangnam)}),
        (AdGroupChanged, _change, (draft, {"name": "x"}), {"expect_version": 2}),
        (AdGroupOver, _change, (over, {"name": "x"}), {}),
        (AlreadyStarted, _change, (running, {"start_at": NOON + DAY}), {}),
        (AlreadyStarted, _change, (paused, {"start_at": NOON + DAY}), {}),
        (SetupLocked, _change, (running, {"campaign_id": elsewhere.id}), {"by": hq}),
        (CampaignElsewhere, _change, (draft, {"campaign_id": elsewhere.id}), {"by": hq}),
        (BadCreative, actions.add_creative, (draft,), {"name": "x", "url": "javascript:alert(1)"}),
        (CreativeNotFound, actions.remove_creative, (draft, 1), {}),
        (InventoryNotFound, actions.set_inventories, (draft, [world.inventory_id, 999]), {}),
    ]
    for error, action, args, named in refused:
        with pytest.raises(error):
            await world.do(action, *args, **named)

    assert [await world.get(one) for one in (paused, running, over, draft)] == seen


async def _edit(world: World, group: int, *, expect_version: int | None = None, **changed: Any) -> AdGroup:
    return await world.do(_change, group, changed, expect_version=expect_version)


async def _change(
    tx: Tx, actor: Actor, group: int, changed: dict[str, Any], expect_version: int | None = None
) -> AdGroup:
    """As somebody fills it in: what was moved by hand is not in it."""
    [old] = await store.load_ad_groups(tx, [group])
    dates = {name: value for name, value in changed.items() if name not in ("name", "campaign_id")}
    schedule = replace(old.schedule, **dates, moved=(), is_held=False)
    new = NewAdGroup(changed.get("name", old.name), changed.get("campaign_id", old.campaign_id), schedule)
    return await actions.edit(tx, actor, group, new, expect_version=expect_version)


def _viewer(world: World) -> Actor:
    return person(world.tree.haeundae, Role.VIEWER, number=3)
