"""Sends to look at in the console: a schedule of Haeundae's room, and what became of its moments."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule, ScheduleType, When
from tests.apps.messaging.history import add_deliveries, ended
from tests.apps.messaging.pages.house import House

EVER = (datetime(2026, 1, 1, tzinfo=UTC), datetime(2089, 1, 1, tzinfo=UTC))
MINUTE = timedelta(minutes=1)


async def schedule(house: House, title: str = "아침 안내", *, room_id: int | None = None, bot_id: int = 0) -> Schedule:
    content = Content(text="오늘 10시에 문을 엽니다")
    when = When(ScheduleType.DAILY, time(9), *EVER)
    return await house.add(NewSchedule(title, room_id or house.room_id, bot_id or house.bot_id, content, when))


async def other_schedule(house: House, title: str = "강남 안내") -> Schedule:
    return await schedule(house, title, room_id=house.other_room_id, bot_id=house.other_bot_id)


async def sends(house: House, of: Schedule, *rows: dict[str, Any]) -> list[int]:
    return await add_deliveries(house.web.db, of.id, rows)


async def now(house: House) -> datetime:
    async with house.web.db.transaction() as tx:
        return tx.now


async def one(house: House, of: Schedule, state: str, minutes: int = 5, **more: Any) -> int:
    """A send that was due so many minutes ago."""
    [made] = await sends(house, of, ended(state, await now(house) - minutes * MINUTE, **more))
    return made
