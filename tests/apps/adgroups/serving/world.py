"""Ad groups that run and a real Redis that hears of it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from redis.asyncio import Redis

from pabal import testing
from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.jobs import make_kinds
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event, NewAdGroup, NewCampaign, Schedule
from pabal.apps.adgroups.serving import store
from pabal.apps.adgroups.serving.gateway import open_link
from pabal.apps.adgroups.serving.layout import ABOUT, PREFIX
from pabal.apps.adgroups.serving.links import Link
from pabal.apps.adgroups.subscribers import SUBSCRIBERS
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.base.sql import load
from pabal.engine.facts import deliver_once
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Telegram
from pabal.platform.secrets import Vault
from pabal.platform.services import Services
from pabal.platform.storage import Files
from pabal.testing import Parts
from tests.support.people import Tree, plant

SQL = load(__file__)
HOUR = timedelta(hours=1)


@dataclass
class World:
    db: Database
    url: str
    tree: Tree
    campaign_id: int
    began: datetime
    codes: dict[str, int] = field(default_factory=dict)

    @property
    def parts(self) -> Parts:
        return self.parts_with(self.url)

    def parts_with(self, url: str) -> Parts:
        """A server that knows Redis by this address."""
        return Parts(self.db, make_kinds(make_services(self.db, url)), (AD_GROUP,), SUBSCRIBERS)

    async def add(self, *codes: str, hours: int = 24, name: str = "봄 세일") -> int:
        """Approved; it starts at once and ends so many hours later. Facts of it are not delivered yet."""
        schedule = Schedule(self.began, self.began + hours * HOUR)
        async with self.db.transaction() as tx:
            group = await adgroups.create(tx, ENGINE, NewAdGroup(name, self.campaign_id, schedule))
            await adgroups.add_creative(tx, ENGINE, group.id, name="배너", url="https://cdn.example/spring.png")
            for code in codes:
                if code not in self.codes:
                    made = await campaigns.add_inventory(
                        tx, ENGINE, code=code, name=code, unit_id=self.tree.haeundae.id
                    )
                    self.codes[code] = made.id
            await adgroups.set_inventories(tx, ENGINE, group.id, [self.codes[code] for code in codes])
            for event in (Event.COMPLETE_SETUP, Event.APPROVE):
                await events.send(tx, ENGINE, group.id, event)
        return group.id

    async def send(self, ad_group_id: int, event: Event) -> None:
        async with self.db.transaction() as tx:
            await events.send(tx, ENGINE, ad_group_id, event)

    async def edit(self, ad_group_id: int, *, name: str = "봄 세일", hours: int = 24) -> None:
        schedule = Schedule(self.began, self.began + hours * HOUR)
        async with self.db.transaction() as tx:
            await adgroups.edit(tx, ENGINE, ad_group_id, NewAdGroup(name, self.campaign_id, schedule))

    async def drain(self) -> None:
        await testing.drain(self.parts)

    async def jump(self, by: timedelta) -> None:
        await clock.advance(self.db, by)
        await self.drain()

    async def fill(self, count: int, code: str) -> None:
        """So many that run already, written directly."""
        async with self.db.transaction() as tx:
            await tx.run(
                SQL.fill,
                count=count,
                code=code,
                unit_id=self.tree.haeundae.id,
                campaign_id=self.campaign_id,
                now=tx.now,
            )


async def make_world(db: Database, url: str, *, is_wanted: bool = True) -> World:
    """Subscribed. Nothing is scheduled: checks come when they are asked for."""
    tree = await plant(db)
    async with db.transaction() as tx:
        new = NewCampaign("봄", tx.now)
        campaign = await campaigns.create_campaign(tx, ENGINE, new, unit_id=tree.haeundae.id)
        await store.set_wanted(tx, is_wanted)
        began = tx.now
    for subscriber in SUBSCRIBERS:
        await deliver_once(db, subscriber)
    return World(db, url, tree, campaign.id, began)


def make_services(db: Database, url: str) -> Services:
    settings = Settings(serving_url=url)
    vault, files, telegram = Vault("a key for tests only"), Files(Path("none")), Telegram("http://127.0.0.1:9")
    return Services(settings, db, db, vault, files, telegram, changes=db, identity=db)


@asynccontextmanager
async def redis_of(url: str) -> AsyncIterator[tuple[Redis, Link]]:
    async with Redis.from_url(url, decode_responses=True) as redis, open_link(url) as link:
        yield redis, link


async def snapshot(url: str) -> dict[str, Any]:
    """All that ad servers can read, by what follows the common beginning; without what says when."""
    async with Redis.from_url(url, decode_responses=True) as redis:
        keys = [key async for key in redis.scan_iter(match=f"{PREFIX}*", count=10_000)]
        values = [key for key in keys if key.removeprefix(PREFIX).isdigit()]
        texts = await redis.mget(values) if values else []
        found: dict[str, Any] = {
            key.removeprefix(PREFIX): json.loads(text) for key, text in zip(values, texts, strict=True)
        }
        for key in set(keys) - {*values, ABOUT}:
            found[key.removeprefix(PREFIX)] = {int(member) for member in await redis.smembers(key)}
        if ABOUT in keys:
            found["about"] = {"count": await redis.hget(ABOUT, "count")}
    return found
