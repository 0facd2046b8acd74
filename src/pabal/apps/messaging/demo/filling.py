"""Fills the demo in through the same actions that people use, and takes it out again."""

import io
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from zoneinfo import ZoneInfo

from PIL import Image, ImageDraw

from pabal.apps.messaging.actions import bots, rooms, schedules, templates
from pabal.apps.messaging.actions.rooms import NewRoom
from pabal.apps.messaging.demo.cast import BOTS, PICTURES, ROOMS, STRANGER, TEMPLATES, WORDS, Act
from pabal.apps.messaging.machine import DEVICE, SCHEDULE, ScheduleEvent
from pabal.apps.messaging.model.content import Content, ImageMode, Picture
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType, When
from pabal.apps.messaging.model.templates import NewTemplate
from pabal.apps.messaging.simulator.phone import usual_device
from pabal.apps.messaging.store import connected
from pabal.apps.messaging.store.connected import Caller
from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine import schedules as engine
from pabal.engine.transitions import begin, transition
from pabal.platform import tenants
from pabal.platform.actor import ENGINE
from pabal.platform.services import Services
from pabal.platform.storage import Upload, UploadLimits, accept_image

SQL = load_sql(__file__)
ZONE = "Asia/Seoul"
YEAR = timedelta(days=365)
FAILED = 3
COLOURS = ("#3a6ea5", "#c8553d", "#588157", "#f2b134", "#6d597a", "#2a9d8f")


async def load(tx: Tx) -> None:
    """Into an organisation that was just made: `platform.demo` calls it once."""
    units = await _units(tx)
    known = {name: await _introduce(tx, name, units[unit]) for name, unit in BOTS.items()}
    for place in ROOMS:
        kind = RoomType.TEST if place.is_test else RoomType.PRODUCTION
        await rooms.add(tx, ENGINE, NewRoom(place.channel_id, place.name, known[place.bot], units[place.unit], kind))
    for name, text in TEMPLATES.items():
        await templates.save(tx, ENGINE, NewTemplate(name=name, unit_id=units["부산총판"], text=text))
    for act in WORDS:
        await _schedule(tx, act, ())
    await tx.run(SQL.insert_past, now=tx.now)
    await tx.run(SQL.insert_past_parts)
    await tx.run(SQL.count_past)
    await tx.run(SQL.insert_traffic, now=tx.now)


async def paint(services: Services) -> None:
    """The schedules with pictures, once: pictures are files, and files are not rows."""
    async with services.database.transaction() as tx:
        if await tx.value(SQL.has_painted, title=PICTURES[0].title) or not await tx.value(SQL.has_demo_rooms):
            return
        unit_id = (await _units(tx))["본사"]
    painted = [await _upload(services, unit_id, number) for number in range(len(COLOURS))]
    async with services.database.transaction() as tx:
        for act in PICTURES:
            await _schedule(tx, act, painted)


async def clear(tx: Tx) -> None:
    """Also what people made in the demo's rooms; the histories stay."""
    for row in await tx.rows(SQL.list_demo_schedules):
        await schedules.purge(tx, ENGINE, row["id"])
    await tx.run(SQL.delete_demo_templates)
    await tx.run(SQL.delete_demo_rooms)
    await tx.run(SQL.delete_demo_bots, names=[*BOTS, STRANGER])


async def _units(tx: Tx) -> dict[str, int]:
    """The demo's, by name; a house of one's own may have one of the same name, so the marked one counts."""
    found = await tenants.list_units(tx, None)
    marked = {unit.name.removesuffix(" (데모)"): unit.id for unit in found if unit.is_demo}
    return {"본사": (await tenants.ensure_hq(tx)).id, **marked}


async def _introduce(tx: Tx, name: str, unit_id: int) -> int:
    caller = Caller(name, usual_device(name), "3.3.3", "MessengerBotR", "simulator", address="", network="")
    found = await connected.register(tx, caller, worker=None, asks_at_new=False)
    if found.is_new:
        await begin(tx, DEVICE, [found.device], actor=ENGINE.name)
        await bots.approve(tx, ENGINE, found.device)
    await bots.edit(tx, ENGINE, found.bot_id, image_mode=ImageMode.SINGLE, unit_id=unit_id)
    return found.bot_id


async def _schedule(tx: Tx, act: Act, painted: Sequence[Picture]) -> None:
    [place] = await tx.rows(SQL.find_place, name=act.room)
    first, second = act.pictures
    content = Content(act.text, tuple(painted[:first]), tuple(painted[first : first + second]), send_order=act.order)
    new = NewSchedule(
        title=act.title,
        room_id=place["room_id"],
        bot_id=place["bot_id"],
        content=content,
        when=_when(tx, act),
        late_policy=act.late,
        is_active=act.is_active,
    )
    made = await schedules.create(tx, ENGINE, new)
    if act.is_broken and made.timetable_id is not None:
        await transition(tx, SCHEDULE, made.id, ScheduleEvent.FAIL, actor=ENGINE.name, reason="bot_error")
        await tx.run(SQL.set_failures, schedule_id=made.id, failures=FAILED)
        await engine.pause(tx, made.timetable_id, actor=ENGINE.name)


def _when(tx: Tx, act: Act) -> When:
    begins = (tx.now - timedelta(days=1)).replace(microsecond=0)
    if act.soon is not None:
        wall = (tx.now + timedelta(seconds=act.soon)).astimezone(ZoneInfo(ZONE)).replace(microsecond=0)
        return When(ScheduleType.ONCE, wall.time(), begins, begins + YEAR, schedule_date=wall.date(), zone=ZONE)
    kind = ScheduleType.WEEKLY if act.days else ScheduleType.DAILY
    return When(kind, act.at, begins, begins + YEAR, schedule_weekdays=act.days, zone=ZONE)


async def _upload(services: Services, unit_id: int, number: int) -> Picture:
    upload = Upload(_once(_draw(number)), f"demo-{number + 1}.png", unit_id=unit_id, area="messaging")
    file = await accept_image(services.database, services.files, ENGINE, upload, UploadLimits())
    width, height = file.width or 1, file.height or 1
    return Picture(file.id, file.name, file.media_type, file.size, width, height, file.frames or 1)


def _draw(number: int) -> bytes:
    picture = Image.new("RGB", (480, 360), COLOURS[number])
    drawing = ImageDraw.Draw(picture)
    for ring in range(4):
        inset = 30 + ring * 35
        drawing.rounded_rectangle((inset, inset, 480 - inset, 360 - inset), 24, outline="white", width=6)
    drawing.ellipse((210, 150, 270, 210), fill="white")
    written = io.BytesIO()
    picture.save(written, "PNG")
    return written.getvalue()


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content
