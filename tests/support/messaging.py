"""What tests of messaging share: an organisation with a bot in a room, a picture, and a schedule, inserted directly.

`world = await make_world(db, tmp_path)` gives one of each in the branch Haeundae; `add_bot`, `add_room`, `upload` and
`add_schedule` make more.
"""

import io
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from PIL import Image

from pabal.apps.messaging.machine import SCHEDULE
from pabal.apps.messaging.model.bots import route_of
from pabal.apps.messaging.model.content import Content, ImageMode, Picture
from pabal.apps.messaging.model.deliveries import SEND
from pabal.apps.messaging.model.schedules import LatePolicy, ScheduleType
from pabal.apps.messaging.store import bots, connected
from pabal.apps.messaging.store.connected import Caller, Heard
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import routes, schedules, workers
from pabal.engine.misfires import Misfire
from pabal.engine.recurrence import Daily, Once
from pabal.engine.schedules import NewSchedule
from pabal.engine.transitions import begin
from pabal.platform.actor import ENGINE
from pabal.platform.storage import Files, Upload, UploadLimits, accept_image
from pabal.platform.tenants import Unit
from tests.support.people import Tree, plant

SQL = load(__file__)
SEOUL = ZoneInfo("Asia/Seoul")
WINDOW, HORIZON = timedelta(seconds=300), timedelta(hours=24)


@dataclass(frozen=True)
class World:
    """One of everything, in Haeundae. The bot is in both rooms; its device is approved but connected nowhere."""

    db: Database
    files: Files
    tree: Tree
    bot_id: int
    bot_name: str
    device_id: int
    room_id: int
    channel_id: str
    test_room_id: int
    picture: Picture

    @property
    def route(self) -> str:
        return route_of(self.bot_name)


async def make_world(db: Database, folder: Path, *, image_mode: ImageMode = ImageMode.SINGLE) -> World:
    tree = await plant(db)
    files = Files(folder / "files")
    bot_id, device_id = await add_bot(db, tree.haeundae, "busan1", image_mode=image_mode)
    room_id = await add_room(db, tree.haeundae, "18200001", "해운대 손님방", bots=[bot_id])
    test_room_id = await add_room(db, tree.haeundae, "18200002", "시험방", bots=[bot_id], room_type="test")
    picture = await upload(db, files, tree.haeundae)
    return World(db, files, tree, bot_id, "busan1", device_id, room_id, "18200001", test_room_id, picture)


async def add_bot(
    db: Database, unit: Unit | None, name: str, *, state: str = "approved", image_mode: ImageMode = ImageMode.SINGLE
) -> tuple[int, int]:
    """The ids of the bot and its one device."""
    unit_id = None if unit is None else unit.id
    async with db.transaction() as tx:
        bot_id = await tx.value(SQL.insert_bot, unit_id=unit_id, name=name, image_mode=image_mode)
        device_id = await tx.value(
            SQL.insert_device, unit_id=unit_id, bot_id=bot_id, device_id=f"device of {name}", state=state
        )
    return bot_id, device_id


async def connect_two(db: Database, unit: Unit | None, name: str) -> tuple[int, int, int]:
    """A bot with two phones on a server that is alive: the second one sends. The ids of the bot and of both."""
    bot_id, first = await add_bot(db, unit, name)
    async with db.transaction() as tx:
        given = {"unit_id": None if unit is None else unit.id, "bot_id": bot_id, "state": "approved"}
        second: int = await tx.value(SQL.insert_device, device_id=f"second of {name}", **given)
        worker = await workers.insert_worker(tx, host="gw-1", meta={"roles": ["worker"]})
        for device_id in (f"device of {name}", f"second of {name}"):
            caller = Caller(name, device_id, "3.3.3", "MessengerBotR", "", "127.0.0.1:5000", "127.0.0.0/24")
            await connected.register(tx, caller, worker=worker, asks_at_new=False)
        await routes.hold_route(tx, route_of(name), worker=worker)
        await connected.update_holder(tx, bot_id, second)
    return bot_id, first, second


async def sign_wrongly(db: Database, unit: Unit | None, name: str) -> int:
    """A bot with a secret, whose phone is connected to a server that is alive and signs with another one."""
    bot_id, device = await add_bot(db, unit, name)
    await connect_unproven(db, bot_id, device, name, signature="invalid")
    return bot_id


