"""Who and what is in the demo, as values."""

import io
from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import time, timedelta
from zoneinfo import ZoneInfo

from PIL import Image, ImageDraw

from pabal.apps.messaging import asking
from pabal.apps.messaging.actions import bots, groups, rooms, schedules, templates
from pabal.apps.messaging.machine import DEVICE, SCHEDULE, ScheduleEvent
from pabal.apps.messaging.model.bulks import Audience, NewGroup
from pabal.apps.messaging.model.content import Content, ImageMode, NewTemplate, Picture, SendOrder
from pabal.apps.messaging.model.rooms import NewRoom, RoomType
from pabal.apps.messaging.model.schedules import LatePolicy, NewSchedule, ScheduleType, When
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Options
from pabal.apps.messaging.simulator.options import Room as SimulatedRoom
from pabal.apps.messaging.simulator.phone import usual_device
from pabal.apps.messaging.store import connected
from pabal.apps.messaging.store.connected import Caller
from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine import schedules as engine
from pabal.engine.recurrence import Weekday
from pabal.engine.transitions import begin, transition
from pabal.platform import approvals, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.services import Services
from pabal.platform.storage import Upload, UploadLimits, accept_image

# nobody's phone: the ids say so
BOTS = {"파발-부산": "부산총판", "파발-서울": "서울총판", "파발-경남": "경남대리점"}
AWAY = "파발-경남"
# a phone that asks to be let in
STRANGER = "파발-대구"


@dataclass(frozen=True, slots=True)
class Place:
    channel_id: str
    name: str
    unit: str
    bot: str
    is_test: bool = False


ROOMS = (
    Place("demo-180001", "해운대 단골방", "해운대점", "파발-부산"),
    Place("demo-180002", "남포 공지방", "남포점", "파발-부산"),
    Place("demo-180003", "부산 점주방", "부산총판", "파발-부산"),
    Place("demo-180004", "부산 시험방", "부산총판", "파발-부산", is_test=True),
    Place("demo-180005", "역삼 단골방", "역삼점", "파발-서울"),
    Place("demo-180006", "삼성 공지방", "삼성점", "파발-서울"),
    Place("demo-180007", "서울 시험방", "서울총판", "파발-서울", is_test=True),
    Place("demo-180008", "창원 단골방", "창원점", "파발-경남"),
)
# where a bot hears people talk, and nobody has claimed it
UNCLAIMED = Place("demo-180009", "새로 생긴 단골방", "", "파발-부산")


@dataclass(frozen=True, slots=True)
class Act:
    """`soon` seconds from now, once; otherwise at `at` on these days, or daily. `pictures` of each group."""

    title: str
    room: str
    text: str | None = None
    soon: int | None = None
    at: time = time(9)
    days: tuple[Weekday, ...] = ()
    pictures: tuple[int, int] = (0, 0)
    order: SendOrder = SendOrder.TEXT_FIRST
    late: LatePolicy = LatePolicy.WINDOW
    is_active: bool = True
    is_broken: bool = False


