"""Rooms: discovered by bots, claimed by a unit, with limits of their own and a budget to look at."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.messaging.actions import rooms as actions
from pabal.apps.messaging.actions.checking import read_budget
from pabal.apps.messaging.actions.rooms import NewRoom, RoomChange
from pabal.apps.messaging.api.parts import BASE, Asked, Id, Number, Shown, answer, fill, may_read, noun
from pabal.apps.messaging.api.previews import BudgetShown, show_budget
from pabal.apps.messaging.model.rooms import Room, RoomLimits, RoomType
from pabal.apps.messaging.store import rooms as store
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Listed, Text, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.visit import Visit

router = noun()
# the check below says what is too much
Limit = Annotated[int | None, Field(ge=0, le=2**31 - 1)]
Confirm = Annotated[bool, Field(description="Also when the bot calls another room that you see by the same name.")]


class RoomFilter(Listed):
    q: Annotated[Word | None, Field(description="A part of its name, or its channel id.")] = None
    type: Annotated[RoomType | None, Field(description="Only of this type.")] = None
    bot: Annotated[Id | None, Field(description="Only those this bot is in.", examples=[1])] = None
    unclaimed: Annotated[bool, Field(description="Instead, those nobody has claimed; the head office's to see.")] = (
        False
    )


class LimitsShown(Shown):
    """A room's own; null is the setting's, 0 is none."""

    min_gap_seconds: int | None = Field(examples=[None])
    dispatches_per_day: int | None = Field(examples=[None])
    messages_per_minute: int | None = Field(examples=[3])
    messages_per_hour: int | None = Field(examples=[None])
    messages_per_day: int | None = Field(examples=[None])
    max_text_length: int | None = Field(examples=[None])


class LimitsAsked(Asked):
    """A room's own; null is the setting's, 0 is none."""

    min_gap_seconds: Limit = None
    dispatches_per_day: Limit = None
    messages_per_minute: Limit = Field(default=None, examples=[3])
    messages_per_hour: Limit = None
    messages_per_day: Limit = None
    max_text_length: Limit = None


class RoomBotShown(Shown):
    bot_id: int = Field(examples=[1])
    bot_name: str = Field(examples=["busan1"])
    room_name: str = Field(description="What the bot calls the room.", examples=["부산-운영"])
    last_seen_at: datetime
    is_held: bool = Field(
        description="The bot has this name for another unit's room too: nothing is sent here by it.", examples=[False]
    )


class RoomShown(Shown):
    """A room. `unit_id` is null until somebody claims it."""

    id: int = Field(examples=[3])
    unit_id: int | None = Field(examples=[3])
    channel_id: str = Field(examples=["18390001"])
    name: str = Field(examples=["부산-운영"])
    room_type: RoomType
    note: str = Field(examples=[""])
    limits: LimitsShown
    bots: list[RoomBotShown]
    last_message_at: datetime | None
    claimed_by: str | None = Field(examples=["user:12"])
    created_at: datetime
    updated_at: datetime


class RoomAsked(Asked):
    """A room that no bot has heard anything in yet. `name` is also what the bot calls it."""

    channel_id: Word = Field(examples=["18390001"])
    name: Word = Field(examples=["부산-운영"])
    bot_id: Id = Field(examples=[1])
    unit_id: Id = Field(examples=[3])
    room_type: RoomType = RoomType.PRODUCTION
    confirm: Confirm = False


class RoomEdit(Asked):
    """Only what is given changes; within `limits`, too."""

    unit_id: Id | None = Field(default=None, examples=[3])
    name: Word | None = Field(default=None, examples=["부산-운영"])
    room_type: RoomType | None = None
    note: Text | None = Field(default=None, examples=["점장님이 보십니다"])
    limits: LimitsAsked | None = None
    confirm: Confirm = False

    def apply(self, room: Room, *, unit_id: int) -> RoomChange:
        said: dict[str, Any] = {} if self.limits is None else self.limits.model_dump(exclude_unset=True)
        own = {name: getattr(room.limits, name) for name in RoomLimits.__dataclass_fields__}
        return RoomChange(
            unit_id=unit_id,
            name=room.name if self.name is None else self.name,
            room_type=room.room_type if self.room_type is None else self.room_type,
            note=room.note if self.note is None else self.note,
            limits=RoomLimits(**{**own, **said}),
            confirm=self.confirm,
        )


class RoomClaim(RoomEdit):
    """Which unit it belongs to from now on, and what else is to be different."""

    unit_id: Id = Field(examples=[3])


@router.get("/rooms", response_model=Page[RoomShown])
async def list_rooms(visit: Visitor, wanted: Annotated[RoomFilter, Query()]) -> Response:
    """Lists the rooms somebody claimed, by name; with `unclaimed`, those nobody has, the newest first."""
    may_read(visit)
    filters = store.Wanted(visit.scope.listed, wanted.q, wanted.type, wanted.bot)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Room]:
        if wanted.unclaimed:
            return await store.list_unclaimed(tx, visit.scope, cursor=cursor, limit=limit)
        return await store.list_rooms(tx, filters, cursor=cursor, limit=limit)

    name = "unclaimed_rooms" if wanted.unclaimed else "rooms"
    return await answer_list(visit, wanted, Source(name, RoomShown, load, _show))


@router.post("/rooms", response_model=RoomShown, status_code=201)
async def add_room(visit: Visitor, once: OnceOnly, asked: RoomAsked) -> Response:
    """Adds a room by hand."""

    async def act(tx: Tx) -> Response:
        made = await actions.add(tx, visit.actor, NewRoom(**asked.model_dump()))
        return answer(_show(made), 201, location=f"{BASE}/rooms/{made.id}")

    return await once.run(act)


@router.get("/rooms/{id}", response_model=RoomShown)
async def get_room(visit: Visitor, id: Number) -> Response:
    """Shows one room."""
    async with visit.read() as tx:
        found = await _find(tx, visit, id)
    return answer_one(visit, _show(found))


@router.patch("/rooms/{id}", response_model=RoomShown)
async def edit_room(visit: Visitor, once: OnceOnly, id: Number, asked: RoomEdit) -> Response:
    """Changes a room's name, type, note, limits or owner; the last two are for administrators."""

    async def act(tx: Tx) -> Response:
        room = await _hold(tx, visit, id)
        change = asked.apply(room, unit_id=asked.unit_id or room.unit_id or 0)
        return answer_one(visit, _show(await actions.edit(tx, visit.actor, id, change)))

    return await once.run(act)


