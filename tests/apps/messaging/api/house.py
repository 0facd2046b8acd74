"""Haeundae has a bot, a room and a test room; Gangnam, of another distributor, has the same of its own."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pabal.apps.messaging.model.content import Picture
from pabal.engine import ids
from tests.support.messaging import add_bot, add_room, upload
from tests.support.web import Web

V1 = "/api/v1/messages"
KB = "/api/schedules"


@dataclass(frozen=True)
class House:
    web: Web
    bot_id: int
    device_id: int
    room_id: int
    test_room_id: int
    picture: Picture

    @property
    def file(self) -> str:
        return ids.show("file", self.picture.file_id)


async def build(web: Web, unit: str = "haeundae", *, bot: str = "busan1", channel: int = 18200001) -> House:
    """In another unit: the same of its own."""
    owner = web.unit(unit)
    bot_id, device_id = await add_bot(web.db, owner, bot)
    room_id = await add_room(web.db, owner, str(channel), f"{bot} 손님방", bots=[bot_id])
    test_room_id = await add_room(web.db, owner, str(channel + 1), f"{bot} 시험방", bots=[bot_id], room_type="test")
    picture = await upload(web.db, web.app.services.files, owner)
    return House(web, bot_id, device_id, room_id, test_room_id, picture)


async def kb_body(house: House, **changed: Any) -> dict[str, Any]:
    """kb_schedule as a client of the old system writes it: local wall time, names instead of ids."""
    return {
        "title": "아침 공지 📣",
        "description": "매일 아침",
        "target_bot_name": "busan1",
        "target_room_id": "18200001",
        "message_text": "오늘도 좋은 하루 되세요 😊",
        "message_images_1": [],
        "message_images_2": [],
        "send_interval_seconds": 2,
        "media_wait_time_1": 4000,
        "media_wait_time_2": 0,
        "schedule_type": "daily",
        "schedule_time": "09:00",
        **await validity(house),
        **changed,
    }


async def v1_body(house: House, **changed: Any) -> dict[str, Any]:
    return {
        "title": "아침 공지",
        "room_id": house.room_id,
        "bot_id": house.bot_id,
        "text": "오늘도 좋은 하루 되세요",
        "schedule_type": "daily",
        "schedule_time": "09:00",
        **await validity(house),
        **changed,
    }


async def validity(house: House) -> dict[str, str]:
    """From yesterday for two months, as a clock on the wall says it."""
    async with house.web.db.transaction() as tx:
        now = tx.now
    return {
        "valid_from": (now - timedelta(days=1)).strftime("%Y-%m-%d 00:00:00"),
        "valid_until": (now + timedelta(days=60)).strftime("%Y-%m-%d 23:59:59"),
    }
