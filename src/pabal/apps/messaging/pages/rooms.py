"""Rooms: whose they are, how much of their limits is used; those nobody has claimed, for who may claim them."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.messaging.actions import deliveries as sending
from pabal.apps.messaging.actions import rooms as actions
from pabal.apps.messaging.actions.checking import read_budget
from pabal.apps.messaging.errors import BadRoom, RoomNameRepeated, SchedulesDepend
from pabal.apps.messaging.model.limits import SETTINGS
from pabal.apps.messaging.model.reasons import LIMITS
from pabal.apps.messaging.model.rooms import (
    Budget,
    BudgetRow,
    NewRoom,
    Room,
    RoomChange,
    RoomLimits,
    RoomType,
)
from pabal.apps.messaging.pages.deliveries import show_line
from pabal.apps.messaging.pages.page_texts import AREA, PAGE
from pabal.apps.messaging.pages.statistics import draw_traffic
from pabal.apps.messaging.resources.bots import BotFilter
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.resources.rooms import RoomFilter
from pabal.apps.messaging.resources.schedules import MessageScheduleFilter
from pabal.apps.messaging.store import bots, deliveries, rooms, schedules
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.tenants import visible_to
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, read_number, turn
from pabal.platform.web.many import offer
from pabal.platform.web.tree import Tree, load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
TOPICS = "messaging.*"
CHOICES = 200


class Filters(BaseModel):
    """What the address says; what is not known is not minded."""

    q: Word = ""
    type: Word = ""
    bot: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.model_dump(exclude_defaults=True, exclude={"cursor"}))

    def wanted(self) -> RoomFilter:
        kind = RoomType(self.type) if self.type in set(RoomType) else None
        return RoomFilter(q=self.q or None, type=kind, bot=read_number(self.bot))


@dataclass(frozen=True, slots=True)
class Line:
    """`used` is the share of its most used limit, in percent; `says` is what binds, or what is left."""

    room: Room
    path: list[str]
    budget: Budget
    used: float
    says: str


@router.get("/messages/rooms")
async def list_page(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load(tx, visit, filters)
        units = await load_tree(tx, visit.scope)
        lines = [await _show(tx, visit, room, units) for room in page.items]
        unclaimed = await rooms.list_unclaimed(tx, visit.scope)
        known = await bots.list_bots(tx, visit.scope, limit=CHOICES)
    return await visit.show(
        "messaging/rooms.html",
        lines=lines,
        unclaimed=unclaimed.items,
        filters=filters,
        units=units.choices(),
        bots=[(str(one.id), one.name) for one in known.items],
        types=list_types(visit),
        pager=turn(visit, page.cursor),
        offer=offer(visit, "messaging.rooms", filters.wanted(), total=None if page.cursor else len(lines)),
        live_topics=TOPICS,
    )


@router.post("/messages/rooms")
async def add(
    visit: Visitor,
    name: Annotated[str, Form(max_length=1000)],
    channel_id: Annotated[str, Form(max_length=1000)],
    bot_id: Annotated[int, Form()],
    unit_id: Annotated[int, Form()],
    room_type: Annotated[RoomType, Form()] = RoomType.PRODUCTION,
    confirm: Annotated[bool, Form()] = False,
) -> Response:  # long: each field of the form
    """By hand: a room no bot has heard anything in yet."""
    new = NewRoom(channel_id, name, bot_id, unit_id, room_type, confirm)
    try:
        async with visit.change() as tx:
            made = await actions.add(tx, visit.actor, new)
    except RoomNameRepeated as error:
        return await ask_first(visit, error, asdict(new))
    return visit.go(f"/messages/rooms/{made.id}", said=("{name}: added.", "{name}: 더했습니다."), name=made.name)


@router.post("/messages/rooms/{room_id}/claim")
async def claim(
    visit: Visitor,
    room_id: RowId,
    unit_id: Annotated[int, Form()],
    name: Annotated[str, Form(max_length=1000)],
    room_type: Annotated[RoomType, Form()] = RoomType.PRODUCTION,
    confirm: Annotated[bool, Form()] = False,
) -> Response:
    change = RoomChange(unit_id, name, room_type, confirm=confirm)
    try:
        async with visit.change() as tx:
            room = await actions.claim(tx, visit.actor, room_id, change)
    except RoomNameRepeated as error:
        return await ask_first(visit, error, {"unit_id": unit_id, "name": name, "room_type": room_type})
    return visit.go("/messages/rooms", said=("{name}: claimed.", "{name}: 맡았습니다."), name=room.name)


async def ask_first(visit: Visit, error: RoomNameRepeated | SchedulesDepend, posted: Mapping[str, Any]) -> Response:
    """What was posted, once more, for whoever knows of the other room, or of the schedules, and means it."""
    return await visit.show(
        "messaging/ask_first.html",
        409,
        said=explain(error, visit.lang),
        namesakes=error.namesakes if isinstance(error, RoomNameRepeated) else (),
        dependants=error.dependants if isinstance(error, SchedulesDepend) else (),
        action=visit.path,
        fields={key: value for key, value in posted.items() if key != "confirm"},
    )


def list_types(visit: Visit) -> list[tuple[str, str]]:
    return [
        (RoomType.PRODUCTION.value, visit.say("production", "운영")),
        (RoomType.TEST.value, visit.say("test", "테스트")),
    ]


def say_budget(visit: Visit, budget: Budget) -> str:
    """Which limit binds and until when; otherwise that a send may begin."""
    if budget.binds is None or budget.next_allowed_at is None:
        return visit.say("free to send", "바로 보낼 수 있음")
    return visit.say(
        "{limit}: next from {at}",
        "{limit}: {at}부터",
        limit=visit.say(*LIMITS[budget.binds]),
        at=_show_soon(visit, budget.next_allowed_at),
    )


async def _load(tx: Tx, visit: Visit, filters: Filters) -> Page[Room]:
    wanted = filters.wanted()
    return await read_page(
        lambda cursor: rooms.list_rooms(tx, visit.scope, wanted, cursor=cursor, limit=PAGE), filters.cursor
    )


async def _show(tx: Tx, visit: Visit, room: Room, units: Tree) -> Line:
    budget = await read_budget(tx, room)
    used = max((100.0 * row.used / row.most for row in budget.rows if row.most), default=0.0)
    return Line(room, units.names(room.unit_id), budget, used, say_budget(visit, budget))


def _show_soon(visit: Visit, moment: datetime) -> str:
    return visit.voice.moment(moment, seconds=True)


LAST, COMING = 10, 10
STRETCH, STEP = timedelta(hours=24), timedelta(minutes=15)
SENDS = ("min_gap_seconds", "dispatches_per_day")


@dataclass(frozen=True, slots=True)
class Meter:
    """A limit as the budget shows it. Of a gap the seconds that passed since the last send are shown."""

    name: str
    label: str
    used: int
    most: int
    unit: str
    bind: str


@dataclass(frozen=True, slots=True)
class OwnLimit:
    """`own` is None where the setting holds."""

    name: str
    label: str
    own: int | None
    setting: int


@router.get("/messages/rooms/{room_id}")
async def page(visit: Visitor, room_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        room = await rooms.get_room(tx, visit.scope, room_id)
        budget = await read_budget(tx, room)
        units = await load_tree(tx, visit.scope)
        values = await _read_around(tx, visit, room)
    return await visit.show(
        "messaging/room.html",
        room=room,
        path=units.names(room.unit_id),
        units=units.choices(),
        types=list_types(visit),
        says=say_budget(visit, budget),
        binds=budget.binds,
        sends=[_meter(visit, row) for row in budget.rows if row.name in SENDS],
        messages=[_meter(visit, row) for row in budget.rows if row.name not in SENDS],
        live_topics=TOPICS,
        **values,
    )


@router.post("/messages/rooms/{room_id}")
async def edit(
    visit: Visitor,
    room_id: RowId,
    name: Annotated[str, Form(max_length=1000)],
    room_type: Annotated[RoomType, Form()],
    note: Annotated[str, Form(max_length=2000)] = "",
    unit_id: Annotated[int, Form()] = 0,
    tags: Annotated[str, Form(max_length=1000)] = "",
    confirm: Annotated[bool, Form()] = False,
) -> Response:  # long: each field of the form
    """Name, type, note, tags and whose it is; the limits stay."""
    visit.actor.require(Right.WRITE, AREA)
    try:
        async with visit.change() as tx:
            await rooms.get_room(tx, visit.scope, room_id)
            change = RoomChange(
                unit_id or None, name, room_type, note, confirm=confirm, tags=tuple(tags.replace("#", ",").split(","))
            )
            await actions.edit(tx, visit.actor, room_id, change)
    except (RoomNameRepeated, SchedulesDepend) as error:
        posted = {"name": name, "room_type": room_type, "note": note, "unit_id": unit_id, "tags": tags}
        return await ask_first(visit, error, posted)
    return visit.go(f"/messages/rooms/{room_id}", said=("Saved.", "저장했습니다."))


@router.post("/messages/rooms/{room_id}/limits")
async def limit(visit: Visitor, room_id: RowId) -> Response:
    """An empty field is the setting's."""
    visit.actor.require(Right.WRITE, AREA)
    form = await visit.request.form()
    limits = RoomLimits(**{name: _read_limit(name, form.get(name)) for name in LIMITS})
    async with visit.change() as tx:
        await rooms.get_room(tx, visit.scope, room_id)
        await actions.edit(tx, visit.actor, room_id, RoomChange(limits=asdict(limits)))
    return visit.go(f"/messages/rooms/{room_id}", said=("Limits saved.", "제한을 저장했습니다."))