_WEEK = (Weekday.MON, Weekday.TUE, Weekday.WED, Weekday.THU, Weekday.FRI)
WORDS = (
    Act("환영 인사", "해운대 단골방", "안녕하세요, 해운대점입니다 😊\n오늘도 좋은 하루 보내세요!", soon=25),
    Act(
        "잠시 뒤 공지",
        "부산 점주방",
        "[공지] 오늘 16시에 점주 회의가 있습니다.\n자료는 회의 10분 전에 올립니다.",
        soon=80,
    ),
    Act("아침 공지", "남포 공지방", "남포점 아침 공지입니다.\n영업 시간 09:00–21:00", at=time(9)),
    Act(
        "주간 마감 안내",
        "역삼 단골방",
        "이번 주 적립금은 금요일까지 쓸 수 있어요.",
        at=time(18, 30),
        days=(Weekday.FRI,),
    ),
    Act("평일 점심 안내", "삼성 공지방", "오늘의 점심 메뉴가 나왔습니다.", at=time(11, 20), days=_WEEK),
    Act("늦어도 보내는 공지", "부산 점주방", "정산 자료를 확인해 주세요.", at=time(17), late=LatePolicy.SEND_LATE),
    Act("쉬는 스케줄", "해운대 단골방", "여름 행사 안내입니다.", at=time(14), is_active=False),
    Act("봇이 없는 톡방", "창원 단골방", "창원점 저녁 안내입니다.", soon=50, late=LatePolicy.ASK),
    Act("멈춘 스케줄", "남포 공지방", "이 스케줄은 세 번 실패해 멈췄습니다.", at=time(10), is_broken=True),
)
PICTURES = (
    Act("신상품 소식", "역삼 단골방", "이번 주 신상품입니다!", soon=110, pictures=(2, 1)),
    Act(
        "주말 행사 그림",
        "해운대 단골방",
        "주말 행사 안내",
        at=time(10),
        days=(Weekday.SAT, Weekday.SUN),
        pictures=(3, 0),
        order=SendOrder.IMAGES_FIRST,
    ),
    Act(
        "매장 사진", "삼성 공지방", None, at=time(15), days=(Weekday.WED,), pictures=(1, 2), order=SendOrder.IMAGES_ONLY
    ),
)
# to every production room of Busan
NOTICE = Act(
    "부산 전체 공지", "부산 운영방", "{지점명} 여러분, {오늘}({요일}) 저녁 점검이 있습니다.\n톡방: {톡방}", soon=140
)
TEMPLATES = {
    "아침 인사": "안녕하세요, 저희 매장이 아침 인사드립니다.",
    "행사 안내": "[행사] 기간: \n내용: \n많은 관심 부탁드립니다!",
}


SQL = load_sql(__file__)
ZONE = "Asia/Seoul"
YEAR = timedelta(days=365)
FAILED = 3
# of this one, yesterday's was missed: somebody is asked whether to send it now
MISSED = "아침 공지"
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
    await _schedule_notice(tx, units["부산총판"])
    await tx.run(SQL.insert_past, now=tx.now, missed=MISSED)
    await tx.run(SQL.insert_past_parts)
    await tx.run(SQL.count_past)
    await tx.run(SQL.insert_traffic, now=tx.now)
    await asking.ask_missed(tx, [row["id"] for row in await tx.rows(SQL.list_just_missed, title=MISSED)])


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
    await tx.run(SQL.delete_demo_groups)
    await tx.run(SQL.delete_demo_templates)
    await tx.run(SQL.delete_demo_rooms)
    waiting = [row["id"] for row in await tx.rows(SQL.list_demo_devices, names=[*BOTS, STRANGER])]
    await approvals.close(tx, asking.DEVICE, waiting, None, actor=ENGINE.name)
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


async def _schedule_notice(tx: Tx, unit_id: int) -> None:
    """One content to many rooms: a group that is kept, and each room reads its own name."""
    rule = NewGroup(NOTICE.room, unit_id, room_type=RoomType.PRODUCTION.value)
    group = await groups.save(tx, ENGINE, rule)
    audience = Audience(group_id=group.id)
    new = NewSchedule(NOTICE.title, 0, 0, Content(NOTICE.text), _when(tx, NOTICE), audience=audience)
    await schedules.create(tx, ENGINE, new)


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


def make_phones(services: Services) -> list[AbstractAsyncContextManager[object]]:
    return [_Phone(services, name) for name in (*BOTS, STRANGER) if name != AWAY]


class _Phone:
    """Begins when it is entered: only then is it known where this server listens for bots."""

    def __init__(self, services: Services, name: str) -> None:
        self._services = services
        self._name = name
        self._bot: SimulatedBot | None = None

    async def __aenter__(self) -> "SimulatedBot | None":
        door = self._services.connections.doors.get("bots")
        if door is not None:
            rooms = tuple(
                SimulatedRoom(place.name, place.channel_id) for place in (*ROOMS, UNCLAIMED) if place.bot == self._name
            )
            self._bot = SimulatedBot(self._name, [door], Options(rooms=rooms))
            self._bot.start()
        return self._bot

    async def __aexit__(self, *_: object) -> None:
        if self._bot is not None:
            await self._bot.stop()