@router.post("/rooms/{id}/claim", response_model=RoomShown)
async def claim_room(visit: Visitor, once: OnceOnly, id: Number, asked: RoomClaim) -> Response:
    """Gives a room that is nobody's to a unit."""

    async def act(tx: Tx) -> Response:
        room = await _hold(tx, visit, id)
        change = asked.apply(room, unit_id=asked.unit_id)
        return answer_one(visit, _show(await actions.claim(tx, visit.actor, id, change)))

    return await once.run(act)


@router.post("/rooms/{id}/release", response_model=RoomShown)
async def release_room(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Makes a room nobody's again. Not while schedules send to it."""

    async def act(tx: Tx) -> Response:
        await _hold(tx, visit, id)
        return answer_one(visit, _show(await actions.release(tx, visit.actor, id)))

    return await once.run(act)


@router.delete("/rooms/{id}/bots/{bot_id}", response_model=RoomShown)
async def remove_room_bot(visit: Visitor, id: Number, bot_id: Number) -> Response:
    """Takes a bot that has left a room out of it, so that the name is free again. A message it hears brings it back."""
    async with visit.change() as tx:
        await _hold(tx, visit, id)
        room = await actions.remove_bot(tx, visit.actor, id, bot_id)
    return answer_one(visit, _show(room))


@router.get("/rooms/{id}/budget", response_model=BudgetShown)
async def get_room_budget(
    visit: Visitor,
    id: Number,
    components: Annotated[int, Query(ge=1, le=3, description="Of how many messages the next send is made.")] = 1,
) -> Response:
    """Says how much of a room's limits is used, which of them binds, and when the next send may begin."""
    async with visit.read() as tx:
        budget = await read_budget(tx, await _find(tx, visit, id), components=components)
    return answer_one(visit, show_budget(budget))


async def _find(tx: Tx, visit: Visit, room_id: int) -> Room:
    may_read(visit)
    return await store.get_room(tx, await visible_to(tx, visit.actor), room_id)


async def _hold(tx: Tx, visit: Visit, room_id: int) -> Room:
    await store.hold_room(tx, room_id)
    room = await _find(tx, visit, room_id)
    check_match(visit, _show(room))
    return room


def _show(room: Room) -> RoomShown:
    bots = [RoomBotShown.model_validate(bot) for bot in room.bots]
    return fill(RoomShown, room, limits=LimitsShown.model_validate(room.limits), bots=bots)