@router.post("/messages/rooms/{room_id}/release")
async def release(visit: Visitor, room_id: RowId) -> Response:
    async with visit.change() as tx:
        room = await actions.release(tx, visit.actor, room_id)
    return visit.go("/messages/rooms", said=("{name}: released.", "{name}: 내놓았습니다."), name=room.name)


@router.post("/messages/rooms/{room_id}/order")
async def order(visit: Visitor, room_id: RowId) -> Response:
    """Which bot speaks first and who takes over: by the numbers typed beside them; empty has no turn."""
    visit.actor.require(Right.WRITE, AREA)
    form = await visit.request.form()
    async with visit.change() as tx:
        room = await rooms.get_room(tx, visit.scope, room_id)
        typed = {each.bot_id: str(form.get(f"turn_{each.bot_id}") or "").strip() for each in room.bots}
        chosen = sorted((int(text), bot_id) for bot_id, text in typed.items() if text.isascii() and text.isdigit())
        change = RoomChange(bot_order=tuple(bot_id for _, bot_id in chosen))
        await actions.edit(tx, visit.actor, room_id, change)
    return visit.go(f"/messages/rooms/{room_id}", said=("The order is saved.", "봇 순서를 저장했습니다."))


@router.post("/messages/rooms/{room_id}/bots/{bot_id}/remove")
async def remove_bot(
    visit: Visitor, room_id: RowId, bot_id: RowId, confirm: Annotated[bool, Form()] = False
) -> Response:
    try:
        async with visit.change() as tx:
            room = await actions.remove_bot(tx, visit.actor, room_id, bot_id, confirm=confirm)
    except SchedulesDepend as error:
        return await ask_first(visit, error, {})
    said = ("{name}: the bot is taken out.", "{name}: 봇을 뺐습니다.")
    return visit.go(f"/messages/rooms/{room_id}", said=said, name=room.name)


