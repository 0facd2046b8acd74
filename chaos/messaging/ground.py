"""What a run begins with: bots in rooms, pictures, and for each bot a message due at each minute."""

import io
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from PIL import Image

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import schedules
from pabal.apps.messaging.model.content import Content, Picture, SendOrder
from pabal.apps.messaging.model.schedules import LatePolicy, NewSchedule, ScheduleType, When
from pabal.apps.messaging.simulator.phone import usual_device
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.platform import settings, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.storage import Files, Upload, UploadLimits, accept_image
from pabal.platform.tenants import Level

SQL = load(__file__)
SEOUL = ZoneInfo("Asia/Seoul")
ROOMS_EACH = 2
IMAGE_GAP_MS = 100
POLICIES = (*[LatePolicy.WINDOW] * 7, LatePolicy.SEND_LATE, LatePolicy.ASK, LatePolicy.SKIP)
# A dot, a picture that comes in several reads, and one that no socket's buffers hold.
SMALL, MIDDLE, LARGE = 8, 200, 1150


@dataclass(frozen=True)
class Wanted:
    seed: int
    bots: int
    minutes: int

    @property
    def is_resending(self) -> bool:
        """Every second run sends again what was cut; the others leave it to a person."""
        return self.seed % 2 == 0


@dataclass(frozen=True)
class _Bot:
    id: int
    name: str
    rooms: tuple[int, ...]


async def lay(database: Database, files: Files, wanted: Wanted) -> datetime:
    """Answers the moment of the first messages. Every content is a bot's only once, so that the witness can tell it."""
    chance = random.Random(f"ground {wanted.seed}")
    async with database.transaction() as tx:
        await _set(tx, wanted)
        hq = await tenants.ensure_hq(tx)
        unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.BRANCH, name="Survival")
        bots = await _add_bots(tx, unit.id, wanted.bots)
        # Far enough ahead for everything to be laid before it.
        first = (tx.now + timedelta(minutes=5)).replace(second=0, microsecond=0)
    large = await _draw(database, files, unit.id, chance, LARGE)
    # Each in one minute, and not all of them.
    large_at = {bot.id: chance.randrange(wanted.minutes * 3 // 2) for bot in bots}
    for minute in range(wanted.minutes):
        sizes = (SMALL, MIDDLE, SMALL)
        pictures = [await _draw(database, files, unit.id, chance, size) for size in sizes]
        async with database.transaction() as tx:
            for bot in bots:
                content = _compose(chance, f"{bot.name} minute {minute}", pictures)
                if large_at[bot.id] == minute:
                    content = Content(text=content.text, images_1=(large, pictures[0]), send_interval_seconds=0)
                at = first + timedelta(minutes=minute)
                await schedules.create(tx, ENGINE, _ask(bot, bot.rooms[minute % ROOMS_EACH], content, at, chance))
    return first


async def _set(tx: Tx, wanted: Wanted) -> None:
    await settings.change(tx, ENGINE, own.IMAGE_GAP_MS, IMAGE_GAP_MS)
    await settings.change(tx, ENGINE, own.UNKNOWN_PARTS, "resend" if wanted.is_resending else "leave")
    # The machine is busy with other things than these servers; that is no reason to send bots away.
    await settings.change(tx, ENGINE, own.MAX_CPU_PERCENT, 10_000)


async def _add_bots(tx: Tx, unit_id: int, count: int) -> list[_Bot]:
    names = [bot_name(number) for number in range(count)]
    rows = await tx.rows(SQL.insert_bots, unit_id=unit_id, names=names, devices=[usual_device(name) for name in names])
    places = [(row["id"], f"{row['name']}-{n}") for row in rows for n in range(ROOMS_EACH)]
    made = await tx.rows(
        SQL.insert_rooms,
        unit_id=unit_id,
        bot_ids=[bot_id for bot_id, _ in places],
        channels=[channel for _, channel in places],
        names=[f"Room {channel}" for _, channel in places],
    )
    rooms = {row["channel_id"]: row["id"] for row in made}
    return [_Bot(row["id"], row["name"], tuple(rooms[f"{row['name']}-{n}"] for n in range(ROOMS_EACH))) for row in rows]


def bot_name(number: int) -> str:
    return f"bot-{number + 1:04d}"


def _compose(chance: random.Random, text: str, pictures: list[Picture]) -> Content:
    return Content(
        text=text,
        images_1=tuple(pictures[: chance.choice((0, 1, 2))]),
        images_2=tuple(pictures[2 : chance.choice((2, 3))]),
        send_order=chance.choice((SendOrder.TEXT_FIRST, SendOrder.IMAGES_FIRST)),
        send_interval_seconds=chance.choice((0, 0, 1)),
    )


def _ask(bot: _Bot, room_id: int, content: Content, at: datetime, chance: random.Random) -> NewSchedule:
    local = at.astimezone(SEOUL)
    when = When(
        ScheduleType.ONCE, local.time(), at - timedelta(days=1), at + timedelta(days=1), schedule_date=local.date()
    )
    return NewSchedule(
        title=content.text or "", room_id=room_id, bot_id=bot.id, content=content, when=when,
        late_policy=chance.choice(POLICIES),
    )  # fmt: skip


async def _draw(database: Database, files: Files, unit_id: int, chance: random.Random, side: int) -> Picture:
    """Noise: no two are alike, and none is smaller than it looks."""

    async def chunks() -> AsyncIterator[bytes]:
        target = io.BytesIO()
        Image.frombytes("RGB", (side, side), chance.randbytes(side * side * 3)).save(target, "PNG", compress_level=1)
        yield target.getvalue()

    file = await accept_image(database, files, ENGINE, Upload(chunks(), f"{side}.png", unit_id), UploadLimits())
    return Picture(file.id, file.name, file.media_type, file.size, file.width or 0, file.height or 0)
