"""Campaigns and inventory: whose they are, what is refused, and what closing a campaign does to its ad groups."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

import pytest

from pabal.apps.adgroups.actions import campaigns as actions
from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.errors import BadCampaign, BadInventory, CampaignNotFound, InventoryCodeTaken
from pabal.apps.adgroups.model.adgroups import CampaignState, Event, NewCampaign, State
from pabal.apps.adgroups.store import campaigns as store
from pabal.base.errors import PabalError
from pabal.engine.transitions import GuardRefused
from pabal.platform import audit
from pabal.platform.actor import NotAllowed, Role
from pabal.platform.tenants import UnitNotFound, visible_to
from tests.apps.adgroups.actions.world import DAY, LATER, START, World, boss
from tests.support.people import person

NEW = NewCampaign("가을", START, START + 30 * DAY)


async def test_they_belong_to_the_unit_named_or_to_ones_own(world: World):
    hq = boss(world.tree.hq)

    own = await world.do(actions.create_campaign, replace(NEW, name=f"  가을{' ' * 200}"))
    named = await world.do(actions.create_campaign, NEW, unit_id=world.tree.gangnam.id, by=hq)
    place = await world.do(actions.add_inventory, code="seoul-1", name=" 강남 화면 ", unit_id=named.unit_id, by=hq)

    assert (own.unit_id, own.name, own.state) == (world.tree.haeundae.id, "가을", CampaignState.OPEN)
    assert (named.unit_id, place.unit_id, place.name) == (world.tree.gangnam.id, world.tree.gangnam.id, "강남 화면")
    async with world.db.transaction() as tx:
        seen = await store.list_campaigns(tx, await visible_to(tx, boss(world.tree.gangnam)))
        places = await store.list_inventories(tx, await visible_to(tx, boss(world.tree.gangnam)))
        entries = await audit.list_entries(tx, audit.Wanted(about=actions.about_campaign(named.id)))
    assert ([one.id for one in seen.items], [one.code for one in places.items]) == ([named.id], ["seoul-1"])
    assert [(one.action, one.actor) for one in entries] == [("adgroups.create_campaign", "user:1")]


@pytest.mark.req("E-64")
async def test_a_closed_or_ended_campaign_lets_no_ad_group_be_approved_and_stops_none_that_was(world: World):
    approved, ready = await world.make_approved(), await world.make(Event.COMPLETE_SETUP)
    was = NewCampaign("여름", START - DAY, LATER.start_at)

    await world.do(actions.edit_campaign, world.campaign_id, replace(was, state=CampaignState.CLOSED))
    with pytest.raises(GuardRefused, match="campaign_is_open"):
        await world.send(ready, Event.APPROVE)
    await world.do(actions.edit_campaign, world.campaign_id, replace(was, state=CampaignState.PLANNED))
    await world.fire(LATER.start_at)
    with pytest.raises(GuardRefused, match="campaign_lasts"):
        await world.send(ready, Event.APPROVE)
    await world.do(actions.edit_campaign, world.campaign_id, replace(was, end_at=None))
    await world.send(ready, Event.APPROVE)

    assert (await world.state(approved), await world.state(ready)) == (State.RUNNING, State.APPROVED)


@pytest.mark.req("E-64")
async def test_only_who_manages_approves_and_rejects(world: World):
    group = await world.make(Event.COMPLETE_SETUP)
    worker = person(world.tree.haeundae, Role.OPERATOR, number=2)

    for event in (Event.APPROVE, Event.REJECT):
        with pytest.raises(NotAllowed):
            await world.send(group, event, by=worker)
    explained = {one.event: one for one in await world.do(events.explain, group, by=worker)}
    await world.send(group, Event.REJECT, reason="소재가 다름")

    refusal = explained[Event.APPROVE].refusal
    assert refusal is not None
    assert (refusal.reason, refusal.values["right"]) == ("may_do_it", "manage")
    assert [(one.name, one.holds) for one in explained[Event.APPROVE].checked] == [
        ("may_do_it", False),
        ("campaign_is_open", True),
        ("campaign_lasts", True),
        ("has_not_ended", True),
    ]
    assert await world.state(group) is State.DRAFT


async def test_what_cannot_be_is_refused(world: World):
    # the head office sees every unit, also those that there are not
    house, nowhere = boss(world.tree.hq), 10**6
    gangnam, viewer = boss(world.tree.gangnam), person(world.tree.haeundae, Role.VIEWER, number=3)
    refused: list[tuple[type[PabalError], Callable[..., Awaitable[Any]], tuple[Any, ...], dict[str, Any]]] = [
        (BadCampaign, actions.create_campaign, (replace(NEW, name=" "),), {}),
        (BadCampaign, actions.create_campaign, (replace(NEW, end_at=START),), {}),
        (UnitNotFound, actions.create_campaign, (NEW,), {"unit_id": world.tree.gangnam.id}),
        (UnitNotFound, actions.create_campaign, (NEW,), {"unit_id": nowhere, "by": house}),
        (NotAllowed, actions.create_campaign, (NEW,), {"by": viewer}),
        (CampaignNotFound, actions.edit_campaign, (world.campaign_id, NEW), {"by": gangnam}),
        (NotAllowed, actions.edit_campaign, (world.campaign_id, NEW), {"by": viewer}),
        (BadInventory, actions.add_inventory, (), {"code": "한글", "name": "x"}),
        (BadInventory, actions.add_inventory, (), {"code": "x", "name": " "}),
        # ad servers ask by it, whoever owns it
        (InventoryCodeTaken, actions.add_inventory, (), {"code": "busan-1", "name": "x", "by": gangnam}),
        (UnitNotFound, actions.add_inventory, (), {"code": "x", "name": "x", "unit_id": world.tree.hq.id}),
        (UnitNotFound, actions.add_inventory, (), {"code": "x", "name": "x", "unit_id": nowhere, "by": house}),
    ]

    for error, action, args, named in refused:
        with pytest.raises(error):
            await world.do(action, *args, **named)