@router.post("/messages/rooms/{room_id}/test")
async def test(
    visit: Visitor, room_id: RowId, schedule_id: Annotated[int, Form()], test_room_id: Annotated[int, Form()]
) -> Response:
    """What a schedule would send, into a test room, now."""
    async with visit.change() as tx:
        made = await sending.send_test(tx, visit.actor, schedule_id, test_room_id)
    return visit.go(f"/messages/deliveries/{made.id}", said=("The test goes out.", "테스트를 보냅니다."))


async def _read_around(tx: Tx, visit: Visit, room: Room) -> dict[str, Any]:
    is_test = room.room_type is RoomType.TEST
    own = await schedules.list_schedules(tx, visit.scope, MessageScheduleFilter(room=room.id), limit=50)
    tested = await schedules.list_schedules(tx, visit.scope, limit=100) if is_test else own
    last = await deliveries.list_deliveries(tx, visit.scope, MessageDeliveryFilter(room=room.id), limit=LAST)
    under_way = [one for one in await deliveries.list_open(tx, visit.scope.listed) if one.room_id == room.id]
    known = await bots.list_bots(tx, visit.scope, BotFilter(room=room.id))
    traffic = await rooms.list_traffic(tx, room.id, since=tx.now - STRETCH, until=tx.now)
    places = await rooms.list_rooms(tx, visit.scope, RoomFilter(type=RoomType.TEST), limit=100)
    sent = [one.started_at for one in last.items if one.started_at and one.started_at > tx.now - STRETCH]
    points = _fold(tx.now, traffic)
    sight = await visible_to(tx, visit.actor)
    held = [(each.bot_id, each.room_name) for each in room.bots if each.is_held]
    namesakes = await rooms.list_namesakes(tx, held, but=room.id) if held else []
    return {
        "namesakes": [one for one in namesakes if sight.holds(one.unit_id)],
        "coming": [one for one in own.items if one.next_send_at is not None][:COMING],
        "tested": tested.items,
        "test_rooms": [room] if is_test else places.items,
        "lines": [show_line(visit, one) for one in last.items if one.state != "open"],
        "under_way": under_way,
        "bots": {one.id: one for one in known.items},
        "traffic": draw_traffic(visit, points, sent),
        "said": sum(one.messages for one in traffic),
        "hours": _by_hour(visit, traffic),
        "limits": await _list_limits(tx, visit, room),
    }


