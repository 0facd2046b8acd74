"""Rooms: whose they are, how much of their limits is used; those nobody has claimed, for who may claim them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.messaging.actions import rooms as actions
from pabal.apps.messaging.actions.budgets import Budget, read_budget
from pabal.apps.messaging.actions.rooms import NewRoom, RoomChange
from pabal.apps.messaging.errors import RoomNameRepeated
from pabal.apps.messaging.model.reasons import LIMITS
from pabal.apps.messaging.model.rooms import Room, RoomType
from pabal.apps.messaging.pages.listing import AREA, PAGE
from pabal.apps.messaging.store import bots, rooms
from pabal.apps.messaging.store.rooms import Wanted
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, read_number, turn
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

    def wanted(self, visit: Visit) -> Wanted:
        kind = RoomType(self.type) if self.type in set(RoomType) else None
        return Wanted(visit.scope.listed, self.q or None, kind, read_number(self.bot))


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
        return await ask_same_name(visit, error, asdict(new))
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
        return await ask_same_name(visit, error, {"unit_id": unit_id, "name": name, "room_type": room_type})
    return visit.go("/messages/rooms", said=("{name}: claimed.", "{name}: 맡았습니다."), name=room.name)


async def ask_same_name(visit: Visit, error: RoomNameRepeated, posted: Mapping[str, Any]) -> Response:
    """What was posted, once more, for whoever knows that the bot has another room of this name."""
    return await visit.show(
        "messaging/room_same_name.html",
        409,
        said=explain(error, visit.lang),
        namesakes=error.namesakes,
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
    wanted = filters.wanted(visit)
    return await read_page(lambda cursor: rooms.list_rooms(tx, wanted, cursor=cursor, limit=PAGE), filters.cursor)


async def _show(tx: Tx, visit: Visit, room: Room, units: Tree) -> Line:
    budget = await read_budget(tx, room)
    used = max((100.0 * row.used / row.most for row in budget.rows if row.most), default=0.0)
    return Line(room, units.names(room.unit_id), budget, used, say_budget(visit, budget))


def _show_soon(visit: Visit, moment: datetime) -> str:
    return visit.voice.moment(moment, seconds=True)
