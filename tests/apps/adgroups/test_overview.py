"""Ad groups on the front page, in the menu and in the search."""

import pytest

from pabal.apps.adgroups import overview
from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event, NewAdGroup, NewCampaign, Schedule
from pabal.apps.adgroups.settings import LATE_AFTER
from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.engine import timers
from pabal.platform.actor import ENGINE
from pabal.platform.overview import Card
from pabal.platform.tenants import Scope, visible_to
from tests.apps.adgroups.pages.house import DAY
from tests.support.people import person, plant

HOUSE = Scope(None, None)


async def test_the_card_and_the_needs_say_what_runs_what_waits_and_what_is_late(db: Database) -> None:
    tree = await plant(db)
    async with db.transaction() as tx:
        assert await overview.card(tx, HOUSE) is None
        unit_id = tree.haeundae.id
        campaign = await campaigns.create_campaign(tx, ENGINE, NewCampaign("가을", tx.now), unit_id=unit_id)
        slot = await campaigns.add_inventory(tx, ENGINE, code="slot", name="화면", unit_id=unit_id)
        running = await _add(tx, campaign.id, slot.id, "송출", Event.COMPLETE_SETUP, Event.APPROVE)
        waiting = await _add(tx, campaign.id, slot.id, "승인할 것", Event.COMPLETE_SETUP)
    await timers.fire_once(db, [AD_GROUP])
    async with db.transaction() as tx:
        calm, needs = await overview.card(tx, HOUSE), await overview.list_needs(tx, HOUSE)
        elsewhere = await overview.list_needs(tx, await visible_to(tx, person(tree.gangnam)))
        assert await overview.count_needs(tx, HOUSE) == 1
        [found] = await overview.find(tx, HOUSE, "승인")
    await clock.advance(db, 31 * DAY + LATE_AFTER.default)
    async with db.transaction() as tx:
        late, late_needs = await overview.card(tx, HOUSE), await overview.list_needs(tx, HOUSE)

    assert isinstance(calm, Card)
    assert (calm.value, calm.look, calm.trouble) == (1, "attn", ("1 to approve", "승인 대기 1"))
    assert calm.next_at is not None
    assert [(need.title[0], need.reason, need.href) for need in needs] == [
        ("승인할 것", ("waiting for approval", "승인을 기다림"), f"/ads/groups/{waiting}")
    ]
    assert elsewhere == []
    assert (found.title, found.note) == ("승인할 것", "가을")
    assert isinstance(late, Card)
    assert (late.look, late.trouble) == ("fail", ("1 late", "늦음 1"))
    assert [need.severity for need in late_needs if need.href == f"/ads/groups/{running}"] == ["failure"]
    assert "EXPIRE was due" in late_needs[-1].reason[0]


@pytest.mark.parametrize(
    ("about", "href"),
    [
        ("adgroup:7", "/ads/groups/7"),
        ("campaign:3", "/ads/campaigns/3"),
        ("inventory:3", "/ads/inventory"),
        ("adgroup:seven", None),
        ("room:7", None),
        ("adgroup:" + "9" * 19, None),
    ],
)
def test_a_name_leads_to_its_page(about: str, href: str | None) -> None:
    assert overview.link(about) == href


async def _add(tx: Tx, campaign_id: int, inventory_id: int, name: str, *sent: Event) -> int:
    new = NewAdGroup(name, campaign_id, Schedule(tx.now, tx.now + 30 * DAY))
    made = await adgroups.create(tx, ENGINE, new)
    await adgroups.add_creative(tx, ENGINE, made.id, name="포스터", url="https://cdn.example.com/a.png")
    await adgroups.set_inventories(tx, ENGINE, made.id, [inventory_id])
    for event in sent:
        await events.send(tx, ENGINE, made.id, event)
    return made.id