def _meter(visit: Visit, row: BudgetRow) -> Meter:
    bind = ""
    used, most, unit = row.used, row.most, visit.say("", "회") if row.name in SENDS else visit.say("", "개")
    if row.next_allowed_at is not None:
        bind = visit.say("next from {at}", "{at}부터", at=visit.voice.moment(row.next_allowed_at, seconds=True))
    if row.name == "min_gap_seconds":
        most, unit = round(row.span.total_seconds()), visit.say(" s", "초")
        left = 0.0 if row.next_allowed_at is None else (row.next_allowed_at - visit.now).total_seconds()
        used = 0 if row.next_allowed_at is None else max(0, most - round(left))
    return Meter(row.name, visit.say(*LIMITS[row.name]), used, most, unit, bind)


async def _list_limits(tx: Tx, visit: Visit, room: Room) -> list[OwnLimit]:
    values = await settings.values(tx, SETTINGS)
    return [
        OwnLimit(name, visit.say(*said), getattr(room.limits, name), values[setting])
        for (name, said), setting in zip(LIMITS.items(), SETTINGS, strict=True)
    ]


def _fold(now: datetime, traffic: Iterable[rooms.Minute]) -> list[tuple[datetime, int]]:
    """Quarters of an hour up to now, also those in which nothing was said."""
    first = now - STRETCH
    counts = [0] * (STRETCH // STEP)
    for one in traffic:
        place = (one.minute - first) // STEP
        if 0 <= place < len(counts):
            counts[place] += one.messages
    return [(first + place * STEP, count) for place, count in enumerate(counts)]


def _by_hour(visit: Visit, traffic: Iterable[rooms.Minute]) -> list[tuple[datetime, int]]:
    """The chart's table: hours in which something was said."""
    found: dict[datetime, int] = {}
    for one in traffic:
        hour = one.minute.astimezone(visit.zone).replace(minute=0)
        found[hour] = found.get(hour, 0) + one.messages
    return sorted(found.items(), reverse=True)


def _read_limit(name: str, typed: object) -> int | None:
    text = typed.strip().replace(",", "") if isinstance(typed, str) else ""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise BadRoom(f"{name} {text[:50]}")
    return int(text)
