"""Ad groups in Haeundae on a real database: a campaign, a place to show them in, and a clock that tests move."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, NewAdGroup, NewCampaign, Schedule, State
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.store import adgroups as store
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import timers, transitions
from pabal.engine.transitions import Transition
from pabal.platform.actor import Actor, Role
from pabal.platform.tenants import Unit, visible_to
from tests.support.people import Tree, person, plant

T = TypeVar("T")
# a Monday, 08:00 in Seoul
START = datetime(2035, 6, 3, 23, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
EVERY_DAY = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
BY_DAY = DayParts.from_json({day: [["09:00", "18:00"]] for day in EVERY_DAY})
# from noon of its first day for a week; by day it begins inside its hours
LATER = Schedule(START + 4 * HOUR, START + 4 * HOUR + 7 * DAY)


@dataclass(frozen=True)
class World:
    db: Database
    tree: Tree
    admin: Actor
    campaign_id: int
    inventory_id: int

    async def do(self, action: Callable[..., Awaitable[T]], *args: Any, by: Actor | None = None, **named: Any) -> T:
        """One action in one commit."""
        async with self.db.transaction() as tx:
            return await action(tx, by or self.admin, *args, **named)

    async def make(self, *sent: Event, schedule: Schedule = LATER, name: str = "여름 행사") -> int:
        """A new one that has all it needs, to which these were sent."""
        made = await self.do(adgroups.create, NewAdGroup(name, self.campaign_id, schedule))
        await self.do(adgroups.add_creative, made.id, name="포스터", url="https://cdn.example.com/a.png")
        await self.do(adgroups.set_inventories, made.id, [self.inventory_id])
        for event in sent:
            await self.send(made.id, event)
        return made.id

    async def make_approved(self, schedule: Schedule = LATER) -> int:
        return await self.make(Event.COMPLETE_SETUP, Event.APPROVE, schedule=schedule)

    async def send(self, ad_group_id: int, event: Event, **named: Any) -> AdGroup:
        return await self.do(events.send, ad_group_id, event, **named)

    async def pass_to(self, moment: datetime) -> None:
        """The clock moves; nothing else happens."""
        async with self.db.transaction() as tx:
            now = tx.now
        await clock.advance(self.db, moment - now)

    async def fire(self, moment: datetime | None = None) -> None:
        """What is due by then happens, as a server does it."""
        if moment is not None:
            await self.pass_to(moment)
        while await timers.fire_once(self.db, [AD_GROUP]):
            pass

    async def get(self, ad_group_id: int) -> AdGroup:
        async with self.db.transaction() as tx:
            return await store.get_ad_group(tx, await visible_to(tx, self.admin), ad_group_id)

    async def state(self, ad_group_id: int) -> State:
        return (await self.get(ad_group_id)).state

    async def armed(self, ad_group_id: int) -> dict[str, datetime | None]:
        async with self.db.transaction() as tx:
            return {one.event: one.due_at for one in await timers.list_timers(tx, AD_GROUP, ad_group_id)}

    async def history(self, ad_group_id: int) -> list[Transition]:
        async with self.db.transaction() as tx:
            return await transitions.history(tx, AD_GROUP, ad_group_id)


async def make_world(db: Database) -> World:
    tree = await plant(db)
    admin = person(tree.haeundae, Role.ADMIN, number=7)
    world = World(db, tree, admin, 0, 0)
    await world.pass_to(START)
    campaign = await world.do(campaigns.create_campaign, NewCampaign("여름", START - DAY))
    place = await world.do(campaigns.add_inventory, code="busan-1", name="부산 화면")
    return World(db, tree, admin, campaign.id, place.id)


def boss(unit: Unit) -> Actor:
    return person(unit, Role.ADMIN, number=1)


def operator(unit: Unit) -> Actor:
    return person(unit, Role.OPERATOR, number=2)
