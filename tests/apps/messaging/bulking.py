"""Sends to many rooms, as tests save and open them."""

from datetime import time, timedelta
from typing import Any

from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.jobs.fanning import FanOut
from pabal.apps.messaging.model.bulks import BULK, Audience, BulkSend, Target
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule, ScheduleType, When
from pabal.apps.messaging.store import bulks as store
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import claims, ticks, withdrawals
from pabal.engine.kinds import Job, Kinds
from pabal.platform.actor import Actor
from pabal.platform.tenants import Scope
from tests.support import work
from tests.support.messaging import SEOUL, SQL, World, add_room

ALL = Scope(None, None)


async def make_rooms(world: World, count: int, *, bots: list[int] | None = None) -> list[int]:
    unit, own_bots = world.tree.haeundae, bots or [world.bot_id]
    return [await add_room(world.db, unit, f"1830{n:04}", f"손님방 {n}", bots=own_bots) for n in range(count)]


async def save(world: World, actor: Actor, audience: Audience, **more: Any) -> Schedule:
    """Every day, first in one minute."""
    async with world.db.transaction() as tx:
        at = (tx.now + timedelta(minutes=1)).astimezone(SEOUL)
        when = When(
            ScheduleType.DAILY,
            time(at.hour, at.minute, at.second),
            tx.now - timedelta(days=1),
            tx.now + timedelta(days=30),
        )
        given = {
            "bot_id": 0,
            "content": Content(text="{톡방} 안녕하세요", send_interval_seconds=0),
            "when": when,
            **more,
        }
        new = NewSchedule(title="전 지점 공지", room_id=0, audience=audience, **given)
        return await schedules.create(tx, actor, new)


def picked(rooms: list[int], **more: Any) -> Audience:
    return Audience(tuple(Target(one) for one in rooms), **more)


async def fan_out(db: Database, by: timedelta = timedelta(minutes=1)) -> BulkSend:
    """Its moment comes, and any server opens it."""
    await clock.advance(db, by)
    await ticks.tick_once(db)
    await run_bulk(db)
    [bulk] = (await list_bulks(db))[:1]
    return bulk


async def expire_bulk(db: Database) -> None:
    """What no server opened in time is given up."""
    await withdrawals.expire_once(db, _kinds(FanOut(db)))


def _kinds(handler: FanOut) -> Kinds:
    kinds = Kinds()
    kinds.plain(BULK, give_up=handler.give_up)(handler.run)
    return kinds


async def run_bulk(db: Database) -> None:
    handler = FanOut(db)
    kinds = _kinds(handler)
    worker = await work.begin_life(db)
    for job in await work.claim(db, worker, BULK):
        outcome = await handler.run(job)
        await settle(db, worker, job, outcome, kinds)


async def settle(db: Database, worker: int, job: Job, outcome: Any, kinds: Kinds) -> None:
    async with db.transaction() as tx:
        await claims.settle(tx, worker, [(job, outcome)], kinds)


async def list_bulks(db: Database) -> list[BulkSend]:
    async with db.transaction() as tx:
        return (await store.list_bulks(tx, ALL)).items


async def tag(db: Database, rooms: list[int], *tags: str) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.set_tags, rooms=rooms, tags=list(tags))