async def connect_unproven(db: Database, bot_id: int, device: int, name: str, *, signature: str) -> None:
    """Its bot has a secret, and this is how its phone signs."""
    async with db.transaction() as tx:
        worker = await workers.insert_worker(tx, host="gw-1", meta={"roles": ["worker"]})
        await bots.update_secret(tx, bot_id, secret="sealed", salt=None)
        caller = Caller(name, f"device of {name}", "3.3.3", "MessengerBotR", "", "127.0.0.1:5000", "127.0.0.0/24")
        await connected.register(tx, caller, worker=worker, asks_at_new=False)
        await connected.update_heard(tx, [Heard(device, timedelta(0), {}, signature, 0)], worker=worker)


async def add_room(
    db: Database, unit: Unit | None, channel_id: str, name: str, *, bots: list[int], room_type: str = "production"
) -> int:
    """Claimed by the unit, or nobody's. The bots call it by its name."""
    async with db.transaction() as tx:
        room_id: int = await tx.value(
            SQL.insert_room,
            unit_id=None if unit is None else unit.id,
            channel_id=channel_id,
            name=name,
            room_type=room_type,
        )
        for bot_id in bots:
            await tx.run(SQL.insert_room_bot, room_id=room_id, bot_id=bot_id, room_name=name)
    return room_id


async def set_limit(db: Database, room_id: int, *, gap: int | None = None, per_minute: int | None = None) -> None:
    """The room's own; None is the setting's, 0 is none."""
    async with db.transaction() as tx:
        await tx.run(SQL.set_limit, room_id=room_id, min_gap_seconds=gap, messages_per_minute=per_minute)


async def upload(db: Database, files: Files, unit: Unit, *, name: str = "봄.png", colour: int = 0) -> Picture:
    """Another colour is another content."""
    given = Upload(_drawn(colour), name, unit.id)
    file = await accept_image(db, files, ENGINE, given, UploadLimits())
    return Picture(file.id, file.name, file.media_type, file.size, file.width or 0, file.height or 0, file.frames or 1)


async def add_schedule(
    world: World,
    content: Content | None = None,
    *,
    at: datetime | None = None,
    late_policy: LatePolicy = LatePolicy.WINDOW,
    bot_name: str | None = None,
    **columns: Any,
) -> int:
    """An active schedule and the engine's: daily, first in one minute; with `at` once, at that moment.

    `columns` replace those of its row; another `bot_id` needs that bot's name for its route.
    """
    given = content if content is not None else Content(text="오늘도 좋은 하루 되세요")
    async with world.db.transaction() as tx:
        moment = (at or tx.now + timedelta(minutes=1)).astimezone(SEOUL).replace(microsecond=0)
        row = {
            "unit_id": world.tree.haeundae.id,
            "title": "아침 인사",
            "bot_id": world.bot_id,
            "room_id": world.room_id,
            "content": given.to_json(),
            "schedule_type": ScheduleType.DAILY if at is None else ScheduleType.ONCE,
            "schedule_date": None if at is None else moment.date(),
            "schedule_time": moment.time(),
            "valid_from": tx.now - timedelta(days=1),
            "valid_until": tx.now + timedelta(days=365),
            "late_policy": late_policy,
            **columns,
        }
        schedule_id: int = await tx.value(SQL.insert_schedule, **row)
        await begin(tx, SCHEDULE, [schedule_id], actor="user:1")
        made = await schedules.put(tx, _timetable(bot_name or world.bot_name, schedule_id, row, moment))
        await tx.run(SQL.set_timetable, id=schedule_id, timetable_id=made.id)
    return schedule_id


def _timetable(bot_name: str, schedule_id: int, row: dict[str, Any], moment: datetime) -> NewSchedule:
    """As saving a schedule puts it: see actions/schedules.py."""
    policy = row["late_policy"]
    is_late_wanted = policy in (LatePolicy.WINDOW, LatePolicy.SEND_LATE)
    window = {LatePolicy.WINDOW: WINDOW, LatePolicy.SEND_LATE: HORIZON}.get(policy, timedelta(seconds=30))
    once = row["schedule_type"] == ScheduleType.ONCE
    return NewSchedule(
        name=row["title"],
        kind=SEND,
        recurrence=Once(moment) if once else Daily((time(moment.hour, moment.minute, moment.second),)),
        zone="Asia/Seoul",
        args={"message_schedule": schedule_id},
        about=f"message_schedule:{schedule_id}",
        route=route_of(bot_name),
        lane=route_of(bot_name),
        valid_until=row["valid_until"],
        misfire=Misfire.LATEST if is_late_wanted else Misfire.SKIP,
        misfire_window=window,
        expires_after=window,
        unit_id=row["unit_id"],
    )


async def _drawn(colour: int) -> AsyncIterator[bytes]:
    target = io.BytesIO()
    Image.new("RGB", (8, 6), (colour % 256, 80, 160)).save(target, "PNG")
    yield target.getvalue()
