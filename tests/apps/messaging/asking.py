"""How tests ask for schedules: one that may be saved as it is, in Haeundae's room, changed where a test says so."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from pabal.apps.messaging.actions import schedules as actions
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule, ScheduleType, When
from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.actor import Actor
from pabal.platform.storage.store import list_uses
from tests.support.messaging import World

SEOUL = ZoneInfo("Asia/Seoul")
# a Monday, 08:00 in Seoul
START = datetime(2035, 6, 3, 23, tzinfo=UTC)
NINE = datetime(2035, 6, 4, tzinfo=UTC)
DAY = timedelta(days=1)


def daily(at: time = time(9), **changed: Any) -> When:
    return replace(When(ScheduleType.DAILY, at, START - DAY, START + 60 * DAY), **changed)


def once(at: datetime, **changed: Any) -> When:
    local = at.astimezone(SEOUL)
    when = When(ScheduleType.ONCE, local.time(), START - DAY, START + 60 * DAY, schedule_date=local.date())
    return replace(when, **changed)


def asked(world: World, **changed: Any) -> NewSchedule:
    content = Content(text="오늘 10시에 문을 엽니다 🎉")
    new = NewSchedule("아침 안내", world.room_id, world.bot_id, content, daily())
    return replace(new, **changed)


async def begin_at(db: Database, moment: datetime = START) -> None:
    async with db.transaction() as tx:
        now = tx.now
    await clock.advance(db, moment - now)


async def save(world: World, actor: Actor, **changed: Any) -> Schedule:
    async with world.db.transaction() as tx:
        return await actions.create(tx, actor, asked(world, **changed))


async def uses(db: Database, file_id: int) -> list[str]:
    async with db.transaction() as tx:
        return await list_uses(tx, file_id)
