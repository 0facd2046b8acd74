"""A console with messaging in it: Haeundae has a bot, a room and a test room; Gangnam, beside it, a room of its own."""

import io
import re
from dataclasses import dataclass
from typing import Any

import httpx2
from PIL import Image

from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule
from pabal.apps.messaging.resources.schedules import MessageScheduleFilter, ScheduleSort
from pabal.apps.messaging.store.schedules import list_schedules
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Scope
from tests.support.messaging import add_bot, add_room
from tests.support.web import Web

BRANCH = "haeundae"


@dataclass(frozen=True)
class House:
    web: Web
    bot_id: int
    room_id: int
    test_room_id: int
    other_bot_id: int
    other_room_id: int

    async def add(self, new: NewSchedule) -> Schedule:
        async with self.web.db.transaction() as tx:
            return await schedules.create(tx, ENGINE, new)

    async def list(self) -> list[Schedule]:
        """The newest first."""
        async with self.web.db.transaction() as tx:
            return (await list_schedules(tx, Scope(None, None), MessageScheduleFilter(sort=ScheduleSort.NEWEST))).items


async def build(web: Web) -> House:
    bot_id, _ = await add_bot(web.db, web.tree.haeundae, "busan1")
    room_id = await add_room(web.db, web.tree.haeundae, "18200001", "해운대 손님방", bots=[bot_id])
    test_room_id = await add_room(web.db, web.tree.haeundae, "18200002", "시험방", bots=[bot_id], room_type="test")
    other_bot_id, _ = await add_bot(web.db, web.tree.gangnam, "seoul1")
    other_room_id = await add_room(web.db, web.tree.gangnam, "18200003", "강남 손님방", bots=[other_bot_id])
    return House(web, bot_id, room_id, test_room_id, other_bot_id, other_room_id)


def filled(house: House, **changed: Any) -> dict[str, Any]:
    """What a person types who makes no mistake."""
    return {
        "title": "아침 안내",
        "description": "매일 보내는 것",
        "room_type": "production",
        "room_id": str(house.room_id),
        "bot_id": str(house.bot_id),
        "unit_id": "",
        "text": "첫 줄\r\n\r\n둘째 줄 😊",
        "send_order": "text_first",
        "send_interval_seconds": "2",
        "media_wait_1": "4000",
        "media_wait_2": "0",
        "schedule_type": "weekly",
        "schedule_date": "",
        "schedule_time": "09:20",
        "schedule_weekdays": ["0", "2"],
        "zone": "Asia/Seoul",
        "valid_from": "2026-01-01T00:00",
        "valid_until": "2089-12-31T23:59",
        "late_policy": "window",
        "state": "active",
        **changed,
    }


def picture(kind: str = "PNG", colour: int = 0) -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (8, 6), (colour % 256, 80, 160)).save(target, kind)
    return target.getvalue()


async def upload(client: httpx2.AsyncClient, name: str = "봄.png", content: bytes | None = None) -> str:
    """The id of the file, as the card of an upload carries it."""
    answer = await client.post(
        "/messages/files", data={"group": "images_1"}, files={"file": (name, content or picture())}
    )
    assert answer.status_code == 201, answer.text
    return kept_pictures(answer.text, "images_1")[0]


def kept_pictures(page: str, group: str) -> list[str]:
    """The pictures a form carries along, in their order."""
    return re.findall(rf'<input type="hidden" name="{group}" value="(\d+)"', page)
