"""A console with ad groups in it: Haeundae has a campaign and inventory; tests make ad groups there by the verbs."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, NewAdGroup, NewCampaign, Schedule
from pabal.apps.adgroups.model.dayparts import DAY as MINUTES
from pabal.apps.adgroups.model.dayparts import DayParts, Span
from pabal.apps.adgroups.store.adgroups import load_ad_groups
from pabal.engine import timers
from pabal.platform.actor import ENGINE
from tests.support.web import Web

BRANCH = "haeundae"
LIST = "/ads/groups"
DAY = timedelta(days=1)
SEOUL = ZoneInfo("Asia/Seoul")
APPROVED = (Event.COMPLETE_SETUP, Event.APPROVE)


@dataclass(frozen=True)
class House:
    """`now` is when it was built."""

    web: Web
    now: datetime
    campaign_id: int
    inventory_id: int

    async def add(self, name: str, *sent: Event, is_bare: bool = False, **changed: Any) -> AdGroup:
        """With a creative and inventory unless bare, after these events; what is due then has happened."""
        schedule = Schedule(**{"start_at": self.now - DAY, "end_at": self.now + 30 * DAY, **changed})
        async with self.web.db.transaction() as tx:
            made = await adgroups.create(tx, ENGINE, NewAdGroup(name, self.campaign_id, schedule))
            if not is_bare:
                await adgroups.add_creative(tx, ENGINE, made.id, name="포스터", url="https://cdn.example.com/a.png")
                await adgroups.set_inventories(tx, ENGINE, made.id, [self.inventory_id])
        for event in sent:
            async with self.web.db.transaction() as tx:
                await events.send(tx, ENGINE, made.id, event)
            await timers.fire_once(self.web.db, [AD_GROUP])
        return await self.get(made.id)

    async def get(self, ad_group_id: int) -> AdGroup:
        async with self.web.db.transaction() as tx:
            [found] = await load_ad_groups(tx, [ad_group_id])
        return found


async def build(web: Web) -> House:
    async with web.db.transaction() as tx:
        unit_id = web.tree.haeundae.id
        new = NewCampaign("2026 가을", tx.now - DAY)
        campaign = await campaigns.create_campaign(tx, ENGINE, new, unit_id=unit_id)
        inventory = await campaigns.add_inventory(tx, ENGINE, code="busan-1", name="해운대역 화면", unit_id=unit_id)
        return House(web, tx.now, campaign.id, inventory.id)


def in_two_hours(now: datetime) -> tuple[DayParts, datetime]:
    """An hour of every day that begins in about two hours, and when that is; now is outside of it."""
    opens = (now.astimezone(SEOUL) + timedelta(hours=2)).replace(minute=30, second=0, microsecond=0)
    start = opens.hour * 60 + opens.minute
    return DayParts(((Span(start, (start + 60) % MINUTES),),) * 7), opens
